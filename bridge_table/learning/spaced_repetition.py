"""Repeat costly calls at intervals that grow with every right answer in a row."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_table.http.requests import RequestError
from bridge_table.learning.database import Database
from bridge_table.learning.drills import Drill
from bridge_table.learning.history import CALL
from bridge_table.learning.topics import title_of
from training.exam.positions import ALL, FULL, Position

DAYS = (1, 3, 7, 21, 60)  # until a mistake comes up again, after the first right answer in a row, the second, ...
_DUE = "FROM mistakes JOIN boards ON boards.id = board WHERE part = ? AND due <= ?"


def due(database: Database) -> dict[str, Any]:
    """Return how many calls are due, and the day of the next one if none is."""
    number = database.rows(f"SELECT count(*) AS number {_DUE}", CALL, database.today().isoformat())[0]["number"]
    coming = database.rows("SELECT min(due) AS day FROM mistakes WHERE part = ?", CALL)[0]["day"]
    return {"due": number, "next": None if number else coming}


def drill_of_due(database: Database, spec: str, most: int) -> Drill:
    """Return a drill of the calls that are due, the oldest first and of them the costliest.

    Args:
        spec: the bidder that the drill is named after; each auction is read by the bidders that made it.
        most: questions.

    Raises:
        RequestError: none is due.
    """
    rows = database.rows(
        f"SELECT mistakes.*, calls, dealer, vulnerability, north_south, east_west, at, boards.number AS board_number "
        f"{_DUE} ORDER BY due, cost DESC, mistakes.id LIMIT ?", CALL, database.today().isoformat(), most,
    )  # fmt: skip
    if not rows:
        coming = due(database)["next"]
        then = f"the next is due on {coming}" if coming else "a costly call comes here the day after its board"
        raise RequestError(f"No mistake of yours is due today; {then}.", 404)
    return Drill(
        spec, {row["kind"]: title_of(row["kind"]) for row in rows}, tuple(map(_position, rows)),
        mistakes=tuple(row["id"] for row in rows),
        readers=tuple((row["north_south"], row["east_west"]) for row in rows),
    )  # fmt: skip


def reschedule(database: Database, mistake: int, right: bool) -> str:
    """Return the next day of a mistake after an answer; of a mistake that is not due it stays."""
    today = database.today()
    with database.writing() as file:
        rights, day = file.execute("SELECT rights, due FROM mistakes WHERE id = ?", (mistake,)).fetchone()
        if day > today.isoformat():
            return str(day)
        rights = rights + 1 if right else 0
        day = (today + timedelta(days=DAYS[min(rights, len(DAYS)) - 1] if rights else 1)).isoformat()
        file.execute("UPDATE mistakes SET rights = ?, due = ? WHERE id = ?", (rights, day, mistake))
    return day


def _position(row: dict[str, Any]) -> Position:
    """Return the question of a mistake: every call that was as good counts, that of the side's bidder first."""
    accepted = row["accepted"].split()
    first = row["usual"] if row["usual"] in accepted else row["better"]
    words = [first, *(word for word in accepted if word != first)]
    reason = (
        f"your {row['made']} lost {row['cost']} IMPs on this deal (board {row['board_number']}, "
        f"{row['at'][:10]}); your side's bidder called {row['usual']}"
    )
    auction = tuple(parse_call(word) for word in row["calls"].split()[: row["number"]])
    return Position(
        row["kind"], ALL, VULNERABILITIES.index(row["vulnerability"]), SEATS.index(row["dealer"]), auction, row["hand"],
        tuple((parse_call(word), FULL) for word in words), reason, f"board {row['board']}",
    )  # fmt: skip
