"""The book of a network as Markdown, as BML and as one page for the web."""

from __future__ import annotations

from itertools import groupby

from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling import wording
from agents.hierarchy.telling.pages import NEXT_NOTE, NEXT_ROW, auction_head
from agents.networks.drawn import NEVER_PASSED
from training.book.measured.shows import EACH
from training.book.network.book import NetworkBook
from training.book.network.rows import LONG, RARELY, SLACK, NetworkCall, NetworkPoint, Situation
from training.book.printed.card import card_text
from training.book.printed.notes import Note, often
from training.book.printed.pages import side_by_side
from training.book.written.bml import sequence, token
from training.book.written.html import branch, called, document, for_example, leaf, passing, rich

KNOWN = 4  # cards, where it is a suit that was named before
LEGEND = (
    "Calls in brackets are theirs; their passes in between go without saying. After a call stand how often it is made "
    f"there, and what partner does if the next player passes: F, forcing, he passes once in {1 / NEVER_PASSED:.0f} "
    f"times at most; GF, so too, and where they let us, we come to game; R, rarely, once in {1 / RARELY:.0f} times at "
    "most. A call without such a mark may be passed. A is an artificial bid: half or more of these have no four cards "
    "in the suit. Then come the HCP of nine hands in ten or, where these span less, with "
    f"p, HCP and one for each card beyond the fourth of a suit; the tenth hand lies within {SLACK} points of that. "
    "Last the cards of all but one hand in 250 on either side, and what is *mostly* so of nine in ten."
)
_SITUATIONS = (
    "Where no note has the call: by what the player and partner have done first and last, and over which bid he calls "
    "(my own, partner's, or in brackets theirs). The most detailed situation comes first, *else* and *any other* last. "
    "x is any suit, y any suit or no trump; shares are of calls there that no note above has, or of doubles of that "
    "level."
)


def markdown(book: NetworkBook) -> str:
    """The convention card, notes by auction, and by situation."""
    parts = [f"# {book.name}"]
    if book.card:
        parts += ["## Convention card", card_text(book.card)]
    parts.append(LEGEND)
    for title, points in book.chapters():
        parts += [
            f"## {title}",
            "\n".join(side_by_side([Note(auction_head(p.path), text=_rows(book, p)) for p in points])),
        ]
    for number, (title, found) in enumerate(book.general()):
        parts += [f"## {title}", *([] if number else [_SITUATIONS]), "\n".join(_situations(book, found))]
    parts += ["## How far to trust this", *book.facts()]
    return wording.symbols("\n\n".join(parts)) + "\n"


def _rows(book: NetworkBook, point: NetworkPoint | Situation) -> str:
    return NEXT_ROW.join(f"**{call.name}** {said(call)}" for call in book.calls(point))


def _situations(book: NetworkBook, found: list[Situation]) -> list[str]:
    """A line for all that the player has done."""
    lines = []
    for mine, several in groupby(found, key=lambda one: one.mine):
        parts = []
        for partner, those in groupby(several, key=lambda one: one.partner):
            notes = NEXT_ROW.join(f"**{one.last}** {_rows(book, one)}" for one in those)
            parts.append(f"*{partner}:* {notes}")
        lines.append(f"- **{mine}:** {NEXT_NOTE.join(parts)}")
    return lines


def said(call: NetworkCall) -> str:
    """``24% F: 6-9, 4+!h``."""
    marks = [call.force] if call.force else []
    marks += ["A"] if call.artificial else []
    unit, low, high = call.points
    told = [f"{wording.span(low, high)}{'p' if unit == 'points' else ''}"]
    for name, least, most in call.said.ranges[1:]:
        if name == EACH:
            told.append(f"{wording.span(least, most)} each suit")
        elif least >= (KNOWN if name in ("in mine", "in partner's") else LONG) or most < LONG:
            told.append(f"{wording.span(least, most, 8)}{_suit(name)}")
    told += [call.mostly] if call.mostly else []
    return f"{' '.join([often(call.figures), *marks])}: {', '.join(told)}"


def _suit(name: str) -> str:
    return {"x": " in it"}.get(name, wording.suit(name) if len(name) == 1 else f" {name}")


def _place(one: Situation) -> str:
    return f"{one.mine}; {one.partner}; {one.last}"


def bml(book: NetworkBook) -> str:
    """Tables of calls, each under the auction that leads to it."""
    parts = [f"#+TITLE: {book.name}", "#+DESCRIPTION: a network's bidding, measured", "\n".join(book.facts()), LEGEND]
    for title, points in book.chapters():
        parts.append(f"* {title}")
        for point in points:
            rows = [f"{token(call.step)} {said(call)}" for call in book.calls(point)]
            parts.append("\n".join([sequence(point.path), *rows] if point.path else rows))
    for title, found in book.general():
        parts += [f"* {title}", *(f"- {_place(one)}: {_rows(book, one)}".replace("**", "") for one in found)]
    return "\n\n".join(parts) + "\n"


def html(book: NetworkBook) -> str:
    """The auctions to unfold, nothing to load from elsewhere."""
    body = [f"<h1>{rich(book.name)}</h1>", *(f'<p class="facts">{rich(fact)}</p>' for fact in [*book.facts(), LEGEND])]
    for late in (False, True):
        by_path = {point.path: point for point in book.points if point.late == late}
        for theirs, title in ((False, "We open"), (True, "They open")):
            below = _below(book, by_path, (), theirs)
            if below:
                body += [f"<h2>{title}{', third or fourth seat' if late else ''}</h2>", *below]
    for title, found in book.general():
        body.append(f"<h2>{title}</h2>")
        for one in found:
            leaves = [leaf(_summary(call), _facts(book, call)) for call in book.calls(one)]
            body += branch(rich(_place(one)), *leaves)
    return document(f"{book.name}: the book", body)


_Paths = dict[tuple[Step, ...], NetworkPoint]


def _below(book: NetworkBook, points: _Paths, path: tuple[Step, ...], theirs: bool | None = None) -> list[str]:
    """The calls at ``path`` and all that follows; ``theirs`` picks whose first call it is (None: both)."""
    out = []
    calls = book.calls(points[path]) if path in points and theirs is not True else []
    for call in calls:
        out += branch(_summary(call), _facts(book, call), *_below(book, points, (*path, call.step)))
    printed = {call.step for call in calls}
    steps = {p[len(path)]: None for p in points if len(p) > len(path) and p[: len(path)] == path}
    for step in steps:
        shown = step not in printed and theirs in (None, step.theirs)
        if shown and (below := _below(book, points, (*path, step))):
            out += branch(passing(step), *below)
    return out


def _summary(call: NetworkCall) -> str:
    return f"{called(call.figures, call.name)} {rich(said(call).partition(' ')[2])}"


def _facts(book: NetworkBook, call: NetworkCall) -> str:
    figures = call.figures
    parts = [f"{figures.made:,} of {figures.chances:,} times."]
    if call.passed is not None:
        parts.append(f"Partner passed it {call.passed:.0%} of the times that the next player passed.")
    parts += for_example(figures.examples[: book.examples])
    return f'<div class="facts">{" ".join(parts)}</div>'
