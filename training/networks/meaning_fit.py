"""Measure the ranges of the hands behind each of a network's calls, over its own auctions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import NetworkBidder
from agents.networks.meaning import Meanings, auction_keys
from agents.networks.tables import all_by
from agents.systems.bidder import deal_features
from agents.systems.explain.measured_text import TAIL
from bridge_env.hands.deals import deals_of
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rng.streams import key as hashed

_PART = 8192  # boards bid at a time
_BINS = 38
LEAST = 200  # occurrences of an auction that is measured


def measure(
    bidder: NetworkBidder, boards: int, seed: int, progress: Callable[[float], None] = lambda share: None
) -> Meanings:
    """Bid random boards at all four seats, twice: count the auctions, then return the ranges of 19 in 20 hands
    behind each.
    """
    met, count = np.empty(0, np.uint64), np.empty(0, np.int64)
    parts = range(0, boards, _PART)
    for at in parts:
        keys, _ = _calls(bidder, at, min(_PART, boards - at), seed)
        fresh, times = np.unique(keys, return_counts=True)
        met, index = np.unique(np.concatenate([met, fresh]), return_inverse=True)
        count = np.bincount(index, weights=np.concatenate([count, times])).astype(np.int64)
        if at // _PART % 8 == 7:  # an auction met once in so many boards will not be met often enough
            common = count > 1
            met, count = met[common], count[common]
        progress(0.5 * (at + _PART) / boards)
    frequent = np.sort(met[count >= min(LEAST, boards)])
    histogram = np.zeros((len(frequent), 5, _BINS), np.int64)
    for at in parts:
        keys, features = _calls(bidder, at, min(_PART, boards - at), seed)
        place = np.minimum(np.searchsorted(frequent, keys), max(len(frequent) - 1, 0))
        rows = np.flatnonzero(frequent[place] == keys) if len(frequent) else np.empty(0, np.int64)
        for quantity in range(5):
            index = place[rows] * _BINS + features[rows, quantity]
            histogram[:, quantity] += np.bincount(index, minlength=len(frequent) * _BINS).reshape(-1, _BINS)
        progress(0.5 + 0.5 * (at + _PART) / boards)
    total = histogram.sum(axis=2)
    below = np.cumsum(histogram, axis=2) / np.maximum(total, 1)[..., None]
    low = (below > TAIL).argmax(axis=2)
    high = (below >= 1 - TAIL).argmax(axis=2)
    ranges = np.stack([low, high], axis=2).astype(np.uint8)
    return Meanings(frequent, total[:, 0].astype(np.int32), ranges, {"boards": boards, "seed": seed})


def coverage(bidder: NetworkBidder, meanings: Meanings, boards: int, seed: int) -> tuple[float, float]:
    """Return the share of calls on fresh boards with a known meaning, and the mean share of ranges that hold."""
    keys, features = _calls(bidder, 0, boards, seed)
    rows = meanings.find(keys)
    known = rows >= 0
    ranges = meanings.ranges[rows[known]].astype(np.int64)
    inside = (features[known] >= ranges[..., 0]) & (features[known] <= ranges[..., 1])
    return float(known.mean()), float(inside.mean()) if known.any() else float("nan")


def _calls(bidder: NetworkBidder, at: int, count: int, seed: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the N calls of random boards: the auction's key with each, and the caller's points and lengths (N, 5)."""
    owner = deals_of(hashed("meaning", seed, np.arange(at, at + count)))
    number = np.arange(at + 1, at + count + 1)
    chance = hashed("meaning", seed, "table", number)
    dealer, vulnerability = ((chance >> np.uint64(shift) & np.uint64(3)).astype(np.int16) for shift in (0, 2))
    auctions = all_by(bidder.networks.player, owner, dealer, vulnerability)
    length = auctions.length.astype(np.int64)
    history = auctions.history[:, : int(length.max())]
    row, call = np.nonzero(np.arange(history.shape[1]) < length[:, None])
    features = deal_features(owner)[row, (dealer[row] + call) & 3][:, HCP_AND_LENGTHS]
    return auction_keys(history)[row, call], features.astype(np.int64)
