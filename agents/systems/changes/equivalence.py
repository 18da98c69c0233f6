"""Find where two versions of a system differ, and the auctions that this can affect.

A change to the tree matters in an auction only if a seat that plays the system calls at a node whose rules differ:
its choice comes from those rules, and so does what everyone reads into its call. So a changed system need be
bid again only on the boards whose auctions, as the old one bid them, pass such a node. Exact, not a guess.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.compiled import (
    ATOM_COLUMN,
    ATOM_HI,
    ATOM_LO,
    END_TERM,
    FIRST_TERM,
    MEANS_FIRST,
    RULE_BASE,
    RULE_CALL,
    RULE_FLAGS,
    RULE_FORM,
    TERM_CLAUSE,
    TERM_LESS,
    TERM_POINTS,
    TERM_WORD,
    Compiled,
)
from agents.systems.engine.rule_order import (
    NOWHERE,
    all_groups,
    conditions_of,
    context_of,
    meaning_of,
    rules_of,
    within,
)
from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import FIRST_BID, PASS

_PRIME, _SEED = np.uint64(0x100000001B3), np.uint64(0xCBF29CE484222325)


@njit
def _mix(h, value):
    return (h ^ np.uint64(np.int64(value) + 1000)) * _PRIME


@njit
def _clauses(c, first, end, h):
    h = _mix(h, end - first)
    for clause in range(first, end):
        alternatives = within(c.clauses, clause)
        h = _mix(h, len(alternatives))
        for alternative in alternatives:
            atoms = within(c.alternatives, alternative)
            h = _mix(h, len(atoms))
            for atom in atoms:
                for column in (ATOM_COLUMN, ATOM_LO, ATOM_HI):
                    h = _mix(h, c.atoms[atom, column])
    return h


@njit
def _rules(c, group, h):
    for rule in rules_of(c, group):
        for column in (RULE_FORM, RULE_CALL, RULE_FLAGS, RULE_BASE):
            h = _mix(h, c.rules[rule, column])
        first, end = conditions_of(c, rule)
        h = _clauses(c, first, end, h)
        if c.rules[rule, MEANS_FIRST] >= 0:
            first, end = meaning_of(c, rule)
            h = _clauses(c, first, end, h)
        for term in range(c.rules[rule, FIRST_TERM], c.rules[rule, END_TERM]):
            for column in (TERM_POINTS, TERM_WORD, TERM_LESS):
                h = _mix(h, c.terms[term, column])
            clause = c.terms[term, TERM_CLAUSE]
            h = _clauses(c, clause, clause + (clause >= 0), h)
    return h


@njit
def _of_nodes(c, out):
    for node in range(len(out)):
        out[node] = _rules(c, node, _SEED) if len(rules_of(c, node)) else 0


@njit
def _of_blocks(c):
    h = _SEED
    for group in all_groups(c, NOWHERE, 0):
        first, end = context_of(c, group)
        h = _rules(c, group, _mix(_clauses(c, first, end, h), 7))
    return h


def signatures(compiled: Compiled) -> tuple[NDArray[np.uint64], int]:
    """Return a hash of each node's rules, uint64 (nodes,), 0 where it has none; and one of all scorecards and general
    rules."""
    nodes = np.empty(len(compiled.children), np.uint64)
    _of_nodes(compiled, nodes)
    return nodes, int(_of_blocks(compiled))


def pairs(old: Compiled, new: Compiled) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return nodes at the same place in two trees: of the old and of the new, -1 where it has none."""
    was = now = np.zeros(1, np.int32)
    found = [(was, now)]
    while len(was):  # level by level
        a, b = _below(old.children, was), _below(new.children, now)
        there = (a >= 0) | (b >= 0)
        was, now = a[there], b[there]
        found.append((was, now))
    was, now = (np.concatenate(side) for side in zip(*found, strict=True))
    return was, now


def differing_nodes(old: Compiled, new: Compiled) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the nodes at the same place in two trees whose rules differ: of the old and of the new, -1 where it has
    none; all nodes where scorecards or general rules differ."""
    (old_signs, old_blocks), (new_signs, new_blocks) = signatures(old), signatures(new)
    was, now = pairs(old, new)
    if old_blocks != new_blocks:
        return was, now
    changed = np.append(old_signs, np.uint64(0))[was] != np.append(new_signs, np.uint64(0))[now]
    return was[changed], now[changed]


def _below(children: NDArray[np.int32], nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.where((nodes >= 0)[:, None, None], children[nodes], -1)


def same_rules(a: Compiled, b: Compiled) -> bool:
    """Return whether two systems hold the same rules in the same order everywhere."""
    (signs_a, blocks_a), (signs_b, blocks_b) = signatures(a), signatures(b)
    if blocks_a != blocks_b or len(a.children) != len(b.children):
        return False
    of_a, of_b = pairs(a, b)
    return bool((of_a >= 0).all() and (of_b >= 0).all() and (signs_a[of_a] == signs_b[of_b]).all())


def affected_auctions(
    old: Compiled, new: Compiled, seat: int, dealer: NDArray[np.int16], history: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Return the auctions, bool (N,), that can notice if ``seat`` plays ``new`` instead of ``old``.

    Args:
        dealer: (N,); history: int8 (N, L), padded with -1: auctions in which ``seat`` played ``old``.
    """
    (old_signs, old_blocks), (new_signs, new_blocks) = signatures(old), signatures(new)
    if old_blocks != new_blocks:
        return np.ones(len(history), np.bool_)
    before, after = (np.append(signs, np.uint64(0)) for signs in (old_signs, new_signs))  # the last one of no node
    was = now = np.zeros(len(history), np.int64)
    affected, unopened = np.zeros(len(history), np.bool_), np.ones(len(history), np.bool_)
    for number, call in enumerate(history[:, : int((history >= 0).sum(axis=1).max(initial=0))].T):
        turn = (dealer + number) & 3
        affected |= (call >= 0) & (turn == seat) & (before[was] != after[now])
        theirs = (turn ^ seat) & 1
        was, now = (_follow(one.children, at, theirs, call, unopened) for one, at in ((old, was), (new, now)))
        unopened &= call < FIRST_BID
    return affected


def _follow(
    children: NDArray[np.int32],
    node: NDArray[np.int64],
    theirs: NDArray[np.int16],
    call: NDArray[np.int8],
    unopened: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Return where calls lead in a seat's tree, int64 (N,), -1 out of it; as ``engine.states.record_call`` has it."""
    child = np.where(node >= 0, children[node, theirs, call], -1)
    stays = (child < 0) & (call == PASS) & (unopened | (theirs > 0))
    return np.where(stays, node, child)
