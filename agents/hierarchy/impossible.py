"""Find lines that no hand fits, by the points that hands of every shape can have.

A condition on anything else, such as stoppers or the auction, may hold. So what is found is certain; what is not found
may be impossible all the same, which ``check --sound`` looks for with hands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.engine.asked import clauses_of
from agents.hierarchy.engine.compiled import (
    ATOM_COLUMN,
    END_RULE,
    FIRST_RULE,
    RULE_CALL,
    RULE_END,
    RULE_FIRST,
    RULE_LINE,
    RULE_SPAN,
    Compiled,
)
from agents.hierarchy.engine.denials import possible
from agents.hierarchy.language.text import constraint_text
from agents.hierarchy.language.tree import Constraint, Line, System, walk
from agents.hierarchy.language.vocabulary import WORDS
from bridge_env.calls import FIRST_BID, level_of

_Mask = NDArray[np.bool_]  # (shapes, points)
OURS, THEIRS = 0, 1
_LEVEL = WORDS["level"]


def read_as(constraint: Constraint) -> str:
    """The conditions with brackets that show how ``,`` and ``or`` were read."""
    return " and ".join(f"({constraint_text((clause,))})" for clause in constraint)


class Fits:
    """With which points hands of each shape may fit the rules of a compiled system."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.of = lru_cache(maxsize=1 << 12)(self._of)

    def rule(self, number: int) -> _Mask:
        """Those that may fit a rule."""
        rule = self.compiled.rules[number]
        call = int(rule[RULE_CALL])
        level = level_of(call) if rule[RULE_SPAN] == 0 and call >= FIRST_BID else 0
        return self.of(int(rule[RULE_FIRST]), int(rule[RULE_END]), level)

    def _of(self, first: int, end: int, level: int) -> _Mask:
        clauses = clauses_of(self.compiled, first, end)
        if not level and any(atom[ATOM_COLUMN] == _LEVEL for c in clauses for t in c for atom in t):
            return possible((), 0)  # a call whose level the auction tells
        return possible(clauses, level)


def unfit_lines(system: System, compiled: Compiled) -> Iterator[tuple[Line, str]]:
    """Every line of the system that no hand fits in any auction, with the reason."""
    fits = Fits(compiled)
    alone, after = dict[int, bool](), dict[int, bool]()  # by line: can a hand fit it, and after its own earlier calls?
    anybody = possible((), 0)
    waiting = [(0, anybody, anybody)]  # node, what the player to call and partner can hold
    while waiting:
        node, mine, partners = waiting.pop()
        first, end = compiled.parts[node, [FIRST_RULE, END_RULE]]
        calls = dict[int, _Mask]()
        for rule in range(first, end):
            call, line = compiled.rules[rule, [RULE_CALL, RULE_LINE]].tolist()
            mask = fits.rule(rule)
            alone[line] = alone.get(line, False) or bool(mask.any())
            after[line] = after.get(line, False) or bool((mask & mine).any())
            calls[call] = calls[call] | mask if call in calls else mask
        for who in (OURS, THEIRS):
            for call in np.flatnonzero(compiled.children[node, who] >= 0).tolist():
                child = int(compiled.children[node, who, call])
                if who == THEIRS:
                    waiting.append((child, mine, partners))
                else:
                    told = mine & calls.get(call, anybody)
                    waiting.append((child, partners, told if told.any() else anybody))  # that line is told itself
    yield from _told(system.lines, alone, after)
    general = dict[int, bool]()
    for rule in range(int(compiled.parts[len(compiled.children) - 1, END_RULE]), len(compiled.rules)):
        line = int(compiled.rules[rule, RULE_LINE])
        general[line] = general.get(line, False) or bool(fits.rule(rule).any())
    for block in system.blocks:
        yield from _told(block.lines, general, general)


def _told(lines: tuple[Line, ...], alone: dict[int, bool], after: dict[int, bool]) -> Iterator[tuple[Line, str]]:
    for line in walk(lines):
        if line.after or not line.constraint:
            continue
        if not alone.get(line.number, True):
            yield line, f"no hand fits this line, which reads {read_as(line.constraint)}"
        elif not after.get(line.number, True):
            yield (
                line,
                f"no hand that has called as this line's auction says fits it: it asks {read_as(line.constraint)}",
            )
