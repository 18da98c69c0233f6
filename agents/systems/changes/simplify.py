"""Tidy a learned system for readers: lines and conditions that may go, and lines that belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.systems.changes.complexity_limits import is_natural
from agents.systems.changes.edits import Replace, dropped, new_lines, without_clause
from agents.systems.changes.equivalence import same_rules
from agents.systems.engine.compiler import compile_system
from agents.systems.language.tree import System


def added(before: System, after: System) -> Iterator[Replace]:
    """Yield edits that drop, one by one, the lines of ``after`` that ``before`` has not, unless others follow them."""
    for _, trail, line in new_lines(before, after):
        if not line.lines:
            yield dropped(trail, line)


def plainer(before: System, after: System) -> Iterator[Replace]:
    """Yield edits that leave out, one by one, the conditions of the lines of ``after`` that ``before`` has not.

    The strength of the hand and the length of the suit that is bid stay: they are what a call says anyway.
    """
    for _, trail, line in new_lines(before, after):
        for at, clause in enumerate(line.constraint):
            if not is_natural(clause, line.path[-1].token):
                yield without_clause(trail, line, at, "without")


def without_empty(system: System) -> System:
    """Remove lines that lead to nothing, and contexts without rules."""
    rebuilt = system.rebuilt(lambda line: [line] if line.lines or not line.after else [])
    return replace(rebuilt, blocks=tuple(block for block in rebuilt.blocks if block.lines))


def grouped(system: System) -> System:
    """Group lines with the same path under one heading, wherever order does not matter."""
    before = compile_system(system)
    at = 0
    while at < len(system.lines):
        head = system.lines[at]
        for later in range(len(system.lines) - 1, at, -1):
            line = system.lines[later]
            if not (head.after and line.after and line.path == head.path):
                continue
            joined = replace(head, lines=head.lines + line.lines)
            lines = (*system.lines[:at], joined, *system.lines[at + 1 : later], *system.lines[later + 1 :])
            candidate = replace(system, lines=lines)
            if same_rules(before, compile_system(candidate)):
                system, head = candidate, joined
        at += 1
    return system
