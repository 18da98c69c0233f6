"""Visit the rules of a system in their order, which only this module knows.

First comes the node of the tree that the auction has reached: its rules are the lines that may call there, in the
order of the text. (Lines that only lead on, such as ``after 1M``, have made nodes and leave no rule.) Then come the
general blocks, in the order of the text, each with a context that must hold before its rules count. The first rule
that has a legal call, and whose clauses hold, makes the call. Where that is a general one, or none, the first block of
scorecards whose context holds may make another call (``sums``); ``all_groups`` visits them before the general rules.

Code that visits rules, forwards or backwards, has a loop of this kind::

    for group in rule_groups(pool, node, system):
        first, end = context_of(pool, group)
        ...  # do the clauses first .. end hold?
        for rule in rules_of(pool, group):
            call = legal_call(pool, rule, auction)  # -1: it has none here
            first, end = conditions_of(pool, rule)
            ...  # do these?

A clause holds if one of its alternatives does, and an alternative if all its atoms do: see ``holds``.
"""

from __future__ import annotations

import numpy as np

from agents.systems.engine.auction_state import BOOK, GAME, GAME_BIDS, JUMP, LEVEL_COLUMN
from agents.systems.engine.compiled import (
    ATOM_COLUMN,
    ATOM_HI,
    ATOM_LO,
    CARDS,
    END,
    END_RULE,
    EXACT_CALL,
    FIRST,
    FIRST_RULE,
    FORM_CALLS,
    MEANS_END,
    MEANS_FIRST,
    RULE_CALL,
    RULE_END,
    RULE_FIRST,
    RULE_FORM,
)
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LAST_BID, row_legal
from bridge_env.rules.calls import FIRST_BID

NOWHERE = -1  # a node outside the tree; or no system


# Not cached: numba forgets a cached generator's code, and cannot compile its callers. Callers are cached all the same.
@njit(forceinline=True, cache=False)
def rule_groups(pool, node, system):
    """Return the groups of ``pool`` whose rules may call, in order: yields the node and then the blocks of the system.

    Args:
        node: the place of the auction in the tree, or NOWHERE: then the blocks alone.
        system: its number in the pool, or NOWHERE: then the node alone.
    """
    first, end = pool.blocks[system, FIRST], pool.blocks[system, END]
    return _in_order(node, first, end if system >= 0 else first)


@njit(forceinline=True, cache=False)
def all_groups(pool, node, system):
    """Return what ``rule_groups`` does, with the blocks of scorecards between the node and the general rules."""
    return _in_order(node, pool.blocks[system, CARDS], pool.blocks[system, END])


@njit(cache=False)
def _in_order(node, first, end):  # a generator of numbers costs no more than a loop, one that holds arrays much more
    if node >= 0:
        yield np.int64(node)
    for block in range(first, end):
        yield np.int64(block)


@njit(forceinline=True)
def context_of(pool, group):
    """Return the first clause and the end of a group's context."""
    return pool.groups[group, FIRST], pool.groups[group, END]


@njit(forceinline=True)
def rules_of(pool, group):
    """Return the rules of a group in order: a range."""
    return range(pool.groups[group, FIRST_RULE], pool.groups[group, END_RULE])


@njit(forceinline=True)
def conditions_of(pool, rule):
    """Return the first clause and the end of a rule's conditions."""
    return pool.rules[rule, RULE_FIRST], pool.rules[rule, RULE_END]


@njit(forceinline=True)
def meaning_of(pool, rule):
    """Return the first clause and the end of what a rule's call shows: its conditions, of a scorecard its own."""
    if pool.rules[rule, MEANS_FIRST] >= 0:
        return pool.rules[rule, MEANS_FIRST], pool.rules[rule, MEANS_END]
    return conditions_of(pool, rule)


@njit(forceinline=True)
def call_of(pool, rule, last_bid):
    """Return the call of a rule after a bid (0..34; -1: before any), maybe not legal; -1 where it has none."""
    form, value = pool.rules[rule, RULE_FORM], pool.rules[rule, RULE_CALL]
    return np.int64(value) if form == EXACT_CALL else np.int64(FORM_CALLS[form, value, last_bid + 1])


@njit(forceinline=True)
def legal_call(pool, rule, auction):
    """Return the call that a rule makes for the seat to call; -1 where it has none, or one that is not legal."""
    call = call_of(pool, rule, auction[LAST_BID])
    return call if row_legal(auction, call) else np.int64(-1)


@njit(forceinline=True)
def level_of(call):
    """Return the level of a call, 1 to 7; 0 where it is no bid."""
    return (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0


@njit(forceinline=True)
def write_level(call, f):
    """Write the one column of the feature row that differs from rule to rule: the level of its call."""
    f[LEVEL_COLUMN] = level_of(call)


@njit(forceinline=True)
def within(table, row):
    """Return the alternatives of a clause, or the atoms of an alternative: a range."""
    return range(table[row, FIRST], table[row, END])


@njit(forceinline=True)
def holds(pool, first, end, f):
    """Return whether the clauses ``first .. end`` hold for the feature row."""
    for clause in range(first, end):
        satisfied = False
        for alternative in within(pool.clauses, clause):
            satisfied = True
            for atom in within(pool.alternatives, alternative):
                value = f[pool.atoms[atom, ATOM_COLUMN]]
                if value < pool.atoms[atom, ATOM_LO] or value > pool.atoms[atom, ATOM_HI]:
                    satisfied = False
                    break
            if satisfied:
                break
        if not satisfied:
            return False
    return True


@njit
def speaks_of(pool, first, end, columns):
    """Return whether an atom of the clauses ``first .. end`` is of one of ``columns`` (bool)."""
    for clause in range(first, end):
        for alternative in within(pool.clauses, clause):
            for atom in within(pool.alternatives, alternative):
                if columns[pool.atoms[atom, ATOM_COLUMN]]:
                    return True
    return False


# --- scorecards ----------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def is_cards(pool, group, system):
    """Return whether a group of a system is a block of scorecards."""
    return pool.blocks[system, CARDS] <= group < pool.blocks[system, FIRST]


@njit(forceinline=True)
def first_cards(pool, system):
    """Return a system's first block of scorecards, -1 if it has none."""
    first = np.int64(pool.blocks[system, CARDS])
    return first if first < pool.blocks[system, FIRST] else np.int64(-1)


@njit
def cards_that_count(pool, system, f):
    """Return the first block of scorecards whose context holds, -1 if none does. ``f`` holds the context."""
    for group in range(pool.blocks[system, CARDS], pool.blocks[system, FIRST]):
        first, end = context_of(pool, group)
        if holds(pool, first, end, f):
            return np.int64(group)
    return np.int64(-1)


@njit(forceinline=True)
def write_call(call, book, last_bid, f):
    """Write the columns that differ from call to call: level, ``book``, ``jump`` and ``game``."""
    write_level(call, f)
    bid = call - FIRST_BID
    f[BOOK] = call == book
    f[JUMP] = bid - 5 > last_bid  # so the bid a level below would be legal
    f[GAME] = bid >= 0 and bid == GAME_BIDS[bid % 5]
