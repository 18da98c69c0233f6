"""A pool's general rules by the last bid, and what a call shows, found by them without trying every rule.

A general rule names its call by what it is for, and the last bid alone decides which call that is. So the rules are
sorted once for each of the 36 last bids (row 0: none): in the order in which they are tried (``tried``), and by the call that they
make (``made``). What a rule shows depends on the auction only where it speaks of the auction or of partner; what the others show is
counted once and kept (``plain``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.compiled import FLAG_BITS, Compiled
from agents.hierarchy.context import IS_CONTEXT, QUANTITIES, TOP
from agents.hierarchy.meaning import constraint_shows, row_span_call
from agents.hierarchy.vocabulary import MIXED, NUM_COLUMNS
from bridge_env.calls import FIRST_BID, NUM_BIDS, NUM_CALLS, PASS
from bridge_env.kernels import njit

_ARTIFICIAL = FLAG_BITS["artificial"]
_SAYS_MORE = IS_CONTEXT | np.array([column in MIXED for column in range(NUM_COLUMNS)])
UNKNOWN, CHANGING, POSSIBLE, IMPOSSIBLE = range(4)  # what is known of a rule in ``plain``


class Readings(NamedTuple):
    """The rules of a pool, sorted; a last bid's row is the bid's number + 1."""

    tried: NDArray[np.int32]  # (n, 2): rule, call
    tried_at: NDArray[np.int32]  # (36, blocks + 1): where a block's begin
    made: NDArray[np.int32]  # (n, 2): block, rule
    made_at: NDArray[np.int32]  # (systems, 36, 39): where a call's begin
    in_context: NDArray[np.bool_]  # (blocks,): does the block's condition speak of the auction alone?
    plain: NDArray[np.int8]  # (rules,): UNKNOWN, CHANGING, POSSIBLE or IMPOSSIBLE
    ranges: NDArray[np.int16]  # (rules, 6, 2): what a POSSIBLE rule shows


def readings(pool: Compiled) -> Readings:
    """The sorted rules of ``pool``."""
    general = int((pool.blocks[:, 3] - pool.blocks[:, 2]).sum())
    most, blocks, rules = (NUM_BIDS + 1) * general, len(pool.blocks), len(pool.rules)
    out = Readings(
        np.empty((most, 2), np.int32), np.empty((NUM_BIDS + 1, blocks + 1), np.int32), np.empty((most, 2), np.int32),
        np.empty((len(pool.spans), NUM_BIDS + 1, NUM_CALLS + 1), np.int32), np.empty(blocks, np.bool_),
        np.zeros(rules, np.int8), np.empty((rules, QUANTITIES, 2), np.int16),
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
def _changing(pool, rule, f, rule_out, clause_out, together_out):
    for q in range(QUANTITIES):
        rule_out[q, 0], rule_out[q, 1] = 0, TOP[q]
    return constraint_shows(pool, pool.rules[rule, 3], pool.rules[rule, 4], f, rule_out, clause_out, together_out)


@njit(forceinline=True)
def _add(pool, read, rule, f, out, scratch, found):
    """``meaning._add_rule``; says whether the rule can have made the call."""
    known = read.plain[rule]
    if known == UNKNOWN:
        _look(pool, rule, read.plain, read.ranges, f, scratch[1], scratch[2])
        known = read.plain[rule]
    if known == CHANGING:
        if not _changing(pool, rule, f, scratch[0], scratch[1], scratch[2]):
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


@njit(forceinline=True)
def reads_as(pool, read, system, node, last_bid, call, f, out, scratch):
    """``meaning.call_shows``: what a call shows, to ``out``; (found, flags of all rules that can have made it)."""
    found, flags = False, 0
    for q in range(QUANTITIES):
        out[q, 0], out[q, 1] = 0, TOP[q]
    if node >= 0:
        for rule in range(pool.nodes[node, 0], pool.nodes[node, 1]):
            if pool.rules[rule, 1] == call and _add(pool, read, rule, f, out, scratch, found):
                found, flags = True, flags | pool.rules[rule, 2]
    if found:
        return True, flags
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
                for q in range(QUANTITIES):
                    scratch[0, q, 0], scratch[0, q, 1] = 0, TOP[q]
                fits = constraint_shows(pool, first, end, f, scratch[0], scratch[1], scratch[2])
        rule = read.made[i, 1]
        if fits and _add(pool, read, rule, f, out, scratch, found):
            found, flags = True, flags | pool.rules[rule, 2]
    return found, flags
