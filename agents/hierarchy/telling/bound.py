"""A rule at a concrete auction: what it asks of the hand alone, with what the auction adds taken off.

"25+ combined" is "13+ hcp" once partner has shown 12. What the auction alone decides falls away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.engine.asked import atom_of, clauses_of
from agents.hierarchy.engine.compiled import Compiled
from agents.hierarchy.engine.context import FIT, FIT_BEST, FIT_MAJOR, STOPPED, THEIRS_COLUMN
from agents.hierarchy.language.columns import HAND, IN_THEIR_SUIT, IS_CONTEXT, LEAST, MOST, PLUS
from agents.hierarchy.language.tree import INFINITE, Constraint, Together
from bridge_env.features import LENGTH, STOPPER

_Range = tuple[int, int, int]  # column, least, most


def bound(pool: Compiled, span: tuple[int, int], context: NDArray[np.int16], their_suit: int) -> Constraint | None:
    """What the clauses of ``span`` ask of the hand; None where the auction contradicts them.

    Args:
        span: the first clause and the end, of a rule or of what a block asks for.
        context: a feature row whose columns of the auction are written, the level of the rule's call among them.
        their_suit: of the opponents' last bid, 0..3; -1 where there is none.
    """
    clauses = []
    for clause in clauses_of(pool, *span):
        alternatives = [way for atoms in clause for way in _alternatives(atoms, context, their_suit)]
        if not alternatives:
            return None
        if () not in alternatives:
            clauses.append(tuple(dict.fromkeys(alternatives)))
    return tuple(clauses)


def _alternatives(atoms: Sequence[_Range], context: NDArray[np.int16], their_suit: int) -> Iterator[Together]:
    """The ways in which a hand can meet all ``atoms``; none where the auction contradicts one of them."""
    choices = [list(_of_the_hand(*atom, context, their_suit)) for atom in atoms]
    for chosen in product(*choices):
        yield tuple(dict.fromkeys(atom_of(*part) for together in chosen for part in together))


def _of_the_hand(
    column: int, low: int, high: int, context: NDArray[np.int16], their_suit: int
) -> Iterator[tuple[_Range, ...]]:
    """The ways in which a hand can meet one atom."""
    if IS_CONTEXT[column]:
        if low <= context[column] <= high:
            yield ()
        return
    if column in (FIT_BEST, FIT_MAJOR):
        suits = range(2, 4) if column == FIT_MAJOR else range(4)
        fits = [int(context[PLUS[FIT + suit]]) for suit in suits]
        most = [(LENGTH + suit, 0, high - shown) for suit, shown in zip(suits, fits, strict=True)]
        if low <= max(fits):
            yield from _possible(most)
            return
        for suit, shown in zip(suits, fits, strict=True):
            yield from _possible([(LENGTH + suit, low - shown, INFINITE), *most])
        return
    if column == STOPPED:
        theirs = [suit for suit in range(4) if context[THEIRS_COLUMN + suit] >= 4]
        if low == 1:
            yield tuple((STOPPER + suit, 1, 1) for suit in theirs)
        elif high == 0:
            for suit in theirs:
                yield ((STOPPER + suit, 0, 0),)
        else:
            yield ()
        return
    if IN_THEIR_SUIT[column]:
        if their_suit >= 0:
            yield from _possible([(int(HAND[column]) + their_suit, low, high)])
        elif low <= 0 <= high:
            yield ()
        return
    added = int(context[PLUS[column]]) if PLUS[column] >= 0 else 0
    yield from _possible([(int(HAND[column]), low - added, high if high >= INFINITE else high - added)])


def _possible(ranges: list[_Range]) -> Iterator[tuple[_Range, ...]]:
    """All of ``ranges``, without those that all hands meet; nothing where no hand meets one."""
    kept = []
    for column, low, high in ranges:
        low, high = max(low, int(LEAST[column])), min(high, int(MOST[column]))
        if low > high:
            return
        if low > LEAST[column] or high < MOST[column]:
            kept.append((column, low, INFINITE if high >= MOST[column] else high))
    yield tuple(kept)
