"""Constrain hands by ranges over their features, with a degree of violation, and by countable classes.

A hand's class is its lengths and its high-card points. The classes that can fit are one table for a seat:
uint64 (2744,), bit ``h`` of row ``(clubs * 14 + diamonds) * 14 + hearts`` says whether a hand of that shape (the
spades follow) with ``h`` points can fit. It may hold too much, where points and shape do not decide, and must not
hold too little: deals are drawn from the classes and then tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.features import BY_SHAPE, FEATURES, HCP, HCP_AND_SHAPE, KINDS, LENGTH, hand_features

UInt64Array = NDArray[np.uint64]
Range = int | bool | tuple[int, int]

SHAPES = 14**3
MOST_POINTS = 37
ALL_POINTS = np.uint64((1 << (MOST_POINTS + 1)) - 1)


class Constraint(Protocol):
    """A constraint on a seat's hand. ``Ranges`` is one; a bidding system's reading of its calls is another."""

    def classes(self) -> UInt64Array:
        """Return the classes, uint64 (2744,), of hands that may fit; none that can fit is missing."""
        ...

    def fits(self, hands: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which hands bool (M, 52) fit: bool (M,)."""
        ...

    def violation(self, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Measure how far hands bool (M, 52) are from fitting: float32 (M,), 0 where they fit."""
        ...


@cache
def shape_features() -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Return all shapes: their rows in a table of classes (S,), and features (S, F) of such a hand.

    Columns that are hcp plus something by shape hold that something.
    """
    c, d, h = np.unravel_index(np.arange(SHAPES), (14, 14, 14))
    s = 13 - c - d - h
    rows = np.flatnonzero((s >= 0) & (s <= 13))
    lengths = np.stack([c, d, h, s], axis=1)[rows]
    low_cards = np.arange(13) < lengths[:, :, None]
    features = hand_features(low_cards.reshape(len(rows), 52))
    features[:, KINDS == HCP_AND_SHAPE] -= features[:, [HCP]]
    features.setflags(write=False)
    return rows, features


def points_between(low: NDArray[np.int64], high: NDArray[np.int64]) -> UInt64Array:
    """Return bits ``low .. high`` (cut to 0..37): uint64 of their shape."""
    a = np.clip(low, 0, MOST_POINTS + 1).astype(np.uint64)
    b = np.clip(high + 1, 0, MOST_POINTS + 1).astype(np.uint64)
    one = np.uint64(1)
    return np.where(b > a, (one << b) - (one << np.minimum(a, b)), np.uint64(0))


@dataclass(frozen=True)
class Ranges:
    """Ranges over features that must all hold, or alternatives of which one must hold.

    Its violation is the sum of the distances to the ranges, and of alternatives the least. Made by ``hand``;
    ``a | b`` joins alternatives.
    """

    alternatives: tuple[tuple[tuple[int, int, int], ...], ...]

    def __or__(self, other: Ranges) -> Ranges:
        return Ranges(self.alternatives + other.alternatives)

    def classes(self) -> UInt64Array:
        rows, features = shape_features()
        out = np.zeros(SHAPES, np.uint64)
        for ranges in self.alternatives:
            fit = np.full(len(rows), ALL_POINTS)
            for column, lo, hi in ranges:
                value = features[:, column].astype(np.int64)
                if KINDS[column] == BY_SHAPE:
                    fit[(value < lo) | (value > hi)] = 0
                elif KINDS[column] == HCP_AND_SHAPE:
                    fit &= points_between(lo - value, hi - value)
            out[rows] |= fit
        return out

    def fits(self, hands: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return self.violation(hands) == 0

    def violation(self, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
        f = hand_features(hands)
        out = np.full(len(f), np.inf, np.float32)
        for ranges in self.alternatives:
            distance = np.zeros(len(f), np.float32)
            for column, lo, hi in ranges:
                value = f[:, column].astype(np.float32)
                distance += np.maximum(lo - value, 0) + np.maximum(value - hi, 0)
            out = np.minimum(out, distance)
        return out


def hand(ranges: Mapping[str, Range] | None = None, **more: Range) -> Ranges:
    """Make a constraint on a hand.

    Args:
        ranges: name of a feature -> its range, or its only value. The names are those of ``bridge_env.hands.features``,
            and C D H S for the lengths: ``hand({"top5:S": (2, 5)}, hcp=(5, 10), S=6)``.
        more: the same, for names that are Python's too.

    >>> one_notrump = hand(hcp=(15, 17), balanced=True)
    >>> michaels = hand(H=(5, 13), C=(5, 13)) | hand(H=(5, 13), D=(5, 13))
    """
    wanted = []
    for name, value in {**(ranges or {}), **more}.items():
        column = FEATURES.get(f"length:{name}" if name in tuple("CDHS") else name)
        if column is None:
            raise ValueError(f"{name!r} is no feature of a hand; use C D H S or one of {', '.join(sorted(FEATURES))}")
        lo, hi = value if isinstance(value, tuple) else (int(value), int(value))
        wanted.append((column, lo, hi))
    return Ranges((tuple(wanted),))


def hull(classes: UInt64Array) -> tuple[tuple[int, int], NDArray[np.int64]]:
    """Return the least and most points, and the least and most cards of C D H S, int64 (4, 2), in some classes."""
    rows, features = shape_features()
    some = classes[rows] != 0
    if not some.any():
        return (1, 0), np.tile(np.array([1, 0]), (4, 1))
    points = int(np.bitwise_or.reduce(classes[rows]))
    lengths = features[some, LENGTH : LENGTH + 4].astype(np.int64)
    low = (points & -points).bit_length() - 1
    return (low, points.bit_length() - 1), np.stack([lengths.min(axis=0), lengths.max(axis=0)], axis=1)


def relaxed(classes: UInt64Array) -> UInt64Array:
    """Return the classes, and those at most one point and one exchanged card away."""
    rows, _ = shape_features()
    reached = classes | (classes << np.uint64(1)) | (classes >> np.uint64(1))
    old = np.zeros((16, 16, 16), np.uint64)
    old[1:15, 1:15, 1:15] = (reached & ALL_POINTS).reshape(14, 14, 14)
    new = old.copy()
    steps = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])  # a card of C D H S
    for i in range(4):
        for j in range(4):
            if i != j:
                new |= np.roll(old, steps[i] - steps[j], axis=(0, 1, 2))
    out = np.zeros(SHAPES, np.uint64)
    out[rows] = new[1:15, 1:15, 1:15].reshape(-1)[rows]
    return out
