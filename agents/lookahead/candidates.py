"""Collect candidate calls: those that the system nearly makes, and those that the sampled deals suggest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.options import Options
from agents.systems.bidder import HierarchyBidder
from agents.systems.inference.hand_classes import near_rows
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import FEATURES, HCP, LENGTH, hand_features
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS

_HIGH = 3  # from this level on their contract may be doubled by somebody whose system has no such double
_CONTRACTS = 2  # of ours that the sampled deals suggest
_WEAK = 8  # with fewer points, and no six-card suit, silence needs no thought before partner has spoken


def near_calls(bidder: HierarchyBidder, view: BidView) -> NDArray[np.float32]:
    """Measure how far each hand is from a rule for each call: float32 (N, 38), infinite without a rule."""
    pool, systems = bidder.seated(view)
    out = np.empty((len(view), NUM_CALLS), np.float32)
    near_rows(
        pool, systems, view.dealer, view.vulnerability, np.ascontiguousarray(view.history),
        np.ascontiguousarray(view.length), hand_features(view.hand), out,
    )  # fmt: skip
    return out


def by_system(call: int, near: NDArray[np.float32], mask: NDArray[np.bool_], options: Options) -> list[int]:
    """Return the system's own call, pass, and the calls whose rules the hand nearly fits, the nearest first."""
    order = np.argsort(near, kind="stable")
    close = [int(c) for c in order if near[c] <= options.near and mask[c]]
    return list(dict.fromkeys([call, PASS, *close]))[: options.candidates]


def worth_thinking(view: BidView, row: int, calls: list[int], free: bool) -> bool:
    """Return whether a call other than the first may be better."""
    history = view.history[row, : int(view.length[row])]
    if calls[0] != PASS or (len(calls) > 1 and not free):
        return True
    features = hand_features(view.hand[row : row + 1])[0]
    strong = features[HCP] >= _WEAK or features[FEATURES["longest"]] >= 6
    partner = history[-2::-4]
    bids = history[history >= FIRST_BID]
    theirs = bool(view.mask[row, DOUBLE])
    high = len(bids) > 0 and (int(bids[-1]) - FIRST_BID) // 5 + 1 >= _HIGH
    if free:
        return bool(strong or (partner != PASS).any() or high)
    return bool((theirs and high and (features[HCP] >= 6 or features[LENGTH : LENGTH + 4].max() >= 6))
                or (strong and (partner != PASS).any() and len(bids) > 0))  # fmt: skip


def by_sample(
    leaves: NDArray[np.float32],
    weight: NDArray[np.float64],
    mask: NDArray[np.bool_],
    declarers: NDArray[np.int16],
    current: tuple[int, int, int],
) -> list[int]:
    """Suggest calls from the sampled deals: our contracts with the best average score, and a double that pays.

    Args:
        leaves: float32 (S, 4, 35, 3), to declarer's side; I am seat 0.
        declarers: (5,), the declarer of a strain that I bid.
        current: the last bid (-1 none), its declarer, its doubling.
    """
    mean = np.einsum("s,sdbx->dbx", weight, leaves)
    ours = mean[declarers[np.arange(NUM_BIDS) % 5], np.arange(NUM_BIDS)]
    final = np.minimum(ours[:, 0], ours[:, 1])  # they double what fails
    final[~mask[FIRST_BID:]] = -np.inf
    best = np.argsort(-final, kind="stable")[:_CONTRACTS]
    suggested = [FIRST_BID + int(bid) for bid in best if final[bid] > -np.inf]
    bid, declarer, doubling = current
    if mask[DOUBLE] and mean[declarer, bid, 1] < mean[declarer, bid, doubling]:
        suggested.insert(0, DOUBLE)
    return suggested


def best_of_all(worth: NDArray[np.float32], weight: NDArray[np.float64], count: int) -> list[int]:
    """Return the legal calls that are worth most on average, of points (S, 38), at most ``count``."""
    mean = weight @ worth
    order = np.argsort(-mean, kind="stable")
    return [int(call) for call in order[:count] if mean[call] > -1e8]
