"""Induce rules from labelled decisions: find the hands that would have gained by another call.

A rule is a conjunction of a few ranges. It grows range by range, each time by the cut that raises most the gain that
one may count on: the sum of what the hands inside would have gained, less ``CAUTION`` times the sum's own
standard error. It is found on one half of the boards and must hold up on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.changes.complexity_limits import may_speak_of
from agents.systems.language.paths import path_steps
from agents.systems.language.text import is_difference
from agents.systems.language.tree import INFINITE, Atom, Constraint
from agents.systems.language.vocabulary import FLAG_WORDS
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from training.evolution.refine.decisions import UNTRIED, Examples

CAUTION = 2.0  # standard errors of a rule's gain that are not counted on
HOLDS_UP = 1.0  # standard errors above 0 that a rule must reach on the boards it was not found on
MOST_ATOMS = 4
# The share by which each further range must raise the gain that one may count on; a range without which it falls by
# less than half of that is left out again.
WORTH_A_RANGE = 0.06
FEWEST = 12  # hands within a rule
STARTS = 4  # first cuts from which rules are grown
_LOWEST, _HIGHEST = -16, 47  # features are clipped to these; a range with such an end has no end there
_VALUES = _HIGHEST - _LOWEST + 1


@dataclass(frozen=True)
class Rule:
    """Hold a call for the hands within some ranges."""

    path: str  # as lines write it
    call: str  # as lines write it
    constraint: Constraint  # of the hand
    gain: float  # the sum of the labels, in IMPs, on boards that the rule was not found on
    hands: int  # within the ranges, on those boards


@njit
def _counted_on(total, squares, caution):
    return total - caution * np.sqrt(squares)


@njit
def _best_cut(x, worth, inside, lows, highs, caution, fewest, banned):
    """Return the most to count on after one more cut of the examples inside, and the cut (feature, low, high)."""
    best, where = -1e30, (-1, 0, 0)
    total, squares, count = np.empty(_VALUES), np.empty(_VALUES), np.empty(_VALUES)
    for feature in range(x.shape[1]):
        if banned[feature]:
            continue
        total[:], squares[:], count[:] = 0, 0, 0
        for i in range(len(worth)):
            if inside[i]:
                v = x[i, feature] - _LOWEST
                total[v] += worth[i]
                squares[v] += worth[i] * worth[i]
                count[v] += 1
        for side in range(2):
            s = q = n = 0.0
            for step in range(_VALUES - 1):
                v = step if side == 0 else _VALUES - 1 - step
                s, q, n = s + total[v], q + squares[v], n + count[v]
                if n < fewest or count[v] == 0:
                    continue
                value = _counted_on(s, q, caution)
                if value > best:
                    lo = lows[feature] if side == 0 else v + _LOWEST
                    hi = v + _LOWEST if side == 0 else highs[feature]
                    if lo > lows[feature] or hi < highs[feature]:
                        best, where = value, (feature, lo, hi)
    return best, where


@njit
def _mark_inside(x, lows, highs, inside):
    """Write which rows of ``x`` lie in the ranges of all features to ``inside``."""
    for i in range(len(x)):
        inside[i] = True
        for feature in range(x.shape[1]):
            if x[i, feature] < lows[feature] or x[i, feature] > highs[feature]:
                inside[i] = False
                break


@njit
def grow(x, worth, first, most, caution, fewest, closed, lows, highs):
    """Grow a rule from the ``first`` best cut on; write its ranges and return the gain that one may count on.

    Args:
        x: int16 (N, F); worth: float64 (N,).
        first: 0 for the best first cut, 1 for the best on another feature, …
        most: of ranges.
        caution: standard errors of the gain that are not counted on.
        fewest: hands within the rule.
        closed: bool (F,), the features that the rule must not use.
        lows, highs: int64 (F,), written: the ranges; the full span of features that it does not use.
    """
    features = x.shape[1]
    lows[:], highs[:] = _LOWEST, _HIGHEST
    inside = np.ones(len(x), np.bool_)
    banned = closed.copy()
    value = _counted_on(worth.sum(), (worth * worth).sum(), caution)
    for _ in range(first):  # earlier starts took these features
        _, where = _best_cut(x, worth, inside, lows, highs, caution, fewest, banned)
        if where[0] < 0:
            return -1e30
        banned[where[0]] = True
    used = 0
    for depth in range(2 * most):
        better, (feature, lo, hi) = _best_cut(x, worth, inside, lows, highs, caution, fewest, banned)
        if depth == 0:
            copy(closed, banned)
        if feature < 0 or (better <= value + WORTH_A_RANGE * abs(value) and depth > 0):
            break
        fresh = lows[feature] == _LOWEST and highs[feature] == _HIGHEST
        if fresh and used == most:
            break
        used += fresh
        value, lows[feature], highs[feature] = better, lo, hi
        _mark_inside(x, lows, highs, inside)
    for feature in range(features):  # leave out what no longer helps
        lo, hi = lows[feature], highs[feature]
        if lo == _LOWEST and hi == _HIGHEST:
            continue
        lows[feature], highs[feature] = _LOWEST, _HIGHEST
        _mark_inside(x, lows, highs, inside)
        without = _counted_on(worth[inside].sum(), (worth[inside] ** 2).sum(), caution)
        if without >= value - WORTH_A_RANGE / 2 * abs(value):
            value = without
        else:
            lows[feature], highs[feature] = lo, hi
    _mark_inside(x, lows, highs, inside)
    return value


def rules(examples: Examples, most: int = 3) -> list[Rule]:
    """Return the best rules for a position that a pair can say, at most one a call, by descending gain."""
    hands = _each_hand_once(examples)
    half = (hands.board % 2).astype(bool)
    path = () if examples.path.startswith("when ") else path_steps(examples.path)
    found = []
    for j, call in enumerate(examples.calls):
        on = hands.tried[:, j]
        if np.count_nonzero(on) < 4 * FEWEST:  # too few for a rule, and as many hands outside it, on each half
            continue
        best, closed = None, np.array([not may_speak_of(path, call, word) for word in examples.words])
        for learn in (half, ~half):
            rule = _rule(examples, hands, j, learn & on, ~learn & on, closed)
            if rule is not None and (best is None or rule.gain > best.gain):
                best = rule
        if best is not None:
            found.append(best)
    return sorted(found, key=lambda r: -r.gain)[:most]


class _Hands(NamedTuple):
    """Hold distinct hands: one against several opponents counts once, as it is one draw of chance."""

    features: NDArray[np.int16]  # (N, words)
    board: NDArray[np.int64]  # (N,)
    gain: NDArray[np.float64]  # (N, calls), the sum of each call's gains against the opponents
    tried: NDArray[np.bool_]  # (N, calls), whether it was tried against any


def _each_hand_once(examples: Examples) -> _Hands:
    """Return the distinct hands of the examples."""
    x = np.clip(examples.features, _LOWEST, _HIGHEST)
    _, which = np.unique(np.column_stack([examples.board, x]), axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    starts = np.flatnonzero(np.diff(which.reshape(-1)[order], prepend=-1))
    tried = (examples.worth != UNTRIED)[order]
    gain = np.add.reduceat(np.where(tried, examples.worth[order], 0).astype(np.float64), starts, axis=0)
    first = order[starts]
    return _Hands(x[first], examples.board[first], gain, np.logical_or.reduceat(tried, starts, axis=0))


def _rule(
    examples: Examples, hands: _Hands, call: int, learn: NDArray[np.bool_], check: NDArray[np.bool_],
    closed: NDArray[np.bool_],
) -> Rule | None:  # fmt: skip
    """Return the best rule for a call, by its number, found on some hands, if it holds up on others."""
    gain = hands.gain[:, call]
    x, y = np.ascontiguousarray(hands.features[learn]), gain[learn]
    other, inside = hands.features[check], np.empty(np.count_nonzero(check), np.bool_)
    columns = x.shape[1]
    best: tuple[float, NDArray[np.int64], NDArray[np.int64]] | None = None
    for first in range(STARTS):
        lows, highs = np.empty(columns, np.int64), np.empty(columns, np.int64)
        value = grow(x, y, first, MOST_ATOMS, CAUTION, FEWEST, closed, lows, highs)
        if value > 0 and (best is None or value > best[0]):
            best = (value, lows, highs)
    if best is None:
        return None
    _, lows, highs = best
    _mark_inside(other, lows, highs, inside)
    _, of_board = np.unique(hands.board[check][inside], return_inverse=True)
    gained = np.bincount(of_board, gain[check][inside])  # hands of a board share its chance
    total, error = float(gained.sum()), float(np.sqrt((gained**2).sum()))
    if total <= HOLDS_UP * error:
        return None
    constraint = (*examples.given, *_constraint(examples.words, lows, highs))
    return Rule(examples.path, examples.calls[call], constraint, total, int(inside.sum()))


def _constraint(names: tuple[str, ...], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> Constraint:
    """Return the ranges in the words of the language."""
    atoms = []
    for word, low, high in zip(names, lows.tolist(), highs.tolist(), strict=True):
        if low == _LOWEST and high == _HIGHEST:
            continue
        first, dash, second = word.partition("-")
        if dash and is_difference(word):  # -1, 0, 1: shorter, equal, longer
            if low > _LOWEST:
                atoms.append(Atom(word, low, INFINITE))
            if high < _HIGHEST:
                atoms.append(Atom(f"{second}-{first}", -high, INFINITE))
            continue
        if word in FLAG_WORDS or word.partition(":")[0] in FLAG_WORDS:
            atoms.append(Atom(word, max(low, 0), min(high, 1)))
            continue
        atoms.append(Atom(word, max(low, 0), INFINITE if high >= 37 else high))  # no hand has more than 37 points
    return tuple(((atom,),) for atom in atoms)
