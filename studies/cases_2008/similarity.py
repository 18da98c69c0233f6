"""Measure the similarity of two hands as CBridge1 did (Bellamy-McIntyre 2008), and call by the nearest cases.

Of 100: 51 for the ratio of the high-card points, 9 for that of each suit's lengths, 1 for each card that both hold.
A ratio is the smaller over the larger, 1 if both are 0. As a sum over (points, points), (length, length) and (card,
card) it is the product of two 0/1 rows with a table between them, so that whole blocks are one matrix product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.calls import FIRST_BID, NUM_CALLS, PASS
from bridge_env.features import FEATURES, hand_features

HCP_WEIGHT, LENGTH_WEIGHT, CARD_WEIGHT = 51.0, 9.0, 1.0
MOST_HCP, MOST_CARDS = 37, 13
_STEPS = 1e9  # similarities are compared in these parts of one, so that rounding makes no ties and breaks none
_MOST_CASES = 1 << 20
_BLOCK = 256
_LENGTHS = [FEATURES[f"length:{suit}"] for suit in "CDHS"]

Hands = NDArray[np.bool_]


def ratios(most: int) -> NDArray[np.float64]:
    """``smaller / larger`` of all pairs of 0 .. ``most``, and 1 for a pair of zeros."""
    number = np.arange(most + 1, dtype=np.float64)
    low, high = np.minimum.outer(number, number), np.maximum.outer(number, number)
    return np.where(high > 0, low / np.maximum(high, 1), 1.0)


class Coded(NamedTuple):
    """Hands ready to be compared: ``a.plain @ b.weighed.T`` are the similarities of ``a``'s hands and ``b``'s."""

    plain: NDArray[np.float64]
    weighed: NDArray[np.float64]


def coded(hands: Hands) -> Coded:
    """Hands bool (N, 52), ready to be compared."""
    f = hand_features(hands)
    points, lengths = np.eye(MOST_HCP + 1), np.eye(MOST_CARDS + 1)
    counted = [(points[f[:, FEATURES["hcp"]]], HCP_WEIGHT * ratios(MOST_HCP))]
    counted += [(lengths[f[:, column]], LENGTH_WEIGHT * ratios(MOST_CARDS)) for column in _LENGTHS]
    cards = hands.astype(np.float64)
    plain = np.concatenate([cards, *(marks for marks, _ in counted)], axis=1)
    return Coded(plain, np.concatenate([CARD_WEIGHT * cards, *(marks @ table for marks, table in counted)], axis=1))


def similarities(hands: Hands, others: Hands) -> NDArray[np.float64]:
    """Similarity of each of ``hands`` (N, 52) and each of ``others`` (M, 52): float64 (N, M), 0 to 100."""
    return coded(hands).plain @ coded(others).weighed.T


class Nearest(NamedTuple):
    """The nearest cases of N hands, the nearest first, the earlier case first where two are as near.

    Attributes:
        case: int64 (N, k), numbers of cases.
        similarity: float64 (N, k).
    """

    case: NDArray[np.int64]
    similarity: NDArray[np.float64]


def nearest(hands: Hands | None, cases: Hands, k: int) -> Nearest:
    """The ``k`` most similar ``cases`` of each hand; with None the cases' own hands, each without itself.

    Raises:
        ValueError: there are not k cases, or more than a million.
    """
    others = len(cases) - (hands is None)
    if not 1 <= k <= others or len(cases) > _MOST_CASES:
        raise ValueError(f"k is {k} of {others:,} cases; take 1 to all of them, and {_MOST_CASES:,} cases at most")
    base = coded(cases)
    asked = base.plain if hands is None else coded(hands).plain
    number = _MOST_CASES - 1 - np.arange(len(cases), dtype=np.int64)
    found = np.empty((len(asked), k), np.int64)
    for start in range(0, len(asked), _BLOCK):
        rank = np.rint(asked[start : start + _BLOCK] @ base.weighed.T * _STEPS).astype(np.int64) * _MOST_CASES + number
        if hands is None:
            rows = np.arange(len(rank))
            rank[rows, start + rows] = -1
        best = np.partition(rank, len(cases) - k, axis=1)[:, len(cases) - k :]
        found[start : start + _BLOCK] = -np.sort(-best, axis=1)
    return Nearest(_MOST_CASES - 1 - found % _MOST_CASES, found // _MOST_CASES / _STEPS)


def adapted(calls: NDArray[np.int8], cases: Hands, hands: Hands) -> NDArray[np.int8]:
    """CBridge1a: where a case bids a longest suit of its hand, the same level in a longest suit of this one.

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


def passes(calls: NDArray[np.int8]) -> int:
    """Count the passes among the calls."""
    return int(np.bincount(calls, minlength=NUM_CALLS)[PASS])
