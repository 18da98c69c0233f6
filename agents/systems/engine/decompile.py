"""Read compiled conditions back: clauses as atoms of columns, and atoms with their words."""

from __future__ import annotations

from agents.systems.engine.compiled import AtomRow, Compiled
from agents.systems.language.tree import INFINITE, Atom
from agents.systems.language.vocabulary import SUIT_LETTERS, WORDS, difference

_NAMES = {column: word for word, column in WORDS.items()}
_DIFFERENCES = {
    difference(a, b)[0]: (SUIT_LETTERS[a], SUIT_LETTERS[b]) for a in range(4) for b in range(a + 1, 4)
}  # fmt: skip


def clauses_of(pool: Compiled, first: int, end: int) -> tuple[tuple[tuple[AtomRow, ...], ...], ...]:
    """Return clauses ``first`` to ``end``: of each its alternatives, of each of these its atoms."""
    return tuple(
        tuple(
            tuple((column, low, high) for column, low, high in pool.atoms[one:last].tolist())
            for one, last in pool.together[start:stop].tolist()
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
