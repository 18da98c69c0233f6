"""Look up cases as in 2008, by the similarity of the hands alone (``agents.cases.similarity``), for whole auctions.

The study had openings only. Here the cases that are compared are those of the same auction (passes before the first
bid do not count) or, where these are fewer than are asked for, those in which the same bid was the last, by the same
side as seen from the caller, doubled or not; their calls are then reused as actions where they are not legal. The
adaptation of CBridge1a follows: a bid in the case's longest suit becomes one in this hand's longest suit.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase
from agents.cases.similarity import Nearest, nearest
from bridge_env import streams
from bridge_env.calls import DOUBLE, FIRST_BID, REDOUBLE

Keys = tuple[NDArray[np.uint64], NDArray[np.uint64]]


def situations(history: NDArray[np.int8]) -> Keys:
    """Auctions int8 (N, L), padded with -1, as numbers: two are the same where the situations are; close, then wide."""
    rows, wide = np.arange(len(history)), history.shape[1]
    length = (history >= 0).sum(axis=1)
    bid = history >= FIRST_BID
    opened = bid.any(axis=1)
    first = np.where(opened, bid.argmax(axis=1) if wide else 0, length)
    close = np.where(opened, 1, 0).astype(np.uint64)
    for number in range(wide):
        counts = (number >= first) & (number < length)
        close = np.where(counts, streams.key(close, history[:, number] + 1), close)
    last = np.where(opened, wide - 1 - bid[:, ::-1].argmax(axis=1) if wide else 0, 0)
    after = np.arange(wide) > last[:, None]
    doubling = (after & (history == DOUBLE)).any(axis=1) + 2 * (after & (history == REDOUBLE)).any(axis=1)
    call = history[rows, last] if wide else np.zeros(len(history), np.int8)
    general = np.where(opened, streams.key(call, (length - last) & 1, doubling), np.uint64(0))
    return close, general


@lru_cache(maxsize=4)
def _cases_by_situation(base: CaseBase) -> tuple[dict[int, NDArray[np.int64]], ...]:
    """Return which cases have each number of ``situations``."""
    before = np.arange(base.auction.shape[1]) < base.number[:, None]
    keys = situations(np.where(before, base.auction[base.board], -1).astype(np.int8))
    out = []
    for key in keys:
        distinct, which = np.unique(key, return_inverse=True)
        parts = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
        out.append({int(number): part for number, part in zip(distinct, parts, strict=True)})
    return tuple(out)


def nearest_hands(base: CaseBase, hands: NDArray[np.bool_], history: NDArray[np.int8], k: int) -> Nearest:
    """The ``k`` cases of the same situation with the most similar hands; -1 where there are no more of them."""
    case, similarity = np.full((len(hands), k), -1, np.int64), np.zeros((len(hands), k))
    by_auction, by_last = _cases_by_situation(base)
    close, general = situations(history)
    for key in np.unique(np.stack([close, general], axis=1), axis=0):
        rows = np.flatnonzero((close == key[0]) & (general == key[1]))
        cases = by_auction.get(int(key[0]), np.zeros(0, np.int64))
        if len(cases) < k:
            cases = by_last.get(int(key[1]), cases)
        if not len(cases):
            continue
        there = min(k, len(cases))
        found = nearest(hands[rows], base.hands(cases), there)
        case[rows, :there], similarity[rows, :there] = cases[found.case], found.similarity
    return Nearest(case, similarity)
