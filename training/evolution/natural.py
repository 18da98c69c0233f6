"""Seek a natural system for a partnership that opens nothing: draw its parts by chance, and cross the best."""

from __future__ import annotations

from agents.systems.changes.chapters import OPENINGS, chapter_of
from agents.systems.changes.mutation import SeededRandom
from agents.systems.changes.natural import Genes, Part, sets
from agents.systems.language.tree import System
from training.evaluation.partnership_match import BoardRange, Partnership
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.proposals import BOTH, NATURAL, Proposal, TrialResult

PASSES = 2  # over all parts: what openings are worth depends on their answers
ROUNDS = 4
PARENTS = 8  # the best so far, from which those of the next round are crossed


def opens(system: System) -> bool:
    """Return whether the system holds an opening bid."""
    return any(chapter_of(line) == OPENINGS and line.path[0].token != "P" for line in system.lines)


def systems(
    us: Partnership, count: int, chance: SeededRandom, board_range: BoardRange, evaluator: ClusterEvaluator
) -> list[Proposal]:
    """Return natural systems for both players, the most complete first: all parts, and the openings alone.

    One part after the other gets some rounds of ``count`` sets, tried on the same boards as additions to the best of
    the parts before; then once more, with all others in place.
    """
    all_parts, built = sets().parts, list[Part]()
    best, offered = sets().drawn(chance), list[Proposal]()
    for number in range(PASSES):
        for part in all_parts:
            evaluator.say(f"pass {number + 1} of {PASSES}: {part.name}")
            parts = [*built, part] if part not in built else built
            found = dict[Genes, TrialResult]()
            for _ in range(ROUNDS):
                new = _drawn(part, best, found, count, chance)
                tried = [_changed(genes, parts, us) for genes in new]
                found |= zip(new, evaluator.trial(_changed(best, built, us), tried, board_range), strict=True)
            genes = max(found, key=lambda genes: found[genes].gain)
            if found[genes].gain > 0:
                best, built = genes, parts
            if part is all_parts[0] or part is all_parts[-1]:
                offered.append(_proposal(best, built))
    return list(dict.fromkeys(offered[::-1]))


def _drawn(part: Part, best: Genes, found: dict[Genes, TrialResult], count: int, chance: SeededRandom) -> list[Genes]:
    """Cross the best so far, without what was tried before; in the first round ``best`` with random genes."""
    parents = sorted(found, key=lambda genes: (-found[genes].gain, genes))[:PARENTS]
    new = []
    for _ in range(count):
        one = parents[chance.below(len(parents))] if parents else best
        other = parents[chance.below(len(parents))] if parents else sets().drawn(chance)
        new.append(sets().crossed(one, other, part, chance))
    return [genes for genes in dict.fromkeys(new) if genes not in found]


def _changed(genes: Genes, parts: list[Part], us: Partnership) -> Partnership:
    changed = _proposal(genes, parts).apply(us, compiled=False)
    assert changed is not None
    return changed


def _proposal(genes: Genes, parts: list[Part]) -> Proposal:
    return Proposal(sets().edit(genes, parts), BOTH, NATURAL)
