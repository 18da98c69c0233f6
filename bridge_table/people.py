"""Tables for several people, and challenges: the keys, who is present, and what each person may see."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agents.registry import spec_at
from bridge_env.display.text import SEAT_NAMES
from bridge_env.rules.cards import SEATS
from bridge_env.rules.scoring import matchpoint_percent
from bridge_table.board.dealing import Source
from bridge_table.board.review import review
from bridge_table.board.table import BID, BIDDING, OVER, PLAYING, Setup, Table
from bridge_table.board.views import mean_error, state
from bridge_table.http.requests import RequestError

MAX_PLAYERS = 16  # of a challenge
_SEAT = 2  # theirs: South
PLAY, PRACTICE, CHALLENGE = "play", "practice", "challenge"
ABSENT = 15.0  # seconds without a request of a browser, after which a bidder goes on in its seat
WAIT = 120.0  # seconds that a table waits for a person to open a link; partners who practise are always waited for


def fresh_key() -> str:
    """Return a random key."""
    return secrets.token_urlsafe(18)


def check_name(name: str) -> str:
    """Return a person's name without needless spaces; raise ``RequestError`` where it is too long, or cannot be
    printed.
    """
    name = " ".join(name.split())
    if len(name) > 24 or not name.isprintable():
        raise RequestError("A name has at most 24 letters.")
    return name


@dataclass(eq=False)
class SeatInvite:
    """A seat, and the key by which a person takes it."""

    room: Room
    seat: int
    host: bool = False  # whether it may invite others
    name: str = ""
    seen: float | None = None  # when its browser last sent a request; None: never
    made: float = 0.0  # when it was invited
    key: str = field(default_factory=fresh_key)

    @property
    def label(self) -> str:
        return self.name or "A guest"

    def changed_view(self) -> dict[str, Any]:
        """Return what the person may know after a change, which all at the table are to see."""
        self.room.notify()
        return self.room.view(self)


@dataclass(eq=False)
class Room:
    """One table with its people, board after board."""

    rooms: Rooms
    kind: str  # play; practice (two partners bid, and nobody plays); challenge (one person bids a number of boards)
    setup: Setup  # of every board, without its people: these come and go
    source: Source  # of the boards
    challenge: Challenge | None = None
    swapped: bool = False  # whether partners have changed seats in the scenario
    invites: dict[int, SeatInvite] = field(default_factory=dict)
    results: dict[int, dict[str, Any]] = field(default_factory=dict)  # of the boards that are over, by number
    news: str = ""  # the latest sentence about people who came and left
    version: int = 0
    driver: asyncio.Task[None] | None = None  # lets them go on

    def __post_init__(self) -> None:
        self._present: set[int] = set()
        self._begin(1)

    def _begin(self, number: int) -> None:
        deal = self.source.deal(number, self.swapped)
        table = Table(f"board {number}", replace(self.setup, people=()), deal)
        table.begin_with(self.source.calls)
        self.number, self.table = number, table
        self.settle()

    def notify(self) -> None:
        """Let pages request the new state of this table, and where a board is over, of the other players' tables."""
        for room in self.challenge.players.values() if self.challenge and self.table.phase == OVER else [self]:
            room.version += 1

    def settle(self) -> None:
        """Notice people who have come and who have left: whose browser sends requests, or sends none any more."""
        now, before, table = self.rooms.clock(), self._present, self.table
        present = {s for s, invite in self.invites.items() if invite.seen is not None and now - invite.seen < ABSENT}
        self._present = present
        if present != before:
            self.notify()
        for seat in sorted(present ^ before):
            name = self.invites[seat].label
            left = f"{name} has left {SEAT_NAMES[seat]}; {self._bidder(seat)} goes on there until they come back."
            self.news = f"{name} sits {SEAT_NAMES[seat]}." if seat in present else left
        if table.phase != OVER:
            table.setup = replace(table.setup, people=tuple(sorted(present | self._awaited())))

    def _awaited(self) -> set[int]:
        """Return the seats of invited people who have not come yet; no bidder goes on for them."""
        since = self.rooms.clock() - WAIT
        return {
            seat for seat, invite in self.invites.items()
            if invite.seen is None and (self.kind == PRACTICE or invite.made > since)
        }  # fmt: skip

    def wait_for_guests(self) -> None:
        """Begin the first board again for a new guest, where no person has called yet."""
        table = self.table
        begun = len(self.source.calls)
        people = [k for k in range(begun, len(table.calls)) if (table.deal.dealer + k) & 3 in table.setup.people]
        if self.number == 1 and table.phase == BIDDING and not people:
            del table.calls[begun:]
            self.notify()

    def _bidder(self, seat: int) -> str:
        return spec_at(*self.setup.specs, seat)

    def step(self) -> bool:
        """Do one thing that needs no person; return whether something has changed. Raise ``BidderError`` where a bidder
        failed.
        """
        self.settle()
        table = self.table
        if not self._present or self.number in self.results or table.chooser() is not None:
            return False
        if table.phase == OVER:
            self._look_back()
        elif table.phase == BID:
            (table.play if self.kind == PLAY else table.show)()
        else:
            table.step(table.at)
        self.notify()
        return True

    def _look_back(self) -> None:
        """Review a board that is over, and store its result."""
        table = self.table
        people = tuple(sorted(seat for seat, invite in self.invites.items() if invite.seen is not None))
        table.setup = replace(table.setup, people=people)
        found = review(table)
        result, other = found["played"] or found["contract"], found["other"]
        self.results[self.number] = {
            "text": result["text"], "points": result["points"], "other": other["text"], "imps": found["imps"],
            "par": {name: found["par"][name] for name in ("points", "contracts")}, "over_par": found["par"]["imps"],
        }  # fmt: skip

    def leads(self, invite: SeatInvite) -> bool:
        """Return whether a person deals the next board: the host does, and where the host has left, anybody."""
        hosts = {seat for seat, other in self.invites.items() if other.host}
        return invite.host or not hosts & self._present

    def next(self, number: int, invite: SeatInvite, swap: bool = False) -> None:
        """Deal the board after ``number`` for a person; with ``swap`` partners change seats in the scenario. Raise
        ``RequestError`` where it is not over, was the last, or the host is to deal.
        """
        self.table_of(number)
        if not self.leads(invite):
            raise RequestError("The host deals the next board.", 409)
        if number not in self.results:
            raise RequestError("This board is not over.", 409)
        if self.challenge and number == self.challenge.boards:
            raise RequestError("This was the last board.", 409)
        self.swapped ^= swap
        self._begin(number + 1)

    def table_of(self, number: int) -> Table:
        """Return the table of a board; raise ``RequestError`` where it is another board's by now."""
        if number != self.number:
            raise RequestError("The table has moved on to another board.", 409)
        return self.table

    def pause(self) -> float:
        """Return the seconds in which people see the last call or card."""
        table = self.table
        return 0.3 if table.phase == BIDDING else 1.1 if table.phase == PLAYING and not len(table.cards) % 4 else 0.5

    def view(self, invite: SeatInvite, draw: bool = False) -> dict[str, Any]:
        """Return all that the person at one seat may know; ``draw`` as in ``state``."""
        version = self.version  # read first: the view is at least as new
        self.settle()
        out, invites, awaited = state(self.table, invite.seat, draw), self.invites.items(), self._awaited()
        out["people"] = [SEATS[invite.seat]]
        for seat, other in invites:
            if other is not invite:
                absent = "not here yet" if seat in awaited else self._bidder(seat)
                out["sits"][SEATS[seat]] = other.label if seat in self._present else absent
        values = [result["imps"] for result in self.results.values()]
        out["room"] = {
            "version": version, "kind": self.kind, "board": self.number,
            "boards": self.challenge.boards if self.challenge else None, "scenario": self.source.scenario is not None,
            "host": invite.host, "leads": self.leads(invite), "name": invite.name,
            "held": [SEATS[seat] for seat, other in invites if other.seen is not None],
            "awaited": [SEATS[seat] for seat in awaited],
            "news": self.news, "count": len(values),
            **mean_error(len(values), sum(values), sum(value * value for value in values)),
            **(self.challenge.results(self) if self.challenge else {}),
        }  # fmt: skip
        if self.table.review is not None:
            out["review"] = self.table.review
        return out


@dataclass(eq=False)
class Challenge:
    """Some boards, and the people who bid them."""

    rooms: Rooms
    setup: Setup  # of every player's table
    source: Source
    boards: int
    players: dict[str, Room] = field(default_factory=dict)  # their rooms, by name, in the order in which they came
    key: str = field(default_factory=fresh_key)

    def join(self, name: str) -> SeatInvite:
        """Seat one more player; raise ``RequestError`` where the name is missing or taken, or there are too many
        players.
        """
        name = check_name(name)
        if not name:
            raise RequestError("Enter a name for the results.")
        if name.casefold() in map(str.casefold, self.players):
            raise RequestError("Somebody has that name already; take another.", 409)
        if len(self.players) >= MAX_PLAYERS:
            raise RequestError(f"There are {MAX_PLAYERS} players already, and no more are taken.", 409)
        room = self.players[name] = Room(self.rooms, CHALLENGE, self.setup, self.source, self)
        invite = self.rooms.invite(room, _SEAT)
        invite.name = name
        return invite

    def view(self) -> dict[str, Any]:
        """Return what a person sees before joining."""
        return {"boards": self.boards, "players": len(self.players), "control": self.setup.control}

    def results(self, room: Room) -> dict[str, Any]:
        """Return the results of the boards that ``room`` has finished, and of no others."""
        boards = []
        for number in sorted(room.results):
            met = {name: player.results[number] for name, player in self.players.items() if number in player.results}
            percent = matchpoint_percent([[result["points"] for result in met.values()]])[0]
            rows = [
                {"name": name, "text": result["text"], "points": result["points"], "imps": result["imps"],
                 "over_par": result["over_par"], "percent": round(float(share)), "you": self.players[name] is room}
                for (name, result), share in zip(met.items(), percent, strict=True)
            ]  # fmt: skip
            mine = room.results[number]
            boards.append({"number": number, "other": mine["other"], "par": mine["par"], "rows": rows})
        players = []
        for name, player in self.players.items():
            own = [row for board in boards for row in board["rows"] if row["name"] == name]
            if own:
                players.append({
                    "name": name, "boards": len(own), "imps": sum(row["imps"] for row in own),
                    "over_par": sum(row["over_par"] for row in own), "you": player is room,
                    "percent": round(sum(row["percent"] for row in own) / len(own)),
                })  # fmt: skip
        return {"results": boards, "players": sorted(players, key=lambda row: -row["percent"])}


class Rooms:
    """All tables for several people, and the keys that lead to them; ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.keys: dict[str, Any] = {}  # SeatInvite or Challenge

    def invite(self, room: Room, seat: int) -> SeatInvite:
        """Return a seat with a new key; its older key is no longer valid."""
        before = room.invites.get(seat)
        if before is not None:
            self.keys.pop(before.key, None)
        invite = room.invites[seat] = SeatInvite(room, seat, made=self.clock())
        self.keys[invite.key] = invite
        room.wait_for_guests()
        return invite
