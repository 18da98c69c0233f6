"""Drop the lines that no hand comes to."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.changes.tidying import without_empty
from agents.hierarchy.language.text import numbered_anew
from agents.hierarchy.language.tree import Line, System
from agents.hierarchy.sound.sound import dead_lines

_ROUNDS = 4  # answers to a line that goes may go too


def without_dead(system: System, tick: Callable[[int, int], None] | None = None) -> System:
    """The system without lines that no hand was found to come to, nor what follows them.

    Calls of the other lines may show less to partner, who no longer allows for the lines that went.
    """
    for _ in range(_ROUNDS):
        system = numbered_anew(system)
        dead = dead_lines(Hierarchy(system), tick)
        if not dead:
            break
        system = without_empty(replace(system, lines=_without(system.lines, dead)))
    return system


def _without(lines: tuple[Line, ...], numbers: Container[int]) -> tuple[Line, ...]:
    kept = (line for line in lines if line.after or line.number not in numbers)
    return tuple(replace(line, lines=_without(line.lines, numbers)) for line in kept)
