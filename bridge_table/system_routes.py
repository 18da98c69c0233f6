"""The requests of the page about systems: the book, comparisons, checks of a text, exams and matches."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from agents.systems.explain import player_terms
from agents.systems.language.text import SystemTextError, system_text
from agents.systems.language.tree import Line
from agents.systems.lint import check_text
from bridge_env.rules.calls import as_wide, call_text
from bridge_table.board.dealing import Deal
from bridge_table.board.seating import drop_system
from bridge_table.board.table import OVER, Setup
from bridge_table.board.views import state
from bridge_table.http.requests import Api, Json, Name, RequestError, Spec, SystemText
from bridge_table.session import Session
from bridge_table.systems import card_of, figures_of, graph_of
from training.book.diff import match_systems
from training.book.model import system_tree
from training.evaluation.boards import nan_as_none
from training.evaluation.duplicate import match
from training.exam.positions import textbook
from training.exam.run import Paper, plays, sit

_MAX_BOARDS = 2000
_MOST_ROWS = 4000  # lines that two systems are compared by
_MOST_LISTED = 300  # differing boards, the most IMPs first
_MOST_CHANGED = 40

api = Api()


@api.post("book")
def book(session: Session, *, spec: Spec) -> Json:
    """Return the calls of a system's book without figures, as ``training.book.model`` describes them."""
    return system_tree(graph_of(session.system(spec)))


@api.post("card")
def card(session: Session, *, spec: Spec) -> Json:
    """Return a system's convention card."""
    return {"card": card_of(session.system(spec))}


@api.post("figures")
def measure(session: Session, *, spec: Spec) -> Json:
    """Measure a book, in the order of its entries."""
    return figures_of(session.system(spec))


@api.post("compare")
def compare(session: Session, *, a: Spec, b: Spec) -> Json:
    """Return the lines of two systems by point: the same, moved, changed, or in one of them alone."""
    one, two = session.system(a), session.system(b)
    rows: list[dict[str, Any]] = [
        {"at": player_terms.symbols(str(place)), "kind": kind, "a": _line(old), "b": _line(new)}
        for place, pairs in match_systems(graph_of(one), graph_of(two)).items()
        for old, new, kind in pairs
    ]
    rows.sort(key=lambda row: row["at"].startswith("when "))  # general rules come last
    counts = Counter(row["kind"] for row in rows)
    return {"a": one.name, "b": two.name, "counts": counts, "rows": rows[:_MOST_ROWS]}


def _line(line: Line | None) -> dict[str, str] | None:
    if line is None:
        return None
    return {
        "call": player_terms.symbols(player_terms.call(line.path[-1])),
        "what": player_terms.symbols(player_terms.promise(line.constraint)),
        "note": player_terms.remark(line),
    }


@api.post("text")
def text_of(session: Session, *, spec: Spec) -> Json:
    """Return a system's text."""
    return {"text": system_text(session.system(spec))}


@api.post("check")
def check(session: Session, *, text: SystemText, name: Name = "mine.bidding") -> Json:
    """Return all faults of a text, line by line, as ``bridge-env check`` finds them."""
    try:
        found = [{"line": f.line, "text": f.text, "fault": f.fault} for f in check_text(text, name)]
    except SystemTextError as error:
        found = [{"line": 1, "text": str(error), "fault": True}]
    return {"findings": found, "sound": not any(f["fault"] for f in found)}


@api.post("drafts")
def draft(session: Session, *, text: SystemText) -> Json:
    """Return a spec for a text that is being edited, the same for the same text, which other requests may use."""
    return {"spec": drop_system(f"draft-{zlib.crc32(text.encode()):08x}", text)}


@api.post("exam")
def exam(session: Session, *, spec: Spec, against: Spec = "") -> Json:
    """Return a system's scores in the exam by area, beside those of another, and the answers that differ in points."""
    for one in filter(None, (spec, against)):
        session.system(one)
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
        ][:_MOST_CHANGED]  # fmt: skip
    return out


def _marks(paper: Paper, area: str | None = None) -> dict[str, Any]:
    marks = paper.marks(area)
    return {"percent": round(100 * marks.share, 1), "points": marks.points, "positions": marks.positions}


@api.post("matches")
def play_match(
    session: Session, *, a: Spec, b: Spec, boards: Annotated[int, Meta(ge=1, le=_MAX_BOARDS)] = _MAX_BOARDS,
    seed: Annotated[int, Meta(ge=1, le=10**6)] = 1,
) -> Json:  # fmt: skip
    """Play a match between two systems; list the boards on which the tables bid differently, the most IMPs first."""
    for spec in (a, b):
        session.system(spec)
    result = match(a, b, boards, seed)
    one, two = as_wide([table.history for table in result.tables])
    rows = np.flatnonzero((one != two).any(axis=1))
    order = rows[np.argsort(-np.abs(result.imps[rows]), kind="stable")]
    return {
        "match": session.matches.add(result), "boards": boards, "source": result.boards.source,
        "mean": round(result.mean_imps, 3), "error": nan_as_none(round(result.standard_error, 3)),
        "differ": len(rows), "gained": int((result.imps > 0).sum()), "lost": int((result.imps < 0).sum()),
        "rows": [
            {"board": row["board"], "imps": row["imps"],
             **{side: {name: row[table][name] for name in ("auction", "contract")}
                for side, table in (("a", "a_ns"), ("b", "a_ew"))}}
            for row in result.take(order[:_MOST_LISTED]).rows()
        ],
    }  # fmt: skip


@api.post("matches/{name}/open")
def open_board(session: Session, name: str, *, board: int) -> Json:
    """Open a board of a match, as A bid it North-South, at a table where it is over, to be reviewed."""
    result = session.matches[name]
    boards = result.boards
    found = np.flatnonzero(boards.number == board)
    if not found.size:
        raise RequestError(f"The match has no board {board}.", 404)
    i = int(found[0])
    deal = Deal(
        boards.owner[i], int(boards.dealer[i]), int(boards.vulnerability[i]), board,
        "a board of a match between two systems",
    )  # fmt: skip
    table = session.open(Setup((0, 2), result.a, result.b, result.b, other=(result.b, result.a), replay=True), deal)
    table.begin_with([call for call in result.tables[0].history[i].tolist() if call >= 0])
    table.phase = OVER
    return state(table, None)
