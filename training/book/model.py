"""Build the JSON model of a book, from which every format is rendered and the browser draws its tree.

::

    name, comments, facts, legend   texts
    code_words                      for each 100 auctions of a side, and the standard error
    card                            boxes: {title, rows: [[label, text]]}
    surprises                       {base, rows: [{auction, per_thousand, shows, instead}]}, null without a base
    entries                         calls: {call, what, remark, note, flags, point, figures}; point null: a general rule
    points                          {path, entries: [[entry, next point or null]], steps: [[call, next point]], others}
    roots                           first points: [heading, point]
    chapters                        {title, points}
    general                         {title, when, note, entries}
    terms                           [name, meaning] of ways to count hands
    forcing                         [situation, calls] for players who may not pass

``steps`` are calls without an entry that lead on; ``others`` is the share of calls by the general rules. ``figures``
are ``{made, chances, share, usual, examples, shows, worth, gains, boards, per_thousand}``, the last four where the
worth was judged. All texts have suit symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from agents.systems.engine.auction_state import ENOUGH
from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import Step
from training.book.card import Section
from training.book.graph import AuctionGraph, Entry, Point
from training.book.measure import Figures
from training.book.surprises import Surprise
from training.book.worth import Worth

GOAL = 0.98  # of the hands fit what the book says
LEGEND = symbols(
    "M is a major, m a minor, oM and om the other one, x and y two different suits; figures are of all suits they can "
    "be. Calls in brackets are theirs; their passes in between are left out. Of several calls that fit a hand the "
    "first in the system's text counts. Shares are of the calls there; a bid without a name is natural, and a call "
    "that is not called forcing may be passed. What a call shows is left out where it is what the call promises, where "
    f"fewer than 20 hands made it, or where hands of all kinds did. {player_terms.TERMS}"
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
_OTHERS = 0.005  # a share of calls by general rules that is given


def chapter(path: tuple[Step, ...]) -> str:
    """Return the title of the chapter that the point at the end of a path belongs to."""
    if path and path[0].theirs:
        return _CHAPTERS[6]
    if any(step.theirs for step in path):
        return _CHAPTERS[5]
    return _CHAPTERS[min(len(path), 4)]


def system_tree(graph: AuctionGraph, printed: Callable[[Entry], bool] = lambda entry: True) -> dict[str, Any]:
    """Return the calls of a system without figures: name, comments, entries, points, chapters and general rules.

    Args:
        graph: the points and entries; the model lists them in the same order.
        printed: whether an entry is listed at its point.
    """
    points = [_point(point, printed) for point in graph.points]
    by_title: dict[str, list[int]] = {title: [] for title in _CHAPTERS}
    for point, model in zip(graph.points, points, strict=True):
        if model["entries"]:
            by_title[chapter(point.path)].append(point.index)
    rules = [e for e in graph.entries if e.point is None and printed(e)]
    blocks = [(block, [e.index for e in rules if e.block == n]) for n, block in enumerate(graph.system.blocks)]
    return {
        "name": graph.system.name,
        "comments": list(graph.system.comments),
        "entries": [_entry(entry) for entry in graph.entries],
        "points": points,
        "roots": [["", 0]],
        "chapters": [{"title": title, "points": found} for title, found in by_title.items() if found],
        "general": [
            {
                "title": "General rules",
                "when": f"When {symbols(player_terms.promise(block.when))}",
                "note": block.note,
                "entries": entries,
            }
            for block, entries in blocks
            if entries
        ],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "call": symbols(player_terms.call(entry.step)),
        "what": symbols(player_terms.lines_promise(entry.lines)),
        "remark": symbols(player_terms.lines_remark(entry.lines)),
        "note": symbols(", ".join(dict.fromkeys(line.note for line in entry.lines if line.note))),
        "flags": [player_terms.FLAG_TEXT[flag] for flag in entry.flags],
        "point": None if entry.point is None else entry.point.index,
    }


def _point(point: Point, printed: Callable[[Entry], bool]) -> dict[str, Any]:
    entries = [entry for entry in point.entries.values() if printed(entry)]
    calls = {entry.step for entry in entries}
    return {
        "path": symbols(player_terms.path(point.path)),
        "entries": [[e.index, point.children[e.step].index if e.step in point.children else None] for e in entries],
        "steps": [
            [symbols(player_terms.call(step)), child.index]
            for step, child in point.children.items()
            if step not in calls and _leads_on(child, printed)
        ],
        "others": "",
    }


def _leads_on(point: Point, printed: Callable[[Entry], bool]) -> bool:
    """Return whether a point has, or leads to, a printed call."""
    return any(map(printed, point.entries.values())) or any(_leads_on(p, printed) for p in point.children.values())


def figures_model(figures: Figures, shows: str, examples: int, worth: Worth | None = None) -> dict[str, Any]:
    """Return the figures of a call.

    Args:
        shows: what the call shows; empty if that is left out.
        examples: hands to give, at most.
    """
    out: dict[str, Any] = {
        "made": figures.made,
        "chances": figures.chances,
        "share": share_text(figures),
        "usual": symbols(usual_text(figures)),
        "examples": figures.examples[:examples],
        "shows": symbols(shows),
    }
    if worth is not None and worth.mean is not None:
        out |= {
            "worth": str(worth),
            "gains": worth.mean >= 0,
            "boards": worth.boards,
            "per_thousand": worth.per_thousand,
        }
    return out


def others_text(visits: int, general: int) -> str:
    """Return the share of calls at a point that general rules make; empty where it is small."""
    return f"{general / visits:.1%}" if visits and general / visits >= _OTHERS else ""


def share_text(figures: Figures) -> str:
    """Return how often a call is made: ``12.3%``."""
    if not figures.made:
        return "never seen"
    return f"{figures.share:.1%}" if figures.share >= 0.0005 else "<0.1%"


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


def card_model(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Return the boxes of a convention card; rows with the same text, one after the other, become one."""
    return [{"title": section.title, "rows": list(_merged_rows(section.rows))} for section in sections]


def _merged_rows(rows: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
    labels: list[str] = []
    for number, (label, text) in enumerate(rows):
        labels.append(symbols(label))
        if number + 1 == len(rows) or rows[number + 1][1] != text:
            yield [", ".join(labels), symbols(text)]
            labels = []


def surprises_model(found: Iterable[Surprise], base: str) -> dict[str, Any]:
    """Return what would surprise a player of ``base``."""
    rows = [
        {
            "auction": symbols(one.group.auction),
            "per_thousand": 1000 * one.per_deal,
            "shows": symbols(one.shows),
            "instead": symbols(one.instead),
        }
        for one in found
    ]
    return {"base": base, "rows": rows}


def least_fitting_fact(what: str, worst: Iterable[tuple[int, int, int]], name: Callable[[int], str]) -> list[str]:
    """Return the sentence on the calls whose hands fit least; none where all hands do.

    Args:
        worst: (index, hands, fitting), the least share first.
    """
    few = [(name(i), n, k) for i, n, k in worst if n >= 30 and k < n][:3]
    if not few:
        return []
    listed = "; ".join(f"{call} {k / n:.1%} of {n:,}" for call, n, k in few)
    return [symbols(f"The {what} whose hands fit least, of those with 30 hands or more: {listed}.")]


def left_out_fact(once_in: int, left_out: int) -> list[str]:
    """Return the sentence on calls that are too rare for the book; none where there are none."""
    return [f"Left out: {left_out:,} calls made less often than once in {once_in:,} deals."] if left_out else []
