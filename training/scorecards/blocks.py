"""Write fitted scores as the scorecards of a system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.systems.language.text import parse_constraint
from agents.systems.language.tree import Block, Line, Score, Step, System
from training.scorecards.fit import Scores, cards_of
from training.scorecards.positions import Positions
from training.scorecards.words import ACTIONS, PASSES, SITUATIONS, situations, terms


def with_cards(system: System, blocks: tuple[Block, ...]) -> System:
    """Return a system with other scorecards."""
    return replace(system, blocks=(*blocks, *(block for block in system.blocks if not block.weighs)))


def blocks_of(scores: Scores, positions: Positions) -> tuple[Block, ...]:
    """Return scorecards, in whole points, for every situation and action that come up in positions."""
    met = set(cards_of(positions).tolist())
    out = []
    for situation, note in enumerate(SITUATIONS.values()):
        lines = []
        for number, action in enumerate(ACTIONS):
            card = situation * len(ACTIONS) + number
            if card not in met:
                continue
            passing = situation * len(ACTIONS) + PASSES
            start = int(scores.base[card] - scores.base[passing])  # a pass starts with nothing
            parts = [
                replace(terms()[k], points=int(scores.weight[card, k])) for k in np.flatnonzero(scores.weight[card])
            ]
            parts.sort(key=lambda term: -abs(term.points))
            conditions, score = parse_constraint(action.conditions), Score(start, tuple(parts))
            lines.append(Line((Step(action.call),), conditions, note=action.note, score=score))
        if lines:
            out.append(Block(situations()[situation], tuple(lines), note=note, weighs=True))
    return tuple(out)
