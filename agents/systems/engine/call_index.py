"""Index a pool's scorecards and general rules by their calls: what a call shows is found without trying every rule.

A general rule names its call by what it is for, and the last bid alone decides which call that is. So for each of the
36 last bids (row 0: none) the rules are sorted once by their calls, in the order of ``rule_order``. What a rule shows
depends on the auction only where it speaks of the auction or of partner; what the others show is computed once
(``plain``, and ``first`` for the rules of a node).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.compiled import END_RULE, FIRST_RULE, RULE_FLAGS, SHOWS_NOTHING, Compiled
from agents.systems.engine.rule_order import (
    NOWHERE,
    all_groups,
    call_of,
    context_of,
    holds,
    meaning_of,
    rules_of,
    speaks_of,
)
from agents.systems.engine.shown_ranges import constraint_shows, copy, is_fully_explained, reset, unite
from agents.systems.language.columns import IS_CONTEXT, QUANTITIES, TOP
from agents.systems.language.vocabulary import NUM_COLUMNS
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.calls import NUM_BIDS, NUM_CALLS

_SAYS_MORE = np.arange(NUM_COLUMNS) >= NUM_FEATURES  # more than the hand
UNKNOWN, CHANGING, POSSIBLE, IMPOSSIBLE = range(4)  # of a rule in ``plain``

MADE_GROUP, MADE_RULE, MADE_COLUMNS = range(3)  # columns of ``made``
NOT_YET, NONE, HANGS = -1, -2, -3  # in ``first``: not looked at; no rule can make the call; it hangs on the auction


class CallIndex(NamedTuple):
    """The rules of a pool, sorted, and what they show. A last bid's row is the bid's number + 1."""

    made: Annotated[NDArray[np.int32], "made", MADE_COLUMNS]  # group and rule of the general rules that make a call
    # of a system, a last bid and a call: where they begin; the next call's begin where they end
    made_at: Annotated[NDArray[np.int32], "systems", NUM_BIDS + 1, NUM_CALLS + 1]
    in_context: Annotated[NDArray[np.bool_], "groups"]  # of a group: does its condition speak of the auction alone?
    plain: Annotated[NDArray[np.int8], "rules"]  # of a rule: UNKNOWN, CHANGING, POSSIBLE or IMPOSSIBLE
    ranges: Annotated[NDArray[np.int16], "rules", QUANTITIES, 2]  # of a rule that is POSSIBLE: what it shows
    # of a node and a call: the first of the node's rules that can make it; or NOT_YET, NONE, HANGS
    first: Annotated[NDArray[np.int32], "nodes", NUM_CALLS]
    shows: Annotated[NDArray[np.int16], "rules", QUANTITIES, 2]  # of such a first rule: what the call then shows
    flags: Annotated[NDArray[np.int32], "rules"]  # of such a first rule: the flags of all rules that can make the call


class _Words(NamedTuple):
    """What ``constraint_shows`` needs of a pool."""

    clauses: NDArray[np.int32]
    alternatives: NDArray[np.int32]
    atoms: NDArray[np.int16]


_shows = njit(forceinline=True)(constraint_shows.py_func)


def index_calls(pool: Compiled) -> CallIndex:
    """Return the sorted rules of ``pool``."""
    general = int((pool.groups[len(pool.children) :, END_RULE] - pool.groups[len(pool.children) :, FIRST_RULE]).sum())
    systems, nodes, rules = len(pool.blocks), len(pool.children), len(pool.rules)
    out = CallIndex(
        np.empty(((NUM_BIDS + 1) * general, MADE_COLUMNS), np.int32),
        np.empty((systems, NUM_BIDS + 1, NUM_CALLS + 1), np.int32), np.zeros(len(pool.groups), np.bool_),
        np.zeros(rules, np.int8), np.empty((rules, QUANTITIES, 2), np.int16),
        np.full((nodes, NUM_CALLS), NOT_YET, np.int32), np.empty((rules, QUANTITIES, 2), np.int16),
        np.zeros(rules, np.int32),
    )  # fmt: skip
    _sort(pool, out)
    return out


@njit
def _sort(pool, out):
    for system in range(len(pool.blocks)):
        for group in all_groups(pool, NOWHERE, system):
            first, end = context_of(pool, group)
            out.in_context[group] = not speaks_of(pool, first, end, ~IS_CONTEXT)
    n = 0
    at = np.empty(NUM_CALLS + 1, np.int32)
    for system in range(len(pool.blocks)):
        for last_bid in range(-1, NUM_BIDS):
            at[:] = 0
            for group in all_groups(pool, NOWHERE, system):
                for rule in rules_of(pool, group):
                    at[_call_read(pool, rule, last_bid) + 1] += 1
            at[0] = n  # -1, no call, is left out
            begins = out.made_at[system, last_bid + 1]
            for call in range(NUM_CALLS):
                at[call + 1] += at[call]
                begins[call] = at[call]
            begins[NUM_CALLS] = n = at[NUM_CALLS]
            for group in all_groups(pool, NOWHERE, system):
                for rule in rules_of(pool, group):
                    call = _call_read(pool, rule, last_bid)
                    if call >= 0:
                        out.made[at[call], MADE_GROUP], out.made[at[call], MADE_RULE] = group, rule
                        at[call] += 1


@njit
def _call_read(pool, rule, last_bid):
    """Return the call of a rule after a bid, -1 if it has none or if the rule says nothing of a call's meaning."""
    return np.int64(-1) if pool.rules[rule, RULE_FLAGS] & SHOWS_NOTHING else call_of(pool, rule, last_bid)


@njit
def _look(pool, rule, plain, ranges, f, clause_out, together_out):
    """Find out whether what a rule shows hangs on the auction, and if not, what it is."""
    first, end = meaning_of(pool, rule)
    if speaks_of(pool, first, end, _SAYS_MORE):
        plain[rule] = CHANGING
        return
    for q in range(QUANTITIES):
        ranges[rule, q, 0], ranges[rule, q, 1] = 0, TOP[q]
    possible = constraint_shows(pool, first, end, f, ranges[rule], clause_out, together_out)
    plain[rule] = POSSIBLE if possible else IMPOSSIBLE


@njit
def _changing(clauses, alternatives, atoms, first, end, f, scratch):
    """Call ``constraint_shows`` with the arrays one by one, to ``scratch[0]``."""
    rule_out = scratch[0]
    reset(rule_out)
    return _shows(_Words(clauses, alternatives, atoms), first, end, f, rule_out, scratch[1], scratch[2])


@njit(forceinline=True)
def _add(pool, index, rule, f, out, scratch, found):
    """Add to ``out`` what a rule shows; return whether it can have made the call."""
    known = index.plain[rule]
    if known == UNKNOWN:
        _look(pool, rule, index.plain, index.ranges, f, scratch[1], scratch[2])
        known = index.plain[rule]
    if known == CHANGING:
        first, end = meaning_of(pool, rule)
        if not _changing(pool.clauses, pool.alternatives, pool.atoms, first, end, f, scratch):
            return False
        unite(out, scratch[0], found)
        return True
    if known == IMPOSSIBLE:
        return False
    unite(out, index.ranges[rule], found)
    return True


@njit(forceinline=True)
def _of_node(pool, index, node, call, f, out, scratch):
    """Write what a call shows by the rules of a node; cached where the auction does not matter. (found, flags)"""
    found, flags, first, hangs = False, 0, NONE, False
    for rule in rules_of(pool, node):
        if call_of(pool, rule, -1) == call:  # of a node's rules the last bid decides nothing
            if _add(pool, index, rule, f, out, scratch, found):
                first = first if found else rule
                found, flags = True, flags | pool.rules[rule, RULE_FLAGS]
            hangs |= index.plain[rule] == CHANGING
    index.first[node, call] = HANGS if hangs else first
    if found and not hangs:
        index.flags[first] = flags
        copy(index.shows[first], out)
    return found, flags


@njit(forceinline=True)
def call_shows(pool, index, system, node, last_bid, call, f, out, scratch):
    """Write what a call shows: the union over the rules that can have made it, read backwards.

    Where the tree explains a call, general rules have no say. Returns (is there such a rule?, the flags of all).

    Args:
        system, node: of the seat that calls, and where the auction is in its tree.
        f: a feature row with the context and the level of the call; out: written, int16 (QUANTITIES, 2).
    """
    found, flags = False, 0
    reset(out)
    if node >= 0:
        first = index.first[node, call]
        if first in (NOT_YET, HANGS):
            found, flags = _of_node(pool, index, node, call, f, out, scratch)
            if found:
                return True, flags
        elif first >= 0:
            copy(out, index.shows[first])
            return True, index.flags[first]
    seen, fits = -1, False
    for i in range(index.made_at[system, last_bid + 1, call], index.made_at[system, last_bid + 1, call + 1]):
        group, rule = index.made[i, MADE_GROUP], index.made[i, MADE_RULE]
        if group != seen:
            if found and is_fully_explained(call, flags, out):
                break
            seen = group
            first, end = context_of(pool, group)
            if index.in_context[group]:
                fits = holds(pool, first, end, f)
            else:
                fits = _changing(pool.clauses, pool.alternatives, pool.atoms, first, end, f, scratch)
        if fits and _add(pool, index, rule, f, out, scratch, found):
            found, flags = True, flags | pool.rules[rule, RULE_FLAGS]
    return found, flags
