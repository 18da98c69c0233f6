"""Seek a set of opening bids for a partnership that has none: draw sets by chance, and cross the best of them."""

from __future__ import annotations

from agents.hierarchy.changes import openings
from agents.hierarchy.changes.chapters import OPENINGS as CHAPTER
from agents.hierarchy.changes.chapters import chapter_of
from agents.hierarchy.changes.mutation import Chance
from agents.hierarchy.language.tree import System
from training.evolve.proposals import BOTH, OPENINGS, Proposal, Verdict
from training.evolve.work import Work
from training.match.duel import Partnership, Stretch

ROUNDS = 4
PARENTS = 8  # the best sets so far, from which those of the next round are crossed
OFFERED = 3


def opens(system: System) -> bool:
    """Return whether the system holds an opening bid."""
    return any(chapter_of(line) == CHAPTER and line.path[0].token != "P" for line in system.lines)


def sets(us: Partnership, count: int, chance: Chance, stretch: Stretch, work: Work) -> list[Proposal]:
    """Return the best sets of some rounds of ``count``, for both players; all are tried on the same boards."""
    found: dict[openings.Genes, Verdict] = {}
    for _ in range(ROUNDS):
        parents = _best(found, PARENTS)
        new = [openings.crossed(*_two(parents, chance), chance) if parents else openings.drawn(chance)
               for _ in range(count)]  # fmt: skip
        new = [genes for genes in dict.fromkeys(new) if genes not in found]
        tried = [changed for genes in new if (changed := _proposal(genes).apply(us, compiled=False)) is not None]
        found |= zip(new, work.trial(us, tried, stretch), strict=True)
    return [_proposal(genes) for genes in _best(found, OFFERED)]


def _best(found: dict[openings.Genes, Verdict], count: int) -> list[openings.Genes]:
    return sorted(found, key=lambda genes: (-found[genes].gain, genes))[:count]


def _two(parents: list[openings.Genes], chance: Chance) -> tuple[openings.Genes, openings.Genes]:
    return parents[chance.below(len(parents))], parents[chance.below(len(parents))]


def _proposal(genes: openings.Genes) -> Proposal:
    return Proposal(openings.edit(genes), BOTH, OPENINGS)
