"""Read calls backwards, exactly: the hands on which a system makes them, and how far other hands are off.

The kernels replay the system's choice in the states before the calls (``engine.states``): ``violation_rows`` on hands,
``class_rows`` on all hands of the same lengths and points at once, where a rule may hold, must hold, or depends on
which cards they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import STOPPED
from agents.systems.engine.compiled import ATOM_COLUMN, ATOM_HI, ATOM_LO, RULE_FLAGS, SHOWS_NOTHING
from agents.systems.engine.queries import write_features
from agents.systems.engine.rule_order import (
    all_groups,
    conditions_of,
    context_of,
    is_cards,
    legal_call,
    meaning_of,
    rule_groups,
    rules_of,
    within,
    write_level,
)
from agents.systems.engine.shown_ranges import natural_cards
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.engine.states import choose, engine_at
from agents.systems.language.columns import IS_CONTEXT, KIND
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import BY_SHAPE, HCP_AND_SHAPE, KINDS
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.rules.auction import row_turn
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS, PASS
from bridge_env.sampling.constraints import ALL_POINTS, MOST_POINTS

#: What a hand violates that would have made an earlier rule's call: so it denied the hand by passing that call over.
DENIED = 2.0

#: How a call is read: by its rules and all that come before them; by its rules alone, where those before them always
#: hold; as natural, where no rule makes it (a bid of a suit shows some cards in it, another call nothing).
EXACT, UNDENIED, NATURAL = 0, 1, 2

_NOTHING = np.uint64(0)
_INFINITE = np.float32(np.inf)


# --- hands, one by one ---------------------------------------------------------------------------------------


@njit
def _distance(pool, first, end, f):
    """Return how far a feature row is from the clauses: summed over a conjunction, the least over alternatives."""
    total = np.float32(0)
    for clause in range(first, end):
        least = _INFINITE
        for alternative in within(pool.clauses, clause):
            off = np.float32(0)
            for atom in within(pool.alternatives, alternative):
                column, lo, hi = pool.atoms[atom, ATOM_COLUMN], pool.atoms[atom, ATOM_LO], pool.atoms[atom, ATOM_HI]
                away = max(lo - f[column], f[column] - hi)
                if away > 0:
                    off += _INFINITE if IS_CONTEXT[column] else np.float32(away)
            least = min(least, off)
        total += least
    return total


@njit
def _violation(pool, systems, reading, call, t):
    """Return how far the hand in ``t.f`` is from those that make ``call``; 0 if one may."""
    seat, f = row_turn(t.auction), t.f
    if reading == NATURAL:
        least = natural_cards(t.shown[seat ^ 2], call)
        return np.float32(max(0, least - f[HAND_LENGTH + (call - FIRST_BID) % 5])) if least else np.float32(0)
    best, denied = _INFINITE, np.float32(0)
    for group in all_groups(pool, t.place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, group)
        here = _distance(pool, first, end, f)
        if here == _INFINITE:
            continue
        cards = is_cards(pool, group, systems[seat])
        for rule in rules_of(pool, group):
            made = legal_call(pool, rule, t.auction)
            if made < 0 or (made != call and (denied or here > 0 or cards)):
                continue
            if pool.rules[rule, RULE_FLAGS] & SHOWS_NOTHING:
                continue
            write_level(made, f)
            first, end = meaning_of(pool, rule)
            off = here + _distance(pool, first, end, f)
            if made == call:
                best = min(best, off + denied)
            elif off == 0 and reading == EXACT:
                denied = np.float32(DENIED)
    if call == PASS:
        best = min(best, denied)
    return best if best < _INFINITE else np.float32(DENIED)


@njit
def _violations(plan, systems, state_ids, calls, readings, hands, degree, out):
    e = engine_at(plan)
    for d in range(len(state_ids)):
        at, call = np.int64(state_ids[d]), calls[d]
        for i in range(len(hands)):
            if out[i] and not degree:
                continue
            if readings[d] != NATURAL:
                if choose(e, systems, 0, at, hands, i, 0)[0] == call:
                    continue
                if readings[d] == EXACT and not degree:
                    out[i] = 1
                    continue
            write_features(e, at, hands[i, 0])
            out[i] += _violation(e.pool, systems[0], readings[d], call, e.t)


def violation_rows(
    states: StateCache,
    systems: NDArray[np.int32],
    queries: Queries,
    calls: NDArray[np.int8],
    readings: NDArray[np.int8],
    hands: NDArray[np.int16],
    degree: bool,
) -> NDArray[np.float32]:
    """Return how much each hand violates the calls in sum: float32 (M,) of features int16 (M, NUM_FEATURES).

    Args:
        systems: int32 (4,), which of the cache's systems N, E, S and W play.
        queries: the auction before each call of one seat; calls: int8 (L,), these calls.
        readings: int8 (L,), how each call is read.
        degree: the size of the violation is wanted; without it any number above 0 says that there is one.
    """
    out = np.zeros(len(hands), np.float32)
    with states.lock:
        for part, state_ids in states.find(queries, systems):
            _violations(states.plan, systems[None], state_ids, calls[part], readings[part], hands[:, None], degree, out)
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
        for alternative in within(pool.clauses, clause):
            may_all, must_all = ALL_POINTS, ALL_POINTS
            for atom in within(pool.alternatives, alternative):
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
    for group in all_groups(pool, t.place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, group)
        may_part, must_part = _masks(pool, first, end, f)
        if not may_part & ~taken:
            continue
        cards = is_cards(pool, group, systems[seat])
        for rule in rules_of(pool, group):
            made = legal_call(pool, rule, t.auction)
            if made < 0 or pool.rules[rule, RULE_FLAGS] & SHOWS_NOTHING:
                continue
            write_level(made, f)
            first, end = meaning_of(pool, rule)
            may, must = _masks(pool, first, end, f)
            if made == call:
                possible |= may & may_part & ~taken
            if denies and not cards:  # another call may have a higher sum
                taken |= must & must_part
            if taken == ALL_POINTS:
                return possible
    return possible | (ALL_POINTS & ~taken) if call == PASS else possible


@njit
def _class_rows(plan, systems, state_id, call, denies, shapes, features, out):
    e = engine_at(plan)
    for i in range(len(shapes)):
        seat = write_features(e, np.int64(state_id), features[i])
        out[shapes[i]] = _class_of_shape(e.pool, systems, seat, call, denies, e.t)


def class_rows(
    states: StateCache,
    systems: NDArray[np.int32],
    queries: Queries,
    call: int,
    reading: int,
    shapes: NDArray[np.int64],
    features: NDArray[np.int16],
) -> NDArray[np.uint64]:
    """Return the classes of hands on which a call may be made, uint64 (2744,); 0 if on none.

    Args:
        systems: int32 (4,), which of the cache's systems N, E, S and W play.
        queries: one auction, before the call.
        reading: EXACT or UNDENIED.
        shapes, features: of ``bridge_env.sampling.constraints.shape_features``.
    """
    out = np.zeros(14**3, np.uint64)
    known = np.where(KINDS == 0, 0, features).astype(np.int16)
    with states.lock:
        for _, state_ids in states.find(queries, systems):
            _class_rows(states.plan, systems, state_ids[0], call, reading == EXACT, shapes, known, out)
    return out


# --- calls that a hand nearly makes ----------------------------------------------------------------------------


@njit
def _near_rows(plan, systems, state_ids, hands, out):
    e = engine_at(plan)
    pool, t = e.pool, e.t
    for i in range(len(out)):
        seat = write_features(e, np.int64(state_ids[i]), hands[i])
        out[i] = _INFINITE
        for group in rule_groups(pool, t.place[seat], systems[seat]):
            write_level(PASS, t.f)
            first, end = context_of(pool, group)
            here = _distance(pool, first, end, t.f)
            if here == _INFINITE:
                continue
            for rule in rules_of(pool, group):
                made = legal_call(pool, rule, t.auction)
                if made >= 0:
                    write_level(made, t.f)
                    first, end = conditions_of(pool, rule)
                    out[i, made] = min(out[i, made], here + _distance(pool, first, end, t.f))


def near_calls(states: StateCache, systems: NDArray[np.int32], queries: Queries) -> NDArray[np.float32]:
    """Return how far each hand is from the nearest rule for each call: float32 (N, 38), infinite without one."""
    out = np.empty((len(queries.length), NUM_CALLS), np.float32)
    hands = queries.features[queries.boards, queries.seat]
    with states.lock:
        for part, state_ids in states.find(queries, systems):
            _near_rows(states.plan, systems, state_ids, hands[part], out[part])
    return out
