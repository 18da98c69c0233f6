"""Value alternative calls by what the caller knew, as the reasoning agent does.

``play_out`` scores a call on the one deal that lay there. Here the caller sees his own hand and the auction. Deals are
drawn that hold the hand and fit every call by the system of the seat that made it; each call is bid out on all of them,
and the other table too, by everyone's systems; and contracts count at the trick estimator's expected points. That
estimates the same thing as ``play_out``, with less of chance in it: labels spread half as far.

It is dear, so fewer decisions are labelled: ``MOST_LOOKED_AT`` in ``training.evolve.work``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder, bid_on, bid_out, deal_features
from agents.hierarchy.inverse.shown import Memory, sample_view
from agents.reasoning.leaves import contract_values, smooth_imps
from agents.reasoning.look import points_of
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.calls import first_calls
from bridge_env.view import BidView, view_of
from training.evolve.refine.decisions import unlabelled
from training.match.duel import Duel, Partnership, Rival, Seats, Stretch, boards_of, seats_of

SAMPLES = 24  # deals for each decision
TOGETHER = 64  # decisions whose calls are bid out at once
UNIT = 64  # labels are whole multiples of 1/64 IMP: then sums of them are exact, in whatever order
_MEMORY = 512  # readings of calls kept for each bidder, 22 KB each


def look_ahead(
    us: Partnership,
    them: Rival,
    stretch: Stretch,
    before: Duel,
    table: int,
    board: NDArray[np.int64],
    number: NDArray[np.int64],
    ask: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """IMPs that other calls may be expected to gain over those made, if everyone goes on as now.

    A decision's deals depend on the seed, its board, table and number alone: no batch changes them.

    Args: as for ``training.evolve.refine.decisions.play_out``.

    Returns:
        float32 (N, 38): 0 for the call made, ``UNTRIED`` for those not asked for.
    """
    boards, _ = boards_of(stretch)
    history = before.history[table]
    made = history[board, number].astype(np.int64)
    out = unlabelled(made, np.float32)
    known = first_calls(history[board], number)
    auctions = Auctions.replay(known, boards.dealer[board], boards.vulnerability[board])
    keys = streams.key(stretch.seed, "look-ahead", table, board + stretch.start, number)
    ask = ask.copy()
    ask[np.arange(len(board)), made] = True  # what the others are compared with
    for at in range(0, len(board), TOGETHER):
        part = slice(at, at + TOGETHER)
        rows = np.arange(len(board))[part]
        view = view_of(auctions.take(rows), boards.owner[board[rows]])
        deals, weight, leaves = _sampled(seats_of(us, them, table), view, keys[part])
        which, call = np.nonzero(ask[part])
        points = _bid_on(seats_of(us, them, table), view, which, call, deals, leaves)
        other = _elsewhere(seats_of(us, them, 1 - table), view, deals, leaves)[which]
        gained = smooth_imps(points - other if table == 0 else other - points)
        now = np.flatnonzero(call == made[part][which])  # one of each decision, in their order
        worth = ((gained - gained[now][which]) * weight[which]).sum(axis=1)
        out[rows[which], call] = np.round(worth * UNIT) / UNIT
    return out


@lru_cache(maxsize=8)
def _reader(own: Hierarchy, partner: Hierarchy, low: Hierarchy, high: Hierarchy) -> tuple[HierarchyBidder, Memory]:
    """Return the reader of all calls, by each seat's system, and what it read."""
    return HierarchyBidder(own, partner, (low, high)), Memory(_MEMORY)


def _sampled(
    seats: Seats, view: BidView, keys: NDArray[np.uint64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float32]]:
    """The deals of each decision, uint8 (N, S, 52), their shares, float64 (N, S), and their contracts' expected points.

    The last are float32 (N, S, 4, 35, 3) [declarer, bid, doubling], for declarer's side. They are made decision by
    decision: sums in another grouping would differ in the last digit.
    """
    deals, weight, leaves = [], [], []
    for row in range(len(view)):
        seat = int(view.seat[row])
        low, high = (1, 3) if seat & 1 == 0 else (0, 2)
        bidder, memory = _reader(seats[seat], seats[seat ^ 2], seats[low], seats[high])
        sample = sample_view(
            bidder, view, SAMPLES, keys[row], row=row, limit=2_000 + 100 * SAMPLES, memory=memory
        )  # as many tries as the reasoner makes
        deals.append(sample.owner)
        weight.append(sample.weight)
        leaves.append(contract_values(sample.owner, int(view.vulnerability[row]), "estimate"))
    return np.array(deals), np.array(weight), np.array(leaves)


def _bid_on(
    seats: Seats,
    view: BidView,
    which: NDArray[np.int64],
    call: NDArray[np.int64],
    deals: NDArray[np.uint8],
    leaves: NDArray[np.float32],
) -> NDArray[np.float64]:
    """Expected NS-positive points of calls of decisions ``which`` (M,) on each of their deals: float64 (M, S)."""
    row = np.repeat(which, SAMPLES)
    length = view.length[row].astype(np.int64)
    calls = np.full((len(row), int(length.max()) + 1), -1, np.int8)
    width = min(view.history.shape[1], calls.shape[1])
    calls[:, :width] = view.history[row, :width]
    calls[np.arange(len(row)), length] = np.repeat(call, SAMPLES)
    deal = (which[:, None] * SAMPLES + np.arange(SAMPLES)).reshape(-1)
    features = deal_features(deals.reshape(-1, 52))
    ended = bid_on(seats, features, deal, view.dealer[row], view.vulnerability[row], calls, length + 1)
    return points_of(ended, leaves.reshape(-1, *leaves.shape[2:]), deal).reshape(-1, SAMPLES)


def _elsewhere(
    seats: Seats, view: BidView, deals: NDArray[np.uint8], leaves: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Expected NS-positive points at the other table on each deal of each decision: float64 (N, S)."""
    row = np.repeat(np.arange(len(view)), SAMPLES)
    features = deal_features(deals.reshape(-1, 52))
    ended = bid_out(seats, features, view.dealer[row], view.vulnerability[row])
    return points_of(ended, leaves.reshape(-1, *leaves.shape[2:]), np.arange(len(row))).reshape(-1, SAMPLES)
