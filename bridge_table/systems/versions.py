"""Compare a system with another, or with its older version: the check of its text, the exam, and a short match."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.systems.language.text import SystemTextError
from agents.systems.lint import check_text
from bridge_env.rules.calls import as_wide, call_text
from bridge_table.board.dealing import Deal
from bridge_table.board.table import Setup
from training.evaluation.boards import nan_as_none
from training.evaluation.duplicate import MatchResult
from training.exam.marks import Paper, plays, sit
from training.exam.positions import textbook

_MAX_BOARDS = 300  # differing boards, the most IMPs first
_MAX_CHANGED = 40


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
    """Return the setup and the deal of a table where A sits North-South, and its calls; None if there is no such board.

    The other table is the match's: there B sat North-South against A.
    """
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
