"""Relate the lines of a system to the rules that they have become, and check what the lines alone tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.systems.audit.labels import ASKING, NAMELESS
from agents.systems.bidder import Hierarchy
from agents.systems.engine.compiled import RULE_LINE, first_general_rule
from agents.systems.language.tree import Line, atoms_of, walk
from agents.systems.language.vocabulary import speaks_of_hand

Place = tuple[bool, int]  # of a line: is it a general rule, and its number


class Lines:
    """The lines of a system by the rules that they have become."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.system, compiled = hierarchy.system, hierarchy.compiled
        self.rules = rules = compiled.rules
        self.general = np.arange(len(rules)) >= first_general_rule(compiled)
        self.places: list[Place] = list(zip(self.general.tolist(), rules[:, RULE_LINE].tolist(), strict=True))
        #: of rules; None of those of last resort
        self.of_rules = [self.line(place) for place in self.places]
        #: of rules: do their conditions, or the terms of a scorecard, ask anything of the hand?
        self.ask = np.array([line is not None and _asks(line) for line in self.of_rules], np.bool_)

    def line(self, place: Place) -> Line | None:
        """Return the line; None of a rule of last resort."""
        return self.system.line(*place)


def _asks(line: Line) -> bool:
    """Return whether a line, or a term of its score, speaks of the hand."""
    words = {atom.word for atom in atoms_of(line.constraint)}
    words |= {word for term in (line.score.terms if line.score else ()) for word in term.words}
    return any(map(speaks_of_hand, words))


def names(lines: Lines) -> Iterator[tuple[Place, str]]:
    """Yield conventions without a name, and asking calls that partner may pass."""
    parents = {line.number: above for above in walk(lines.system.lines) for line in above.lines}
    for place in sorted(set(lines.places)):
        line = lines.line(place)
        if line is None or line.after:
            continue
        note = line.note
        forces = "gf" in line.flags or "forcing" in line.flags
        above = None if place[0] else parents.get(place[1])
        while above is not None and above.path[-1].theirs:
            above = parents.get(above.number)
        if note == "learned":
            yield place, "'learned' names nothing: say what the call means"
        elif "artificial" in line.flags and NAMELESS.match(note) and (above is None or NAMELESS.match(above.note)):
            words = {atom.word for atom in atoms_of(line.constraint)}
            if not words & {"aces", "kings", "keycards"} and not any(word.startswith("keycards") for word in words):
                yield place, "an artificial call without a name, which answers none that has one"
        if not note and line.path[-1].token in ("X", "XX"):
            yield place, "a double or redouble without a label: say what it means"
        if ASKING.match(note) and not forces and line.path[-1].token != "P":
            yield place, f"{note!r} asks partner to answer, and does not force"
