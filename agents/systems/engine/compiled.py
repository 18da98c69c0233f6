"""The arrays that a system is compiled to, which kernels (``njit``) work with, and their conditions as words again.

A group is a node of the tree, a block of scorecards or of general rules: a context that must hold, and rules. A node
needs no context. ``rule_order`` visits groups and their rules in order. Kernels freeze the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.paths import FORM_CODES, form_call
from agents.systems.language.text import FLAGS
from agents.systems.language.tree import INFINITE, Atom
from agents.systems.language.vocabulary import SUIT_LETTERS, WORDS, difference
from bridge_env.rules.calls import NUM_BIDS, NUM_CALLS, parse_call

# Columns. FIRST and END bound rows of another array: the clauses of a context, the alternatives of a clause, the
# atoms of one of these, the groups that are a system's blocks of general rules. CARDS is the first of a system's blocks
# of scorecards, which lie before its general rules; their rules have a start and terms.
FIRST, END, PAIR = range(3)
FIRST_RULE, END_RULE, GROUP_COLUMNS = range(2, 5)
CARDS, BLOCK_COLUMNS = range(2, 4)
RULE_FORM, RULE_CALL, RULE_FLAGS, RULE_FIRST, RULE_END, RULE_LINE = range(6)
RULE_BASE, FIRST_TERM, END_TERM, MEANS_FIRST, MEANS_END, RULE_COLUMNS = range(6, 12)
TERM_POINTS, TERM_WORD, TERM_LESS, TERM_CLAUSE, TERM_COLUMNS = range(5)
ATOM_COLUMN, ATOM_LO, ATOM_HI, ATOM_COLUMNS = range(4)

#: What RULE_CALL is where RULE_FORM is none of FORM_CODES: a call, and no strain whose level follows from the auction.
EXACT_CALL = 0
FLAG_BITS = {flag: 1 << bit for bit, flag in enumerate(FLAGS)}
#: Of a scorecard that does not say what its call shows: it shows what the rules' call shows.
SHOWS_NOTHING = 1 << len(FLAGS)
#: Of a call that asks partner, by its note.
ASKS = SHOWS_NOTHING << 1
FOUR_NOTRUMP = parse_call("4NT")  # it asks for aces or for more points, whatever lines there are for it

AtomRow = tuple[int, int, int]  # column, least, most
Alternatives = Sequence[Sequence[AtomRow]]

_NAMES = {column: word for word, column in WORDS.items()}
_DIFFERENCES = {
    difference(a, b)[0]: (SUIT_LETTERS[a], SUIT_LETTERS[b]) for a in range(4) for b in range(a + 1, 4)
}  # fmt: skip


class Compiled(NamedTuple):
    """Systems ready for the kernels; shapes are beside types, as ``bridge_env.compiled.array_structs`` reads them."""

    # of a node, after a call of ours [0] or theirs [1], the node that follows; -1 where the tree ends
    children: Annotated[NDArray[np.int32], "nodes", 2, NUM_CALLS]
    # first clause of the context, end; first rule, end. The first rows are the nodes, by their number; behind them come
    # the general blocks
    groups: Annotated[NDArray[np.int32], "groups", GROUP_COLUMNS]
    # form, call or strain, flags, first clause, end, line of the text (below 0: of last resort); of a scorecard its
    # start, first term, end, and the first clause of what it shows, end (of other rules -1)
    rules: Annotated[NDArray[np.int32], "rules", RULE_COLUMNS]
    clauses: Annotated[NDArray[np.int32], "clauses", PAIR]  # first alternative, end; one must hold
    alternatives: Annotated[NDArray[np.int32], "alternatives", PAIR]  # first atom, end; all must hold
    atoms: Annotated[NDArray[np.int16], "atoms", ATOM_COLUMNS]  # column of the feature row, least, most
    # points; of how much: column less column (-1: no such column), or if a clause holds
    terms: Annotated[NDArray[np.int32], "terms", TERM_COLUMNS]
    roots: Annotated[NDArray[np.int32], "systems"]  # of a system: its root node
    # of a system: the first group that is a block of general rules, end, the first that is a block of scorecards
    blocks: Annotated[NDArray[np.int32], "systems", BLOCK_COLUMNS]


#: ``form_call`` for kernels: row ``[form, strain, last_bid + 1]``. EXACT_CALL has no row that means anything.
FORM_CALLS = np.array(
    [
        [[form_call(form, strain, last_bid) for last_bid in range(-1, NUM_BIDS)] for strain in range(5)]
        for form in (EXACT_CALL, *FORM_CODES.values())
    ],
    np.int8,
)


def first_general_rule(compiled: Compiled) -> int:
    """Return the number of a system's first scorecard or general rule; the rules before it are of the tree."""
    return int(compiled.groups[len(compiled.children), FIRST_RULE])


def _shifted_rules(rules: NDArray[np.int32], clauses: int, terms: int) -> NDArray[np.int32]:
    """Return rules whose clauses and terms follow so many others."""
    out = rules.copy()
    out[:, RULE_FIRST : RULE_END + 1] += clauses
    out[:, FIRST_TERM : END_TERM + 1] += terms
    out[out[:, MEANS_FIRST] >= 0, MEANS_FIRST : MEANS_END + 1] += clauses
    return out


def pool(systems: list[Compiled]) -> Compiled:
    """Return several systems as one set of arrays, so that a table can hold up to four of them."""
    joined: list[list[NDArray[Any]]] = [[] for _ in Compiled._fields]
    blocks: list[NDArray[np.int32]] = []  # they come behind the nodes of all systems
    every_node = sum(len(s.children) for s in systems)
    nodes = block = rules = clauses = alternatives = atoms = terms = 0  # so far
    for s in systems:
        own = len(s.children)
        groups = s.groups + np.array([clauses, clauses, rules, rules])
        blocks.append(groups[own:])
        shifted = (
            np.where(s.children >= 0, s.children + nodes, -1), groups[:own],
            _shifted_rules(s.rules, clauses, terms), s.clauses + alternatives,
            s.alternatives + atoms, s.atoms,
            np.where(s.terms[:, [TERM_CLAUSE]] >= 0, s.terms + np.array([0, 0, 0, clauses]), s.terms),
            s.roots + nodes, s.blocks - own + every_node + block,
        )  # fmt: skip
        for arrays, array in zip(joined, shifted, strict=True):
            arrays.append(array)
        nodes, block, rules = nodes + own, block + len(blocks[-1]), rules + len(s.rules)
        clauses, alternatives = clauses + len(s.clauses), alternatives + len(s.alternatives)
        atoms, terms = atoms + len(s.atoms), terms + len(s.terms)
    joined[Compiled._fields.index("groups")] += blocks
    out = Compiled._make(np.ascontiguousarray(np.concatenate(arrays), np.int32) for arrays in joined)
    return out._replace(atoms=out.atoms.astype(np.int16))


def clauses_of(pool: Compiled, first: int, end: int) -> tuple[tuple[tuple[AtomRow, ...], ...], ...]:
    """Return clauses ``first`` to ``end``: of each its alternatives, of each of these its atoms."""
    return tuple(
        tuple(
            tuple((column, low, high) for column, low, high in pool.atoms[one:last].tolist())
            for one, last in pool.alternatives[start:stop].tolist()
        )
        for start, stop in pool.clauses[first:end].tolist()
    )


def atom_of(column: int, low: int, high: int) -> Atom:
    """Return an atom with its word."""
    if column not in _DIFFERENCES:
        return Atom(_NAMES[column], low, high)
    first, second = _DIFFERENCES[column]
    if high > 0 or low == high:
        return Atom(f"{first}-{second}", low, high)
    return Atom(f"{second}-{first}", -high, -low if low > -13 else INFINITE)
