"""Describe a change to a system in a player's words: the auction, the call, and what it promises before and after."""

from __future__ import annotations

from agents.systems.changes.chapters import ReplaceSection
from agents.systems.changes.edits import (
    HEADINGS,
    CompositeEdit,
    Edit,
    Insert,
    InsertGeneral,
    Replace,
    SetCards,
    SwapLines,
)
from agents.systems.changes.mutation import Trail
from agents.systems.explain import player_terms
from agents.systems.language.constraints import score_text
from agents.systems.language.paths import path_steps
from agents.systems.language.text import parse_constraint
from agents.systems.language.tree import Line, Step


def describe_edit(edit: Edit) -> str:
    """Return the change in words; an adopted chapter has a name of its own."""
    if isinstance(edit, CompositeEdit):
        first, *rest = edit.parts
        return (
            f"{describe_edit(first)}; with it {'; '.join(map(describe_edit, rest))}" if rest else describe_edit(first)
        )
    if isinstance(edit, ReplaceSection):
        return edit.what
    if isinstance(edit, Insert):
        return player_terms.symbols(f"{_after(edit.path)}new: {_line_text(edit.line)}")
    if isinstance(edit, InsertGeneral):
        return player_terms.symbols(f"where {player_terms.promise(edit.when)}: new: {_line_text(edit.line)}")
    if isinstance(edit, SetCards):
        terms = sum(len(line.score.terms) for line in edit.block.lines if line.score is not None)
        calls = ", ".join(dict.fromkeys(_call_text(line) for line in edit.block.lines))
        return player_terms.symbols(
            f"where {player_terms.promise(edit.block.when)}: scorecards with {terms} terms for {calls}"
        )
    if isinstance(edit, SwapLines):
        return player_terms.symbols(
            f"{_trail_text(edit.trail)}{_line_text(edit.lower)} goes before {_line_text(edit.upper)}"
        )
    return player_terms.symbols(_trail_text(edit.trail) + _replaced(edit))


def _replaced(edit: Replace) -> str:
    """Describe the lines that take another's place."""
    old = edit.old
    if not edit.new:
        return f"dropped: {_line_text(old)}"
    if len(edit.new) == 1 and edit.new[0].path == old.path:
        new = edit.new[0]
        pairs = [
            (player_terms.promise(old.constraint), player_terms.promise(new.constraint)),
            (player_terms.remark(old) or "no label", player_terms.remark(new) or "no label"),
            *([(score_text(old.score), score_text(new.score))] if old.score and new.score else []),
        ]
        return f"{_call_text(old)}: {', '.join(f'{before} → {after}' for before, after in pairs if before != after)}"
    added = [line for line in edit.new if (line.path, line.constraint) != (old.path, old.constraint)]
    place = "" if len(added) < len(edit.new) else f", in place of {_line_text(old)}"
    return f"new: {'; '.join(map(_line_text, added))}{place}"


def _line_text(line: Line) -> str:
    """Return a call and its promise."""
    return f"{_call_text(line)} {player_terms.promise(line.constraint)}{player_terms.aside(player_terms.remark(line))}"


def _call_text(line: Line) -> str:
    return player_terms.path(line.path)


def _trail_text(trail: Trail) -> str:
    for heading in HEADINGS:
        if trail and trail[0].startswith(heading):
            return f"where {player_terms.promise(parse_constraint(trail[0].removeprefix(heading)))}: "
    return _after(path_steps("-".join(trail)))


def _after(steps: tuple[Step, ...]) -> str:
    return f"after {player_terms.path(steps)}: " if steps else "opening: "
