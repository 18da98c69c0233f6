"""Write the report of a match as one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge_env.display import html
from bridge_env.records.board import Board
from bridge_env.rules.cards import SEATS
from training.evaluation.duplicate import MatchResult
from training.evaluation.report.classes import NAMES, SAMPLE, Classes, classes_of, select_boards
from training.evaluation.report.explaining import Explainer
from training.evaluation.report.overview import overview
from training.runtime.pages import render, source

if TYPE_CHECKING:
    from training.evaluation.cardplay.result import PlayedMatch


@dataclass(frozen=True)
class Report:
    """A report."""

    page: str  # the HTML
    shown: int  # how many boards it holds in full
    boards: int  # how many were played


def report(
    match: MatchResult,
    played: PlayedMatch | None = None,
    *,
    explain: bool = True,
    progress: Callable[[int], object] = lambda boards: None,
) -> Report:
    """Return the report of a match: headline, figures, where the IMPs went, and boards to click through.

    It holds the biggest swings, a sample of every class and the boards that it names. One match always makes one page.

    Args:
        match: the result.
        played: the same with its play, whose figures are added.
        explain: say what calls show, where the bidders follow a system or were measured.
        progress: called with 1 after each board.
    """
    classes = classes_of(match)
    rows = select_boards(match, classes)
    rows = rows[np.lexsort((match.boards.number[rows], -np.abs(match.imps[rows])))]
    explainer = Explainer(match.a, match.b) if explain else None
    boards = []
    for row in rows.tolist():
        boards.append(_board_html(match, classes, row, explainer))
        progress(1)
    script = source("report.js")
    page = render(
        "match_report.html",
        m=overview(match, classes, played),
        boards=boards,
        linked=set(match.boards.number[rows].tolist()),
        kinds=[[str(number), NAMES[number]] for number in classes.numbers],
        sample=SAMPLE,
        script=script,
        hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return Report(page, len(rows), len(match.imps))


# --- one board ----------------------------------------------------------------------------------------------


def _board_html(match: MatchResult, classes: Classes, row: int, explainer: Explainer | None) -> str:
    """Return a board of the list: a line to open, and below it the board with both tables."""
    boards = tables_of(match, row)
    notes: list[dict[int, str]] = []
    for table, board in enumerate(boards):
        calls = board.auction or ()
        texts, alerts = dict[int, str](), set[int]()
        if explainer is not None:
            texts, alerts = explainer.notes(calls, board.dealer, board.vulnerability, table)
        notes.append(texts)
        boards[table] = replace(board, notes=dict.fromkeys(sorted(alerts), ""))
    titles = f"A sits North-South: {match.a}", f"B sits North-South: {match.b}"
    tricks = match.boards.tricks[row]
    drawing = html.board_html(boards, titles=titles, notes=notes, tricks=tricks if (tricks >= 0).all() else None)
    kind = int(classes.of_board[row])
    return render(
        "match_board.html",
        number=int(match.boards.number[row]),
        imps=int(match.imps[row]),
        kind=kind,
        name=NAMES[kind],
        sides=[_side(board) for board in boards],
        parting=_parting(match, classes, row),
        drawing=drawing,
    )


def tables_of(match: MatchResult, row: int) -> list[Board]:
    """Return the board as a record of each table: first that where A sits North-South."""
    out = []
    for place, table in enumerate(match.tables):
        contract = table.contracts.at(row)
        names = (match.a, match.b) if place == 0 else (match.b, match.a)
        out.append(Board(
            match.boards.owner[row], int(match.boards.dealer[row]), int(match.boards.vulnerability[row]),
            int(match.boards.number[row]), tuple(int(call) for call in table.history[row] if call >= 0), contract,
            None if contract.passed_out else int(table.tricks[row]),
            tags={"North": names[0], "East": names[1], "South": names[0], "West": names[1]},
        ))  # fmt: skip
    return out


def _side(board: Board) -> str:
    """Return a contract and what it scored: ``4♠ N +620``."""
    assert board.contract is not None
    result = html.result_html(board.contract, board.tricks, board.vulnerability)
    return f"{html.contract_html(board.contract)} {result.rpartition(': ')[2]}"


def _parting(match: MatchResult, classes: Classes, row: int) -> dict[str, Any] | None:
    """Return where the two tables parted: the call's number, seat, and both calls; None where they never did."""
    found = classes.found
    places = np.flatnonzero(found.board == row)
    if not places.size:
        return None
    place = int(places[0])
    before = int((found.prefix[place] >= 0).sum())
    ours, theirs = (
        "no call" if call < 0 else html.call_html(int(call)) for call in (found.ours[place], found.theirs[place])
    )
    seat = SEATS[(int(match.boards.dealer[row]) + before) & 3]
    return {"number": before + 1, "seat": seat, "ours": ours, "theirs": theirs}
