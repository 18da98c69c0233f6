"""Write boards as PBN, LIN or a link to Bridge Base Online's hand viewer."""

from __future__ import annotations

from typing import Any, Literal

from agents.registry import spec_at
from bridge_env.display.text import SEAT_NAMES
from bridge_env.records.board import Board
from bridge_env.records.lin import lin_text
from bridge_env.records.links import viewer_link
from bridge_env.records.pbn import board_text
from bridge_env.rules.cards import SEATS
from bridge_table.board.table import OVER, Table
from bridge_table.board.views import draw_notes
from bridge_table.http.fields import RequestError

Format = Literal["pbn", "lin", "link"]


def export(table: Table, form: Format) -> dict[str, Any]:
    """Return a table's board with its auction and play and what the calls showed.

    Raises:
        RequestError: the board is not over: a record holds all four hands.
    """
    if table.phase != OVER:
        raise RequestError("A board can be taken along when it is over: its record holds all four hands.", 409)
    return board_file(_board(table), form)


def board_file(board: Board, form: Format) -> dict[str, Any]:
    """Return the text of a board, and the name of its file if it is one."""
    if form == "link":
        return {"text": viewer_link(board)}
    text = "% PBN 2.1\n% EXPORT\n\n" + board_text(board) if form == "pbn" else lin_text(board) + "\n"
    return {"name": f"board-{board.number}.{form}", "text": text}


def _board(table: Table) -> Board:
    deal, setup = table.deal, table.setup
    play, tricks = None, None
    if table.cards:
        plays = table.plays
        play, tricks = plays.cards(0), int(plays.won[0])
    names = {
        SEAT_NAMES[s]: "a person" if s in setup.people else spec_at(setup.north_south, setup.east_west, s)
        for s in range(len(SEATS))
    }
    calls = tuple(table.calls)
    draw_notes(table)
    notes = {
        len(key) - 1: shows.text for key, shows in table.notes.items() if shows.artificial and key == calls[: len(key)]
    }
    return Board(
        deal.owner, deal.dealer, deal.vulnerability, deal.number, calls, table.contract, tricks, play,
        tags=names, notes=notes,
    )  # fmt: skip
