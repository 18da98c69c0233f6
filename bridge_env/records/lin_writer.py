"""Write LIN.

LIN has no place for a contract without its auction, for play without a finished auction, for a room without a board's
number, for double-dummy tables, for other tags and for sections: these are not written, and ``lin_losses`` names them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

from bridge_env.hands.deals import suit_ranks
from bridge_env.records.board import Board
from bridge_env.records.derive import passes_missing
from bridge_env.records.lin import LIN_SEATS, MATCH, PLAYERS, read_lin
from bridge_env.records.lin_boards import ROOMS
from bridge_env.records.text import Target, write_text
from bridge_env.rules.calls import DOUBLE, PASS, REDOUBLE, call_text
from bridge_env.rules.cards import SEATS, SUITS, UInt8Array, card_text


def write_lin(target: Target, boards: Iterable[Board]) -> None:
    """Write boards, one a line. ``read_lin`` returns the same boards, except for what LIN cannot hold.

    Args:
        target: a path (gzipped if it ends in ``.gz``; the text is UTF-8), or a text stream.
        boards: any boards.
    """
    event, lines = False, []
    for board in boards:
        line = lin_text(board)
        ends = event and not line.startswith("vg|")  # an event holds for all boards that follow
        lines.append(f"vg||{line}\n" if ends else f"{line}\n")
        event = line.startswith("vg|")
    write_text(target, "".join(lines))


def lin_text(board: Board) -> str:
    """Return one board as one line. Bars in texts, and commas in names, become blanks."""
    room = {name: key for key, name in ROOMS.items()}.get(board.tags.get("Room", ""))
    values = []
    event, stage, home, visitors = (_without(board.tags.get(name, ""), "|,") for name in MATCH)
    teams = f",,,{home},,{visitors}," if home or visitors else ""
    if match := f"{event},{stage},{teams}".rstrip(","):
        values.append(("vg", match))
    if room and board.number is not None:
        values.append(("qx", f"{room}{board.number}"))
    values.append(("pn", ",".join(_without(board.tags.get(seat, ""), "|,") for seat in PLAYERS)))
    hands = ",".join(_hand_text(board.owner, SEATS.index(seat)) for seat in LIN_SEATS)
    values += [("st", ""), ("md", f"{LIN_SEATS.index(SEATS[board.dealer]) + 1}{hands}")]
    if title := _without(board.tags.get("Board", ""), "|") if board.number is None else f"Board {board.number}":
        values += [("rh", ""), ("ah", title)]
    values.append(("sv", "oneb"[board.vulnerability]))
    for index, call in enumerate(board.auction or ()):
        word = {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}.get(call) or call_text(call)[:2]
        values.append(("mb", word + "!" * (index in board.notes)))
        if text := _without(board.notes.get(index, ""), "|"):
            values.append(("an", text))
    values.append(("pg", ""))
    if board.auction and not passes_missing(board.auction):
        values += [("pc", card_text(card)) for card in board.play or ()]
    if board.tricks is not None:
        values.append(("mc", str(board.tricks)))
    return "".join(f"{key}|{value}|" for key, value in values)


def lin_losses(board: Board) -> list[str]:
    """Return the names of what ``lin_text`` leaves out or changes: tags, and fields of ``Board``."""
    again = read_lin(io.StringIO(lin_text(board)))
    read = (again.boards or again.partial)[0]
    tags = [tag for tag, value in board.tags.items() if read.tags.get(tag) != value]
    names = ("number", "auction", "contract", "tricks", "play", "notes")
    fields = [name for name in names if getattr(read, name) != getattr(board, name)]
    return sorted(tags) + sorted(board.sections) + fields + ["table"] * (board.table is not None)


def _hand_text(owner: UInt8Array, seat: int) -> str:
    """Return ``"SAKQ2HT98DJ7CA543"``."""
    return "".join(map("".join, zip(SUITS[::-1], suit_ranks(owner == seat), strict=True)))


def _without(text: str, signs: str) -> str:
    return " ".join(re.sub(f"[{signs}]", " ", text).split())
