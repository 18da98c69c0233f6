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
    pairs: list[tuple[int, int]] = []
    waiting = [(0, 0)]
    while waiting:
        was, now = waiting.pop()
        here = old_signs[was] if was >= 0 else np.uint64(0)
        if here != (new_signs[now] if now >= 0 else np.uint64(0)) or old_blocks != new_blocks:
            pairs.append((was, now))
        waiting += _below(old.compiled.children, new.compiled.children, was, now)
    if len(pairs) > _MOST_NODES:
        pairs = [pairs[k] for k in np.linspace(0, len(pairs) - 1, _MOST_NODES).astype(int)]
    return {was for was, _ in pairs if was >= 0}, {now for _, now in pairs if now >= 0}


def _below(old: NDArray[np.int32], new: NDArray[np.int32], was: int, now: int) -> list[tuple[int, int]]:
    nothing = np.full(old.shape[1:], -1, np.int32)
    a, b = old[was] if was >= 0 else nothing, new[now] if now >= 0 else nothing
    return [(int(a[k]), int(b[k])) for k in map(tuple, np.argwhere((a >= 0) | (b >= 0)))]
