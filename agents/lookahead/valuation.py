"""Look ahead: value each contract and each candidate on sampled deals, and convert differences of points to IMPs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.game import call_values, game_values
from agents.systems.bidder import Seats, bid_out
from bridge_env.bidders.view import BidView
from bridge_env.double_dummy.estimator import TrickEstimator, builtin_estimator, expected_scores
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS
from bridge_env.rules.scoring import IMP_STEPS

# An expected difference lies between two steps of the scale: the middle of a step's span is worth its IMPs.
_MIDDLES = np.concatenate([[0], (IMP_STEPS[:-1].astype(np.float64) + IMP_STEPS[1:]) / 2, [4500]])
_IMPS = np.arange(len(_MIDDLES), dtype=np.float64)


def contract_values(owner: NDArray[np.uint8], vulnerability: int) -> NDArray[np.float32]:
    """Return expected points of every contract for declarer's side: float32 (S, 4, 35, 3) [declarer, bid, doubling].

    Args:
        owner: the deals of one row, always estimated by themselves: sums in another grouping would differ in the last
            digit, and a batch would not equal its rows.
    """
    return expected_scores(estimator().distribution(owner), vulnerability)


@lru_cache(maxsize=1)
def estimator() -> TrickEstimator:
    """Return the shipped estimator, on one thread: the deals of a row, or of a card, are few."""
    shipped = builtin_estimator()
    return TrickEstimator(shipped.weights, shipped.trained, threads=1)


def smooth_imps(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return differences in points as IMPs, without the steps of the scale: expected points lie anywhere."""
    size = np.interp(np.abs(points), _MIDDLES, _IMPS)
    return np.sign(points) * size


def _after_each(view: BidView, calls: list[int]) -> NDArray[np.int8]:
    """Return the auction of the one row of ``view`` with each of ``calls`` at its end."""
    before = np.tile(view.history[0, : int(view.length[0])], (len(calls), 1))
    return np.concatenate([before, np.array(calls, np.int8)[:, None]], axis=1)


def by_systems(
    seats: Seats, view: BidView, calls: list[int], features: NDArray[np.int16], leaves: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Bid every candidate out as each seat's system says; returns points to the seat to call, float64 (C, S)."""
    deals, length = len(features), int(view.length[0])
    made = np.repeat(_after_each(view, calls), deals, axis=0)
    boards = np.tile(np.arange(deals), len(calls))
    rows = np.zeros(len(made), np.int64)
    auctions = bid_out(
        seats, features, view.dealer[rows], view.vulnerability[rows], boards, made, np.full(len(made), length + 1)
    )
    return points_of(auctions, leaves, boards).reshape(len(calls), deals)


def points_of(auctions: Auctions, leaves: NDArray[np.float32], boards: NDArray[np.int64]) -> NDArray[np.float64]:
    """Score finished auctions in points for NS: float64 (N,); ``boards`` (N,) says whose ``leaves``."""
    contracts = auctions.contracts()
    bid, declarer = contracts.bid.astype(np.int64), contracts.declarer.astype(np.int64)
    points = leaves[boards, declarer, bid, contracts.doubling].astype(np.float64)
    points[declarer & 1 == 1] *= -1
    points[bid < 0] = 0
    return points


def by_minimax(
    view: BidView, calls: list[int], leaves: NDArray[np.float32], trust: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Value candidates where every seat sees all hands and finds its best call with chance ``trust`` (4,).

    Returns:
        Points to the seat to call, which is N: float64 (C, S).
    """
    states = Auctions.replay(_after_each(view, calls), view.dealer[0], view.vulnerability[0]).state
    out = np.empty((len(calls), len(leaves)), np.float32)
    game_values(states, leaves, trust, out)
    return out.astype(np.float64)


def of_all_calls(view: BidView, leaves: NDArray[np.float32], trust: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the same for every call at once, float32 (S, 38), -1e9 where it is not legal."""
    out = np.empty((len(leaves), NUM_CALLS), np.float32)
    state = Auctions.replay(view.history[:, : int(view.length[0])], view.dealer, view.vulnerability).state
    call_values(np.repeat(state, len(leaves), axis=0), np.arange(len(leaves)), leaves, trust, out)
    return out
