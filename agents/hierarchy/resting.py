"""Tell what of a base rests on calls that a text has changed (``language.overrides``)."""

from __future__ import annotations

from collections.abc import Iterator

from agents.hierarchy.engine.compiled import END_RULE, FIRST_RULE, RULE_CALL, RULE_LINE, Compiled
from agents.hierarchy.language.constraints import cut
from agents.hierarchy.language.overrides import (
    STEP,
    Overrides,
    Path,
    Replaced,
    by_auction,
    place_of,
    replaced_calls,
    rules_below,
)
from agents.hierarchy.language.text import SUITS, VARIABLES, constraint_text
from agents.hierarchy.language.tree import Atom, Constraint, Line, System, atoms_of

#: Words that count this hand's points alone. "25+ combined" goes with what partner has shown, so nothing rests on it.
_POINTS = frozenset(("hcp", "points", "support", "rule20", "zar", "losers", "playing", "controls"))
_NAMED = 6  # lines that are named
_LONG = 60  # characters of what a line asks for


def resting(said: Overrides, system: System) -> Iterator[tuple[int, str]]:
    """Number and text of a note for each replaced call that lines of the base count on.

    Args:
        system: the base as the text changes it.
    """
    own = set(by_auction(said.own.lines))
    for replaced in replaced_calls(said):
        points, suits = _changed(replaced)
        found = [
            (path, line)
            for path, line in rules_below(system.lines)
            if path[: len(replaced.path)] == replaced.path and len(path) > len(replaced.path) and path not in own
            and line.number >= STEP and _counts_on(line.constraint, points, suits)
        ]  # fmt: skip
        if found:
            yield replaced.new[0].number, _said(replaced, found)


def _said(replaced: Replaced, found: list[tuple[Path, Line]]) -> str:
    before = len([step for step in replaced.path if not step.theirs])
    answers = [line for path, line in found if len([step for step in path if not step.theirs]) == before + 1]
    later = [line for _, line in found if line not in answers]
    named = "; ".join(
        f"{place_of(line.number)}: {line.name} {cut(constraint_text(line.constraint), _LONG)}"
        for line in (*answers, *later)[:_NAMED]
    )
    what = " and ".join(
        f"{len(lines)} {one if len(lines) == 1 else one + 's'}"
        for lines, one in ((answers, "answer"), (later, "later call")) if lines
    )  # fmt: skip
    old, new = (
        cut(" / ".join(constraint_text(line.constraint) for line in lines), _LONG)
        for lines in (replaced.old, replaced.new)
    )
    more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"{replaced.path[-1]} is now {new!r}: {what} of the base count on {old!r}: {named}{more}"


def _changed(replaced: Replaced) -> tuple[bool, frozenset[str]]:
    """Does the call tell other points than before, and of which suits does it tell something else?"""
    old, new = (
        {atom for line in lines for atom in atoms_of(line.constraint)} for lines in (replaced.old, replaced.new)
    )
    different = old ^ new
    suits = {part for atom in different for part in atom.word.replace("-", ":").split(":")} & {*SUITS, *VARIABLES}
    return any(_stem(atom) in _POINTS for atom in different), frozenset(suits)


def _counts_on(constraint: Constraint, points: bool, suits: frozenset[str]) -> bool:
    return any(
        (points and _stem(atom) in _POINTS) or atom.word in suits or _only_length(atom, suits)
        for atom in atoms_of(constraint)
    )


def _only_length(atom: Atom, suits: frozenset[str]) -> bool:
    """Is it a fit or a comparison of lengths in one of these suits?"""
    first, _, second = atom.word.partition("-")
    return bool(second) and (first in suits or second in suits)


def _stem(atom: Atom) -> str:
    return atom.word.partition(":")[0]


def doubled(said: Overrides, system: System, compiled: Compiled) -> Iterator[tuple[int, str]]:
    """Number and text of a note for each new call that the base makes too, by a line that is spelled otherwise."""
    there = {path for path, _ in rules_below(said.base.lines)}
    added = {
        line.number: line
        for path, lines in by_auction(said.own.lines).items() if path not in there
        for line in lines if line.number not in said.marks
    }  # fmt: skip
    names = {line.number: "-".join(map(str, path)) for path, line in rules_below(system.lines)}
    told = set[int]()
    for first, end in compiled.parts[: len(compiled.children), [FIRST_RULE, END_RULE]].tolist():
        rules = compiled.rules[first:end]
        for call, number in rules[:, [RULE_CALL, RULE_LINE]].tolist():
            others = rules[(rules[:, RULE_CALL] == call) & (rules[:, RULE_LINE] >= STEP), RULE_LINE]
            if number in added and number not in told and others.size:
                told.add(number)
                other = int(others[0])
                why = (
                    f"the base makes this call too, as {names[other]} in {place_of(other)}, and that stays behind this "
                    f"line; spell the auction so to replace it, or write 'also {added[number].path[-1]}'"
                )
                yield number, why
