"""Write the report of a match as one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from bridge_env import html
from bridge_env.cards import SEATS
from bridge_env.records.board import Board
from training.match.duplicate import MatchResult
from training.match.report import overview
from training.match.report.classes import ALIKE, NAMES, SAMPLE, Classes, chosen, classes_of
from training.match.report.explaining import Explainer

LIMIT = 1_900_000
"""Bytes that the page of a report has at most: it opens on a phone and goes into a mail."""
_SPARE = 64  # bytes: numbers of boards are not known before these are drawn
_ORDERS = {"swing": "swing", "gain": "A's gain", "loss": "A's loss", "number": "board number"}


@dataclass(frozen=True)
class Report:
    """A report."""

    page: str  # the HTML
    kept: int  # how many boards it holds in full
    boards: int  # how many were played


def report(
    match: MatchResult,
    played: overview.Played | None = None,
    *,
    explain: bool = True,
    progress: Callable[[int], object] = lambda boards: None,
) -> Report:
    """The report of a match: headline, figures, where the IMPs went, and boards to click through.

    It holds the biggest swings, a sample of every class and the boards that it names, as many as ``LIMIT`` allows. The
    same match gives the same page.

    Args:
        match: the result.
        played: the same with its play, whose figures are told beside.
        explain: tell what calls show, where the bidders follow a system or were measured.
        progress: called with the number of boards that have just been drawn, ``len(chosen(...))`` in all.
    """
    classes = classes_of(match)
    rows = chosen(match, classes)
    numbers = match.boards.number[rows].tolist()
    explainer = Explainer(match.a, match.b) if explain else None
    drawn: dict[int, str] = {}
    room = LIMIT - len(_page(match, classes, played, (), set(numbers)).encode()) - _SPARE
    for row in rows.tolist():
        part = _board_html(match, classes, row, explainer) + "\n"
        room -= len(part.encode())
        if room < 0:
            break
        drawn[row] = part
        progress(1)
    order = sorted(drawn, key=lambda row: (-abs(int(match.imps[row])), int(match.boards.number[row])))
    kept = {int(match.boards.number[row]) for row in drawn}
    page = _page(match, classes, played, [drawn[row] for row in order], kept)
    return Report(page, len(drawn), len(match.imps))


def _page(match: MatchResult, classes: Classes, played: overview.Played | None, boards: Collection[str],
          kept: Collection[int]) -> str:  # fmt: skip
    """The page that holds some boards, which have these numbers."""
    script = Path(__file__).with_name("report.js").read_text(encoding="utf-8")
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{own}'"
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{escape(match.a)} against {escape(match.b)}</title>",
        f"<style>{html.style()}{overview.style()}</style>", "</head>", '<body class="bridge report">', "<header>",
        overview.headline_html(match), overview.figures_html(match, played), "</header>", "<main>",
        overview.where_html(match, classes, kept), _list(len(match.imps), classes, boards), "</main>",
        f"<script>{script}</script>", "</body>", "</html>",
    ]) + "\n"  # fmt: skip


def _list(played: int, classes: Classes, boards: Collection[str]) -> str:
    count = len(boards)
    told = f"All {played:,} boards stand here." if count == played else (
        f"{played:,} boards were played; {count:,} are kept here: the biggest swings, up to {SAMPLE} by chance of "
        "every class, and those that are named above. The figures above count every board. `--json` keeps all."
    )  # fmt: skip
    about = escape(told).replace("`--json`", "<code>--json</code>")
    return (
        f'<h2 class="report-part" id="boards">The boards</h2><p>{about} Results are at double-dummy tricks.</p>'
        '<form class="report-controls" hidden>'
        + _choice("class", "kind", {"": "all", **{str(number): NAMES[number] for number in classes.numbers}})
        + _choice("result", "side", {"": "all", "1": "A gained", "-1": "A lost", "0": "level"})
        + _choice("sort by", "sort", _ORDERS)
        + '<span class="report-step"><button type="button" name="back">← back</button>'
        '<button type="button" name="next">next →</button></span>'
        f'<output>{count:,} boards</output></form><div class="report-boards">\n{"".join(boards)}</div>'
    )


def _choice(label: str, name: str, options: dict[str, str]) -> str:
    told = "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in options.items())
    return f'<label>{label} <select name="{name}">{told}</select></label>'


# --- one board ----------------------------------------------------------------------------------------------


def _board_html(match: MatchResult, classes: Classes, row: int, explainer: Explainer | None) -> str:
    """A board of the list: a line to open, and below it the board with both tables."""
    boards = tables_of(match, row)
    notes: list[dict[int, str]] = []
    for table, board in enumerate(boards):
        told, alerts = ({}, set[int]()) if explainer is None else explainer.notes(
            board.auction or (), board.dealer, board.vulnerability, table
        )  # fmt: skip
        notes.append(told)
        boards[table] = replace(board, notes=dict.fromkeys(sorted(alerts), ""))
    titles = f"A sits North-South: {match.a}", f"B sits North-South: {match.b}"
    drawn = html.board_html(boards, titles=titles, notes=notes, tricks=match.boards.tricks[row]
                            if (match.boards.tricks[row] >= 0).all() else None)  # fmt: skip
    imps, number = int(match.imps[row]), int(match.boards.number[row])
    kind = int(classes.of_board[row])
    sides = " <small>and</small> ".join(_side(board) for board in boards)
    return (
        f'<details class="report-board" id="board-{number}" data-imps="{imps}" data-kind="{kind}">'
        f'<summary><b>{number}</b><span class="report-both">{sides}</span>'
        f'<span class="report-kind">{escape(NAMES[kind])}</span>{_chip(imps)}</summary>'
        f"{_parting(match, classes, row)}{drawn}</details>"
    )


def tables_of(match: MatchResult, row: int) -> list[Board]:
    """The board as a record of each table: first that where A sits North-South."""
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
    """``4♠ N +620``: a contract and what it scored."""
    assert board.contract is not None
    result = html.result_html(board.contract, board.tricks, board.vulnerability)
    return f"{html.contract_html(board.contract)} {result.rpartition(': ')[2]}"


def _chip(imps: int) -> str:
    kind = "bridge-good" if imps > 0 else "bridge-bad" if imps < 0 else ""
    return f'<span class="report-imps {kind}">{imps:+d}</span>' if imps else '<span class="report-imps">0</span>'


def _parting(match: MatchResult, classes: Classes, row: int) -> str:
    """Where the two tables parted, in a sentence."""
    place = int(classes.place[row])
    if place < 0:
        return f'<p class="bridge-aside">{NAMES[ALIKE].capitalize()}.</p>'
    found = classes.found
    before = int((found.prefix[place] >= 0).sum())
    seat = SEATS[(int(match.boards.dealer[row]) + before) & 3]
    ours, theirs = (
        "no call" if call < 0 else html.call_html(int(call)) for call in (found.ours[place], found.theirs[place])
    )
    return f'<p class="bridge-aside">The tables part at call {before + 1}, by {seat}: A {ours}, B {theirs}.</p>'
