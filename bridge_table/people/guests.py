"""Tables of several people: the host's doors to open one, and those of guests, who hold a key of a seat or a challenge.

A table with guests goes on by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bridge_env.auction import MAX_CALLS
from bridge_env.bidder_errors import BidderError
from bridge_table.board.seating import PLAYERS
from bridge_table.board.table import Setup
from bridge_table.board.views import note
from bridge_table.doors import Doors, Steps, Told, answering, made_call, played_card
from bridge_table.http.asked import Asked, Refused, body, query
from bridge_table.http.guard import Holder
from bridge_table.http.thinking import Thinking
from bridge_table.pages import page, static
from bridge_table.people.challenge import MOST_BOARDS, MOST_CHALLENGES, Challenge
from bridge_table.people.rooms import CHALLENGE, PLAY, PRACTICE, Place, Room, Rooms, checked_name
from bridge_table.session import Session

_BODY = 4096
_BEAT = 4.0  # seconds between two words to a page, which answers each
_LOOK = 0.5  # seconds between two looks at whether the stream is to end
_STREAMS, _OF_ONE = 40, 2  # of all, and of one seat
_WAITING, _ASKING = 32, 4  # requests that think at the same time: of all guests, and of one seat
_USUAL = "policy:champion"
_LOG = logging.getLogger("bridge_env.table")


Act = Callable[[Place, Asked], Callable[[], object]]


def _claim(place: Place, asked: Asked) -> Callable[[], object]:
    tricks = asked.number("tricks", 0, 13)
    return lambda: place.room.claim(place.seat, tricks)


def _next(place: Place, asked: Asked) -> Callable[[], object]:
    number = place.room.number
    return lambda: place.room.next(number)


def _name(place: Place, asked: Asked) -> Callable[[], object]:
    name = checked_name(asked.text("name", 60))
    if place.room.kind == CHALLENGE:
        raise Refused("In a challenge you keep the name that you joined with.", 409)
    return lambda: setattr(place, "name", name)


class Guests:
    """What guests may ask.

    Args:
        rooms: the tables.
        host: a name by which other machines reach this one; empty: they cannot.
        patience: seconds that a bidder or player may take for an answer.

    Attributes:
        app: answers guests; whoever makes the server sets it.
        ending: is the server to end?
        pace: by which pauses are multiplied.
    """

    def __init__(self, rooms: Rooms, host: str, patience: float) -> None:
        self.rooms, self.host, self.patience = rooms, host, patience
        self.thinking = Thinking(_WAITING, patience + 5)
        self.app: Any = None
        self.ending: Callable[[], bool] = lambda: False
        self.pace = 1.0
        self._streams = 0
        self._driven: dict[Room, asyncio.Task[None]] = {}
        self._woken: set[Room] = set()

    def find(self, key: str) -> Holder | None:
        return self.rooms.keys.get(key)

    def routes(self) -> list[Route]:
        acts: dict[str, Act] = {
            "call": lambda place, asked: made_call(place.room.table, place.seat, asked),
            "card": lambda place, asked: played_card(place.room.table, place.seat, asked),
            "claim": _claim, "next": _next,
        }  # fmt: skip
        posts = {
            **{name: self._acting(act) for name, act in acts.items()}, "name": self._acting(_name, anywhere=True),
            "here": self.here, "calls": self.calls, "note": self.note, "invite": self.invite, "join": self.join,
        }  # fmt: skip
        return [
            *(Route(f"/api/{name}", answering(door), methods=["POST"]) for name, door in posts.items()),
            Route("/api/look", answering(self.look), methods=["GET"]),
            Route("/api/events", answering(self.events), methods=["GET"]),
            Route("/", self.first, methods=["GET"]),
            Route("/{file}", static, methods=["GET"]),
        ]

    # --- what is asked ------------------------------------------------------------------------------------

    async def first(self, request: Request) -> Response:
        """The page that a key opens."""
        return page("join.html" if isinstance(request.scope["holder"], Challenge) else "seat.html")

    async def look(self, request: Request) -> Told:
        query(request).done()
        holder = request.scope["holder"]
        if isinstance(holder, Challenge):
            return {**holder.about(), "reach": self.host}
        return await self._at(self._place(request))

    async def join(self, request: Request) -> Told:
        asked, challenge = await body(request, _BODY), request.scope["holder"]
        name = asked.text("name", 60)
        asked.done()
        if not isinstance(challenge, Challenge):
            raise Refused("This link is of a seat, not of a challenge.", 404)
        return {"key": (await self.thinking(lambda: challenge.join(name))).key}

    async def here(self, request: Request) -> Told:
        """The answer of a page to a beat: its person is there."""
        place, asked = self._place(request), await body(request, _BODY)
        asked.done()
        place.seen = self.rooms.clock()
        self._wake(place.room)
        return {}

    async def calls(self, request: Request) -> Told:
        """What each legal call would show."""
        place, asked = self._place(request), await body(request, _BODY)
        asked.done()
        return await self._think(place, lambda: place.room.meanings(place.seat))

    async def note(self, request: Request) -> Told:
        """What one call of the auction shows."""
        place, asked = self._place(request), await body(request, _BODY)
        number = asked.number("number", 0, MAX_CALLS - 1)
        asked.done()
        return await self._think(place, lambda: note(place.room.table, place.seat, number))

    async def invite(self, request: Request) -> Told:
        """A link for one more seat; who sits there by an older link sits there no longer."""
        place, asked = self._place(request), await body(request, _BODY)
        seat = asked.seat()
        asked.done()
        if not place.host:
            raise Refused("Only who opened the table invites to it.", 403)
        if seat is None or seat == place.seat:
            raise Refused("Invite to one of the other seats.")
        fresh = await self.thinking(lambda: self.rooms.invite(place.room, seat))
        place.room.ring()
        return {"key": fresh.key, "reach": self.host}

    def _place(self, request: Request) -> Place:
        holder = request.scope["holder"]
        if not isinstance(holder, Place):
            raise Refused("This link is of a challenge; join it first.", 404)
        return holder

    def _acting(self, act: Act, anywhere: bool = False) -> Callable[[Request], Awaitable[Told]]:
        """A door that changes something at a table, on the board that the request names unless it does so anywhere."""

        async def door(request: Request) -> Told:
            place, asked = self._place(request), await body(request, _BODY)
            number = None if anywhere else asked.number("board", 1, 10**6)
            work = act(place, asked)
            asked.done()
            return await self._at(place, work, number)

        return door

    async def _at(self, place: Place, work: Callable[[], object] | None = None, number: int | None = None) -> Told:
        """Do something for who sits at a place, at one board where it is told, and tell what is then known there."""
        place.seen = self.rooms.clock()

        def go_on() -> Told:
            self.rooms.check(place)
            place.room.settle()
            if number is not None:
                place.room.expect(number)
            if work is not None:
                work()
            return self._view(place)

        found = await self._think(place, go_on)
        if work is not None:
            place.room.ring()
        self._wake(place.room)
        return found

    async def _think(self, place: Place, work: Callable[[], Told]) -> Told:
        """Think for one seat, which leaves room for the others."""
        if place.asking >= _ASKING:
            raise Refused("These are too many requests at once; wait for the answers.", 429)
        place.asking += 1
        try:
            return await self.thinking(work)
        finally:
            place.asking -= 1

    def _view(self, place: Place) -> Told:
        self.rooms.check(place)  # it may have been taken back while others were thinking
        return place.room.view(place)

    # --- what is told at once -----------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """A stream of server-sent events: the state whenever it has changed, and a beat now and then."""
        query(request).done()
        place = self._place(request)
        if place.streams >= _OF_ONE or self._streams >= _STREAMS:
            raise Refused("This seat is open in too many windows, or the server has too many guests.", 429)
        return StreamingResponse(self._told(place), media_type="text/event-stream")

    async def _told(self, place: Place) -> AsyncIterator[str]:
        room, told, beaten = place.room, -1, 0.0
        if place.streams >= _OF_ONE:
            return
        place.streams, self._streams, place.seen = place.streams + 1, self._streams + 1, self.rooms.clock()
        self._wake(room)
        try:
            while not self.ending() and self.find(place.key) is place:
                bell, now = room.bell, asyncio.get_running_loop().time()
                if told != room.version:
                    version = room.version
                    with contextlib.suppress(Refused):  # the server is busy: in a moment
                        yield f"data: {json.dumps(await self.thinking(lambda: self._view(place)))}\n\n"
                        told = version
                if now - beaten >= _BEAT:
                    beaten = now
                    self._wake(room)
                    yield "event: beat\ndata: \n\n"
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), _LOOK)
        finally:
            place.streams, self._streams = place.streams - 1, self._streams - 1

    # --- going on by itself -------------------------------------------------------------------------------

    def _wake(self, room: Room) -> None:
        """See that what is to be done at a table without a person is done."""
        self._woken.add(room)
        if room not in self._driven:
            self._driven[room] = asyncio.create_task(self._drive(room))

    async def _drive(self, room: Room) -> None:
        try:
            while room in self._woken:
                self._woken.discard(room)
                while await self.thinking(lambda: room.step(self.patience)):
                    room.ring()
                    await asyncio.sleep(self.pace * room.pause())
        except (Refused, BidderError) as fault:  # the next beat tries again
            _LOG.warning("a table with guests waits: %s", fault)
            room.tell(f"The table waits: {str(fault).rstrip('.')}.")
            room.ring()
        finally:
            self._driven.pop(room, None)


class Inviting:
    """What the host may ask about other people."""

    def __init__(self, session: Session, guests: Guests) -> None:
        self.session, self.guests, self.rooms = session, guests, guests.rooms
        self._challenges: list[Challenge] = []

    def routes(self, doors: Doors) -> list[Route]:
        return [
            *doors.routes(("POST", "rooms", self.open), ("POST", "challenges", self.challenge)),
            *doors.routes(("GET", "reach", self.reach), at_once=True),
        ]

    def reach(self, asked: Asked) -> Steps:
        """By which name other machines reach this one; empty where they cannot."""
        yield None
        yield {"reach": self.guests.host}

    def open(self, asked: Asked) -> Steps:
        """Open a table for several people, and return the key of the host's seat."""
        kind, seat = asked.choice("kind", (PLAY, PRACTICE), PLAY), asked.seat()
        name, specs = checked_name(asked.text("name", 60, "")), _specs(asked)
        player = asked.choice("cards", PLAYERS, PLAYERS[0])
        seat = 2 if seat is None else seat
        if kind == PRACTICE and seat & 1:
            raise Refused("Partners who practise sit North and South.")
        seats = (seat, seat ^ 2) if kind == PRACTICE else (seat,)
        yield None
        place = self.rooms.open(kind, self._setup(specs, player), seats, secrets.randbits(48), name)
        yield {"key": place.key}

    def challenge(self, asked: Asked) -> Steps:
        """Begin a challenge, and return the key that its players share."""
        boards, seed = asked.number("boards", 1, MOST_BOARDS, 8), asked.number("seed", 0, 10**9, 0)
        specs = _specs(asked)
        yield None
        setup = self._setup(specs, PLAYERS[0])
        if len(self._challenges) >= MOST_CHALLENGES:
            self._end_one()
        made = Challenge(self.rooms, setup, seed or secrets.randbits(48), boards)
        self._challenges.append(made)
        self.rooms.keys[made.key] = made
        yield {"key": made.key}

    def _end_one(self) -> None:
        """End the oldest challenge in which nobody is."""
        over = next((one for one in self._challenges if not any(room.there() for room in one.players)), None)
        if over is None:
            raise Refused("There are people in as many challenges as this server keeps; wait until some leave.", 409)
        self._challenges.remove(over)
        self.rooms.keys.pop(over.key, None)
        for room in over.players:
            self.rooms.forget(room)

    def _setup(self, specs: list[str], player: str) -> Setup:
        ns, ew, control = (self.session.checked(spec) for spec in specs)
        return Setup((), ns, ew, control, player)


def _specs(asked: Asked) -> list[str]:
    return [asked.text(field, 300, _USUAL) for field in ("ns", "ew", "control")]
