"""Build natural systems from ``systems/natural.sets``: its lines of bidding, with the numbers chosen by chance.

One call alone gains little while partner hears no other: a hand that an opening leaves out is passed, and an answer
that shows nothing is not raised. So a system that has none gets sets of them at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from agents.systems.changes.chapters import OPENINGS, ReplaceSection
from agents.systems.changes.mutation import SeededRandom
from agents.systems.changes.simplify import without_empty
from agents.systems.language.text import parse_system

Genes = tuple[int, ...]  # for each choice of the file, in its order, which of its values
_CHANGED_ONE_IN = 8
_GUARD = re.compile(r"\s*\[(not )?([^\]=<]+)(?:([=<])([^\]]+))?\]$")
_HOLE = re.compile(r"\{([^}]+)\}")
_RANGE = re.compile(r"(?<!\d)(\d+)-(\d+)(?!\d)")


@dataclass(frozen=True)
class Part:
    """A part of a system that is chosen together: the choices ``first`` to ``end - 1``, and their lines."""

    name: str
    first: int
    end: int
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Sets:
    """The parts of the file, and its choices by name, with their values."""

    parts: tuple[Part, ...]
    choices: dict[str, tuple[int, ...]]

    def drawn(self, chance: SeededRandom) -> Genes:
        """Draw a value for every choice."""
        return tuple(chance.below(len(values)) for values in self.choices.values())

    def crossed(self, one: Genes, other: Genes, part: Part, chance: SeededRandom) -> Genes:
        """Draw the choices of a part from one of two, and now and then anew; the rest is that of the first."""
        out = list(one)
        for k, values in list(enumerate(self.choices.values()))[part.first : part.end]:
            anew = chance.below(_CHANGED_ONE_IN) == 0
            out[k] = chance.below(len(values)) if anew else (one, other)[chance.below(2)][k]
        return tuple(out)

    def edit(self, genes: Genes, parts: Sequence[Part]) -> ReplaceSection:
        """Return the change that brings these parts, as they were chosen, to a system without calls."""
        of = {name: values[at] for (name, values), at in zip(self.choices.items(), genes, strict=True)}
        rows = [row for part in self.parts if part in parts for row in _filled(part.rows, of)]
        openings = list(of.items())[: self.parts[0].end]
        chosen = ", ".join(f"{name} {value}" for name, value in openings)
        what = f"{len(parts)} of {len(self.parts)} parts of a natural system at once: {chosen}"
        drawn = without_empty(parse_system("\n".join(["system: drawn", *rows]) + "\n"))
        return ReplaceSection(OPENINGS, drawn.lines, (), what)


@cache
def sets() -> Sets:
    """Read the file."""
    parts, choices = list[Part](), dict[str, tuple[int, ...]]()
    text = (files("agents.systems") / "library" / "natural.sets").read_text(encoding="utf-8")
    for chapter in re.split(r"^part ", text, flags=re.MULTILINE)[1:]:
        name, *rows = [row.rstrip() for row in chapter.splitlines() if row.strip()]
        first = len(choices)
        for row in rows:
            if row.startswith("choose "):
                choice, _, values = row.removeprefix("choose ").partition(":")
                choices[choice] = tuple(map(int, values.split()))
        parts.append(Part(name, first, len(choices), tuple(row for row in rows if not row.startswith("choose "))))
    return Sets(tuple(parts), choices)


def _filled(rows: Sequence[str], of: Mapping[str, int]) -> list[str]:
    """Return the rows with their numbers, without rows of an empty range and those below these."""
    out, dropped_at = list[str](), -1
    for row in rows:
        depth = len(row) - len(row.lstrip())
        if dropped_at >= 0 and depth > dropped_at:
            continue
        there = True
        while guard := _GUARD.search(row):
            row, there = row[: guard.start()], there and _holds(guard, of)
        row = _HOLE.sub(lambda hole: str(_sum(hole[1], of)), row)
        there = there and all(int(least) <= int(most) for least, most in _RANGE.findall(row))
        dropped_at = -1 if there else depth
        out += [row] * there
    return out


def _holds(guard: re.Match[str], of: Mapping[str, int]) -> bool:
    negated, name, comparison, other = guard.groups()
    if comparison == "=":
        return of[name] == int(other)
    if comparison == "<":
        return of[name] < of[other]
    return bool(of[name]) != bool(negated)


def _sum(text: str, of: Mapping[str, int]) -> int:
    terms = re.findall(r"([+-]?)([^+-]+)", text)
    return sum((-1 if sign == "-" else 1) * (of[term] if term in of else int(term)) for sign, term in terms)
