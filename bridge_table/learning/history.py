"""Save reviewed boards, list and open them again, and repeat costly calls at growing intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np

from bridge_env.hands.deals import deal_text, hand_text, parse_deal
from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import CARD_NUMBERS, SEATS, VULNERABILITIES, card_text
from bridge_table.board.dealing import Deal
from bridge_table.board.table import Setup, Table
from bridge_table.board.views import mean_error
from bridge_table.http.requests import RequestError
from bridge_table.learning.database import Database
from bridge_table.learning.drills import Drill
from bridge_table.learning.topics import Decision, title_of, topic_of
from training.exam.positions import ALL, FULL, Position

CALL, CARD = "call", "card"
_SAME = 1  # IMPs that a call may gain less than the better one, and be as right
PAGE = 25  # boards
_SESSIONS = 100  # the newest first
_SUMS = "count(*) AS boards, coalesce(sum(imps), 0) AS total, coalesce(sum(imps * imps), 0) AS squares"
DAYS = (1, 3, 7, 21, 60)  # until a mistake comes up again, after the first right answer in a row, the second, ...
_DUE = "FROM mistakes JOIN boards ON boards.id = board WHERE part = ? AND due <= ?"


def save_review(database: Database, table: Table, review: dict[str, Any]) -> bool:
    """Save a reviewed board, its costly calls to be practised from the next day on; return whether it counts."""
    decisions = [*_calls(table, review), *_cards(table, review)]
    tomorrow = (database.today() + timedelta(days=1)).isoformat()
    mistakes = [
        {**mistake, "due": tomorrow if mistake["part"] == CALL else None}
        for _, mistake in decisions
        if mistake is not None
    ]
    return database.save(_board(table, review), Counter(kind for kind, _ in decisions), mistakes)


def _board(table: Table, review: dict[str, Any]) -> dict[str, object]:
    deal, setup = table.deal, table.setup
    result = review["played"] or review["contract"]
    return {
        "number": deal.number, "source": deal.source, "deal": deal_text(deal.owner), "dealer": SEATS[deal.dealer],
        "vulnerability": VULNERABILITIES[deal.vulnerability], "people": "".join(SEATS[s] for s in setup.people),
        "north_south": setup.north_south, "east_west": setup.east_west, "control": setup.control,
        "player": setup.player, "calls": " ".join(map(call_text, table.calls)),
        "cards": " ".join(map(card_text, table.cards)), "claimed": table.claimed, "contract": result["contract"],
        "tricks": result["took"], "score": result["points"], "result": result["text"], "other": review["other"]["text"],
        "imps": review["imps"], "helped": table.helped,
    }  # fmt: skip


def _calls(table: Table, review: dict[str, Any]) -> Iterator[tuple[str, dict[str, object] | None]]:
    """Yield the kind of each call of a person, and the row of its mistake if it was one."""
    for mine in review["calls"]:
        held = table.deal.owner == SEATS.index(mine["seat"])
        features = hand_features(held[None])[0]
        decision = Decision.of(table.calls[: mine["number"]], features, parse_call(mine["call"]))
        kind = topic_of(decision) or "other"
        gains = {option["call"]: option["imps"] for option in mine["options"]}
        accepted = [
            call for call, gain in gains.items() if call != mine["call"] and gains[mine["better"]] - gain <= _SAME
        ]
        yield kind, None if not mine["costly"] else {
            "part": CALL, "number": mine["number"], "kind": kind, "seat": mine["seat"], "hand": hand_text(held),
            "made": mine["call"], "better": mine["better"], "accepted": " ".join(accepted), "usual": mine["usual"],
            "cost": mine["lost"],
        }  # fmt: skip


def _cards(table: Table, review: dict[str, Any]) -> Iterator[tuple[str, dict[str, object] | None]]:
    """Yield the kind of each card that a person chose among several, and the row of its mistake if it was one."""
    declarer, people = table.contract.declarer, table.setup.people
    for number, card in enumerate(review["cards"]):
        seat = SEATS.index(card["seat"])
        declares = (seat ^ declarer) & 1 == 0
        chosen = bool({declarer, declarer ^ 2} & set(people)) if declares else seat in people
        if not chosen or card["choices"] < 2:
            continue
        kind = "declarer" if declares else "defence" if number else "lead"
        held = (table.deal.owner == seat) & ~np.isin(np.arange(52), table.cards[:number])
        yield kind, None if not card["cost"] else {
            "part": CARD, "number": number, "kind": kind, "seat": card["seat"], "hand": hand_text(held),
            "made": card["card"], "better": card["best"][0], "accepted": " ".join(card["best"]), "usual": "",
            "cost": card["imps"],
        }  # fmt: skip


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
    """Return a ``page`` of boards, from 0, the newest first, of a ``bidder`` or any, with ``costly`` decisions or all;
    and the figures of all pages.
    """
    chosen = "FROM boards WHERE ? IN ('', north_south, east_west) AND (NOT ? OR id IN (SELECT board FROM mistakes))"
    rows = database.rows(
        f"SELECT id, at, number, dealer, vulnerability, people, result, other, imps, helped {chosen} "
        "ORDER BY id DESC LIMIT ? OFFSET ?", bidder, costly, PAGE, page * PAGE,
    )  # fmt: skip
    figures = _figures(database.rows(f"SELECT {_SUMS} {chosen}", bidder, costly)[0])
    return {"page": page, "pages": max(-(-figures["boards"] // PAGE), 1), "boards": rows, "figures": figures}


def saved_board(database: Database, number: int) -> dict[str, Any]:
    """Return the row of a board by its number; raise ``RequestError`` where there is none."""
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


def due(database: Database) -> dict[str, Any]:
    """Return how many calls are due, and the day of the next one if none is."""
    number = database.rows(f"SELECT count(*) AS number {_DUE}", CALL, database.today().isoformat())[0]["number"]
    coming = database.rows("SELECT min(due) AS day FROM mistakes WHERE part = ?", CALL)[0]["day"]
    return {"due": number, "next": None if number else coming}


def drill_of_due(database: Database, spec: str, most: int) -> Drill:
    """Return a drill, named after ``spec``, of at most ``most`` due calls, the oldest and costliest first, each auction
    read by its own bidders; raise ``RequestError`` where none is due.
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
