"""A measured book, and its JSON model, from which every format is rendered and the browser draws its tree.

::

    name, comments, facts, legend   texts
    artificial                      artificial calls in 100 auctions of a side, and the standard error
    card                            boxes: {title, rows: [[label, text]]}
    entries                         calls: {call, what, remark, note, flags, point, figures}; point null: a general rule
    points                          {path, entries: [[entry, next point or null]], steps: [[call, next point]], others}
    roots                           first points: [heading, point]
    chapters                        {title, points}
    general                         {title, when, note, entries}
    terms                           [name, meaning] of ways to count hands
    forcing                         [situation, calls] for players who may not pass

``steps`` are calls without an entry that lead on; ``others`` is the share of calls by the general rules. ``figures``
are ``{made, chances, share, usual, examples, shows, worth, gains, boards, per_thousand}``, the last four where
the worth was judged. All texts have suit symbols.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.systems.engine.auction_state import ENOUGH
from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import Line, Step
from training.book.graph import AuctionGraph, Entry, Point
from training.book.measure import Figures
from training.book.shows import FEWEST
from training.runtime.pages import render

HOLDOUT = 20_000  # deals on which coverage is counted, at most
LEGEND = symbols(
    "M is a major, m a minor, oM and om the other one, x and y two different suits; figures are of all suits they can "
    "be. Calls in brackets are theirs; their passes in between are left out. Of several calls that fit a hand the "
    "first in the system's text counts. Shares are of the calls there; a bid without a name is natural, and a call "
    "that is not called forcing may be passed. What a call shows is left out where it is what the call promises, where "
    f"fewer than {FEWEST} hands made it, or where hands of all kinds did. {player_terms.TERMS}"
)
FORCING = (
    "A *forcing* call asks partner to speak, unless the next player does; *forcing to game* binds both partners up to "
    f"game. A side that is forced to game, or has shown {ENOUGH} points in both hands, lets no contract of theirs be "
    "played undoubled: who calls before partner may pass, and then partner bids or doubles. A doubled contract of "
    "theirs may always be passed. Where a player may not pass, and no row has a call, these are tried in turn:"
)
_CHAPTERS = (
    "Opening bids",
    "Responses",
    "Opener's second bid",
    "Responder's second bid",
    "Later bids",
    "They compete after our opening",
    "They open",
)
LATE = ", third or fourth seat opening"
#: Formats by name, and the ending of files in them.
FORMATS = {"markdown": ".md", "html": ".html", "json": ".json"}


def chapter(path: tuple[Step, ...]) -> str:
    """Return the title of the chapter that the point at the end of a path belongs to."""
    if path and path[0].theirs:
        return _CHAPTERS[6]
    if any(step.theirs for step in path):
        return _CHAPTERS[5]
    return _CHAPTERS[min(len(path), 4)]


def system_tree(graph: AuctionGraph, is_printed: Callable[[Entry], bool] = lambda entry: True) -> dict[str, Any]:
    """Return the calls of a system without figures, those of points only where ``is_printed``: name, comments, entries
    in the order of the graph's, points, chapters and general rules.
    """
    rules = [e for e in graph.entries if e.point is None and is_printed(e)]
    blocks = [(n, block, [e.index for e in rules if e.block == n]) for n, block in enumerate(graph.system.blocks)]
    return {
        "name": graph.system.name,
        "comments": list(graph.system.comments),
        "entries": [
            {
                "call": symbols(player_terms.call(entry.step)),
                "what": symbols(player_terms.lines_promise(entry.lines)),
                "remark": symbols(player_terms.lines_remark(entry.lines)),
                "note": symbols(", ".join(dict.fromkeys(line.note for line in entry.lines if line.note))),
                "flags": [player_terms.FLAG_TEXT[flag] for flag in entry.flags],
                "point": None if entry.point is None else entry.point.index,
            }
            for entry in graph.entries
        ],
        **points_model(graph.points, is_printed),
        "general": [
            {
                "title": "Scorecards: the highest sum calls" if block.weighs else "General rules",
                "when": f"When {symbols(player_terms.promise(block.when))}",
                "note": block.note,
                "entries": entries,
                "block": number,
                "cards": [card_row(line) for line in block.lines if line.score is not None],
                "example": "",
            }
            for number, block, entries in blocks
            if entries
        ],
    }


def card_row(line: Line) -> dict[str, Any]:
    """Return a scorecard as a row: the call, which hands may be weighed, the start, what adds and what takes away."""
    assert line.score is not None
    adds, takes = (
        ", ".join(
            f"{term.points:+d} {player_terms.reason(term)}" for term in line.score.terms if (term.points > 0) == plus
        )
        for plus in (True, False)
    )
    asks = player_terms.promise(line.constraint) if line.constraint else ""
    texts = {"call": player_terms.call(line.path[-1]), "asks": asks, "adds": adds, "takes": takes, "note": line.note}
    return {name: symbols(text) for name, text in texts.items()} | {"start": line.score.base}


def points_model(points: Sequence[Point], is_printed: Callable[[Entry], bool]) -> dict[str, Any]:
    """Return points, roots and chapters of a tree; late openings have a root and chapters of their own."""
    models = [_point(point, is_printed) for point in points]
    chapters: dict[str, list[int]] = {title + late: [] for late in ("", LATE) for title in _CHAPTERS}
    for point, model in zip(points, models, strict=True):
        if model["entries"]:
            chapters[chapter(point.path) + LATE * point.late].append(point.index)
    return {
        "points": models,
        "roots": [[LATE * point.late, point.index] for point in points if not point.path],
        "chapters": [{"title": title, "points": found} for title, found in chapters.items() if found],
    }


def _point(point: Point, is_printed: Callable[[Entry], bool]) -> dict[str, Any]:
    entries = [entry for entry in point.entries.values() if is_printed(entry)]
    calls = {entry.step for entry in entries}
    return {
        "path": symbols(player_terms.path(point.path)),
        "entries": [[e.index, point.children[e.step].index if e.step in point.children else None] for e in entries],
        "steps": [
            [symbols(player_terms.call(step)), child.index]
            for step, child in point.children.items()
            if step not in calls and _leads_on(child, is_printed)
        ],
        "others": "",
    }


def _leads_on(point: Point, is_printed: Callable[[Entry], bool]) -> bool:
    """Return whether a point has, or leads to, a printed call."""
    return any(map(is_printed, point.entries.values())) or any(
        _leads_on(p, is_printed) for p in point.children.values()
    )


@dataclass(frozen=True)
class Worth:
    """IMPs of a call."""

    boards: int  # whose auctions it alters
    mean: float  # IMPs on such a board
    error: float  # the standard error
    per_thousand: float  # IMPs that it is worth over a thousand boards of all kinds

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


def figures_model(figures: Figures, shows: str, worth: Worth | None = None) -> dict[str, Any]:
    """Return the figures of a call; ``shows`` says what it shows, and is empty if that is left out."""
    share = f"{figures.share:.1%}" if figures.share >= 0.0005 else "<0.1%" if figures.made else "never seen"
    out: dict[str, Any] = {
        "made": figures.made,
        "chances": figures.chances,
        "share": share,
        "usual": symbols(usual_text(figures)),
        "examples": figures.examples,
        "shows": symbols(shows),
    }
    if worth is not None:
        out |= {
            "worth": str(worth),
            "gains": worth.mean >= 0,
            "boards": worth.boards,
            "per_thousand": worth.per_thousand,
        }
    return out


def usual_text(figures: Figures) -> str:
    """Return what nine in ten hands had, ``15-17 HCP !s2-4 ...``, without suits that may be short or long."""
    if not figures.made:
        return ""
    low, high = figures.usual("hcp") or (0, 0)
    parts = [f"{player_terms.span(low, high)} HCP"]
    for name in figures.names():
        least, most = figures.usual(name) or (0, 0)
        if not (least <= 1 and most >= 5):
            parts.append(f"{player_terms.suit(name)}{player_terms.span(least, most)}")
    return " ".join(parts)


def render_book(book: dict[str, Any], form: str) -> str:
    """Return a book, as this module describes it, in one of ``FORMATS``."""
    if form == "json":
        return json.dumps(book, ensure_ascii=False, indent=1) + "\n"
    worth = any("worth" in entry["figures"] for entry in book["entries"])
    return render(f"book{FORMATS[form]}", book=book, has_worth=worth, forcing=FORCING)
