"""Read a seat's calls backwards, exactly: the hands on which its system makes them, and how far other hands are off.

A ``Moments`` is what a table's scratch memory (``engine.auction_state``) was before each of a seat's calls. The
kernels replay the system's choice there: ``violation_rows`` on hands, ``class_rows`` on all hands of the same lengths
and points at once, where a rule may hold, must hold, or depends on which cards they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import (
    STOPPED,
    AuctionState,
    new_history,
    new_state,
    save,
    start_state,
    write_context,
    write_mixed,
)
from agents.systems.engine.compiled import ATOM_COLUMN, ATOM_HI, ATOM_LO, Compiled
from agents.systems.engine.engine import apply_call, decide, replay
from agents.systems.engine.rule_order import conditions_of, context_of, legal_call, parts, rules_of, within, write_level
from agents.systems.engine.shown_ranges import natural_cards
from agents.systems.language.columns import IS_CONTEXT, KIND
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import BY_SHAPE, HCP_AND_SHAPE, KINDS, NUM_FEATURES
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.rules.auction import MAX_CALLS, row_turn
from bridge_env.rules.calls import FIRST_BID, PASS
from bridge_env.sampling.constraints import ALL_POINTS, MOST_POINTS

#: What a hand violates that would have made an earlier rule's call: so it denied the hand by passing that call over.
DENIED = 2.0

#: How a call is read: by its rules and all that come before them; by its rules alone, where those before them always
#: hold; as natural, where no rule makes it (a bid of a suit shows some cards in it, another call nothing).
EXACT, UNDENIED, NATURAL = 0, 1, 2

_NOTHING = np.uint64(0)
_INFINITE = np.float32(np.inf)


class Moments(NamedTuple):
    """The states before some calls, as a ``StateHistory``; the calls (L,), and the full auction (MAX_CALLS,)."""

    auction: NDArray[np.int16]
    place: NDArray[np.int32]
    shown: NDArray[np.int16]
    seat_status: NDArray[np.int16]
    sides: NDArray[np.int16]
    calls: NDArray[np.int8]
    history: NDArray[np.int8]

    def at(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Moments:
        """Return some of the calls."""
        return Moments._make([*(part[which] for part in self[:-1]), self.history])


@njit(forceinline=True)
def state_before(before, i, t):
    """Return the table before call ``i``, with the room to work of ``t``."""
    return AuctionState(
        before.auction[i], before.history, before.place[i], before.shown[i], before.seat_status[i], before.sides[i],
        t.f, t.out, t.scratch,
    )  # fmt: skip


@njit
def _follow(pool, systems, dealer, vulnerability, out):
    t = new_state()
    start_state(pool, systems, dealer, vulnerability, t)
    for i in range(len(out.calls)):
        save(t, out, i)
        write_context(t, row_turn(t.auction))
        apply_call(pool, systems, out.calls[i], t)
    copy(t.history, out.history)


def moments(
    pool: Compiled, systems: NDArray[np.int32], dealer: int, vulnerability: int, calls: NDArray[np.int8]
) -> Moments:
    """Return the table before each of ``calls`` int8 (L,); ``systems`` int32 (4,) index the seats' systems."""
    history = new_history.py_func(len(calls))
    out = Moments._make((*history, calls.astype(np.int8), np.empty(MAX_CALLS, np.int8)))
    _follow(pool, systems, dealer, vulnerability, out)
    return out


# --- hands, one by one ---------------------------------------------------------------------------------------


@njit
def _distance(pool, first, end, f):
    """Return how far a feature row is from the clauses: summed over a conjunction, the least over alternatives."""
    total = np.float32(0)
    for clause in range(first, end):
        least = _INFINITE
        for together in within(pool.clauses, clause):
            off = np.float32(0)
            for atom in within(pool.together, together):
                column, lo, hi = pool.atoms[atom, ATOM_COLUMN], pool.atoms[atom, ATOM_LO], pool.atoms[atom, ATOM_HI]
                away = max(lo - f[column], f[column] - hi)
                if away > 0:
                    off += _INFINITE if IS_CONTEXT[column] else np.float32(away)
            least = min(least, off)
        total += least
    return total


@njit
def _violation(pool, systems, reading, call, t):
    """Return how far the hand in ``t.f`` (as ``decide`` left it) is from those that make ``call``; 0 if one may."""
    seat, f = row_turn(t.auction), t.f
    if reading == NATURAL:
        least = natural_cards(t.shown[seat ^ 2], call)
        return np.float32(max(0, least - f[HAND_LENGTH + (call - FIRST_BID) % 5])) if least else np.float32(0)
    best, denied = _INFINITE, np.float32(0)
    for part in parts(pool, t.place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, part)
        here = _distance(pool, first, end, f)
        if here == _INFINITE:
            continue
        for rule in rules_of(pool, part):
            made = legal_call(pool, rule, t.auction)
            if made < 0 or (made != call and (denied or here > 0)):
                continue
            write_level(made, f)
            first, end = conditions_of(pool, rule)
            off = here + _distance(pool, first, end, f)
            if made == call:
                best = min(best, off + denied)
            elif off == 0 and reading == EXACT:
                denied = np.float32(DENIED)
    if call == PASS:
        best = min(best, denied)
    return best if best < _INFINITE else np.float32(DENIED)


@njit
def _replay(pool, systems, hands, before, readings, degree, out):
    room, refused = new_state(), np.zeros(len(hands), np.bool_)
    out[:] = 0
    for d in range(len(readings)):
        t, made = state_before(before, d, room), before.calls[d]
        for i in range(len(hands)):
            if refused[i]:
                continue
            if readings[d] == NATURAL:
                copy(hands[i], t.f[:NUM_FEATURES])
            else:
                call, _ = decide(pool, systems, hands[i], t)
                if call == made:
                    continue
                if readings[d] == EXACT and not degree:
                    out[i], refused[i] = 1, True
                    continue
            out[i] += _violation(pool, systems, readings[d], made, t)


def violation_rows(
    pool: Compiled,
    systems: NDArray[np.int32],
    before: Moments,
    readings: NDArray[np.int8],
    hands: NDArray[np.int16],
    degree: bool,
) -> NDArray[np.float32]:
    """Return how much each hand violates the calls in sum: float32 (M,) of features int16 (M, NUM_FEATURES).

    Args:
        before: the table before each call of one seat.
        readings: int8 (L,), how each call is read.
        degree: the size of the violation is wanted; without it any number above 0 says that there is one.
    """
    out = np.empty(len(hands), np.float32)
    _replay(pool, systems, hands, before, readings, degree, out)
    return out


# --- classes of hands ----------------------------------------------------------------------------------------


@njit
def _points(lo, hi):
    """Return the bits lo .. hi, cut to 0 .. 37."""
    lo, hi = max(lo, 0), min(hi, MOST_POINTS)
    if lo > hi:
        return _NOTHING
    return (ALL_POINTS >> np.uint64(MOST_POINTS - hi + lo)) << np.uint64(lo)


@njit
def _masks(pool, first, end, f):
    """Return the points with which hands of this shape may fit the clauses, and those with which they must."""
    may, must = ALL_POINTS, ALL_POINTS
    for clause in range(first, end):
        may_clause, must_clause = _NOTHING, _NOTHING
        for together in within(pool.clauses, clause):
            may_all, must_all = ALL_POINTS, ALL_POINTS
            for atom in within(pool.together, together):
                column, lo, hi = pool.atoms[atom, ATOM_COLUMN], pool.atoms[atom, ATOM_LO], pool.atoms[atom, ATOM_HI]
                value = f[column]
                if KIND[column] == BY_SHAPE or (column == STOPPED and value):
                    if value < lo or value > hi:
                        may_all = must_all = _NOTHING
                elif KIND[column] == HCP_AND_SHAPE:
                    fit = _points(lo - value, hi - value)
                    may_all &= fit
                    must_all &= fit
                else:
                    must_all = _NOTHING
            may_clause |= may_all
            must_clause |= must_all
        may &= may_clause
        must &= must_clause
        if may == _NOTHING:
            break
    return may, must


@njit
def _class_of_shape(pool, systems, seat, call, denies, t):
    """Return the points with which hands of the shape in ``t.f`` may make a call."""
    taken, possible, f = _NOTHING, _NOTHING, t.f  # taken for certain by earlier rules; left to rules that make the call
    for part in parts(pool, t.place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, part)
        may_part, must_part = _masks(pool, first, end, f)
        if not may_part & ~taken:
            continue
        for rule in rules_of(pool, part):
            made = legal_call(pool, rule, t.auction)
            if made < 0:
                continue
            write_level(made, f)
            first, end = conditions_of(pool, rule)
            may, must = _masks(pool, first, end, f)
            if made == call:
                possible |= may & may_part & ~taken
            if denies:
                taken |= must & must_part
            if taken == ALL_POINTS:
                return possible
    return possible | (ALL_POINTS & ~taken) if call == PASS else possible


@njit
def _class_rows(pool, systems, before, denies, shapes, features, out):
    t = state_before(before, 0, new_state())
    seat = row_turn(t.auction)
    write_context(t, seat)
    for i in range(len(shapes)):
        copy(features[i], t.f[:NUM_FEATURES])
        write_mixed(t, seat)
        out[shapes[i]] = _class_of_shape(pool, systems, seat, before.calls[0], denies, t)


def class_rows(
    pool: Compiled,
    systems: NDArray[np.int32],
    before: Moments,
    reading: int,
    shapes: NDArray[np.int64],
    features: NDArray[np.int16],
) -> NDArray[np.uint64]:
    """Return the classes of hands on which the first call of ``before`` may be made, uint64 (2744,); 0 if on none.

    Args:
        reading: EXACT or UNDENIED.
        shapes, features: of ``bridge_env.sampling.constraints.shape_features``.
    """
    out = np.zeros(14**3, np.uint64)
    known = np.where(KINDS == 0, 0, features).astype(np.int16)
    _class_rows(pool, systems, before, reading == EXACT, shapes, known, out)
    return out


# --- calls that a hand nearly makes ----------------------------------------------------------------------------


@njit
def near_rows(pool, systems, dealer, vulnerability, calls, length, hands, out):
    """Write how far the hand to call is from the nearest rule for each legal call; infinite without one.

    Args:
        systems, dealer, vulnerability, calls, length, hands: as for ``engine.bid_rows``.
        out: written, float32 (N, 38).
    """
    t = new_state()
    for i in range(len(out)):
        replay(pool, systems[i], dealer[i], vulnerability[i], calls[i], length[i], t)
        seat = row_turn(t.auction)
        copy(hands[i], t.f[:NUM_FEATURES])
        write_context(t, seat)
        write_mixed(t, seat)
        out[i] = _INFINITE
        for part in parts(pool, t.place[seat], systems[i, seat]):
            write_level(PASS, t.f)
            first, end = context_of(pool, part)
            here = _distance(pool, first, end, t.f)
            if here == _INFINITE:
                continue
            for rule in rules_of(pool, part):
                made = legal_call(pool, rule, t.auction)
                if made >= 0:
                    write_level(made, t.f)
                    first, end = conditions_of(pool, rule)
                    out[i, made] = min(out[i, made], here + _distance(pool, first, end, t.f))
