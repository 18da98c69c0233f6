"""Write fitted scores as the scorecards of a system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.text import parse_constraint
from agents.systems.language.tree import INFINITE, Atom, Block, Clause, Constraint, Line, Score, Step, System
from training.scorecards.fit import Scores, best_calls
from training.scorecards.positions import Positions
from training.scorecards.words import ACTIONS, PASSES, SITUATIONS, situations, terms

_FEWEST = 30  # hands behind a card's calls, for its ranges
_SHARE = 0.05  # of these hands below a range, and above it
_SUIT = 5  # the column of ``Positions.hand`` with the cards in the suit of the call


def with_cards(system: System, blocks: tuple[Block, ...]) -> System:
    """Return a system with other scorecards."""
    return replace(system, blocks=(*blocks, *(block for block in system.blocks if not block.weighs)))


def blocks_of(scores: Scores, positions: Positions, *, ranges: bool = True) -> tuple[Block, ...]:
    """Return scorecards for every situation that comes up.

    Args:
        scores: in whole points.
        positions: in which the cards were fitted.
        ranges: let cards call with hands in the ranges that nine in ten of their hands have, so that partner can rely
            on it.
    """
    chosen = best_calls(positions, scores) & ~positions.book
    out = []
    for situation, note in enumerate(SITUATIONS.values()):
        here = positions.situation == situation
        lines = []
        for number, action in enumerate(ACTIONS):
            rows = here & (positions.action == number)
            if not rows.any():
                continue
            card = situation * len(ACTIONS) + number
            passing = situation * len(ACTIONS) + PASSES
            start = int(scores.base[card] - scores.base[passing])  # a pass starts with nothing
            parts = [
                replace(terms()[k], points=int(scores.weight[card, k])) for k in np.flatnonzero(scores.weight[card])
            ]
            parts.sort(key=lambda term: -abs(term.points))
            conditions = parse_constraint(action.conditions)
            if ranges and number != PASSES:
                conditions = (*conditions, *_ranges(positions.hand[rows & chosen], action.call))
            score = Score(start, tuple(parts))
            lines.append(Line((Step(action.call),), conditions, note=action.note, score=score))
        if lines:
            out.append(Block(situations()[situation], tuple(lines), note=note, weighs=True))
    return tuple(out)


def _ranges(hands: NDArray[np.int8], call: str) -> Constraint:
    """Return what most of the hands behind a card's calls have: points, and cards in the suit of the call."""
    if len(hands) < _FEWEST:
        return ()
    low, high = np.quantile(hands[:, 0], [_SHARE, 1 - _SHARE], method="nearest")
    out: list[Clause] = [((Atom("hcp", int(low), int(high)),),)]
    if call.endswith(":x"):
        out.append(((Atom("x", int(np.quantile(hands[:, _SUIT], _SHARE, method="nearest")), INFINITE),),))
    return tuple(out)
