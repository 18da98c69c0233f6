"""Write the report of a match as one page: figures, where the IMPs went, and boards to click through.

The IMPs of a board are put down to the first call at which its two tables differ: there the same hand had to call after
the same auction, ours at one table and theirs at the other.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.call_reader import CallReader
from agents.registry import reader_of
from bridge_env.bidders.registry import SpecError
from bridge_env.display import html
from bridge_env.display.text import shown_call
from bridge_env.records.board import Board
from bridge_env.rng import streams
from bridge_env.rules.calls import PASS, as_wide, first_calls
from bridge_env.rules.cards import SEATS
from training.evaluation.boards import standard_error
from training.evaluation.duplicate import MatchResult
from training.evaluation.situations import KINDS, kinds_of
from training.runtime.pages import figure, render, source

if TYPE_CHECKING:
    from training.evaluation.cardplay import PlayedMatch

ALIKE = len(KINDS)
"""The class of boards that both tables bid alike."""
NAMES = (*KINDS, "both tables bid alike")
_MOST = 12  # pairs of calls in the table
_TWO = 2  # standard errors from level, from which on a match tells two teams apart
SAMPLE = 8
"""Boards of a class that are chosen by chance."""
SWINGS = 180
"""Boards that are chosen for their swing."""
_LONGEST = 160  # characters of an explanation


@dataclass(frozen=True)
class Share:
    """The result of a kind of decision, in IMPs a board of the whole match."""

    what: str
    mean: float
    error: float
    boards: int  # on which it decided
    won: float  # what A gained on some of these boards, 0 or more
    lost: float  # what it lost on others, 0 or more
    examples: tuple[int, ...] = ()  # numbers of boards to look at


@dataclass(frozen=True, eq=False)
class Differences:
    """The boards of a match whose tables differ."""

    match: MatchResult
    board: NDArray[np.int64]  # (N,), position in the match
    kind: NDArray[np.int8]  # (N,), of ``training.evaluation.situations``
    ours: NDArray[np.int8]  # (N,), our call
    theirs: NDArray[np.int8]  # (N,), theirs
    prefix: NDArray[np.int8]  # (N, L), the calls before, padded with -1

    @property
    def classes(self) -> NDArray[np.int64]:
        """Return the class of every board of the match, an index of ``NAMES``: int64 (boards,)."""
        out = np.full(len(self.match.boards), ALIKE, np.int64)
        out[self.board] = self.kind
        return out

    def by_kind(self) -> list[Share]:
        """Return the result of each kind of first difference, the costliest first."""
        shares = [self._share(KINDS[kind], self.kind == kind) for kind in range(len(KINDS))]
        return sorted((s for s in shares if s.boards), key=lambda s: s.mean)

    def by_calls(self) -> list[Share]:
        """Return the pairs of calls that cost most, ours beside theirs in a kind of situation, with boards to see."""
        names = np.array([
            f"{KINDS[kind]}: {shown_call(int(ours))} where they {_verb(int(theirs))}"
            for kind, ours, theirs in zip(self.kind, self.ours, self.theirs, strict=True)
        ])  # fmt: skip
        shares = []
        for name in np.unique(names):
            rows = np.flatnonzero(names == name)
            worst = self.board[rows[np.argsort(self.match.imps[self.board[rows]], kind="stable")[:3]]]
            examples = tuple(self.match.boards.number[worst].tolist())
            shares.append(replace(self._share(str(name), rows), examples=examples))
        return sorted(shares, key=lambda s: s.mean)[:_MOST]

    def _share(self, what: str, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Share:
        boards = self.board[rows]
        values = np.zeros(len(self.match.boards))
        values[boards] = self.match.imps[boards]
        won, lost = (float(side[side > 0].sum()) / len(values) for side in (values, -values))
        error = standard_error(values, self.match.boards.base)
        return Share(what, float(values.mean()), error, len(boards), won, lost)


def differences(match: MatchResult) -> Differences:
    """Return the boards of a match whose tables differ, and how."""
    both = [table.history for table in match.tables]
    a, b = as_wide(both, max(h.shape[1] for h in both) + 1)  # so that an auction that ends earlier differs too
    board = np.flatnonzero((a != b).any(axis=1))
    at = (a[board] != b[board]).argmax(axis=1)
    one, other = a[board, at], b[board, at]
    ns = (match.boards.dealer[board] + at) % 2 == 0  # then ours sits there at the first table
    prefix = first_calls(a[board], at)
    return Differences(match, board, kinds_of(prefix, at), np.where(ns, one, other), np.where(ns, other, one), prefix)


def _verb(call: int) -> str:
    return "pass" if call == PASS else "double" if call == 1 else "redouble" if call == 2 else f"bid {shown_call(call)}"


def match_html(match: MatchResult, played: PlayedMatch | None = None) -> str:
    """Return what a match came to, for notebooks: all but the boards."""
    return html.framed(render("match_panel.html", m=overview(differences(match), played)), source("page.css"))


def overview(found: Differences, played: PlayedMatch | None = None) -> dict[str, Any]:
    """Return the values of the templates: names, figures, shares of the kinds of calls."""
    match, shares = found.match, found.by_kind()
    rows = [*match.figures()[1:], *(played.figures() if played is not None else [])]
    mean, _, error = figure(match.mean_imps, match.standard_error).partition(" ")
    return {
        "a": match.a, "b": match.b, "mean": mean, "error": error, "verdict": _verdict(match),
        "kind": "bridge-good" if match.mean_imps > 0 else "bridge-bad" if match.mean_imps < 0 else "",
        "boards": len(match.imps), "won": int((match.imps > 0).sum()), "lost": int((match.imps < 0).sum()),
        "figures": [row for row in rows if not row[0].startswith("seconds")],  # the same match gives the same page
        "problems": match.boards.problems, "alike": len(match.imps) - len(found.board),
        "classes": shares, "most": max([max(row.won, row.lost) for row in shares], default=0.0),
        "calls": [row for row in found.by_calls() if row.mean < 0],
    }  # fmt: skip


def _verdict(match: MatchResult) -> str:
    mean, error, boards = match.mean_imps, match.standard_error, len(match.imps)
    over = f"over {boards:,} board{'s' * (boards != 1)}"
    if not mean:
        return f"The teams are level {over}."
    gain = f"{'A' if mean > 0 else 'B'} gained {abs(mean):.3f} IMPs a board {over}"
    if math.isnan(error) or not error:
        return f"{gain}."
    away = abs(mean) / error
    if away < _TWO:
        return f"{gain}. That is {away:.1f} standard errors from level: too little to tell the teams apart."
    return f"{gain}, {away:.1f} standard errors from level."


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
    found = differences(match)
    rows = select_boards(found)
    rows = rows[np.lexsort((match.boards.number[rows], -np.abs(match.imps[rows])))]
    readers = list[CallReader]()
    if explain:
        with suppress(SpecError):  # a bidder was handed over as an object
            readers = [reader_of(*sides, draws=False) for sides in ((match.a, match.b), (match.b, match.a))]
    boards = []
    for row in rows.tolist():
        boards.append(_board_html(found, row, readers))
        progress(1)
    script = source("report.js")
    kinds = [*(NAMES.index(share.what) for share in found.by_kind()), ALIKE]
    page = render(
        "match_report.html",
        m=overview(found, played),
        boards=boards,
        linked=set(match.boards.number[rows].tolist()),
        kinds=[[str(number), NAMES[number]] for number in kinds],
        sample=SAMPLE,
        script=script,
        hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return Report(page, len(rows), len(match.imps))


def select_boards(found: Differences) -> NDArray[np.int64]:
    """Return the positions of the boards to show: those that the table of calls names, a sample of each class, the
    biggest swings; all of a small match."""
    match, classes = found.match, found.classes
    order = np.argsort(-np.abs(match.imps), kind="stable")
    named = np.flatnonzero(np.isin(match.boards.number, [n for share in found.by_calls() for n in share.examples]))
    key = streams.key("report", match.seed, match.boards.number)
    of_class = [np.flatnonzero(classes == number) for number in np.unique(classes)]
    samples = [rows[np.argsort(key[rows], kind="stable")][:SAMPLE] for rows in of_class]
    wanted = np.unique(np.concatenate([named, *samples]))
    return np.concatenate([wanted, order[~np.isin(order, wanted)][:SWINGS]])


def call_notes(board: Board, reader: CallReader) -> tuple[dict[int, str], list[int]]:
    """Return what the calls of a board show, by their place, and the places of alerts; passes and unknown calls are
    left out.
    """
    notes, alerts, calls = {}, [], board.auction or ()
    for place, call in enumerate(calls):
        if call == PASS:
            continue
        shows = reader.shows(calls[:place], board.dealer, board.vulnerability, call)
        if not shows.known:
            continue
        text = f"{shows.note}: {shows.text}" if shows.note else shows.text
        notes[place] = text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
        if shows.artificial:
            alerts.append(place)
    return notes, alerts


def _board_html(found: Differences, row: int, readers: list[CallReader]) -> str:
    """Return a board of the list: a line to open, and below it the board with both tables."""
    match = found.match
    boards, notes = match.records(row), []
    for table, reader in enumerate(readers):
        texts, alerts = call_notes(boards[table], reader)
        notes.append(texts)
        boards[table] = replace(boards[table], notes=dict.fromkeys(alerts, ""))
    titles = f"A sits North-South: {match.a}", f"B sits North-South: {match.b}"
    tricks = match.boards.tricks[row]
    kind = int(found.classes[row])
    return render(
        "match_board.html",
        number=int(match.boards.number[row]),
        imps=int(match.imps[row]),
        kind=kind,
        name=NAMES[kind],
        sides=[_side(board) for board in boards],
        parting=_parting(found, row),
        drawing=html.board_html(boards, titles=titles, notes=notes, tricks=tricks if (tricks >= 0).all() else None),
    )


def _side(board: Board) -> str:
    """Return a contract and what it scored: ``4♠ N +620``."""
    assert board.contract is not None
    result = html.result_html(board.contract, board.tricks, board.vulnerability)
    return f"{html.contract_html(board.contract)} {result.rpartition(': ')[2]}"


def _parting(found: Differences, row: int) -> dict[str, Any] | None:
    """Return where the two tables parted: the call's number, seat, and both calls; None where they never did."""
    places = np.flatnonzero(found.board == row)
    if not places.size:
        return None
    place = int(places[0])
    before = int((found.prefix[place] >= 0).sum())
    ours, theirs = (
        "no call" if call < 0 else html.call_html(int(call)) for call in (found.ours[place], found.theirs[place])
    )
    seat = SEATS[(int(found.match.boards.dealer[row]) + before) & 3]
    return {"number": before + 1, "seat": seat, "ours": ours, "theirs": theirs}
