"""Tidy a learned system for readers, without changing what it bids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from agents.hierarchy.changes.edits import Replace, dropped, new_lines
from agents.hierarchy.changes.sameness import signatures
from agents.hierarchy.engine.compiled import Compiled, compile_system
from agents.hierarchy.language.tree import System


def added(before: System, after: System) -> Iterator[Replace]:
    """Edits that drop, one by one, the lines of ``after`` that ``before`` has not; those with lines below are kept."""
    for _, trail, line in new_lines(before, after):
        if not line.lines:
            yield dropped(trail, line)


def without_empty(system: System) -> System:
    """Remove lines that lead to nothing, and contexts without rules."""
    kept = system.rebuilt(lambda line: [line] if line.lines or not line.after else [])
    return replace(kept, blocks=tuple(block for block in kept.blocks if block.lines))


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


def same_rules(a: Compiled, b: Compiled) -> bool:
    """Return whether two systems hold the same rules in the same order everywhere."""
    (signs_a, blocks_a), (signs_b, blocks_b) = signatures(a), signatures(b)
    if blocks_a != blocks_b or len(a.children) != len(b.children):
        return False
    waiting = [(0, 0)]
    while waiting:
        node_a, node_b = waiting.pop()
        children_a, children_b = a.children[node_a], b.children[node_b]
        if signs_a[node_a] != signs_b[node_b] or not np.array_equal(children_a >= 0, children_b >= 0):
            return False
        theirs, call = np.nonzero(children_a >= 0)
        waiting += zip(children_a[theirs, call].tolist(), children_b[theirs, call].tolist(), strict=True)
    return True
