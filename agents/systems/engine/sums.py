"""Turn a block of scorecards into a program: what its sums count and test once the last bid is known.

The steps are tests as in ``programs``, and others by the number in their first 8 bits:

- ``_START`` begins a card: its call (8 bits), and where the next card begins.
- ``_IFS`` and ``_COUNTS`` say how many rows follow. A row holds a column (8 bits), the least + ``_BIAS`` (12), how far
  up from there it may be (12), and points (24): added if the column's value lies there, or for each that it counts.
- ``_ADD`` adds points to the sum, ``_END`` ends the card with its rule, and ``_CHOOSE`` ends the program.

Most terms are rows, which need no branch. A program runs on full feature rows.
"""

from __future__ import annotations

import numpy as np

from agents.systems.engine.auction_state import BOOK, GAME, JUMP
from agents.systems.engine.compiled import (
    ATOM_COLUMN,
    ATOM_HI,
    ATOM_LO,
    END_TERM,
    FIRST,
    FIRST_TERM,
    RULE_BASE,
    TERM_CLAUSE,
    TERM_LESS,
    TERM_POINTS,
    TERM_WORD,
)
from agents.systems.engine.programs import (
    FALSE,
    NO_TEST,
    OF_BID,
    PAST,
    SKIP,
    TEST,
    TRUE,
    add_tests,
    after_test,
    lead,
    rest_of_atom,
    threaded,
)
from agents.systems.engine.rule_order import conditions_of, legal_call, rules_of, within, write_call
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LAST_BID

_START, _IFS, _COUNTS, _ROW, _ADD, _END, _CHOOSE = range(NO_TEST, NO_TEST + 7)
_BIAS, _BITS, _RANGE = 1 << 11, 12, (1 << 12) - 1
_SEVERAL = 4  # beside FALSE, TRUE and TEST: a condition of several tests
_UNKNOWN = -2  # no call: which one the rules make is known when the program runs


@njit
def write_sums(pool, block, auction, f, code, base):
    """Write a block of scorecards as a program that serves wherever this last bid is met; return its length.

    Args:
        f: a feature row with the columns of the last bid.
        code, base: where to write to; the room behind must be ``programs.room_for(pool)``.
    """
    n = 0
    for card in rules_of(pool, block):
        call = legal_call(pool, card, auction)
        if call < 0:
            continue
        write_call(call, _UNKNOWN, auction[LAST_BID], f)
        first, end = conditions_of(pool, card)
        m = add_tests(pool.clauses, pool.together, pool.atoms, first, end, f, False, -1, code, base, n + 1, SKIP)
        if m < 0:
            continue
        points, start = np.int64(pool.rules[card, RULE_BASE]), n
        m, constant = _add_ifs(pool, card, f, code, base, m)
        points += constant
        m, constant = _add_counts(pool, card, f, code, base, m)
        points += constant
        m = _add_others(pool, card, f, code, base, m)
        code[base + m] = np.int64(_ADD) | points << 8
        code[base + m + 1] = np.int64(_END) | np.int64(card) << 8
        n = m + 2
        code[base + start] = np.int64(_START) | np.int64(call) << 8 | np.int64(n) << 16
        lead(code, base, start, n, SKIP, n)
    code[base + n] = _CHOOSE
    f[JUMP] = f[GAME] = 0
    return threaded(code, base, n + 1)


@njit(forceinline=True)
def _terms_of(pool, card):
    return range(pool.rules[card, FIRST_TERM], pool.rules[card, END_TERM])


@njit
def _rest_of(pool, clause, f):
    """Return what is left of a condition: (FALSE, TRUE, TEST or _SEVERAL, column, least, most); -1 is no condition."""
    left, column, lo, hi = _SEVERAL, np.int64(0), np.int64(0), np.int64(0)
    if clause < 0 or len(within(pool.clauses, clause)) != 1:
        return left, column, lo, hi
    left = TRUE
    for atom in within(pool.together, pool.clauses[clause, FIRST]):
        row = pool.atoms[atom]
        kind, tested, least, most = rest_of_atom(
            int(row[ATOM_COLUMN]), int(row[ATOM_LO]), int(row[ATOM_HI]), f, False, -1
        )
        if kind == FALSE:
            return FALSE, column, lo, hi
        if kind == TEST:
            left = TEST if left == TRUE else _SEVERAL
            column, lo, hi = tested, least, most
    return left, column, lo, hi


@njit
def _add_ifs(pool, card, f, code, base, n):
    """Add the terms of one test; return the new number of steps, and the points that every hand gets."""
    header, constant = n, np.int64(0)
    for term in _terms_of(pool, card):
        points = np.int64(pool.terms[term, TERM_POINTS])
        left, column, lo, hi = _rest_of(pool, pool.terms[term, TERM_CLAUSE], f)
        if left == TRUE:
            constant += points
        elif left == TEST:
            n += 1
            where = np.int64(lo + _BIAS) << 16 | np.int64(hi - lo) << (16 + _BITS)
            code[base + n] = np.int64(_ROW) | np.int64(column) << 8 | where | points << (16 + 2 * _BITS)
    code[base + header] = np.int64(_IFS) | np.int64(n - header) << 8
    return n + 1, constant


@njit
def _add_counts(pool, card, f, code, base, n):
    """Add the terms that count words; return the new number of steps, and the points that every hand gets."""
    header, constant = n, np.int64(0)
    for term in _terms_of(pool, card):
        if pool.terms[term, TERM_CLAUSE] >= 0:
            continue
        points = np.int64(pool.terms[term, TERM_POINTS])
        for of, times in ((TERM_WORD, points), (TERM_LESS, -points)):
            word = np.int64(pool.terms[term, of])
            if word >= 0 and OF_BID[word]:
                constant += times * f[word]
            elif word >= 0:
                n += 1
                code[base + n] = np.int64(_ROW) | word << 8 | times << (16 + 2 * _BITS)
    code[base + header] = np.int64(_COUNTS) | np.int64(n - header) << 8
    return n + 1, constant


@njit
def _add_others(pool, card, f, code, base, n):
    """Add the terms whose conditions take several tests; return the new number of steps."""
    for term in _terms_of(pool, card):
        clause = pool.terms[term, TERM_CLAUSE]
        if clause < 0 or _rest_of(pool, clause, f)[0] != _SEVERAL:
            continue
        m = add_tests(pool.clauses, pool.together, pool.atoms, clause, clause + 1, f, False, -1, code, base, n, PAST)
        if m >= 0:
            code[base + m] = np.int64(_ADD) | np.int64(pool.terms[term, TERM_POINTS]) << 8
            lead(code, base, n, m, PAST, m + 1)
            n = m + 1
    return n


@njit(forceinline=True)
def run_sums(code, base, f, call, rule):
    """Return the call with the highest sum and its scorecard; of equals ``call``, and ``rule``, if it has a sum.

    Args:
        f: a full feature row.
        call, rule: what the rules would call.
    """
    best, of_rules = np.int64(-1 << 40), np.int64(-1 << 40)
    chosen, by, weighed = np.int64(call), np.int64(rule), np.int64(0)
    at, made, total = np.int64(base), np.int64(0), np.int64(0)
    while True:
        step = code[at]
        column = step & 255
        if column < NO_TEST:
            at = base + after_test(step, f[column])
            continue
        if column == _IFS:
            for k in range(at + 1, at + 1 + (step >> 8)):
                row = code[k]
                above = np.int64(f[(row >> 8) & 255]) + _BIAS - ((row >> 16) & _RANGE)
                total += (row >> (16 + 2 * _BITS)) * np.int64((above >= 0) & (above <= (row >> (16 + _BITS)) & _RANGE))
            at += step >> 8
        elif column == _COUNTS:
            for k in range(at + 1, at + 1 + (step >> 8)):
                row = code[k]
                total += (row >> (16 + 2 * _BITS)) * np.int64(f[(row >> 8) & 255])
            at += step >> 8
        elif column == _ADD:
            total += step >> 8
        elif column == _START:
            made, total = (step >> 8) & 255, np.int64(0)
            if (weighed >> made) & 1:  # of the cards for a call the first counts
                at = base + (step >> 16)
                continue
            f[BOOK] = made == call
        elif column == _CHOOSE:
            break
        else:
            weighed |= np.int64(1) << made
            if made == call:
                of_rules = total
            if total > best:
                best, chosen, by = total, made, step >> 8
        at += 1
    f[BOOK] = 0
    if not (weighed >> call) & 1 or best <= of_rules:
        return np.int64(call), np.int64(rule)
    return chosen, by
