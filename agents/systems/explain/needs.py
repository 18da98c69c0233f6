"""Write the conditions of a rule at a concrete auction: those on the hand alone, less what the auction adds.

"25+ combined" is "13+ hcp" once partner has shown 12. What the auction alone decides falls away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import FIT, FIT_BEST, FIT_MAJOR, STOPPED, is_theirs
from agents.systems.engine.compiled import AtomRow, Compiled, atom_of, clauses_of
from agents.systems.engine.programs import FALSE, TRUE, rest_of_atom
from agents.systems.language.columns import LEAST, MOST, PLUS
from agents.systems.language.tree import INFINITE, Alternative, Constraint
from bridge_env.hands.features import LENGTH, STOPPER


def needs_of(
    compiled: Compiled, span: tuple[int, int], context: NDArray[np.int16], their_suit: int
) -> Constraint | None:
    """Return the conditions of ``span`` on the hand; None where the auction contradicts them.

    Args:
        span: the first clause and the end, of a rule or of a block's context.
        context: a feature row whose columns of the auction are written, the level of the rule's call among them.
        their_suit: of the opponents' last bid, 0..3; -1 where there is none.
    """
    clauses = []
    for clause in clauses_of(compiled, *span):
        alternatives = [way for atoms in clause for way in _alternatives(atoms, context, their_suit)]
        if not alternatives:
            return None
        if () not in alternatives:
            clauses.append(tuple(dict.fromkeys(alternatives)))
    return tuple(clauses)


def _alternatives(atoms: Sequence[AtomRow], context: NDArray[np.int16], their_suit: int) -> Iterator[Alternative]:
    """Iterate over the ways in which a hand can meet all ``atoms``; none where the auction contradicts one of them."""
    choices = [list(_of_the_hand(*atom, context, their_suit)) for atom in atoms]
    for chosen in product(*choices):
        yield tuple(dict.fromkeys(atom_of(*part) for alternative in chosen for part in alternative))


def _of_the_hand(
    column: int, low: int, high: int, context: NDArray[np.int16], their_suit: int
) -> Iterator[tuple[AtomRow, ...]]:
    """Iterate over the ways in which a hand can meet one atom."""
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
    rest, column, low, high = map(int, rest_of_atom(column, low, high, context, True, their_suit))
    if rest not in (FALSE, TRUE) and column == STOPPED:
        theirs = [suit for suit in range(4) if is_theirs(suit, context)]
        if low == 1:
            yield tuple((STOPPER + suit, 1, 1) for suit in theirs)
        else:
            for suit in theirs:
                yield ((STOPPER + suit, 0, 0),)
    elif rest != FALSE:
        yield () if rest == TRUE else ((column, low, INFINITE if high >= MOST[column] else high),)


def _possible(ranges: list[AtomRow]) -> Iterator[tuple[AtomRow, ...]]:
    """Iterate over all of ``ranges``, without those that all hands meet; nothing where no hand meets one."""
    parts = []
    for column, low, high in ranges:
        low, high = max(low, int(LEAST[column])), min(high, int(MOST[column]))
        if low > high:
            return
        if low > LEAST[column] or high < MOST[column]:
            parts.append((column, low, INFINITE if high >= MOST[column] else high))
    yield tuple(parts)
