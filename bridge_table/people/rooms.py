"""Tables for several people: the keys of their seats, their presence, and what each of them may see."""

from __future__ import annotations

import asyncio
import secrets
import time
import unicodedata
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agents.registry import spec_at
from bridge_env.display.text import SEAT_NAMES
from bridge_env.rules.cards import SEATS
from bridge_table.board.dealing import Deal, random_deal
from bridge_table.board.review import review
from bridge_table.board.table import BID, BIDDING, OVER, PLAYING, Setup, Table
from bridge_table.board.views import mean_error, state
from bridge_table.http.fields import RequestError

PLAY, PRACTICE, CHALLENGE = "play", "practice", "challenge"
ABSENT = 15.0  # seconds without a request of a browser, after which a bidder goes on in its seat
_MAX_ROOMS, _MAX_BOARDS = 32, 1000
_NEWS = 3  # sentences about people who came and left
_MARKS = " .-'"


def fresh_key() -> str:
    """Return a random key."""
    return secrets.token_urlsafe(18)


def check_name(name: str) -> str:
    """Return a person's name in its normal form; it may be empty.

    Raises:
        RequestError: it holds other things than letters, digits and a few marks.
    """
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if len(name) > 24 or any(c not in _MARKS and unicodedata.category(c)[0] not in "LMN" for c in name):
        raise RequestError("A name has at most 24 letters, digits, spaces, dots, hyphens and apostrophes.")
    return name


@dataclass(eq=False)
class SeatInvite:
    """A seat, and the key by which a person takes it."""

    rooms: Rooms
    room: Room
    seat: int
    host: bool = False  # whether it may invite others
    name: str = ""
    seen: float | None = None  # when its browser last sent a request; None: never
    key: str = field(default_factory=fresh_key)

    @property
    def label(self) -> str:
        return self.name or "A guest"

    def view(self) -> dict[str, Any]:
        """Return all that the person may know."""
        return self.room.view(self)

    def changed_view(self) -> dict[str, Any]:
        """Return what the person may know after a change, which all at the table are to see."""
        self.room.notify()
        return self.view()


@dataclass(eq=False)
class Room:
    """One table with its people, board after board."""

    kind: str  # play; practice (two partners bid, and nobody plays); challenge (one person bids a number of boards)
    setup: Setup  # of every board, without its people: these come and go
    deal: Callable[[int], Deal]  # returns a board by its number, from 1
    clock: Callable[[], float] = time.monotonic
    boards: int = _MAX_BOARDS  # how many there are
    company: list[Room] | None = None  # rooms that change when a board is over here; None: this one alone
    more: Callable[[Room], dict[str, Any]] = lambda room: {}  # further fields of a seat's view
    invites: dict[int, SeatInvite] = field(default_factory=dict)
    results: dict[int, dict[str, Any]] = field(default_factory=dict)  # of the boards that are over, by number
    news: deque[str] = field(default_factory=lambda: deque(maxlen=_NEWS))
    version: int = 0
    woken: bool = False  # whether bidders and players may have something to do
    driver: asyncio.Task[None] | None = None  # lets them go on

    def __post_init__(self) -> None:
        self._present: set[int] = set()
        self._begin(1)

    def _begin(self, number: int) -> None:
        self.number, self._stood = number, False  # whether a bidder has replaced somebody on this board
        self.table = Table(f"board {number}", replace(self.setup, people=()), self.deal(number))
        self.settle()

    def notify(self) -> None:
        """Let streams send the new state of this table, and where a board is over, of the other players' tables."""
        for room in self.company if self.company is not None and self.table.phase == OVER else [self]:
            room.version += 1

    def add_news(self, sentence: str) -> None:
        """Add to the news, once as long as nothing else comes."""
        if sentence not in list(self.news)[-1:]:
            self.news.append(sentence)

    # --- presence ---------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Notice people who have come and who have left: whose browser sends requests, or sends none any more."""
        now, before, table = self.clock(), self._present, self.table
        present = {s for s, invite in self.invites.items() if invite.seen is not None and now - invite.seen < ABSENT}
        self._present = present
        if present != before:
            self.notify()
        for seat in sorted(present ^ before):
            name = self.invites[seat].label
            left = f"{name} has left {SEAT_NAMES[seat]}; {self._bidder(seat)} goes on there until they come back."
            self.add_news(f"{name} sits {SEAT_NAMES[seat]}." if seat in present else left)
        if table.phase != OVER:
            table.setup = replace(table.setup, people=tuple(sorted(present | self._awaited())))

    def _awaited(self) -> set[int]:
        """Return the seats of partners who practise and have not come yet; no bidder goes on for them."""
        return {seat for seat, invite in self.invites.items() if invite.seen is None and self.kind == PRACTICE}

    def _bidder(self, seat: int) -> str:
        return spec_at(self.setup.north_south, self.setup.east_west, seat)

    # --- going on -----------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Do one thing that needs no person; return whether something has changed.

        Raises:
            BidderError: a bidder failed.
        """
        # Read before people are seated: nobody who comes during this step is replaced by it.
        joined = {seat for seat, invite in self.invites.items() if invite.seen is not None}
        self.settle()
        table = self.table
        if not self._present or self.number in self.results or table.chooser() is not None:
            return False
        if table.phase == OVER:
            self._look_back()
        elif table.phase == BID:
            (table.play if self.kind == PLAY else table.show)()
        else:
            self._stood = self._stood or table.turn() in joined
            table.step(len(table.calls) + len(table.cards))
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
            "counts": not self.uncounted,
        }  # fmt: skip

    @property
    def uncounted(self) -> bool:
        """Whether a bidder has stood in for somebody, or somebody has learned of hidden hands."""
        return self._stood or self.table.helped > 0

    def next(self, number: int) -> None:
        """Deal the board after ``number``.

        Raises:
            RequestError: that board is not over, or was the last.
        """
        if self.table_of(number).phase != OVER:
            raise RequestError("This board is not over.", 409)
        if number == self.boards:
            raise RequestError("This was the last board.", 409)
        if number not in self.results:
            self._look_back()
        self._begin(number + 1)

    def table_of(self, number: int) -> Table:
        """Return the table of a board.

        Raises:
            RequestError: it is another board's by now.
        """
        if number != self.number:
            raise RequestError("The table has moved on to another board.", 409)
        return self.table

    def pause(self) -> float:
        """Return the seconds in which people see the last call or card."""
        table = self.table
        return 0.3 if table.phase == BIDDING else 1.1 if table.phase == PLAYING and not len(table.cards) % 4 else 0.5

    # --- views --------------------------------------------------------------------------------------------

    def view(self, invite: SeatInvite) -> dict[str, Any]:
        """Return all that the person at one seat may know."""
        version = self.version  # read first: the view is at least as new
        self.settle()
        out, invites, awaited = state(self.table, invite.seat), self.invites.items(), self._awaited()
        out["people"] = [SEATS[invite.seat]]
        for seat, other in invites:
            if other is not invite:
                absent = "not here yet" if seat in awaited else self._bidder(seat)
                out["sits"][SEATS[seat]] = other.label if seat in self._present else absent
        values = [result["imps"] for result in self.results.values() if result["counts"]]
        out["room"] = {
            "version": version, "kind": self.kind, "board": self.number, "boards": self.boards,
            "host": invite.host, "name": invite.name,
            "held": [SEATS[seat] for seat, other in invites if other.seen is not None],
            "awaited": [SEATS[seat] for seat in awaited],
            "news": list(self.news), "uncounted": self.uncounted, "count": len(values),
            **mean_error(len(values), sum(values), sum(value * value for value in values)), **self.more(self),
        }  # fmt: skip
        if self.table.review is not None:
            out["review"] = self.table.review
        return out


class Rooms:
    """All tables for several people, and the keys that lead to them.

    Args:
        reach: a name by which other machines reach this one; empty: they cannot.
        clock: returns seconds.
    """

    def __init__(self, reach: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self.reach, self.clock = reach, clock
        self.keys: dict[str, Any] = {}  # SeatInvite or Challenge
        self._rooms: list[Room] = []

    def open(self, kind: str, setup: Setup, seats: tuple[int, ...], seed: int, name: str) -> SeatInvite:
        """Open a room, and return the host's seat, the first of ``seats``; the oldest of too many rooms is closed."""
        if len(self._rooms) >= _MAX_ROOMS:
            for other in self._rooms.pop(0).invites.values():
                self.keys.pop(other.key, None)
        room = Room(kind, setup, lambda number: random_deal(seed, number), self.clock)
        self._rooms.append(room)
        host, *_ = [self.invite(room, seat) for seat in seats]
        host.host, host.name = True, name
        return host

    def invite(self, room: Room, seat: int) -> SeatInvite:
        """Return a seat with a new key; its older key is no longer valid."""
        before = room.invites.get(seat)
        if before is not None:
            self.keys.pop(before.key, None)
        invite = room.invites[seat] = SeatInvite(self, room, seat)
        self.keys[invite.key] = invite
        return invite

    def check(self, invite: SeatInvite) -> None:
        """Refuse a key that was replaced."""
        if self.keys.get(invite.key) is not invite:
            raise RequestError("This link is no longer good; ask for a new one.", 403)
