"""Take over chapters of another system: its opening bids, what follows one of them, or its general rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.systems.language.tree import Block, Line, Step, System

OPENINGS, GENERAL = "the opening bids", "the general rules"
_KINDS = {"C": "m", "D": "m", "H": "M", "S": "M"}


def chapter_of(line: Line) -> str:
    """Return the chapter that a line at the top of a system belongs to: ``1M``, ``1M in competition``, ``over (1N)``.

    Suits of one kind are in one chapter, because their lines speak of the same auctions: 1H-2C reads as 1M-2C too.
    """
    first = line.path[0]
    if first.theirs:
        return f"over ({_kind(first)})"
    if len(line.path) == 1 and not line.after:
        return OPENINGS
    return f"{_kind(first)} in competition" if any(step.theirs for step in line.path) else _kind(first)


def _kind(step: Step) -> str:
    token = step.token
    return token if token == "2C" or len(token) != 2 else token[0] + _KINDS.get(token[1], token[1])


@dataclass(frozen=True)
class ReplaceSection:
    """A chapter as another system has it, in place of one's own: ``lines``, or ``blocks`` for the general rules."""

    chapter: str
    lines: tuple[Line, ...]
    blocks: tuple[Block, ...]
    what: str

    def apply(self, system: System) -> System | None:
        if self.chapter == GENERAL:
            return replace(system, blocks=self.blocks)
        mine = [i for i, line in enumerate(system.lines) if chapter_of(line) == self.chapter]
        first = mine[0] if mine else len(system.lines)
        before, after = system.lines[:first], system.lines[first:]
        rest = tuple(line for line in after if chapter_of(line) != self.chapter)
        return replace(system, lines=(*before, *self.lines, *rest))


def chapters(mine: System, theirs: System) -> Iterator[ReplaceSection]:
    """Yield edits that each bring one of the chapters that two systems write differently."""
    for name in dict.fromkeys(chapter_of(line) for line in (*theirs.lines, *mine.lines)):
        old, new = (tuple(line for line in of.lines if chapter_of(line) == name) for of in (mine, theirs))
        if old != new:
            yield ReplaceSection(name, new, (), f"takes the chapter {name}")
    if mine.blocks != theirs.blocks:
        yield ReplaceSection(GENERAL, (), theirs.blocks, f"takes {GENERAL}")
