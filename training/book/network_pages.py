"""The book of a network as Markdown, as BML and as one page for the web."""

from __future__ import annotations

from html import escape

from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling import wording
from training.book.bml import sequence, token
from training.book.book import made, usual
from training.book.card import card_text
from training.book.html import document, rich
from training.book.html import hand as hand_html
from training.book.network_book import LEGEND, NetworkBook, NetworkCall, NetworkPoint

_CODED = 0.05  # a share of code words that is worth telling
_BRIEF = "Suits that nine in ten hold with anything from 0 or 1 to 5 cards or more are left out there."


def markdown(book: NetworkBook) -> str:
    """The convention card, and a table a chapter."""
    heads = ["Call", "Shows", "Made", "Nine in ten hold", "Code words"] + (["Examples"] if book.examples else [])
    parts = [f"# {book.name}", *book.facts(), f"{LEGEND} {_BRIEF}"]
    if book.card:
        parts += ["## Convention card", card_text(book.card)]
    for title, points in book.chapters():
        rows = [_row(book, point, call) for point in points for call in book.calls(point)]
        lines = ["|".join(heads), "|".join(["---"] * len(heads)), *("|".join(row) for row in rows)]
        parts += [f"## {title}", "\n".join(f"|{line}|" for line in lines)]
    return wording.symbols("\n\n".join(parts)) + "\n"


def _row(book: NetworkBook, point: NetworkPoint, call: NetworkCall) -> list[str]:
    lead = f"{wording.path(point.path)} - " if point.path else ""
    row = [f"{lead}**{wording.call(call.step)}**", _said(call), made(call.figures), usual(call.figures, brief=True)]
    row.append(_coded(call))
    if book.examples:
        row.append(" ".join(f"`{hand}`" for hand in call.figures.examples[: book.examples]))
    return row


def _said(call: NetworkCall) -> str:
    parts = ["" if call.said is None else str(call.said), "*forcing*" if call.forcing else ""]
    return "; ".join(part for part in parts if part)


def _coded(call: NetworkCall) -> str:
    return f"{call.coded:.0%}" if call.coded >= _CODED else ""


def bml(book: NetworkBook) -> str:
    """Tables of calls, each under the auction that leads to it."""
    parts = [f"#+TITLE: {book.name}", "#+DESCRIPTION: a network's bidding, measured", "\n".join(book.facts()), LEGEND]
    for title, points in book.chapters():
        parts.append(f"* {title}")
        for point in points:
            rows = [f"{token(call.step)} {_words(call)}" for call in book.calls(point)]
            parts.append("\n".join([sequence(point.path), *rows] if point.path else rows))
    return "\n\n".join(parts) + "\n"


def _words(call: NetworkCall) -> str:
    coded = f", a code word {_coded(call)}" if _coded(call) else ""
    said = f"{_said(call).replace('*', '')}; " if _said(call) else ""
    return f"{said}[{made(call.figures)}, nine in ten {usual(call.figures)}{coded}]"


def html(book: NetworkBook) -> str:
    """The auctions to unfold, nothing to load from elsewhere."""
    body = [f"<h1>{rich(book.name)}</h1>", *(f'<p class="facts">{rich(fact)}</p>' for fact in [*book.facts(), LEGEND])]
    for late in (False, True):
        by_path = {point.path: point for point in book.points if point.late == late}
        for theirs, title in ((False, "We open"), (True, "They open")):
            below = _below(book, by_path, (), theirs)
            if below:
                body += [f"<h2>{title}{', third or fourth seat' if late else ''}</h2>", *below]
    return document(f"{book.name}: the book", body)


_Paths = dict[tuple[Step, ...], NetworkPoint]


def _below(book: NetworkBook, points: _Paths, path: tuple[Step, ...], theirs: bool | None = None) -> list[str]:
    """The calls at ``path`` and all that follows; ``theirs`` picks whose first call it is (None: both)."""
    out = []
    calls = book.calls(points[path]) if path in points and theirs is not True else []
    for call in calls:
        below = _below(book, points, (*path, call.step))
        out += ["<details>", f"<summary>{_summary(call)}</summary>", _facts(book, call), *below, "</details>"]
    printed = {call.step for call in calls}
    steps = {p[len(path)]: None for p in points if len(p) > len(path) and p[: len(path)] == path}
    for step in steps:
        if step not in printed and theirs in (None, step.theirs):
            below = _below(book, points, (*path, step))
            name = wording.call(step) if step.theirs else f"after {wording.call(step)}"
            if below:
                out += ["<details>", f'<summary><span class="bid">{rich(name)}</span></summary>', *below, "</details>"]
    return out


def _summary(call: NetworkCall) -> str:
    coded = f'<span class="flag">code word {_coded(call)}</span>' if _coded(call) else ""
    share = f'<span class="share">{escape(made(call.figures))}</span>'
    said = rich(_said(call).replace("*", ""))
    return f'{share}<span class="bid">{rich(wording.call(call.step))}</span> {said}{coded}'


def _facts(book: NetworkBook, call: NetworkCall) -> str:
    figures = call.figures
    parts = [f"{figures.made:,} of {figures.chances:,} times. Nine in ten hold {rich(usual(figures))}."]
    if figures.examples[: book.examples]:
        parts.append("For example " + ", ".join(hand_html(hand) for hand in figures.examples[: book.examples]) + ".")
    return f'<div class="facts">{" ".join(parts)}</div>'
