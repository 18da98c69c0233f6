"""Summarize the saved boards: sessions, pages of boards, decisions by kind; and open a board again."""

from __future__ import annotations

from typing import Any

from bridge_env.hands.deals import parse_deal
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import CARD_NUMBERS, SEATS, VULNERABILITIES
from bridge_table.board.dealing import Deal
from bridge_table.board.table import Setup
from bridge_table.board.views import mean_error
from bridge_table.http.fields import RequestError
from bridge_table.learning.database import Database
from bridge_table.learning.topics import title_of

PAGE = 25  # boards
_SESSIONS = 100  # the newest first
_SUMS = "count(*) AS boards, coalesce(sum(imps), 0) AS total, coalesce(sum(imps * imps), 0) AS squares"


def overview(database: Database) -> dict[str, Any]:
    """Return the figures of each session and of each kind of decision, and the bidders of the boards."""
    sessions = database.rows(
        f"SELECT sessions.id, sessions.began, {_SUMS}, sum(helped > 0) AS helped FROM boards JOIN sessions "
        "ON sessions.id = session GROUP BY session ORDER BY session DESC LIMIT ?", _SESSIONS,
    )  # fmt: skip
    specs = database.rows("SELECT north_south AS spec FROM boards UNION SELECT east_west FROM boards ORDER BY spec")
    return {
        "saved": database.path is not None,
        "sessions": [{**_figures(row), "current": row["id"] == database.session} for row in sessions],
        "kinds": _kinds(database),
        "bidders": [row["spec"] for row in specs],
    }


def current_session(database: Database) -> dict[str, Any]:
    """Return the figures of the boards of this session."""
    query = f"SELECT {_SUMS}, coalesce(sum(helped > 0), 0) AS helped FROM boards WHERE session = ?"
    return _figures(database.rows(query, database.session)[0])


def _figures(row: dict[str, Any]) -> dict[str, Any]:
    squares = row.pop("squares")
    return {**row, **mean_error(row["boards"], row["total"], squares)}


def _kinds(database: Database) -> list[dict[str, Any]]:
    """Return the kinds of decisions, those that lost the most IMPs first."""
    rows = database.rows(
        "SELECT kind, made, coalesce(costly, 0) AS costly, coalesce(lost, 0) AS lost "
        "FROM (SELECT kind, sum(made) AS made FROM decisions GROUP BY kind) "
        "LEFT JOIN (SELECT kind, count(*) AS costly, sum(cost) AS lost FROM mistakes GROUP BY kind) USING (kind) "
        "ORDER BY lost DESC, made DESC, kind"
    )
    return [{**row, "title": title_of(row["kind"])} for row in rows]


def boards(database: Database, page: int, bidder: str = "", costly: bool = False) -> dict[str, Any]:
    """Return a page of boards, the newest first, and the figures of the boards on all pages.

    Args:
        page: from 0.
        bidder: the spec of a side; empty: any.
        costly: only boards with a costly decision.
    """
    chosen = "FROM boards WHERE ? IN ('', north_south, east_west) AND (NOT ? OR id IN (SELECT board FROM mistakes))"
    rows = database.rows(
        f"SELECT id, at, number, dealer, vulnerability, people, result, other, imps, helped {chosen} "
        "ORDER BY id DESC LIMIT ? OFFSET ?", bidder, costly, PAGE, page * PAGE,
    )  # fmt: skip
    figures = _figures(database.rows(f"SELECT {_SUMS} {chosen}", bidder, costly)[0])
    return {"page": page, "pages": max(-(-figures["boards"] // PAGE), 1), "boards": rows, "figures": figures}


def saved_board(database: Database, number: int) -> dict[str, Any]:
    """Return the row of a board by its number.

    Raises:
        RequestError: there is none.
    """
    found = database.rows("SELECT * FROM boards WHERE id = ?", number)
    if not found:
        raise RequestError(f"There is no saved board {number}.", 404)
    return found[0]


def table_of(board: dict[str, Any]) -> tuple[Setup, Deal, list[int], list[int]]:
    """Return the setup and the deal of a saved board, its calls and its cards."""
    deal = Deal(
        parse_deal(board["deal"]), SEATS.index(board["dealer"]), VULNERABILITIES.index(board["vulnerability"]),
        board["number"], board["source"],
    )  # fmt: skip
    people = tuple(SEATS.index(seat) for seat in board["people"])
    setup = Setup(people, board["north_south"], board["east_west"], board["control"], board["player"])
    cards = [CARD_NUMBERS[word] for word in board["cards"].split()]
    return setup, deal, [parse_call(word) for word in board["calls"].split()], cards
