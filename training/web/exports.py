"""A board for other programs: PBN, LIN, or a link to Bridge Base Online's hand viewer."""

from __future__ import annotations

from typing import Any

from agents.seats import spec_at
from bridge_env.cards import SEATS
from bridge_env.records.board import Board
from bridge_env.records.lin import lin_text, viewer_link
from bridge_env.records.pbn import board_text
from bridge_env.records.play_record import record_rows
from training.http.asked import Refused
from training.web.table import OVER, Table

_NAMES = ("North", "East", "South", "West")


def export(table: Table, form: str) -> dict[str, Any]:
    """The board as ``pbn``, ``lin`` or ``link``, with its auction and play and what the calls showed.

    Raises:
        Refused: the board is not over: a record holds all four hands.
    """
    if table.phase != OVER:
        raise Refused("A board can be taken along when it is over: its record holds all four hands.", 409)
    return written(_board(table), form)


def written(board: Board, form: str) -> dict[str, Any]:
    """A board as ``pbn``, ``lin`` or ``link``."""
    if form == "link":
        return {"form": form, "text": viewer_link(board)}
    text = "% PBN 2.1\n% EXPORT\n\n" + board_text(board) if form == "pbn" else lin_text(board) + "\n"
    return {"form": form, "name": f"board-{board.number}.{form}", "text": text}


def _board(table: Table) -> Board:
    deal, setup, contract = table.deal, table.setup, table.contract
    play, leader, tricks = None, None, None
    if table.cards:
        plays = table.plays
        play, leader = record_rows(plays.history[0], plays.players[0])
        tricks = int(plays.won[0])
    names = {
        _NAMES[s]: "a person" if s in setup.people else spec_at(setup.north_south, setup.east_west, s)
        for s in range(len(SEATS))
    }
    notes = {len(key) - 1: shows.text for key, shows in table.notes.items() if shows.artificial}
    notes = {k: text for k, text in notes.items() if tuple(table.calls[: k + 1]) in table.notes}
    return Board(
        deal.owner, deal.dealer, deal.vulnerability, deal.number, tuple(table.calls), contract, tricks, play, leader,
        tags=names, notes=notes,
    )  # fmt: skip
