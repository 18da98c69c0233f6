"""Count how often each term of a system's scorecards decides a call."""

from __future__ import annotations

import numpy as np

from agents.systems.engine.compiled import (
    END_TERM,
    FIRST_TERM,
    RULE_BASE,
    RULE_LINE,
)
from agents.systems.engine.rule_order import (
    cards_that_count,
    conditions_of,
    context_of,
    holds,
    legal_call,
    parts,
    rules_of,
    write_call,
    write_level,
)
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LAST_BID
from bridge_env.rules.calls import NUM_CALLS, PASS


@njit
def count_terms(pool, rows, nodes, auctions, weighed, decided):
    """Count the hands for which a rule of scorecards is weighed, and those that a term decides: int64, both written.

    A line makes rules for several calls; a term counts as left out of them all.

    Args:
        rows: int16 (N, NUM_COLUMNS), feature rows; nodes: int32 (N,), of the tree; auctions: int16 (N, STATE_COLUMNS).
    """
    rules, sums = np.empty(NUM_CALLS, np.int64), np.empty(NUM_CALLS, np.int64)
    points = np.zeros((NUM_CALLS, _most_terms(pool)), np.int64)
    for row in range(len(rows)):
        f, auction = rows[row], auctions[row]
        block = cards_that_count(pool, 0, f)
        if block < 0:
            continue
        book = _call_by_rules(pool, nodes[row], auction, f)
        rules[:] = -1
        for rule in rules_of(pool, block):
            call = legal_call(pool, rule, auction)
            if call < 0 or rules[call] >= 0:  # of the scorecards for a call the first counts
                continue
            write_call(call, book, auction[LAST_BID], f)
            first, end = conditions_of(pool, rule)
            if holds(pool, first, end, f):
                rules[call], sums[call] = rule, _add_up(pool, rule, f, points[call])
        if rules[book] < 0:
            continue
        chosen = _highest(rules, sums, book)
        for call in range(NUM_CALLS):
            if rules[call] < 0:
                continue
            weighed[rules[call]] += 1
            line, first = pool.rules[rules[call], RULE_LINE], pool.rules[rules[call], FIRST_TERM]
            for term in range(pool.rules[rules[call], END_TERM] - first):
                if points[call, term] == 0 or decided[first + term] > 0:
                    continue
                for other in range(NUM_CALLS):
                    if rules[other] >= 0 and pool.rules[rules[other], RULE_LINE] == line:
                        sums[other] -= points[other, term]
                decided[first + term] += _highest(rules, sums, book) != chosen
                for other in range(NUM_CALLS):
                    if rules[other] >= 0 and pool.rules[rules[other], RULE_LINE] == line:
                        sums[other] += points[other, term]


@njit
def _most_terms(pool):
    """Return the number of terms of the rule that has most."""
    most = 0
    for rule in range(len(pool.rules)):
        most = max(most, pool.rules[rule, END_TERM] - pool.rules[rule, FIRST_TERM])
    return most


@njit
def _call_by_rules(pool, node, auction, f):
    """Return the call that the rules alone make."""
    for part in parts(pool, node, 0):
        write_level(PASS, f)
        first, end = context_of(pool, part)
        if not holds(pool, first, end, f):
            continue
        for rule in rules_of(pool, part):
            call = legal_call(pool, rule, auction)
            if call < 0:
                continue
            write_level(call, f)
            first, end = conditions_of(pool, rule)
            if holds(pool, first, end, f):
                return call
    return np.int64(PASS)


@njit
def _add_up(pool, rule, f, points):
    """Return a rule's sum, and write the points of each term."""
    total, first = np.int64(pool.rules[rule, RULE_BASE]), pool.rules[rule, FIRST_TERM]
    for term in range(pool.rules[rule, END_TERM] - first):
        each, word, less, clause = pool.terms[first + term]
        if clause >= 0:
            count = np.int64(holds(pool, clause, clause + 1, f))
        else:
            count = np.int64(f[word]) - (np.int64(f[less]) if less >= 0 else 0)
        points[term] = each * count
        total += points[term]
    return total


@njit
def _highest(rules, sums, book):
    """Return the call with the highest sum, the book's call of equals."""
    best = book
    for call in range(NUM_CALLS):
        if rules[call] >= 0 and sums[call] > sums[best]:
            best = call
    return best
