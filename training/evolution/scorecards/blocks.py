"""Write fitted scores as the scorecards of a system, and read them again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.systems.language.tree import Block, Line, Score, Step, System
from training.evolution.scorecards.positions import Positions, cards_of
from training.evolution.scorecards.words import (
    ACTIONS,
    EVERYWHERE,
    NUM_CARDS,
    PASSES,
    SITUATIONS,
    Scores,
    situations,
    terms,
    written_conditions,
)


def blocks_of(scores: Scores, positions: Positions) -> tuple[Block, ...]:
    """Return scorecards, in whole points, for situations with terms, and for every action that comes up there."""
    met = {
        *cards_of(positions).tolist(),
        *(EVERYWHERE * len(ACTIONS) + action for action in np.unique(positions.action).tolist()),
    }
    out = []
    for situation, note in enumerate(SITUATIONS.values()):
        if not scores.weight[situation * len(ACTIONS) : (situation + 1) * len(ACTIONS)].any():
            continue
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
            conditions, score = written_conditions(situation, number), Score(start, tuple(parts))
            lines.append(Line((Step(action.call),), conditions, action.flags, action.note, score=score))
        if lines:
            out.append(Block(situations()[situation], tuple(lines), note=note, weighs=True))
    return tuple(out)


def scores_of(system: System) -> Scores:
    """Return the scores of a system's cards that a fit knows; cards for all situations count for each that has none."""
    scores = Scores(np.zeros(NUM_CARDS), np.zeros((NUM_CARDS, len(terms()))))
    base, weight = (
        part.reshape(len(SITUATIONS), len(ACTIONS), *part.shape[1:]) for part in (scores.base, scores.weight)
    )
    numbers = {replace(term, points=0): number for number, term in enumerate(terms())}
    own = {
        situations().index(block.when): block for block in system.blocks if block.weighs and block.when in situations()
    }
    for situation, block in own.items():
        cards = {(one.call, written_conditions(situation, k)): k for k, one in enumerate(ACTIONS)}
        for line in block.lines:
            action = cards.get((line.name, line.constraint))
            if action is None or line.score is None:
                continue
            base[situation, action] = line.score.base
            for term in line.score.terms:
                if replace(term, points=0) in numbers:
                    weight[situation, action, numbers[replace(term, points=0)]] = term.points
    others = [situation for situation in range(EVERYWHERE) if situation not in own]
    base[others], weight[others] = base[EVERYWHERE], weight[EVERYWHERE]
    return scores
