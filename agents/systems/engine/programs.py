"""Turn the rules of a state into a program: what they still test of the hand once the auction is known.

In a state (``states``) everything that the auction decides is settled: which rules are legal, what their
words about the auction say, what partner has shown. What remains are tests of the hand, "is this column at least so
much?", and where each answer leads. A program is a row of such tests, and runs on the hand's feature row as it is.
Where a state has not been met often, the programs of its node and of its last bid serve, which test the rest too.

A step is one int64: column (8 bits), bound + ``_BIAS`` (16), the step after yes (20), the step after no (20). Column
``_CALL`` ends the program: the bound is the call, and the upper 32 bits hold the rule + 1. ``sums`` has more of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine import auction_state as c
from agents.systems.engine.auction_state import is_theirs, their_suit
from agents.systems.engine.compiled import (
    ATOM_COLUMN,
    ATOM_HI,
    ATOM_LO,
    CARDS,
    END,
    END_RULE,
    END_TERM,
    FIRST,
    FIRST_RULE,
    FIRST_TERM,
    RULE_END,
    RULE_FIRST,
    TERM_CLAUSE,
    Compiled,
)
from agents.systems.engine.rule_order import (
    conditions_of,
    context_of,
    legal_call,
    rule_groups,
    rules_of,
    within,
    write_level,
)
from agents.systems.language.columns import HAND, IN_THEIR_SUIT, IS_CONTEXT, LEAST, MOST, PLUS
from agents.systems.language.tree import INFINITE
from agents.systems.language.vocabulary import NUM_COLUMNS
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import LENGTH, NUM_FEATURES, STOPPER
from bridge_env.rules.calls import PASS

_CALL, _BIAS = 255, 1 << 15
NO_TEST = 240  # columns from here on are none: the step does something else
_BITS = 20  # of the number of a step
_STEP = (1 << _BITS) - 1
# Where a step leads that is not yet made: past the clause, to the next alternative, past the rule, past the block;
# in ``sums`` past the term.
_CLAUSE, _ALTERNATIVE, SKIP, BLOCK, PAST = _STEP, _STEP - 1, _STEP - 2, _STEP - 3, _STEP - 4
MOST_STEPS = PAST  # of a program
_YES, _NO = 24, 24 + _BITS
FALSE, TRUE, TEST = range(3)  # the rest of an atom
THEIRS = 16  # beside the cards that partner has shown of a suit: an opponent has shown four
OF_BID = np.zeros(NUM_COLUMNS, np.bool_)  # what the call to be made and the last bid decide
OF_BID[[c.LEVEL_COLUMN, c.JUMP, c.GAME, c.LAST_LEVEL, c.LAST_NOTRUMP]] = OF_BID[c.LAST : c.LAST + 4] = True
assert NUM_COLUMNS < NO_TEST


@njit(forceinline=True)
def rest_of_word(column, f, known, strain):
    """Return the rest of a word once the auction is known: a column, -1 for none, and the number added to it.

    Args:
        f: a feature row with the context and the columns of the rule's call.
        known: is the auction known, or only its last bid?
        strain: the opponents' suit (``auction_state.their_suit``).
    """
    if IS_CONTEXT[column] and column != c.BOOK and (known or OF_BID[column]):
        return -1, int(f[column])
    if not known:
        return column, 0
    if column == c.STOPPED and not (is_theirs(0, f) or is_theirs(1, f) or is_theirs(2, f) or is_theirs(3, f)):
        return -1, 1
    if IN_THEIR_SUIT[column]:
        return (int(HAND[column]) + int(strain) if strain >= 0 else -1), 0
    return int(HAND[column]), int(f[PLUS[column]]) if PLUS[column] >= 0 else 0


@njit(forceinline=True)
def rest_of_atom(column, lo, hi, f, known, strain):
    """Return what is left of an atom: (FALSE, TRUE or TEST, column, lo, hi); arguments as of ``rest_of_word``."""
    column, added = rest_of_word(column, f, known, strain)
    if column < 0:
        return (TRUE if lo <= added <= hi else FALSE), column, lo, hi
    lo, hi = lo - added, hi if hi >= INFINITE else hi - added
    lo, hi = max(lo, LEAST[column]), min(hi, MOST[column])
    if lo > hi:
        return FALSE, column, lo, hi
    return (TRUE if lo == LEAST[column] and hi == MOST[column] else TEST), column, lo, hi


@njit(forceinline=True)
def test_step(column, bound, yes, no):
    return np.int64(column) | np.int64(bound + _BIAS) << 8 | np.int64(yes) << _YES | np.int64(no) << _NO


@njit(forceinline=True)
def lead(code, base, first, end, old, new):
    """Let the tests among the steps ``first .. end`` that led to ``old`` lead to ``new``."""
    for i in range(base + first, base + end):
        step = code[i]
        if step & 255 < NO_TEST:
            if (step >> _YES) & _STEP == old:
                step = step & ~(np.int64(_STEP) << _YES) | np.int64(new) << _YES
            if (step >> _NO) & _STEP == old:
                step = step & ~(np.int64(_STEP) << _NO) | np.int64(new) << _NO
            code[i] = step


@njit(forceinline=False)
def add_tests(clauses, alternatives, atoms, first, end, f, known, strain, code, base, n, failed):
    """Add the steps that test clauses ``first .. end``, which lead to ``failed`` or fall through.

    Returns the new number of steps, -1 where the clauses cannot hold.
    """
    for clause in range(first, end):
        start, before, satisfied = n, -1, False
        for alternative in within(clauses, clause):
            begin, possible = n, True
            for atom in within(alternatives, alternative):
                column, lo, hi = int(atoms[atom, ATOM_COLUMN]), int(atoms[atom, ATOM_LO]), int(atoms[atom, ATOM_HI])
                left, column, lo, hi = rest_of_atom(column, lo, hi, f, known, strain)
                if left == FALSE:
                    possible = False
                    break
                if left == TEST:
                    if lo > LEAST[column]:
                        code[base + n] = test_step(column, lo, n + 1, _ALTERNATIVE)
                        n += 1
                    if hi < MOST[column]:
                        code[base + n] = test_step(column, hi + 1, _ALTERNATIVE, n + 1)
                        n += 1
            if not possible:
                n = begin
                continue
            if n == begin:
                satisfied = True
                break
            lead(code, base, begin, n, n, _CLAUSE)
            if before >= 0:
                lead(code, base, before, begin, _ALTERNATIVE, begin)
            before = begin
        if satisfied:
            n = start
            continue
        if before < 0:
            return -1
        lead(code, base, before, n, _ALTERNATIVE, failed)
        lead(code, base, start, n, _CLAUSE, n)
    return n


@njit
def write_program(pool, system, node, auction, known, f, code, base):
    """Write the rules of a system's node (none: -1), and behind them its general rules (no system: -1), as a program.

    Args:
        known: is the position known? Then ``f`` holds its context, and the program runs on a hand's row. Else it tests
            the context too, and runs on a full feature row, wherever this node and this last bid are met.
        code, base: where to write to; the room behind must be ``room_for(pool)``. Returns the length.
    """
    n, certain = _steps(pool, system, node, auction, known, f, code, base)
    if not certain:
        code[base + n] = _end(PASS, -1)
        n += 1
    return threaded(code, base, n)


@njit
def _steps(pool, system, node, auction, known, f, code, base):
    """Return the steps of all rules: (their number, does the last of them always hold?)."""
    n, strain = 0, their_suit(auction, f) if known else -1
    for group in rule_groups(pool, node, system):
        write_level(PASS, f)
        first, end = context_of(pool, group)
        opened = add_tests(
            pool.clauses, pool.alternatives, pool.atoms, first, end, f, known, strain, code, base, n, BLOCK
        )
        if opened < 0:
            continue
        start, n = n, opened
        for rule in rules_of(pool, group):
            call = legal_call(pool, rule, auction)
            if call < 0:
                continue
            write_level(call, f)
            first, end = conditions_of(pool, rule)
            m = add_tests(
                pool.clauses, pool.alternatives, pool.atoms, first, end, f, known, strain, code, base, n, SKIP
            )
            if m < 0:
                continue
            code[base + m] = _end(call, rule)
            lead(code, base, n, m, SKIP, m + 1)
            certain, n = m == n, m + 1
            if certain:  # rules further down are never reached
                if opened == start:
                    return n, True
                break
        lead(code, base, start, opened, BLOCK, n)
    return n, False


@njit(forceinline=True)
def _end(call, rule):
    return np.int64(_CALL) | np.int64(call + _BIAS) << 8 | np.int64(rule + 1) << 32


@njit
def threaded(code, base, n):
    """Lead every test past the questions that its own answer has settled. Returns ``n``."""
    for i in range(n - 1, -1, -1):
        step = code[base + i]
        column, bound = step & 255, (step >> 8) & 0xFFFF
        if column >= NO_TEST:
            continue
        yes, no = (step >> _YES) & _STEP, (step >> _NO) & _STEP
        while code[base + yes] & 255 == column and (code[base + yes] >> 8) & 0xFFFF <= bound:
            yes = (code[base + yes] >> _YES) & _STEP
        while code[base + no] & 255 == column and (code[base + no] >> 8) & 0xFFFF >= bound:
            no = (code[base + no] >> _NO) & _STEP
        code[base + i] = step & 0xFFFFFF | yes << _YES | no << _NO
    return n


def room_for(pool: Compiled) -> int:
    """Return an upper bound of the length of programs: of a node and one system's general rules, or its scorecards."""

    def upto(counts: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(counts)])

    def inside(sums: NDArray[np.int64], rows: NDArray[np.int32], first: int, end: int) -> NDArray[np.int64]:
        return sums[rows[:, end]] - sums[rows[:, first]]

    atoms = upto(np.full(len(pool.atoms), 2))
    alternatives = upto(inside(atoms, pool.alternatives, FIRST, END))
    clauses = upto(inside(alternatives, pool.clauses, FIRST, END))
    rules = upto(inside(clauses, pool.rules, RULE_FIRST, RULE_END) + 1)
    of_group = inside(clauses, pool.groups, FIRST, END) + inside(rules, pool.groups, FIRST_RULE, END_RULE)
    of_blocks = inside(upto(of_group), pool.blocks, FIRST, END)
    clause = pool.terms[:, TERM_CLAUSE]
    terms = upto(np.where(clause >= 0, clauses[clause + 1] - clauses[clause] + 1, 2))
    cards = upto(inside(terms, pool.rules, FIRST_TERM, END_TERM) + 10)
    of_cards = inside(upto(of_group + inside(cards, pool.groups, FIRST_RULE, END_RULE) + 1), pool.blocks, CARDS, FIRST)
    longest_of_rules = of_group[: len(pool.children)].max(initial=0) + of_blocks.max(initial=0)
    return int(max(longest_of_rules, of_cards.max(initial=0)) + 1)


@njit(forceinline=True)
def _counted(hands, row, seat, column, shown):
    """Return the value of a word that depends on all of the hand and on what others have shown, as ``run_program``."""
    if column == c.STOPPED:
        for suit in range(4):
            if (shown >> (8 * suit)) & THEIRS and not hands[row, seat, STOPPER + suit]:
                return np.int64(0)
        return np.int64(1)
    if c.LONG <= column < c.LONG + 4:
        return np.int64(hands[row, seat, LENGTH + column - c.LONG] == hands[row, seat, c.LONGEST])
    if c.CONTROL <= column < c.CONTROL + 4:
        return np.int64(c.controls(hands[row, seat], column - c.CONTROL))
    most, best = np.int64(-1), 0
    for suit in range(2 if column == c.FIT_MAJOR else 0, 4):
        fit = hands[row, seat, LENGTH + suit] + ((shown >> (8 * suit)) & (THEIRS - 1))
        if fit >= most:
            most, best = fit, suit
    return np.int64(column - c.BEST == best) if c.BEST <= column < c.BEST + 4 else most


@njit(forceinline=True)
def after_test(step, value):
    """Return the step after a test whose column has a value."""
    return ((step >> _YES) & _STEP) if value >= ((step >> 8) & 0xFFFF) - _BIAS else ((step >> _NO) & _STEP)


@njit(forceinline=True)
def run_program(code, base, hands, row, seat, shown):
    """Return call and rule of the hand at ``hands[row, seat]``.

    Args:
        shown: of C D H S a byte each: the cards that partner has shown, and ``THEIRS`` if an opponent has shown four.
    """
    at = base
    while True:
        step = code[at]
        column = step & 255
        if column < NUM_FEATURES:
            value = np.int64(hands[row, seat, column])
        elif column == _CALL:
            return ((step >> 8) & 0xFFFF) - _BIAS, (step >> 32) - 1
        else:
            value = _counted(hands, row, seat, column, shown)
        at = base + after_test(step, value)


@njit(forceinline=True)
def run_anywhere(code, base, f):
    """Return the call that a program of a position not known makes on a feature row, and the rule."""
    at = base
    while True:
        step = code[at]
        if step & 255 == _CALL:
            return ((step >> 8) & 0xFFFF) - _BIAS, (step >> 32) - 1
        at = base + after_test(step, f[step & 255])
