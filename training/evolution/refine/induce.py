"""Induce rules from labelled decisions: find the hands that would have gained by another call.

A rule is a conjunction of a few ranges. It grows range by range, each time by the cut that raises most the gain that
one may count on: the sum of what the hands inside would have gained, less ``CAUTION`` times the sum's own
standard error. It is found on one half of the boards and must hold up on the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
WORTH_A_RANGE = 0.06  # by this share each further range must raise what one may count on
FEWEST = 12  # hands within a rule
STARTS = 4  # first cuts from which rules are grown
_OFFSET, _VALUES = 16, 64  # features lie in -16 .. 47


@dataclass(frozen=True)
class Rule:
    """Hold a call for the hands within some ranges."""

    path: str  # as lines write it
    call: str  # the same
    constraint: Constraint  # of the hand
    gain: float  # the sum of the labels, in IMPs, on boards that the rule was not found on
    error: float
    hands: int  # there


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
                v = x[i, feature] + _OFFSET
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
                    lo = lows[feature] if side == 0 else v - _OFFSET
                    hi = v - _OFFSET if side == 0 else highs[feature]
                    if lo > lows[feature] or hi < highs[feature]:
                        best, where = value, (feature, lo, hi)
    return best, where


@njit
def _hold(x, lows, highs, inside):
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
        closed: bool (F,), the features that the rule must not use.
        lows, highs: int64 (F,), written: the ranges; the full span of features that it does not use.
    """
    features = x.shape[1]
    lows[:], highs[:] = -_OFFSET, _VALUES - _OFFSET - 1
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
        fresh = lows[feature] == -_OFFSET and highs[feature] == _VALUES - _OFFSET - 1
        if fresh and used == most:
            break
        used += fresh
        value, lows[feature], highs[feature] = better, lo, hi
        _hold(x, lows, highs, inside)
    for feature in range(features):  # leave out what no longer helps
        lo, hi = lows[feature], highs[feature]
        if lo == -_OFFSET and hi == _VALUES - _OFFSET - 1:
            continue
        lows[feature], highs[feature] = -_OFFSET, _VALUES - _OFFSET - 1
        _hold(x, lows, highs, inside)
        without = _counted_on(worth[inside].sum(), (worth[inside] ** 2).sum(), caution)
        if without >= value - WORTH_A_RANGE / 2 * abs(value):
            value = without
        else:
            lows[feature], highs[feature] = lo, hi
    _hold(x, lows, highs, inside)
    return value


def rules(examples: Examples, most: int = 3) -> list[Rule]:
    """Return the best rules for a position that a pair can say, at most one a call, by descending gain."""
    hands, worth, tried = _each_hand_once(examples)
    half = (hands.board % 2).astype(bool)
    path = () if hands.path.startswith("when ") else path_steps(hands.path)
    found = []
    for j, call in enumerate(hands.calls):
        on = tried[:, j]
        if np.count_nonzero(on) < 4 * FEWEST:
            continue
        best, closed = None, np.array([not may_speak_of(path, call, word) for word in hands.words])
        for learn in (half, ~half):
            rule = _rule(hands, call, worth[:, j], learn & on, ~learn & on, closed)
            if rule is not None and (best is None or rule.gain > best.gain):
                best = rule
        if best is not None:
            found.append(best)
    return sorted(found, key=lambda r: -r.gain)[:most]


def _each_hand_once(examples: Examples) -> tuple[Examples, NDArray[np.float64], NDArray[np.bool_]]:
    """Return the examples of distinct hands, a hand against several opponents counted once, as it is one draw of
    chance; the sum of each call's gains, float64 (N, calls), and where it was tried, bool.
    """
    x = np.clip(examples.features, -_OFFSET, _VALUES - _OFFSET - 1)
    _, which = np.unique(np.column_stack([examples.board, x]), axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    starts = np.flatnonzero(np.diff(which.reshape(-1)[order], prepend=-1))
    tried = (examples.worth != UNTRIED)[order]
    worth = np.add.reduceat(np.where(tried, examples.worth[order], 0).astype(np.float64), starts, axis=0)
    first = order[starts]
    hands = replace(examples, features=x[first], worth=examples.worth[first], board=examples.board[first])
    return hands, worth, np.logical_or.reduceat(tried, starts, axis=0)


def _rule(
    examples: Examples, call: str, worth: NDArray[np.float64], learn: NDArray[np.bool_], check: NDArray[np.bool_],
    closed: NDArray[np.bool_],
) -> Rule | None:  # fmt: skip
    """Return the best rule for a call found on some decisions, if it holds up on others."""
    x, y = np.ascontiguousarray(examples.features[learn]), worth[learn]
    other, inside = examples.features[check], np.empty(np.count_nonzero(check), np.bool_)
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
    _hold(other, lows, highs, inside)
    _, of_board = np.unique(examples.board[check][inside], return_inverse=True)
    gained = np.bincount(of_board, worth[check][inside])  # hands of a board share its chance
    total, error = float(gained.sum()), float(np.sqrt((gained**2).sum()))
    if total <= HOLDS_UP * error:
        return None
    constraint = (*examples.given, *_constraint(examples.words, lows, highs))
    return Rule(examples.path, call, constraint, total, error, int(inside.sum()))


def _constraint(names: tuple[str, ...], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> Constraint:
    """Return the ranges in the words of the language."""
    atoms = []
    for word, low, high in zip(names, lows.tolist(), highs.tolist(), strict=True):
        if low == -_OFFSET and high == _VALUES - _OFFSET - 1:
            continue
        first, dash, second = word.partition("-")
        if dash and is_difference(word):  # -1, 0, 1: shorter, equal, longer
            if low > -_OFFSET:
                atoms.append(Atom(word, low, INFINITE))
            if high < _VALUES - _OFFSET - 1:
                atoms.append(Atom(f"{second}-{first}", -high, INFINITE))
            continue
        if word in FLAG_WORDS or word.partition(":")[0] in FLAG_WORDS:
            atoms.append(Atom(word, max(low, 0), min(high, 1)))
            continue
        atoms.append(Atom(word, max(low, 0), INFINITE if high >= 37 else high))
    return tuple(((atom,),) for atom in atoms)
