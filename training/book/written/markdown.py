"""A book as Markdown: a table a chapter."""

from __future__ import annotations

from agents.hierarchy.telling import wording
from training.book.measured.points import Entry, Point
from training.book.written.book import LEGEND, Book, made, table, usual

_OTHERS = 0.05  # a share of calls by general rules that is worth a row

_BRIEF = "Suits that nine in ten hold with anything from 0 or 1 to 5 cards or more are left out there."


def markdown(book: Book) -> str:
    parts = [f"# {book.system.name}", *book.system.comments, *book.facts(), f"{LEGEND} {_BRIEF}"]
    for title, points in book.chapters():
        rows = [row for point in points for row in _rows(book, point)]
        parts.append(f"## {title}")
        parts.append(_table(book, rows))
    if book.system.blocks:
        parts.append("## General rules\n\nFor auctions that the tables do not hold. Made: of all calls.")
    for block, entries in book.general():
        parts.append(f"When {wording.promise(block.when)}{wording.aside(block.note)}:")
        parts.append(_table(book, [_row(book, "", entry) for entry in entries]))
    return wording.symbols("\n\n".join(part for part in parts if part)) + "\n"


def _table(book: Book, rows: list[list[str]]) -> str:
    heads = ["Call", "What it promises", "Shows", "Made", "Nine in ten hold"]
    heads += ["Examples"] if book.examples else []
    heads += ["Worth", "per 1,000"] if book.judged else []
    return table(heads, ([cell.replace("|", "/") for cell in row] for row in rows))


def _rows(book: Book, point: Point) -> list[list[str]]:
    lead = f"{wording.path(point.path)} - " if point.path else ""
    rows = [_row(book, lead, entry) for entry in book.calls(point)]
    visits, aside = book.measured.visits[point.index], book.measured.general[point.index]
    if visits and aside / visits >= _OTHERS:
        blank = [""] * (len(rows[0]) - 4)
        rows.append([f"{lead}*others*", "by the general rules", "", f"{aside / visits:.0%}", *blank])
    return rows


def _row(book: Book, lead: str, entry: Entry) -> list[str]:
    figures, said = book.figures(entry), book.said[entry.index]
    promise, remark = wording.lines_promise(entry.lines), wording.lines_remark(entry.lines)
    shows = "" if said is None or str(said) == promise else str(said)
    row = [
        f"{lead}**{wording.call(entry.step)}**", f"{promise}{f'; *{remark}*' if remark else ''}", shows,
        made(figures), usual(figures, brief=True),
    ]  # fmt: skip
    if book.examples:
        row.append(" ".join(f"`{hand}`" for hand in figures.examples[: book.examples]))
    if book.judged:
        worth = book.worth.get(entry.index)
        row += ["", ""] if worth is None else [str(worth), f"{worth.per_thousand:+.0f}"]
    return row
