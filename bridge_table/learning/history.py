"""Tell what the memory holds: boards, sessions, and how decisions of each kind went; and lay a board out again."""

from __future__ import annotations

from typing import Any

from bridge_env.calls import parse_call
from bridge_env.cards import CARD_NUMBERS, SEATS, VULNERABILITIES, parse_deal
from bridge_table.board.dealing import Deal
from bridge_table.board.table import Setup
from bridge_table.board.views import mean_error
from bridge_table.http.asked import Refused
from bridge_table.learning.keeping import KINDS
from bridge_table.learning.memory import Memory

PAGE = 25  # boards
_SESSIONS = 100  # that are told, the newest first


def overview(memory: Memory) -> dict[str, Any]:
    """All boards together, each session, and each kind of decision.

    Raises:
        MemoryFault: the memory cannot be read.
    """
    sums = "count(*) AS boards, coalesce(sum(imps), 0) AS total, coalesce(sum(imps * imps), 0) AS squares"
    sessions = memory.rows(
        f"SELECT sessions.id, sessions.began, {sums}, sum(helped > 0) AS helped FROM boards JOIN sessions "
        "ON sessions.id = session GROUP BY session ORDER BY session DESC LIMIT ?", _SESSIONS,
    )  # fmt: skip
    return {
        "kept": memory.path is not None,
        "all": _figures(memory.rows(f"SELECT {sums} FROM boards")[0]),
        "sessions": [{**_figures(row), "current": row["id"] == memory.session} for row in sessions],
        "kinds": _kinds(memory),
    }


def _figures(row: dict[str, Any]) -> dict[str, Any]:
    squares = row.pop("squares")
    return {**row, **mean_error(row["boards"], row["total"], squares)}


def _kinds(memory: Memory) -> list[dict[str, Any]]:
    """Kinds of decisions, those that lost the most IMPs first."""
    rows = memory.rows(
        "SELECT kind, made, coalesce(costly, 0) AS costly, coalesce(lost, 0) AS lost "
        "FROM (SELECT kind, sum(made) AS made FROM decisions GROUP BY kind) "
        "LEFT JOIN (SELECT kind, count(*) AS costly, sum(cost) AS lost FROM mistakes GROUP BY kind) USING (kind) "
        "ORDER BY lost DESC, made DESC, kind"
    )
    return [{**row, "title": KINDS.get(row["kind"], row["kind"])} for row in rows]


def boards(memory: Memory, page: int) -> dict[str, Any]:
    """A page of boards, the newest first.

    Args:
        page: from 0.

    Raises:
        MemoryFault: the memory cannot be read.
    """
    rows = memory.rows(
        "SELECT id, at, number, dealer, vulnerability, people, result, other, imps, helped FROM boards "
        "ORDER BY id DESC LIMIT ? OFFSET ?", PAGE, page * PAGE,
    )  # fmt: skip
    number = memory.rows("SELECT count(*) AS number FROM boards")[0]["number"]
    return {"page": page, "pages": max(-(-number // PAGE), 1), "boards": rows}


def kept_board(memory: Memory, number: int) -> dict[str, Any]:
    """A board by its number in the memory, as it was kept.

    Raises:
        Refused: there is none.
        MemoryFault: the memory cannot be read.
    """
    found = memory.rows("SELECT * FROM boards WHERE id = ?", number)
    if not found:
        raise Refused(f"The memory holds no board {number}.", 404)
    return found[0]


def laid(board: dict[str, Any]) -> tuple[Setup, Deal, list[int], list[int]]:
    """What sets up the table of a kept board, its calls and its cards."""
    deal = Deal(
        parse_deal(board["deal"]), SEATS.index(board["dealer"]), VULNERABILITIES.index(board["vulnerability"]),
        board["number"], board["source"],
    )  # fmt: skip
    people = tuple(SEATS.index(seat) for seat in board["people"])
    setup = Setup(people, board["north_south"], board["east_west"], board["control"], board["player"])
    cards = [CARD_NUMBERS[word] for word in board["cards"].split()]
    return setup, deal, [parse_call(word) for word in board["calls"].split()], cards
