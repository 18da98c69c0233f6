"""Systems on the page: their books with figures, two side by side, the check of a text, the exam, and a short match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agents.systems.bidder import Hierarchy
from agents.systems.explain import player_terms
from agents.systems.language.text import SystemTextError
from agents.systems.language.tree import Line, System
from agents.systems.lint import check_text
from bridge_env.rules.calls import as_wide, call_text
from bridge_table.board.dealing import Deal
from bridge_table.board.table import Setup
from training.book.card import convention_card
from training.book.diff import match_systems
from training.book.graph import AuctionGraph, Walker
from training.book.model import system_tree
from training.book.survey import SystemSurvey
from training.book.system_book import make_book
from training.evaluation.boards import nan_as_none
from training.evaluation.duplicate import MatchResult
from training.exam.positions import textbook
from training.exam.run import Paper, plays, sit

DEALS = 2_000  # that figures are measured on
_MOST_ROWS = 4000  # lines that two systems are compared by
_MAX_BOARDS = 300  # differing boards, the most IMPs first
_MAX_CHANGED = 40


@lru_cache(maxsize=8)
def graph_of(system: System) -> AuctionGraph:
    """Return the points and entries of a system, cached."""
    return AuctionGraph(system)


def book_of(system: System) -> dict[str, Any]:
    """Return a system's calls without figures, as ``training.book.model`` describes them, in the order of
    ``figures_of``.
    """
    return system_tree(graph_of(system))


@lru_cache(maxsize=8)
def card_of(system: System) -> list[dict[str, Any]]:
    """Return the boxes of a system's convention card, cached."""
    return convention_card(SystemSurvey(Hierarchy(system)))


def entries_after(system: System, calls: Sequence[int], legal: Sequence[int]) -> dict[str, list[int]]:
    """Return which entries of the book each legal call can be after an auction."""
    walker, state, count = Walker(graph_of(system)), np.zeros(1, np.int32), len(calls)
    for number, call in enumerate(calls):
        theirs = bool((count - number) & 1)
        state = walker.step(state, np.array([theirs]), np.array([call], np.int8))
    found = {call_text(c): [entry.index for entry, _ in walker.calls_at(int(state[0]), c)] for c in legal}
    return {call: entries for call, entries in found.items() if entries}


# --- figures -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def figures_of(system: System) -> dict[str, Any]:
    """Measure the figures of a system's book, by entry, cached."""
    book = make_book(system, DEALS, seed=1)
    facts = [player_terms.symbols(fact) for fact in book.facts()]
    return {"facts": facts, "figures": [book.entry_figures(entry) for entry in book.graph.entries]}


# --- side by side --------------------------------------------------------------------------------------------


def side_by_side(a: System, b: System) -> dict[str, Any]:
    """Return the lines of two systems by point: the same, moved, changed, or in one of them alone."""
    rows: list[dict[str, Any]] = [
        {"at": player_terms.symbols(str(place)), "kind": kind, "a": _line(old), "b": _line(new)}
        for place, pairs in match_systems(graph_of(a), graph_of(b)).items()
        for old, new, kind in pairs
    ]
    rows.sort(key=lambda row: row["at"].startswith("when "))  # general rules come last
    counts = Counter(row["kind"] for row in rows)
    return {"a": a.name, "b": b.name, "counts": counts, "rows": rows[:_MOST_ROWS]}


def _line(line: Line | None) -> dict[str, str] | None:
    if line is None:
        return None
    return {
        "call": player_terms.symbols(player_terms.call(line.path[-1])),
        "what": player_terms.symbols(player_terms.promise(line.constraint)),
        "note": player_terms.remark(line),
    }


def findings(text: str, name: str) -> dict[str, Any]:
    """Return all faults of a system's text, line by line, as ``bridge-env check`` finds them."""
    try:
        found = [{"line": f.line, "text": f.text, "fault": f.fault} for f in check_text(text, name)]
    except SystemTextError as error:
        found = [{"line": 1, "text": str(error), "fault": True}]
    return {"findings": found, "sound": not any(f["fault"] for f in found)}


def papers(spec: str, against: str) -> dict[str, Any]:
    """Return the exam's score of a system by area, beside that of another, and the answers that differ in points."""
    mine = sit(spec, textbook())
    other = sit(against, textbook(), mine.key, conventions=plays(spec)) if against else None
    areas = [
        {"area": area, "title": mine.titles[area], **_marks(mine, area),
         **({} if other is None else {"before": _marks(other, area)["percent"]})}
        for area in mine.areas()
    ]  # fmt: skip
    out: dict[str, Any] = {"key": mine.key, "all": _marks(mine), "areas": areas, "changed": []}
    if other is not None:
        out["all"]["before"] = _marks(other)["percent"]
        out["changed"] = [
            {"hand": now.position.hand, "reason": now.position.reason,
             "auction": [call_text(c) for c in now.position.auction], "call": call_text(now.call),
             "before": call_text(then.call), "points": now.points, "were": then.points}
            for now, then in zip(mine.answers, other.answers, strict=True) if now.points != then.points
        ][:_MAX_CHANGED]  # fmt: skip
    return out


def _marks(paper: Paper, area: str | None = None) -> dict[str, Any]:
    marks = paper.marks(area)
    return {"percent": round(100 * marks.share, 1), "points": marks.points, "positions": marks.positions}


def match_json(name: str, result: MatchResult) -> dict[str, Any]:
    """Return the result, and the boards on which the two tables bid differently, the most IMPs first."""
    one, two = as_wide([table.history for table in result.tables])
    rows = np.flatnonzero((one != two).any(axis=1))
    order = rows[np.argsort(-np.abs(result.imps[rows]), kind="stable")]
    return {
        "match": name, "boards": len(result.boards), "source": result.boards.source,
        "mean": round(result.mean_imps, 3), "error": nan_as_none(round(result.standard_error, 3)),
        "differ": len(rows), "gained": int((result.imps > 0).sum()), "lost": int((result.imps < 0).sum()),
        "rows": [_row(result, int(i)) for i in order[:_MAX_BOARDS]],
    }  # fmt: skip


def _row(result: MatchResult, i: int) -> dict[str, Any]:
    row = result.take(np.array([i])).rows()[0]
    return {
        "board": row["board"], "imps": row["imps"],
        "a": {"auction": row["a_ns"]["auction"], "contract": row["a_ns"]["contract"]},
        "b": {"auction": row["a_ew"]["auction"], "contract": row["a_ew"]["contract"]},
    }  # fmt: skip


def replayed(result: MatchResult, board: int) -> tuple[Setup, Deal, list[int]] | None:
    """Return setup and deal of a match's board, None if there is none, as A bid it North-South, and its calls there."""
    found = np.flatnonzero(result.boards.number == board)
    if not found.size:
        return None
    i = int(found[0])
    boards = result.boards
    deal = Deal(
        boards.owner[i], int(boards.dealer[i]), int(boards.vulnerability[i]), board,
        "a board of a match between two systems",
    )  # fmt: skip
    calls = [int(c) for c in result.tables[0].history[i] if c >= 0]
    return Setup((0, 2), result.a, result.b, result.b, other=(result.b, result.a), replay=True), deal, calls
