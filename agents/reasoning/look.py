"""Look ahead: value each candidate on each sampled deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Seats, bid_out
from agents.reasoning.game import call_values, game_values
from bridge_env.auction import Auctions
from bridge_env.calls import NUM_CALLS
from bridge_env.view import BidView


def after_each(view: BidView, calls: list[int]) -> Auctions:
    """The auction of the one row of ``view`` after each of ``calls``."""
    length = int(view.length[0])
    history = np.tile(view.history[0, :length], (len(calls), 1))
    joined = np.concatenate([history, np.array(calls, np.int8)[:, None]], axis=1)
    return Auctions.replay(joined, view.dealer[0], view.vulnerability[0])


def by_systems(
    seats: Seats, view: BidView, calls: list[int], features: NDArray[np.int16], leaves: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Every seat goes on as its system says: points to the seat to call, float64 (C, S)."""
    deals, length = len(features), int(view.length[0])
    made = np.tile(view.history[0, : length + 1], (len(calls) * deals, 1))
    if made.shape[1] <= length:
        made = np.concatenate([made, np.empty((len(made), 1), np.int8)], axis=1)
    made[:, length] = np.repeat(np.array(calls, np.int8), deals)
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
    """Every seat sees all hands, and finds its best call with chance ``trust`` (4,).

    Returns:
        Points to the seat to call, which is N: float64 (C, S).
    """
    out = np.empty((len(calls), len(leaves)), np.float32)
    game_values(after_each(view, calls).state, leaves, trust, out)
    return out.astype(np.float64)


def of_all_calls(view: BidView, leaves: NDArray[np.float32], trust: NDArray[np.float64]) -> NDArray[np.float32]:
    """The same for every call at once, float32 (S, 38), -1e9 where it is not legal."""
    out = np.empty((len(leaves), NUM_CALLS), np.float32)
    state = Auctions.replay(view.history[:, : int(view.length[0])], view.dealer, view.vulnerability).state
    call_values(np.broadcast_to(state[0], (len(leaves), state.shape[1])), np.arange(len(leaves)), leaves, trust, out)
    return out
