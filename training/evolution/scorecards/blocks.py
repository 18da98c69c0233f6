"""Write fitted scores as the scorecards of a system, and read them again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.systems.language.tree import Block, Line, Score, Step, System
from training.evolution.scorecards.positions import Positions
from training.evolution.scorecards.words import (
    ACTIONS,
    EVERYWHERE,
    NUM_CARDS,
    PASSES,
    SITUATIONS,
    Scores,
    situation_contexts,
    unit_terms,
    written_conditions,
)


def blocks_of(scores: Scores, positions: Positions) -> tuple[Block, ...]:
    """Return scorecards for situations with terms, and for every action that comes up there.

    Args:
        scores: in whole points.
    """
    base, weight = scores.by_situation()
    cards_met = np.zeros(base.shape, np.bool_)
    cards_met[positions.situation, positions.action] = True
    cards_met[EVERYWHERE] = cards_met.any(axis=0)
    out = []
    for situation, note in enumerate(SITUATIONS.values()):
        if not weight[situation].any():
            continue
        lines = []
        for number, action in enumerate(ACTIONS):
            if not cards_met[situation, number]:
                continue
            start = int(base[situation, number] - base[situation, PASSES])  # a pass starts with nothing
            points = weight[situation, number]
            parts = [replace(unit_terms()[k], points=int(points[k])) for k in np.flatnonzero(points)]
            parts.sort(key=lambda term: -abs(term.points))
            conditions, score = written_conditions(situation, number), Score(start, tuple(parts))
            lines.append(Line((Step(action.call),), conditions, action.flags, action.note, score=score))
        if lines:
            out.append(Block(situation_contexts()[situation], tuple(lines), note=note, weighs=True))
    return tuple(out)


def scores_of(system: System) -> Scores:
    """Return the scores of a system's cards, of terms that a fit has; a situation without cards has those for all."""
    scores = Scores(np.zeros(NUM_CARDS), np.zeros((NUM_CARDS, len(unit_terms()))))
    base, weight = scores.by_situation()  # written below
    numbers = {replace(term, points=0): number for number, term in enumerate(unit_terms())}
    contexts = situation_contexts()
    own = {contexts.index(block.when): block for block in system.blocks if block.weighs and block.when in contexts}
    for situation, block in own.items():
        action_of = {(one.call, written_conditions(situation, k)): k for k, one in enumerate(ACTIONS)}
        for line in block.lines:
            action = action_of.get((line.name, line.constraint))
            if action is None or line.score is None:
                continue
            base[situation, action] = line.score.base
            for term in line.score.terms:
                if replace(term, points=0) in numbers:
                    weight[situation, action, numbers[replace(term, points=0)]] = term.points
    others = [situation for situation in range(EVERYWHERE) if situation not in own]
    base[others], weight[others] = base[EVERYWHERE], weight[EVERYWHERE]
    return scores
