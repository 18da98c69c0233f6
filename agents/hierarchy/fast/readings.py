"""A pool's general rules by the last bid, and what a call shows, found by them without trying every rule.

A general rule names its call by what it is for, and the last bid alone decides which call that is. So the rules are
sorted once for each of the 36 last bids (row 0: none): in the order in which they are tried (``tried``), and by the
call that they make (``made``). What a rule shows depends on the auction only where it speaks of the auction or of
partner; what the others show is counted once and kept (``plain``, and ``first`` for the rules of a node).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.engine.compiled import FLAG_BITS, Compiled
from agents.hierarchy.engine.context import IS_CONTEXT, QUANTITIES, TOP
from agents.hierarchy.engine.meaning import constraint_shows, row_span_call
from agents.hierarchy.language.vocabulary import MIXED, NUM_COLUMNS
from bridge_env.calls import FIRST_BID, NUM_BIDS, NUM_CALLS, PASS
from bridge_env.kernels import njit

_ARTIFICIAL = FLAG_BITS["artificial"]
_SAYS_MORE = IS_CONTEXT | np.array([column in MIXED for column in range(NUM_COLUMNS)])
UNKNOWN, CHANGING, POSSIBLE, IMPOSSIBLE = range(4)  # what is known of a rule in ``plain``

NOT_YET, NONE, HANGS = -1, -2, -3  # in ``first``: not looked at; no rule can make the call; it hangs on the auction


class Readings(NamedTuple):
    """The rules of a pool, sorted; a last bid's row is the bid's number + 1."""

    tried: NDArray[np.int32]  # (n, 2): rule, call
    tried_at: NDArray[np.int32]  # (36, blocks + 1): where a block's begin
    made: NDArray[np.int32]  # (n, 2): block, rule
    made_at: NDArray[np.int32]  # (systems, 36, 39): where a call's begin
    in_context: NDArray[np.bool_]  # (blocks,): does the block's condition speak of the auction alone?
    plain: NDArray[np.int8]  # (rules,): UNKNOWN, CHANGING, POSSIBLE or IMPOSSIBLE
    ranges: NDArray[np.int16]  # (rules, 6, 2): what a POSSIBLE rule shows
    first: NDArray[np.int32]  # (nodes, 38): the first of a node's rules that can make a call; or NOT_YET, NONE, HANGS
    shows: NDArray[np.int16]  # (rules, 6, 2): what that call then shows
    flags: NDArray[np.int32]  # (rules,): its flags


class _Words(NamedTuple):
    """What ``constraint_shows`` needs of a pool."""

    clauses: NDArray[np.int32]
    together: NDArray[np.int32]
    atoms: NDArray[np.int16]


_shows = njit(forceinline=True)(constraint_shows.py_func)


def readings(pool: Compiled) -> Readings:
    """The sorted rules of ``pool``."""
    general = int((pool.blocks[:, 3] - pool.blocks[:, 2]).sum())
    most, blocks, rules = (NUM_BIDS + 1) * general, len(pool.blocks), len(pool.rules)
    out = Readings(
        np.empty((most, 2), np.int32), np.empty((NUM_BIDS + 1, blocks + 1), np.int32), np.empty((most, 2), np.int32),
        np.empty((len(pool.spans), NUM_BIDS + 1, NUM_CALLS + 1), np.int32), np.empty(blocks, np.bool_),
        np.zeros(rules, np.int8), np.empty((rules, QUANTITIES, 2), np.int16),
        np.full((len(pool.nodes), NUM_CALLS), NOT_YET, np.int32), np.empty((rules, QUANTITIES, 2), np.int16),
        np.zeros(rules, np.int32),
    )  # fmt: skip
    _sort(pool, out)
    return out


@njit
def _sort(pool, out):
    n = 0
    for last in range(NUM_BIDS + 1):
        for block in range(len(pool.blocks)):
            out.tried_at[last, block] = n
            for rule in range(pool.blocks[block, 2], pool.blocks[block, 3]):
                call = row_span_call(pool.rules[rule, 0], pool.rules[rule, 1], last - 1)
                if call >= 0 and (call < FIRST_BID or call - FIRST_BID > last - 1):
                    out.tried[n, 0], out.tried[n, 1] = rule, call
                    n += 1
        out.tried_at[last, len(pool.blocks)] = n
    n = 0
    at = np.empty(NUM_CALLS + 1, np.int32)
    for system in range(len(pool.spans)):
        for last in range(NUM_BIDS + 1):
            at[:] = 0
            for block in range(pool.spans[system, 0], pool.spans[system, 1]):
                for rule in range(pool.blocks[block, 2], pool.blocks[block, 3]):
                    at[row_span_call(pool.rules[rule, 0], pool.rules[rule, 1], last - 1) + 1] += 1
            at[0] = n  # -1, no call, is left out
            for call in range(NUM_CALLS):
                at[call + 1] += at[call]
                out.made_at[system, last, call] = at[call]
            out.made_at[system, last, NUM_CALLS] = n = at[NUM_CALLS]
            for block in range(pool.spans[system, 0], pool.spans[system, 1]):
                for rule in range(pool.blocks[block, 2], pool.blocks[block, 3]):
                    call = row_span_call(pool.rules[rule, 0], pool.rules[rule, 1], last - 1)
                    if call >= 0:
                        out.made[at[call], 0], out.made[at[call], 1] = block, rule
                        at[call] += 1
    for block in range(len(pool.blocks)):
        out.in_context[block] = not _any(pool, pool.blocks[block, 0], pool.blocks[block, 1], ~IS_CONTEXT)


@njit
def _any(pool, first, end, columns):
    """Does a constraint speak of one of ``columns`` (bool)?"""
    for clause in range(first, end):
        for together in range(pool.clauses[clause, 0], pool.clauses[clause, 1]):
            for atom in range(pool.together[together, 0], pool.together[together, 1]):
                if columns[pool.atoms[atom, 0]]:
                    return True
    return False


@njit(forceinline=True)
def context_holds(clauses, togethers, atoms, first, end, f):
    """``engine.holds``, with the arrays one by one."""
    for clause in range(first, end):
        satisfied = False
        for together in range(clauses[clause, 0], clauses[clause, 1]):
            satisfied = True
            for atom in range(togethers[together, 0], togethers[together, 1]):
                value = f[atoms[atom, 0]]
                if value < atoms[atom, 1] or value > atoms[atom, 2]:
                    satisfied = False
                    break
            if satisfied:
                break
        if not satisfied:
            return False
    return True


@njit
def _look(pool, rule, plain, ranges, f, clause_out, together_out):
    """Find out whether what a rule shows hangs on the auction, and if not, what it is."""
    if _any(pool, pool.rules[rule, 3], pool.rules[rule, 4], _SAYS_MORE):
        plain[rule] = CHANGING
        return
    for q in range(QUANTITIES):
        ranges[rule, q, 0], ranges[rule, q, 1] = 0, TOP[q]
    possible = constraint_shows(
        pool, pool.rules[rule, 3], pool.rules[rule, 4], f, ranges[rule], clause_out, together_out
    )
    plain[rule] = POSSIBLE if possible else IMPOSSIBLE


@njit
def _changing(clauses, together, atoms, first, end, f, scratch):
    """``constraint_shows`` to ``scratch[0]``, with the arrays one by one."""
    rule_out = scratch[0]
    for q in range(QUANTITIES):
        rule_out[q, 0], rule_out[q, 1] = 0, TOP[q]
    return _shows(_Words(clauses, together, atoms), first, end, f, rule_out, scratch[1], scratch[2])


@njit(forceinline=True)
def _add(pool, read, rule, f, out, scratch, found):
    """``meaning._add_rule``; says whether the rule can have made the call."""
    known = read.plain[rule]
    if known == UNKNOWN:
        _look(pool, rule, read.plain, read.ranges, f, scratch[1], scratch[2])
        known = read.plain[rule]
    if known == CHANGING:
        if not _changing(pool.clauses, pool.together, pool.atoms, pool.rules[rule, 3], pool.rules[rule, 4], f, scratch):
            return False
        for q in range(QUANTITIES):
            lo, hi = scratch[0, q, 0], scratch[0, q, 1]
            out[q, 0] = min(out[q, 0], lo) if found else lo
            out[q, 1] = max(out[q, 1], hi) if found else hi
        return True
    if known == IMPOSSIBLE:
        return False
    for q in range(QUANTITIES):
        lo, hi = read.ranges[rule, q, 0], read.ranges[rule, q, 1]
        out[q, 0] = min(out[q, 0], lo) if found else lo
        out[q, 1] = max(out[q, 1], hi) if found else hi
    return True


@njit
def _of_node(pool, read, node, call, f, out, scratch):
    """What a call shows by the rules of a node: (found, flags); kept in ``read`` where the auction does not matter."""
    found, flags, first, hangs = False, 0, NONE, False
    for rule in range(pool.nodes[node, 0], pool.nodes[node, 1]):
        if pool.rules[rule, 1] == call:
            if _add(pool, read, rule, f, out, scratch, found):
                first = first if found else rule
                found, flags = True, flags | pool.rules[rule, 2]
            hangs |= read.plain[rule] == CHANGING
    read.first[node, call] = HANGS if hangs else first
    if found and not hangs:
        read.flags[first] = flags
        for q in range(QUANTITIES):
            read.shows[first, q, 0], read.shows[first, q, 1] = out[q, 0], out[q, 1]
    return found, flags


@njit(forceinline=True)
def reads_as(pool, read, system, node, last_bid, call, f, out, scratch):
    """``meaning.call_shows``: what a call shows, to ``out``; (found, flags of all rules that can have made it)."""
    found, flags = False, 0
    for q in range(QUANTITIES):
        out[q, 0], out[q, 1] = 0, TOP[q]
    if node >= 0:
        first = read.first[node, call]
        if first in (NOT_YET, HANGS):
            found, flags = _of_node(pool, read, node, call, f, out, scratch)
            if found:
                return True, flags
        elif first >= 0:
            for q in range(QUANTITIES):
                out[q, 0], out[q, 1] = read.shows[first, q, 0], read.shows[first, q, 1]
            return True, read.flags[first]
    block, fits = -1, False
    for i in range(read.made_at[system, last_bid + 1, call], read.made_at[system, last_bid + 1, call + 1]):
        if read.made[i, 0] != block:
            if flags & _ARTIFICIAL:
                break  # it means what its convention says
            if call == PASS and found:
                says = False
                for q in range(QUANTITIES):
                    says |= (out[q, 0] > 0) | (out[q, 1] < TOP[q])
                if not says:
                    break  # nothing more to learn
            block = read.made[i, 0]
            first, end = pool.blocks[block, 0], pool.blocks[block, 1]
            if read.in_context[block]:
                fits = context_holds(pool.clauses, pool.together, pool.atoms, first, end, f)
            else:
                fits = _changing(pool.clauses, pool.together, pool.atoms, first, end, f, scratch)
        rule = read.made[i, 1]
        if fits and _add(pool, read, rule, f, out, scratch, found):
            found, flags = True, flags | pool.rules[rule, 2]
    return found, flags
