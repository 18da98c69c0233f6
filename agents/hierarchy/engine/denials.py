"""What a line denies by standing behind others that did not fit, as conditions that its hands meet anyway.

``!denies`` asks for it: "P  ; !denies" behind the openings shows fewer points than an opening needs. The rules above
are read by the points and lengths of a hand. One that hangs on anything else, such as stoppers or the auction, denies
nothing, so what is added holds for every hand that makes the call.

A line that takes every hand in some auctions, as "P  15+ they-min", needs no flag: in those auctions the lines below
it make no call, so that what they ask for is not read into the calls of the lines above.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.language.columns import KIND
from agents.hierarchy.language.vocabulary import CONTEXT, NUM_COLUMNS, SUIT_LETTERS, WORDS
from bridge_env.calls import FIRST_BID
from bridge_env.features import BY_SHAPE, FEATURES, HCP_AND_SHAPE, NUM_FEATURES
from bridge_env.sampling.constraints import shape_features

AtomRow = tuple[int, int, int]  # column, least, most
Alternatives = Sequence[Sequence[AtomRow]]
Clauses = Sequence[Alternatives]

_POINTS = np.arange(38)
_LEVEL, _LONG, _BOUND = WORDS["level"], WORDS["long:C"], WORDS["bound"]
_LONG_ENOUGH = 10  # cards in a suit that need not be denied: the points of the hand have no room beside them
_MOST_IN = np.array([0, 4, 7, 9, *[10] * 10])  # points in a suit of so many cards


@lru_cache(maxsize=1)
def _shapes() -> tuple[NDArray[np.int16], NDArray[np.int64], NDArray[np.bool_]]:
    """Of all shapes: rows of columns (S, NUM_COLUMNS), lengths C D H S (S, 4), and the points they can have (S, 38)."""
    _, features = shape_features(13)
    rows = np.zeros((len(features), NUM_COLUMNS), np.int16)
    rows[:, :NUM_FEATURES] = features
    first = FEATURES["length:C"]
    lengths = features[:, first : first + 4].astype(np.int64)
    rows[:, _LONG : _LONG + 4] = lengths == lengths.max(axis=1, keepdims=True)
    rows[:, WORDS["second-longest"]] = np.sort(lengths, axis=1)[:, 2]
    return rows, lengths, np.minimum(_MOST_IN[lengths].sum(axis=1), 37)[:, None] >= _POINTS


_KNOWN_MIXED = frozenset((*range(_LONG, _LONG + 4), WORDS["second-longest"]))


def _atom(atom: AtomRow, level: int, unknown: bool) -> NDArray[np.bool_] | bool:
    """With which points hands of each shape fit an atom, (S, 38) or (S, 1); ``unknown`` where points do not tell."""
    column, low, high = atom
    if column == _LEVEL:
        return low <= level <= high
    if column in CONTEXT or (column >= NUM_FEATURES and column not in _KNOWN_MIXED):
        return unknown
    value = _shapes()[0][:, [column]].astype(np.int64)
    if KIND[column] == HCP_AND_SHAPE:
        value = value + _POINTS
    elif KIND[column] != BY_SHAPE:
        return unknown
    return (value >= low) & (value <= high)


def _fitting(clauses: Clauses, level: int, unknown: bool) -> NDArray[np.bool_]:
    """With which points hands of each shape fit the clauses: those that may (``unknown``), or those that must."""
    out = np.ones((len(_shapes()[0]), len(_POINTS)), np.bool_)
    for clause in clauses:
        alternatives = np.zeros_like(out)
        for together in clause:
            fit: NDArray[np.bool_] | bool = True
            for atom in together:
                fit = fit & _atom(atom, level, unknown)
            alternatives |= fit
        out &= alternatives
    return out


def possible(clauses: Clauses, level: int) -> NDArray[np.bool_]:
    """With which points hands of each shape, (S, 38), may fit the clauses of a call at ``level``."""
    return _shapes()[2] & _fitting(clauses, level, unknown=True)


def denied(above: Sequence[tuple[int, Clauses]], own: Clauses) -> list[AtomRow]:
    """The points and lengths within which all hands lie that fit ``own`` and none of the rules above.

    Args:
        above: the calls and the clauses of the rules that come first.
        own: the clauses of the rule itself.
    """
    _, lengths, can_be = _shapes()
    left = can_be & _fitting(own, 0, unknown=True)
    for call, clauses in above:
        left &= ~_fitting(clauses, (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0, unknown=False)
    if not left.any():
        return []
    points, shapes = np.flatnonzero(left.any(axis=0)), lengths[left.any(axis=1)]
    found = [(WORDS["hcp"], int(points[0]), int(points[-1]), 37)]
    found += [(WORDS[s], int(n.min()), int(n.max()), _LONG_ENOUGH) for s, n in zip(SUIT_LETTERS, shapes.T, strict=True)]
    return [(column, low, high if high < top else 99) for column, low, high, top in found if low > 0 or high < top]


def left_by(asked: Clauses) -> list[Alternatives]:
    """What the auction must be like where lines below a line count, if the line asks one thing of it and no more.

    Args:
        asked: its clauses; of one that passes they say that its player may.
    """
    alone = [clause[0][0] for clause in asked if len(clause) == len(clause[0]) == 1]
    things = [atom for atom in alone if atom[0] != _BOUND]
    if len(alone) < len(asked) or len(things) != 1 or things[0][0] not in CONTEXT - {_LEVEL}:
        return []
    column, low, high = things[0]
    others = [(column, -1, low - 1), (column, high + 1, 99), *[(_BOUND, 1, 1)] * (len(alone) - 1)]
    return [[[atom] for atom in others if 0 <= atom[2] >= atom[1]]]
