"""Count how often each term of a system's scorecards adds points to a call."""

from __future__ import annotations

import numpy as np

from agents.systems.engine.compiled import END_TERM, FIRST_TERM, TERM_CLAUSE, TERM_LESS, TERM_WORD
from agents.systems.engine.rule_order import (
    cards_that_count,
    conditions_of,
    context_of,
    holds,
    legal_call,
    rule_groups,
    rules_of,
    write_call,
    write_level,
)
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LAST_BID
from bridge_env.rules.calls import PASS


@njit
def count_terms(pool, rows, nodes, auctions, weighed, counted):
    """Count the hands for which a rule of scorecards is weighed, and those for which a term adds points.

    Args:
        rows: int16 (N, NUM_COLUMNS), feature rows; nodes: int32 (N,), of the tree; auctions: int16 (N, STATE_COLUMNS).
        weighed, counted: int64 (rules,) and (terms,), increased.
    """
    for row in range(len(rows)):
        f, auction = rows[row], auctions[row]
        block = cards_that_count(pool, 0, f)
        if block < 0:
            continue
        book, calls = _call_by_rules(pool, nodes[row], auction, f), np.int64(0)
        for rule in rules_of(pool, block):
            call = legal_call(pool, rule, auction)
            if call < 0 or (calls >> call) & 1:  # of the scorecards for a call the first counts
                continue
            write_call(call, book, auction[LAST_BID], f)
            first, end = conditions_of(pool, rule)
            if not holds(pool, first, end, f):
                continue
            calls |= np.int64(1) << call
            weighed[rule] += 1
            for term in range(pool.rules[rule, FIRST_TERM], pool.rules[rule, END_TERM]):
                word, less, clause = (
                    pool.terms[term, TERM_WORD],
                    pool.terms[term, TERM_LESS],
                    pool.terms[term, TERM_CLAUSE],
                )
                if clause >= 0:
                    counted[term] += holds(pool, clause, clause + 1, f)
                else:
                    counted[term] += f[word] != (f[less] if less >= 0 else 0)


@njit
def _call_by_rules(pool, node, auction, f):
    """Return the call that the rules alone make."""
    for group in rule_groups(pool, node, 0):
        write_level(PASS, f)
        first, end = context_of(pool, group)
        if not holds(pool, first, end, f):
            continue
        for rule in rules_of(pool, group):
            call = legal_call(pool, rule, auction)
            if call < 0:
                continue
            write_level(call, f)
            first, end = conditions_of(pool, rule)
            if holds(pool, first, end, f):
                return call
    return np.int64(PASS)
