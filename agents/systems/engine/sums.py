"""Turn a system's scorecards into a program: what their sums count and test once the last bid is known.

Of each block come the tests of its context, then its cards. Cards with the same conditions and terms (the cheapest bid
of a suit, the next one and game) lie together: what no call changes is added up once for all of them. The steps are
tests as in ``programs``, and others by the number in their first 8 bits:

- ``_START`` begins such cards, and holds where the next ones begin; ``_CALLS`` behind it holds their calls as bits.
- ``_SHARED`` adds points to the sum so far, from which each of the cards then starts.
- ``_CARD`` weighs a card: its call (8 bits), points (24), and points if it is the book's call (24); ``_RULE`` behind it
  holds its number. ``_CALL`` comes before tests and rows of one card: its call (8), and where the next card begins.
- ``_IFS`` and ``_COUNTS`` say how many rows follow. A row holds a column (8 bits), the least + ``_BIAS`` (12), how far
  up from there it may be (12), and points (24): added if the column's value lies there, or for each that it counts.
- ``_ADD`` adds points to the sum, and ``_CHOOSE`` ends the program.

Most terms are rows, which need no branch. A program runs on full feature rows.
"""

from __future__ import annotations

import numpy as np

from agents.systems.engine.auction_state import BOOK, GAME, JUMP, LEVEL_COLUMN
from agents.systems.engine.compiled import (
    ATOM_COLUMN,
    ATOM_HI,
    ATOM_LO,
    CARDS,
    END_RULE,
    END_TERM,
    FIRST,
    FIRST_RULE,
    FIRST_TERM,
    RULE_BASE,
    RULE_END,
    RULE_FIRST,
    TERM_CLAUSE,
    TERM_LESS,
    TERM_POINTS,
    TERM_WORD,
)
from agents.systems.engine.programs import (
    BLOCK,
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
from agents.systems.engine.rule_order import conditions_of, context_of, legal_call, speaks_of, within, write_call
from agents.systems.language.vocabulary import NUM_COLUMNS
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LAST_BID
from bridge_env.rules.calls import PASS

_START, _CALLS, _SHARED, _CARD, _RULE, _CALL, _IFS, _COUNTS, _ROW, _ADD, _CHOOSE = range(NO_TEST, NO_TEST + 11)
_BIAS, _BITS, _RANGE, _POINTS = 1 << 11, 12, (1 << 12) - 1, (1 << 24) - 1
_SEVERAL = 4  # beside FALSE, TRUE and TEST: a condition of several tests
_UNKNOWN = -2  # no call: which one the rules make is known when the program runs
_OF_CALL = np.zeros(NUM_COLUMNS, np.bool_)  # the columns that differ from call to call
_OF_CALL[[LEVEL_COLUMN, BOOK, JUMP, GAME]] = True


@njit
def write_sums(pool, system, auction, f, code, base):
    """Write a system's scorecards as a program that serves wherever this last bid is met; return its length.

    Args:
        f: a feature row with the columns of the last bid.
        code, base: where to write to; the room behind must be ``programs.room_for(pool)``.
    """
    n = 0
    for group in range(pool.blocks[system, CARDS], pool.blocks[system, FIRST]):
        write_call(PASS, _UNKNOWN, auction[LAST_BID], f)
        first, end = context_of(pool, group)
        m = add_tests(pool.clauses, pool.alternatives, pool.atoms, first, end, f, False, -1, code, base, n, BLOCK)
        if m < 0:
            continue
        opened, card, last = m, pool.groups[group, FIRST_RULE], pool.groups[group, END_RULE]
        while card < last:
            until = card + 1
            while until < last and _share_a_sum(pool.rules[card], pool.rules[until]):
                until += 1
            m = _add_cards(pool, card, until, auction, f, code, base, m)
            card = until
        code[base + m] = _CHOOSE
        lead(code, base, n, opened, BLOCK, m + 1)
        n = m + 1
    code[base + n] = _CHOOSE
    f[JUMP] = f[GAME] = 0
    return threaded(code, base, n + 1)


@njit(forceinline=True)
def _share_a_sum(card, other):
    """Return whether two cards have the same start, conditions and terms."""
    for column in (RULE_BASE, RULE_FIRST, RULE_END, FIRST_TERM, END_TERM):
        if card[column] != other[column]:
            return False
    return True


@njit
def _add_cards(pool, first, end, auction, f, code, base, n):
    """Add the cards ``first .. end``, which share a sum; return the new number of steps."""
    calls = np.int64(0)
    for card in range(first, end):
        call = legal_call(pool, card, auction)
        calls |= np.int64(1) << call if call >= 0 else np.int64(0)
    start, n = n, _add_conditions(pool, first, False, f, code, base, n + 2)
    if n < 0 or not calls:
        return start
    tested = n
    n, points, _ = _add_terms(pool, first, False, f, code, base, n)
    code[base + n] = np.int64(_SHARED) | (points + pool.rules[first, RULE_BASE]) << 8
    n += 1
    for card in range(first, end):
        call = legal_call(pool, card, auction)
        if call < 0:
            continue
        write_call(call, _UNKNOWN, auction[LAST_BID], f)
        m = _add_conditions(pool, card, True, f, code, base, n + 1)
        if m < 0:
            continue
        m, points, by_book = _add_terms(pool, card, True, f, code, base, m)
        if m == n + 1:  # it has no tests and rows of its own
            m = n
        else:
            code[base + n] = np.int64(_CALL) | np.int64(call) << 8 | np.int64(m + 2) << 16
            lead(code, base, n, m, SKIP, m + 2)
        code[base + m] = np.int64(_CARD) | np.int64(call) << 8 | (points & _POINTS) << 16 | by_book << 40
        code[base + m + 1] = np.int64(_RULE) | np.int64(card) << 8
        n = m + 2
    code[base + start], code[base + start + 1] = np.int64(_START) | np.int64(n) << 8, np.int64(_CALLS) | calls << 8
    lead(code, base, start, tested, SKIP, n)
    return n


@njit
def _add_conditions(pool, card, of_call, f, code, base, n):
    """Add the tests of the conditions that differ from call to call, or of the others; return the new number of steps.

    It is -1 where they cannot hold.
    """
    first, end = conditions_of(pool, card)
    for clause in range(first, end):
        if n >= 0 and speaks_of(pool, clause, clause + 1, _OF_CALL) == of_call:
            n = add_tests(
                pool.clauses, pool.alternatives, pool.atoms, clause, clause + 1, f, False, -1, code, base, n, SKIP
            )
    return n


@njit
def _rest_of(pool, clause, f):
    """Return what is left of a condition: (FALSE, TRUE, TEST or _SEVERAL, column, least, most)."""
    left, column, lo, hi = _SEVERAL, np.int64(0), np.int64(0), np.int64(0)
    if len(within(pool.clauses, clause)) != 1:
        return left, column, lo, hi
    left = TRUE
    for atom in within(pool.alternatives, pool.clauses[clause, FIRST]):
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
def _add_terms(pool, card, of_call, f, code, base, n):
    """Add a card's terms that differ from call to call, or the others.

    Returns the new number of steps, the points that every hand gets, and those for the book's call.
    """
    constant, by_book = np.int64(0), np.int64(0)
    terms = range(pool.rules[card, FIRST_TERM], pool.rules[card, END_TERM])
    header = n
    for term in terms:  # those of one test
        clause, points = pool.terms[term, TERM_CLAUSE], np.int64(pool.terms[term, TERM_POINTS])
        if clause < 0 or speaks_of(pool, clause, clause + 1, _OF_CALL) != of_call:
            continue
        left, column, lo, hi = _rest_of(pool, clause, f)
        if left == TRUE:
            constant += points
        elif left == TEST and column == BOOK:
            constant, by_book = constant + points * (1 - lo), by_book + points * (2 * lo - 1)
        elif left == TEST:
            n += 1
            where = np.int64(lo + _BIAS) << 16 | np.int64(hi - lo) << (16 + _BITS)
            code[base + n] = np.int64(_ROW) | np.int64(column) << 8 | where | points << (16 + 2 * _BITS)
    if n > header:
        code[base + header] = np.int64(_IFS) | np.int64(n - header) << 8
        n += 1
    header = n
    for term in terms:  # those that count words
        word, less = np.int64(pool.terms[term, TERM_WORD]), np.int64(pool.terms[term, TERM_LESS])
        if word < 0 or (_OF_CALL[word] or (less >= 0 and _OF_CALL[less])) != of_call:
            continue
        points = np.int64(pool.terms[term, TERM_POINTS])
        for column, times in ((word, points), (less, -points)):
            if column == BOOK:
                by_book += times
            elif column >= 0 and OF_BID[column]:
                constant += times * f[column]
            elif column >= 0:
                n += 1
                code[base + n] = np.int64(_ROW) | column << 8 | times << (16 + 2 * _BITS)
    if n > header:
        code[base + header] = np.int64(_COUNTS) | np.int64(n - header) << 8
        n += 1
    for term in terms:  # those of several tests
        clause = pool.terms[term, TERM_CLAUSE]
        if (
            clause < 0
            or speaks_of(pool, clause, clause + 1, _OF_CALL) != of_call
            or _rest_of(pool, clause, f)[0] != _SEVERAL
        ):
            continue
        m = add_tests(
            pool.clauses, pool.alternatives, pool.atoms, clause, clause + 1, f, False, -1, code, base, n, PAST
        )
        if m >= 0:
            code[base + m] = np.int64(_ADD) | np.int64(pool.terms[term, TERM_POINTS]) << 8
            lead(code, base, n, m, PAST, m + 1)
            n = m + 1
    return n, constant, by_book


@njit
def run_sums(code, base, f, call, rule):
    """Return the call with the highest sum and its scorecard; of equals ``call``, and ``rule``, if it has a sum.

    Args:
        f: a full feature row.
        call, rule: what the rules would call.
    """
    best, of_rules = np.int64(-1 << 40), np.int64(-1 << 40)
    chosen, by, weighed = np.int64(call), np.int64(rule), np.int64(0)
    at, made, total, shared = np.int64(base), np.int64(0), np.int64(0), np.int64(0)
    while True:
        step = code[at]
        column = step & 255
        if column < NO_TEST:
            at = base + after_test(step, f[column])
            continue
        if column == _CARD:
            made = (step >> 8) & 255
            if not (weighed >> made) & 1:  # of the cards for a call the first counts
                total += shared + ((step << 24) >> 40)
                weighed |= np.int64(1) << made
                if made == call:
                    total += step >> 40
                    of_rules = total
                if total > best:
                    best, chosen, by = total, made, code[at + 1] >> 8
            at, total = at + 2, np.int64(0)
            continue
        if column == _IFS:
            for k in range(at + 1, at + 1 + (step >> 8)):
                row = code[k]
                above = np.int64(f[(row >> 8) & 255]) + _BIAS - ((row >> 16) & _RANGE)
                total += (row >> (16 + 2 * _BITS)) * np.int64((above >= 0) & (above <= (row >> (16 + _BITS)) & _RANGE))
            at += step >> 8
        elif column == _COUNTS:
            for k in range(at + 1, at + 1 + (step >> 8)):
                total += (code[k] >> (16 + 2 * _BITS)) * np.int64(f[(code[k] >> 8) & 255])
            at += step >> 8
        elif column == _ADD:
            total += step >> 8
        elif column == _CALL:
            made = (step >> 8) & 255
            if (weighed >> made) & 1:
                at = base + (step >> 16)
                continue
            f[BOOK] = made == call
        elif column == _START:
            if not (code[at + 1] >> 8) & ~weighed:
                at = base + (step >> 8)
                continue
            at += 1
        elif column == _SHARED:
            shared, total = total + (step >> 8), np.int64(0)
        else:
            break
        at += 1
    f[BOOK] = 0
    if not (weighed >> call) & 1 or best <= of_rules:
        return np.int64(call), np.int64(rule)
    return chosen, by
