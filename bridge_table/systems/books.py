"""Make a system's book for the page: its calls by auction, two systems side by side, and the figures of each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agents.hierarchy.language.tree import Line, System
from agents.hierarchy.shipped import read_system
from agents.hierarchy.telling import wording
from bridge_env.calls import call_text
from training.book.measured.points import Entry, Point, Points, Walker
from training.book.written.book import Book, add_worth, made, make_book, usual
from training.book.written.diff import match_lines

CONTROL = "sayc"  # against which the worth of a call is judged
_MOST_ROWS = 4000  # lines that two systems are compared by


@lru_cache(maxsize=8)
def points_of(system: System) -> Points:
    """Return the points of a system."""
    return Points(system)


def book_of(system: System) -> dict[str, Any]:
    """Return a system's calls without figures: points with their entries, and the general rules.

    An entry's place in ``entries`` is its index in ``training.book.points.Points``; ``figures_of`` counts by it.
    """
    points = points_of(system)
    return {
        "name": points.system.name,
        "comments": list(points.system.comments),
        "entries": [_entry(entry) for entry in points.entries],
        "points": [_point(point) for point in points.points],
        "general": [
            {"when": wording.symbols(wording.promise(block.when)), "note": block.note,
             "entries": [e.index for e in points.entries if e.block == number]}
            for number, block in enumerate(points.system.blocks)
        ],
    }  # fmt: skip


def _entry(entry: Entry) -> dict[str, Any]:
    notes = ", ".join(dict.fromkeys(line.note for line in entry.lines if line.note))
    promises = " / ".join(dict.fromkeys(wording.promise(line.constraint) for line in entry.lines))
    return {
        "call": wording.symbols(wording.call(entry.step)),
        "what": wording.symbols(promises),
        "note": notes,
        "flags": [wording.FLAG_TEXT[flag] for flag in entry.flags],
        "point": None if entry.point is None else entry.point.index,
    }


def _point(point: Point) -> dict[str, Any]:
    """Return a point; ``entries`` and ``steps`` have the indices of the points that follow."""
    tokens = {str(step): number for step, number in ((s, c.index) for s, c in point.children.items())}
    entries = [[e.index, tokens.pop(str(e.step), None)] for e in point.entries.values()]
    others = [
        [wording.symbols(wording.call(step)), child.index]
        for step, child in point.children.items()
        if str(step) in tokens
    ]
    return {
        "path": wording.symbols(wording.path(point.path)), "entries": entries, "steps": others,
    }  # fmt: skip


def entries_after(system: System, calls: Sequence[int], legal: Sequence[int]) -> dict[str, list[int]]:
    """Return which entries of the book each legal call can be after an auction."""
    walker, state, count = Walker(points_of(system)), np.zeros(1, np.int32), len(calls)
    for number, call in enumerate(calls):
        theirs = bool((count - number) & 1)
        state = walker.step(state, np.array([theirs]), np.array([call], np.int8))
    found = {call_text(c): [entry.index for entry, _ in walker.calls_at(int(state[0]), c)] for c in legal}
    return {call: entries for call, entries in found.items() if entries}


# --- figures -------------------------------------------------------------------------------------------------


def figures_of(
    system: System, deals: int, seed: int, boards: int, progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Measure the figures of a system's book, by entry; a pure function, for a background job.

    Args:
        deals: random deals to measure on.
        boards: judging boards for the worth of each call; 0: without.
        progress: takes how much is done, of how much.
    """
    entries = len(Points(system).entries) if boards else 0
    total, done = deals + entries, 0

    def tick(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    book = make_book(system, deals, seed, tick=tick)
    if boards:
        add_worth(book, read_system(CONTROL), boards, seed, tick)
    facts = [wording.symbols(fact) for fact in book.facts()]
    return {"facts": facts, "figures": [_figures(book, entry) for entry in book.points.entries]}


def _figures(book: Book, entry: Entry) -> dict[str, Any]:
    figures, meaning, worth = book.figures(entry), book.said[entry.index], book.worth.get(entry.index)
    out: dict[str, Any] = {"made": figures.made, "chances": figures.chances, "share": made(figures)}
    if figures.made:
        out["usual"] = wording.symbols(usual(figures, brief=True))
        out["examples"] = figures.examples[: book.examples]
    if meaning is not None:
        out["said"] = wording.symbols(str(meaning))
    if worth is not None and worth.mean is not None:
        out |= {"worth": str(worth), "gains": worth.mean >= 0, "boards": worth.boards}
    return out


# --- side by side --------------------------------------------------------------------------------------------


def side_by_side(a: System, b: System) -> dict[str, Any]:
    """Return the lines of two systems by point: the same, moved, changed, or in one of them alone."""
    first, second = _lines_at(points_of(a)), _lines_at(points_of(b))
    rows: list[dict[str, Any]] = []
    counts: dict[str, int] = {}
    for path in {**first, **second}:
        for old, new, kind in match_lines(first.get(path, []), second.get(path, [])):
            counts[kind] = counts.get(kind, 0) + 1
            rows.append({"at": path, "kind": kind, "a": _line(old), "b": _line(new)})
    rows.sort(key=lambda row: row["at"].count(" - ") if row["at"] else -1)
    return {"a": a.name, "b": b.name, "counts": counts, "rows": rows[:_MOST_ROWS]}


def _lines_at(points: Points) -> dict[str, list[Line]]:
    """Return the lines of every point and block by their place, in the order of the text."""
    found: dict[str, list[Line]] = {}
    for point in points.points:
        lines = [line for entry in point.entries.values() for line in entry.lines]
        found[wording.symbols(wording.path(point.path))] = sorted(lines, key=lambda line: line.number)
    for block in points.system.blocks:
        found.setdefault(f"When {wording.symbols(wording.promise(block.when))}", []).extend(block.lines)
    return found


def _line(line: Line | None) -> dict[str, str] | None:
    if line is None:
        return None
    return {
        "call": wording.symbols(wording.call(line.path[-1])), "what": wording.symbols(wording.promise(line.constraint)),
        "note": wording.remark(line),
    }  # fmt: skip
