"""A book as BML, the Bridge Bidding Markup Language: tables of calls, continuations indented below them.

Doubles are written D and R. Where they take part, their passes are written too, as BML asks. A variable x is X there.
``cheapest``, ``jump`` and ``game`` calls have no sign in BML; they keep their names, without blanks.
"""

from __future__ import annotations

from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling import wording
from training.book.measured.points import Entry, Point
from training.book.written.book import LEGEND, Book, made, usual


def bml(book: Book) -> str:
    about = " ".join(book.system.comments) or "a bidding system"
    parts = [f"#+TITLE: {book.system.name}", f"#+DESCRIPTION: {about}", "\n".join(book.facts()), LEGEND]
    root = book.points.root
    parts += ["* Our openings", _table(_rows(book, root, 0))]
    contested = [p for p in book.points.points if book.printed(p) and any(s.theirs for s in p.path)]
    for title, theirs_first in (("They compete after our opening", False), ("They open", True)):
        chosen = [p for p in contested if p.path[0].theirs == theirs_first]
        if chosen:
            parts.append(f"* {title}")
        for point in chosen:
            rows = [_row(book, entry, 0) for entry in book.calls(point)]
            parts.append("\n".join([sequence(point.path), *rows]))
    if book.system.blocks:
        parts.append("* General rules")
    for block, entries in book.general():
        rules = [f"- {wording.call(e.step)}: {_description(book, e)}" for e in entries]
        parts += [f"When {wording.promise(block.when)}:", "\n".join(rules)]
    return "\n\n".join(part for part in parts if part) + "\n"


def sequence(path: tuple[Step, ...]) -> str:
    """``1M-(X)`` as the head of a table of our next calls: ``1M-(D)---``, their passes written."""
    out: list[str] = []
    for i, step in enumerate(path):
        if i and not step.theirs and not path[i - 1].theirs:
            out.append("(P)")
        if i and step.theirs and path[i - 1].theirs:
            out.append("P")
        out.append(f"({token(step)})" if step.theirs else token(step))
    if path and not path[-1].theirs:
        out.append("(P)")
    return "-".join(out) + "---"


def token(step: Step) -> str:
    """A call as BML writes it."""
    text = {"X": "D", "XX": "R"}.get(step.token, step.token)
    return text.replace("x", "X").replace("y", "Y") if text[0] in "1234567" and text[1:] in ("x", "y") else text


def _table(rows: list[str]) -> str:
    """BML knows a table by its first row, which must be a bid: passes go to the end."""
    top = next((i for i, row in enumerate(rows) if row[0] in "1234567"), 0)
    return "\n".join(rows[top:] + rows[:top])


def _rows(book: Book, point: Point, depth: int) -> list[str]:
    """The calls at a point that the opponents have not touched, each with what follows it."""
    rows = []
    seen = set[str]()
    for entry in book.calls(point):
        seen.add(entry.step.token)
        rows.append(_row(book, entry, depth))
        child = point.children.get(entry.step)
        if child is not None:
            rows += _rows(book, child, depth + 1)
    for step, child in point.children.items():
        below = _rows(book, child, depth + 1) if not step.theirs and step.token not in seen else []
        if below:
            rows += [f"{'  ' * depth}{token(step)} after any such call", *below]
    return rows


def _row(book: Book, entry: Entry, depth: int) -> str:
    return f"{'  ' * depth}{token(entry.step)} {_description(book, entry)}"


def _description(book: Book, entry: Entry) -> str:
    figures = book.figures(entry)
    parts = [wording.lines_promise(entry.lines) + wording.aside(wording.lines_remark(entry.lines))]
    if book.said[entry.index] is not None and str(book.said[entry.index]) != parts[0]:
        parts.append(f"shows {book.said[entry.index]}")
    held = f"{made(figures)}, nine in ten {usual(figures)}" if figures.made else made(figures)
    worth = book.worth.get(entry.index)
    if worth is not None:
        held += f", worth {worth} IMPs"
    return "; ".join([*parts, f"[{held}]"])
