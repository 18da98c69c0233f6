"""Tables for several people: who holds which seat by which key, who is there, and what each of them may be told."""

from __future__ import annotations

import asyncio
import secrets
import time
import unicodedata
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agents.seats import spec_at
from bridge_env.cards import SEATS
from bridge_env.render import SEAT_NAMES
from bridge_table.board.dealing import Deal, random_deal
from bridge_table.board.review import review
from bridge_table.board.table import BID, BIDDING, OVER, PLAYING, Setup, Table
from bridge_table.board.views import every_call, mean_error, state
from bridge_table.http.asked import Refused
from bridge_table.http.guard import Bucket, Holder

PLAY, PRACTICE, CHALLENGE = "play", "practice", "challenge"
GONE = 15.0  # seconds without a word from a browser, after which a bidder goes on in its seat
MOST_ROOMS, MOST_BOARDS = 8, 1000
_RATE, _BURST = 10.0, 80  # requests of one key; its page with all that it loads are forty
_NEWS = 3  # of who came and who left, as many as are told
_MARKS = " .-'"


def fresh_key() -> str:
    """A key that nobody guesses."""
    return secrets.token_urlsafe(18)


def fresh_bucket(people: int = 1) -> Bucket:
    """How often those who hold one key may ask."""
    return Bucket(people * _RATE, people * _BURST)


def checked_name(name: str) -> str:
    """A name that a person may have here; none is allowed.

    Raises:
        Refused: it holds other things than letters, digits and a few marks.
    """
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if len(name) > 24 or any(c not in _MARKS and unicodedata.category(c)[0] not in "LMN" for c in name):
        raise Refused("A name has at most 24 letters, digits, spaces, dots, hyphens and apostrophes.")
    return name


@dataclass(eq=False)
class Place:
    """A seat that whoever has its key may take."""

    room: Room
    seat: int
    host: bool = False  # may it invite others?
    name: str = ""
    seen: float | None = None  # when its browser was last heard of; None: never
    streams: int = 0  # that are open for it
    asking: int = 0  # requests of it that think or wait to think
    key: str = field(default_factory=fresh_key)
    bucket: Bucket = field(default_factory=fresh_bucket)

    @property
    def who(self) -> str:
        return self.name or "A guest"


@dataclass(eq=False)
class Room:
    """One table with its people, board after board."""

    kind: str  # play; practice (two partners bid, and nobody plays); challenge (one person bids a number of boards)
    setup: Setup  # of every board, but for its people: these come and go
    deal: Callable[[int], Deal]  # gives a board by its number, from 1
    clock: Callable[[], float] = time.monotonic
    boards: int = MOST_BOARDS  # how many there are
    company: list[Room] | None = None  # rooms that are told when a board is over here; None: this one alone
    more: Callable[[Room], dict[str, Any]] = lambda room: {}  # what else a seat is told
    places: dict[int, Place] = field(default_factory=dict)
    results: dict[int, dict[str, Any]] = field(default_factory=dict)  # of the boards that are over, by number
    news: deque[str] = field(default_factory=lambda: deque(maxlen=_NEWS))
    version: int = 0
    bell: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._there: set[int] = set()
        self._untold = False  # has somebody come or left since the last step?
        self._begin(1)

    def _begin(self, number: int) -> None:
        self.number, self._stood, self._reviewed = number, False, False
        self._meant: tuple[int, dict[str, Any]] | None = None
        self.table = Table(f"board {number}", replace(self.setup, people=()), self.deal(number))
        self.settle()

    def ring(self) -> None:
        """Tell who listens here that something has changed, and the company of results. In the event loop only."""
        for room in self.company if self.company is not None and self.table.phase == OVER else [self]:
            room.version += 1
            room.bell.set()
            room.bell = asyncio.Event()

    def tell(self, sentence: str) -> None:
        """Add to the news, once as long as nothing else comes."""
        if sentence not in list(self.news)[-1:]:
            self.news.append(sentence)

    # --- who is there -------------------------------------------------------------------------------------

    def there(self) -> set[int]:
        """Seats whose browser was heard of a short while ago."""
        now = self.clock()
        return {seat for seat, place in self.places.items() if place.seen is not None and now - place.seen < GONE}

    def settle(self) -> None:
        """Note who has come and who has left."""
        there, before, table = self.there(), self._there, self.table
        self._there, self._untold = there, self._untold or there != before
        for seat in sorted(there ^ before):
            who = self.places[seat].who
            left = f"{who} has left {SEAT_NAMES[seat]}; {self._bidder(seat)} goes on there until they come back."
            self.tell(f"{who} sits {SEAT_NAMES[seat]}." if seat in there else left)
        if table.phase != OVER:
            table.setup = replace(table.setup, people=tuple(sorted(there | self._awaited())))

    def _awaited(self) -> set[int]:
        """Seats of partners who practise and have not come yet; no bidder goes on for them."""
        return {seat for seat, place in self.places.items() if place.seen is None and self.kind == PRACTICE}

    def _bidder(self, seat: int) -> str:
        return spec_at(self.setup.north_south, self.setup.east_west, seat)

    # --- going on -----------------------------------------------------------------------------------------

    def step(self, patience: float | None = None) -> bool:
        """Do what is to be done without a person, one thing at a time. Return whether there is something to tell.

        Raises:
            Refused: a bidder or player gave no answer in time.
            BidderError: a bidder failed.
        """
        self.settle()
        came, table = self._untold, self.table
        self._untold = False
        if not self._there:
            return came  # nobody looks on
        if table.phase == OVER:
            return self._look_back() or came
        if table.phase == BID:
            (table.play if self.kind == PLAY else table.show)()
            return True
        if table.chooser() is not None:
            return came
        place = self.places.get(table.turn() or 0)
        table.step(len(table.calls) + len(table.cards), patience)
        self._stood = self._stood or (place is not None and place.seen is not None)
        return True

    def _look_back(self) -> bool:
        """Review a board that is over, once, and note its result."""
        if self._reviewed:
            return False
        self._reviewed, table = True, self.table
        people = tuple(sorted(seat for seat, place in self.places.items() if place.seen is not None))
        table.setup = replace(table.setup, people=people)
        found = review(table)
        told, other = found["played"] or found["contract"], found["other"]
        self.results[self.number] = {
            "text": told["text"], "points": told["points"], "other": other["text"], "imps": found["imps"],
            "counts": not self.uncounted,
        }  # fmt: skip
        return True

    @property
    def uncounted(self) -> bool:
        """Has a bidder stood in for somebody, or was something told of the hidden hands?"""
        return self._stood or self.table.helped > 0

    def next(self, number: int) -> None:
        """Deal the board after ``number``.

        Raises:
            Refused: that board is not over, or was the last.
        """
        self.expect(number)
        if self.table.phase != OVER or number == self.boards:
            raise Refused("This board is not over." if self.table.phase != OVER else "This was the last board.", 409)
        self._look_back()
        self._begin(number + 1)

    def expect(self, number: int) -> None:
        """Refuse what was meant for another board."""
        if number != self.number:
            raise Refused("The table has moved on to another board.", 409)

    def claim(self, seat: int, tricks: int) -> None:
        """Claim tricks for who is to play."""
        if self.table.phase != PLAYING or self.table.chooser() != seat:
            raise Refused("A claim is for who is to play.", 409)
        self.table.claim(seat, tricks)

    def meanings(self, seat: int) -> dict[str, Any]:
        """What each legal call of who is to call shows; found once."""
        at = len(self.table.calls)
        if self._meant is None or self._meant[0] != at or self.table.chooser() != seat:
            self._meant = at, every_call(self.table, seat)
        return self._meant[1]

    def pause(self) -> float:
        """Seconds in which people see what was called or played."""
        table = self.table
        return 0.3 if table.phase == BIDDING else 1.1 if table.phase == PLAYING and not len(table.cards) % 4 else 0.5

    # --- what is told -------------------------------------------------------------------------------------

    def view(self, place: Place) -> dict[str, Any]:
        """Return all that the person at one seat may know."""
        version = self.version  # read first: what is told is at least as new
        self.settle()
        told, places, awaited = state(self.table, place.seat), self.places.items(), self._awaited()
        told["people"] = [SEATS[place.seat]]
        for seat, other in places:
            if other is not place:
                absent = "not here yet" if seat in awaited else self._bidder(seat)
                told["sits"][SEATS[seat]] = other.who if seat in self._there else absent
        values = [result["imps"] for result in self.results.values() if result["counts"]]
        told["room"] = {
            "version": version, "kind": self.kind, "board": self.number, "boards": self.boards,
            "host": place.host, "name": place.name,
            "held": [SEATS[seat] for seat, other in places if other.seen is not None],
            "awaited": [SEATS[seat] for seat in awaited],
            "news": list(self.news), "uncounted": self.uncounted, "count": len(values),
            **mean_error(len(values), sum(values), sum(value * value for value in values)), **self.more(self),
        }  # fmt: skip
        if self.table.review is not None:
            told["review"] = self.table.review
        return told


class Rooms:
    """All tables for several people, and the keys that lead to them; ``clock`` tells seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.keys: dict[str, Holder] = {}
        self._rooms: list[Room] = []

    def open(self, kind: str, setup: Setup, seats: tuple[int, ...], seed: int, name: str) -> Place:
        """Open a room. The first seat is the host's; a room that everybody has left gives way.

        Raises:
            Refused: there are people in all of as many rooms as there may be.
        """
        if len(self._rooms) >= MOST_ROOMS:
            empty = next((room for room in self._rooms if not room.there()), None)
            if empty is None:
                raise Refused("There are people at as many tables as this server keeps; wait until some leave.", 409)
            self._rooms.remove(empty)
            self.forget(empty)
        room = Room(kind, setup, lambda number: random_deal(seed, number), self.clock)
        self._rooms.append(room)
        host, *_ = [self.invite(room, seat) for seat in seats]
        host.host, host.name = True, name
        return host

    def invite(self, room: Room, seat: int) -> Place:
        """A place with a fresh key; who held the seat by another key holds it no longer."""
        before = room.places.get(seat)
        if before is not None:
            self.keys.pop(before.key, None)
        place = room.places[seat] = Place(room, seat)
        self.keys[place.key] = place
        return place

    def forget(self, room: Room) -> None:
        """Take the keys of a room back."""
        for place in room.places.values():
            self.keys.pop(place.key, None)

    def check(self, place: Place) -> None:
        """Refuse a key that was taken back meanwhile."""
        if self.keys.get(place.key) is not place:
            raise Refused("This link is no longer good; ask for a new one.", 403)
