"""Measure the similarity of two hands as CBridge1 did (Bellamy-McIntyre 2008), and call by the nearest cases.

Of 100: 51 for the ratio of the high-card points, 9 for that of each suit's lengths, 1 for each card that both hold.
A ratio is the smaller over the larger, 1 if both are 0. As a sum over (points, points), (length, length) and (card,
card) it is the product of two 0/1 rows with a table between them, so that blocks are one matrix product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.features import FEATURES, hand_features
from bridge_env.rules.calls import FIRST_BID

HCP_WEIGHT, LENGTH_WEIGHT, CARD_WEIGHT = 51.0, 9.0, 1.0
MOST_HCP, MOST_CARDS = 37, 13
_STEPS = 1e9  # similarities are compared in these parts of one, so that rounding makes no ties and breaks none
_BLOCK = 256
_LENGTHS = [FEATURES[f"length:{suit}"] for suit in "CDHS"]

Hands = NDArray[np.bool_]


def ratios(most: int) -> NDArray[np.float64]:
    """Return ``smaller / larger`` of all pairs of 0 .. ``most``, and 1 for a pair of zeros."""
    number = np.arange(most + 1, dtype=np.float64)
    low, high = np.minimum.outer(number, number), np.maximum.outer(number, number)
    return np.where(high > 0, low / np.maximum(high, 1), 1.0)


def _products(hands: Hands) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two forms of hands bool (N, 52): similarity is the product of the first and the second of other hands."""
    f = hand_features(hands)
    points, lengths = np.eye(MOST_HCP + 1), np.eye(MOST_CARDS + 1)
    counted = [(points[f[:, FEATURES["hcp"]]], HCP_WEIGHT * ratios(MOST_HCP))]
    counted += [(lengths[f[:, column]], LENGTH_WEIGHT * ratios(MOST_CARDS)) for column in _LENGTHS]
    cards = hands.astype(np.float64)
    plain = np.concatenate([cards, *(marks for marks, _ in counted)], axis=1)
    return plain, np.concatenate([CARD_WEIGHT * cards, *(marks @ table for marks, table in counted)], axis=1)


class Nearest(NamedTuple):
    """Hold the nearest cases of N hands, the nearest first, of equals the earlier case."""

    case: NDArray[np.int64]  # (N, k), numbers of cases
    similarity: NDArray[np.float64]  # (N, k)


def nearest(hands: Hands, k: int) -> Nearest:
    """Return the ``k`` most similar others of each of ``hands``, bool (N, 52).

    Raises:
        ValueError: there are not k others.
    """
    if not 1 <= k < len(hands):
        raise ValueError(f"k is {k} of {len(hands) - 1:,} other hands; take 1 to all of them")
    plain, weighed = _products(hands)
    found, near = np.empty((len(hands), k), np.int64), np.empty((len(hands), k))
    for start in range(0, len(hands), _BLOCK):
        similarity = np.rint(plain[start : start + _BLOCK] @ weighed.T * _STEPS) / _STEPS
        similarity[np.arange(len(similarity)), np.arange(start, start + len(similarity))] = -1
        best = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
        found[start : start + _BLOCK] = best
        near[start : start + _BLOCK] = np.take_along_axis(similarity, best, axis=1)
    return Nearest(found, near)


def adapted(calls: NDArray[np.int8], cases: Hands, hands: Hands) -> NDArray[np.int8]:
    """Adapt calls as CBridge1a: a bid in a longest suit of its hand becomes one in a longest suit of this hand.

    The suit stays if it is a longest one here too; else it is the highest of the longest.

    Args:
        calls: int8 (N,), of the cases.
        cases, hands: bool (N, 52), the cases' hands and those that are to bid.
    """
    suit = (calls.astype(np.int64) - FIRST_BID) % 5
    rows = np.arange(len(calls))
    theirs, ours = (h.reshape(-1, 4, 13).sum(axis=2) for h in (cases, hands))
    in_suit = (calls >= FIRST_BID) & (suit < 4)
    held = np.minimum(suit, 3)
    natural = in_suit & (theirs[rows, held] == theirs.max(axis=1)) & (ours[rows, held] < ours.max(axis=1))
    longest = 3 - ours[:, ::-1].argmax(axis=1)
    return np.where(natural, calls + longest - suit, calls).astype(np.int8)
