"""Tell what a change to a system makes unsound: the gate of learned systems."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.changes.sameness import signatures
from agents.hierarchy.language.text import constraint_text, numbered_anew
from agents.hierarchy.language.tree import Line, System, walk
from agents.hierarchy.sound.sound import unsound_at

_MOST_NODES = 40  # looked at; a change of general rules is looked at there too
_KIND = 40  # letters of what is wrong that tell one kind from another


def newly_unsound(before: System, after: System) -> list[str]:
    """What is unsound in ``after`` and was not in ``before``, at the nodes whose rules differ."""
    old, new = _compiled(before), Hierarchy(numbered_anew(after))
    was, now = _differing(old, new)
    found = _told(new, now)
    return sorted(Counter(found) - Counter(_told(old, was))) if found else []


@lru_cache(maxsize=4)
def _compiled(system: System) -> Hierarchy:
    """A system that many changes are compared with."""
    return Hierarchy(numbered_anew(system))


def _told(system: Hierarchy, nodes: set[int]) -> list[str]:
    tree = {line.number: line for line in walk(system.system.lines)}
    general = {line.number: line for block in system.system.blocks for line in block.lines}
    out = []
    for (is_general, number), text in unsound_at(system, nodes):
        line = (general if is_general else tree).get(number)
        out.append(f"{_said(line)}: {text[:_KIND].split(';')[0]}")
    return sorted(set(out))


def _said(line: Line | None) -> str:
    return "" if line is None else f"{line.name} {constraint_text(line.constraint)}"


def _differing(old: Hierarchy, new: Hierarchy) -> tuple[set[int], set[int]]:
    """Nodes that lie at the same place in two trees and have other rules, some of them: in the old, and in the new."""
    (old_signs, old_blocks), (new_signs, new_blocks) = signatures(old.compiled), signatures(new.compiled)
    was = now = np.zeros(1, np.int32)
    pairs = [(was, now)]
    while len(was):  # level by level; -1 is nowhere
        a, b = _below(old.compiled.children, was), _below(new.compiled.children, now)
        there = (a >= 0) | (b >= 0)
        was, now = a[there], b[there]
        pairs.append((was, now))
    was, now = (np.concatenate(side) for side in zip(*pairs, strict=True))
    if old_blocks == new_blocks:
        changed = np.append(old_signs, np.uint64(0))[was] != np.append(new_signs, np.uint64(0))[now]
        was, now = was[changed], now[changed]
    if len(was) > _MOST_NODES:
        chosen = np.linspace(0, len(was) - 1, _MOST_NODES).astype(int)
        was, now = was[chosen], now[chosen]
    return set(was[was >= 0].tolist()), set(now[now >= 0].tolist())


def _below(children: NDArray[np.int32], nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.where((nodes >= 0)[:, None, None], children[nodes], -1)
