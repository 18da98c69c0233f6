"""Mend systems: drop what serves no hand, and take back changes that made a system unsound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import replace

from agents.systems.audit.audit import DEAD, audit_system
from agents.systems.audit.scorecards import IDLE, idle_finding
from agents.systems.bidder import Hierarchy
from agents.systems.changes.edits import HEADINGS, Edit, Insert, InsertGeneral, Replace, SetCards, differences
from agents.systems.changes.mutation import Trail, placed
from agents.systems.changes.simplify import without_empty
from agents.systems.language.text import constraint_text, heading_of, numbered_anew
from agents.systems.language.tree import Line, System, pruned

_ROUNDS = 4  # answers to a line that goes may go too
Tick = Callable[[int, int], None]
Steps = tuple[str, ...]


def without_dead(system: System, tick: Tick | None = None) -> System:
    """Return the system without lines that no hand was found to come to, what follows them, and idle terms of scores.

    Calls of the other lines may show less to partner than before.
    """
    for _ in range(_ROUNDS):
        system = numbered_anew(system)
        found = audit_system(Hierarchy(system), tick)
        dead = {number for (_, number), text in found if text.startswith(DEAD)}
        idle = [(number, text) for (_, number), text in found if text.startswith(IDLE)]
        if not dead and not idle:
            break
        left = pruned(system.lines, lambda _, line, dead=dead: not line.after and line.number in dead)  # type: ignore[misc]
        blocks = [
            replace(block, lines=tuple(_without_terms(line, idle) for line in block.lines)) for block in system.blocks
        ]
        system = without_empty(replace(system, lines=left, blocks=tuple(blocks)))
    return system


def _without_terms(line: Line, idle: Sequence[tuple[int, str]]) -> Line:
    """Return a line without the idle terms of its score, by findings with their lines' numbers."""
    if line.score is None:
        return line
    findings = [text for number, text in idle if number == line.number]
    terms = (term for term in line.score.terms if not any(text.startswith(idle_finding(term)) for text in findings))
    return replace(line, score=replace(line.score, terms=tuple(terms)))


def as_sound_as(base: System, system: System, tick: Tick | None = None) -> tuple[System, list[str]]:
    """Take back changes of ``base`` until the system has no unsound line that the base has not.

    First the lines of the call that is unsound go back to those of the base. Where that is not enough, all lines at its
    place do, and those of the calls that lead there; then all at the places on the way, but for openings. What serves
    no hand is left to ``without_dead``.

    Returns:
        The system, and what went back.
    """
    fits_base = set(_unsound_calls(numbered_anew(base), tick))
    taken_back: list[str] = []
    for round_ in range(_ROUNDS):
        system = numbered_anew(system)
        found = dict.fromkeys(call for call in _unsound_calls(system, tick) if call not in fits_base)
        calls = {steps for steps, _ in found}
        places = {steps[:-1] for steps in calls} if round_ else set[Steps]()
        calls |= {place[:k] for place in places for k in range(1, len(place) + 1)}
        if round_ > 1:
            places |= {place[:k] for place in places for k in range(1, len(place))}
        edits = [edit for edit in differences(system, base) if _concerns(edit, calls, places)]
        if not found or (round_ and not edits):
            break
        for edit in edits:
            system = edit.apply(system) or system
        went = [(steps, conditions) for steps, conditions in found if any(_concerns(e, {steps}, places) for e in edits)]
        taken_back += [f"{'-'.join(steps)}  {conditions}".rstrip() for steps, conditions in went]
    return without_empty(system), list(dict.fromkeys(taken_back))


def _unsound_calls(system: System, tick: Tick | None) -> Iterator[tuple[Steps, str]]:
    """Yield the auctions of unsound calls, and the conditions of their lines."""
    places = {(at[0] == "blocks", line.number): (trail, line) for at, trail, line in placed(system)}
    for place, text in audit_system(Hierarchy(system), tick):
        if place in places and not text.startswith((DEAD, IDLE)):
            trail, line = places[place]
            yield _steps(trail, line), constraint_text(line.constraint)


def _steps(trail: Trail, line: Line) -> Steps:
    """Return the calls that lead to a line and its own; of general rules the context first."""
    if trail and trail[0].startswith(HEADINGS):
        return (*trail, line.name)
    return tuple("-".join((*trail, line.name)).split("-"))


def _concerns(edit: Edit, calls: Container[Steps], places: Collection[Steps]) -> bool:
    """Return whether the edit changes lines of one of these calls, anything at these places, or the answers there."""
    if isinstance(edit, Replace):
        trail, lines = edit.trail, (edit.old, *edit.new)
    elif isinstance(edit, InsertGeneral):
        trail, lines = (f"when {constraint_text(edit.when)}",), (edit.line,)
    elif isinstance(edit, SetCards):
        trail, lines = (heading_of(edit.block),), edit.block.lines
    elif isinstance(edit, Insert):
        trail, lines = tuple(str(step) for step in edit.path), (edit.line,)
    else:
        return False
    changed = [_steps(trail, line) for line in lines]
    if any(steps in calls or steps[:-1] in places for steps in changed):
        return True
    answered = {f"called:{line.path[-1]}" for line in lines}  # by general rules: "when partner-called:4N"
    return any(answer in place[0] for place in places if place for answer in answered)
