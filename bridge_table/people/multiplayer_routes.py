"""The requests of tables of several people: the host opens them, guests hold the key of a seat or of a challenge.

A table with guests goes on by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bridge_env.bidders.errors import BidderError
from bridge_env.rules.calls import parse_call
from bridge_table.board.seating import Player
from bridge_table.board.table import Setup
from bridge_table.board.views import note
from bridge_table.http.fields import NoFields, RequestError, RequestFields, Seat, Spec, read_fields, seat_number
from bridge_table.http.routing import Json, Router
from bridge_table.http.worker import SerialWorker
from bridge_table.pages import page, static
from bridge_table.people.challenge import Challenge
from bridge_table.people.rooms import CHALLENGE, PRACTICE, Room, Rooms, SeatInvite, check_name
from bridge_table.programs.question import read_card
from bridge_table.session import Session

_BEAT = 4.0  # seconds between two events to a page, which answers each
_CHECK = 0.5  # seconds between two checks of whether a stream is to end
_CHAMPION = "policy:champion"
_LOG = logging.getLogger("bridge_env.table")

PersonName = Annotated[str, Meta(max_length=60)]


class BoardFields(RequestFields):
    """An act of a guest, on the board that the page shows."""

    board: int


class CallFields(BoardFields):
    call: str
    at: int


class CardFields(BoardFields):
    card: str
    at: int


class ClaimFields(BoardFields):
    tricks: int


class NameFields(RequestFields):
    name: PersonName


class NoteFields(RequestFields):
    number: Annotated[int, Meta(ge=0)]


class InviteFields(RequestFields):
    seat: Seat


class Specs(RequestFields):
    """The bidders of both sides, and of the people's seats at the other table."""

    ns: Spec = _CHAMPION
    ew: Spec = _CHAMPION
    control: Spec = _CHAMPION


class RoomFields(Specs):
    kind: Literal["play", "practice"] = "play"
    seat: Seat = "S"
    name: PersonName = ""
    cards: Player = "montecarlo"


class ChallengeFields(Specs):
    boards: Annotated[int, Meta(ge=1, le=32)] = 8
    seed: Annotated[int, Meta(ge=0, le=10**9)] = 0


class GuestRoutes:
    """What guests may request.

    Args:
        host: a name by which other machines reach this one; empty: they cannot.

    Attributes:
        is_ending: whether the server is to end.
        pace: factor of the pauses after calls and cards.
    """

    def __init__(self, rooms: Rooms, host: str, worker: SerialWorker) -> None:
        self.rooms, self.host, self.worker = rooms, host, worker
        self.is_ending: Callable[[], bool] = lambda: False
        self.pace = 1.0

    def routes(self) -> list[Route]:
        return [
            self._route("call", self.call),
            self._route("card", self.card),
            self._route("claim", self.claim),
            self._route("next", self.next),
            self._route("name", self.name),
            self._route("calls", self.calls, changes=False),
            self._route("note", self.note, changes=False),
            Route("/api/invite", self.invite, methods=["POST"]),
            Route("/api/here", self.here, methods=["POST"]),
            Route("/api/join", self.join, methods=["POST"]),
            Route("/api/look", self.look, methods=["GET"]),
            Route("/api/events", self.events, methods=["GET"]),
            Route("/", self.first, methods=["GET"]),
            Route("/{file}", self.file, methods=["GET"]),
        ]

    # --- acts at a seat, in the worker ----------------------------------------------------------------------

    def call(self, fields: CallFields, invite: SeatInvite) -> Json:
        invite.room.expect(fields.board)
        invite.room.table.call(invite.seat, parse_call(fields.call), fields.at)
        return invite.room.view(invite)

    def card(self, fields: CardFields, invite: SeatInvite) -> Json:
        invite.room.expect(fields.board)
        invite.room.table.card(invite.seat, read_card(fields.card), fields.at)
        return invite.room.view(invite)

    def claim(self, fields: ClaimFields, invite: SeatInvite) -> Json:
        invite.room.expect(fields.board)
        invite.room.claim(invite.seat, fields.tricks)
        return invite.room.view(invite)

    def next(self, fields: BoardFields, invite: SeatInvite) -> Json:
        invite.room.next(fields.board)
        return invite.room.view(invite)

    def name(self, fields: NameFields, invite: SeatInvite) -> Json:
        if invite.room.kind == CHALLENGE:
            raise RequestError("In a challenge you keep the name that you joined with.", 409)
        invite.name = check_name(fields.name)
        return invite.room.view(invite)

    def calls(self, fields: NoFields, invite: SeatInvite) -> Json:
        """Return what each legal call would show."""
        return invite.room.meanings(invite.seat)

    def note(self, fields: NoteFields, invite: SeatInvite) -> Json:
        """Return what one call of the auction shows."""
        return note(invite.room.table, invite.seat, fields.number)

    def _route(self, name: str, act: Callable[[Any, SeatInvite], Json], changes: bool = True) -> Route:
        """Return the route of an act; ``changes``: the others at the table get the new state."""
        kind = get_type_hints(act)["fields"]

        async def endpoint(request: Request) -> Response:
            invite, fields = self._seat(request), await read_fields(request, kind)
            out = await self._at_table(invite, lambda: act(fields, invite))
            if changes:
                invite.room.notify()
            return JSONResponse(out)

        return Route(f"/api/{name}", endpoint, methods=["POST"])

    async def _at_table(self, invite: SeatInvite, act: Callable[[], Json]) -> Json:
        invite.seen = self.rooms.clock()

        def work() -> Json:
            self.rooms.check(invite)  # its key may have been replaced meanwhile
            invite.room.settle()
            return act()

        out = await self.worker(work)
        self._wake(invite.room)
        return out

    # --- other requests -------------------------------------------------------------------------------------

    async def first(self, request: Request) -> Response:
        """Return the page that a key opens."""
        return page("join.html" if isinstance(self._holder(request), Challenge) else "seat.html")

    async def file(self, request: Request) -> Response:
        self._holder(request)
        return await static(request)

    async def look(self, request: Request) -> Response:
        holder = self._holder(request)
        if isinstance(holder, Challenge):
            return JSONResponse({**holder.about(), "reach": self.host})
        return JSONResponse(await self._at_table(holder, lambda: holder.room.view(holder)))

    async def join(self, request: Request) -> Response:
        fields, challenge = await read_fields(request, NameFields), self._holder(request)
        if not isinstance(challenge, Challenge):
            raise RequestError("This link is of a seat, not of a challenge.", 404)
        return JSONResponse({"key": (await self.worker(lambda: challenge.join(fields.name))).key})

    async def invite(self, request: Request) -> Response:
        """Return the key of one more seat; its older key is no longer valid."""
        invite, fields = self._seat(request), await read_fields(request, InviteFields)
        seat = seat_number(fields.seat)
        if not invite.host:
            raise RequestError("Only the host invites to a table.", 403)
        if seat is None or seat == invite.seat:
            raise RequestError("Invite to one of the other seats.")
        fresh = await self.worker(lambda: self.rooms.invite(invite.room, seat))
        invite.room.notify()
        return JSONResponse({"key": fresh.key, "reach": self.host})

    async def here(self, request: Request) -> Response:
        """Take the answer of a page to a beat: its person is there."""
        invite, _ = self._seat(request), await read_fields(request, NoFields)
        invite.seen = self.rooms.clock()
        self._wake(invite.room)
        return JSONResponse({})

    async def events(self, request: Request) -> Response:
        """Return a stream of server-sent events: the state whenever it has changed, and a beat now and then."""
        return StreamingResponse(self._stream(self._seat(request)), media_type="text/event-stream")

    async def _stream(self, invite: SeatInvite) -> AsyncIterator[str]:
        room, sent, beaten = invite.room, -1, 0.0
        invite.seen = self.rooms.clock()
        while not self.is_ending() and self.rooms.keys.get(invite.key) is invite:
            changed, now = room.changed, asyncio.get_running_loop().time()
            if sent != room.version:
                version = room.version
                with contextlib.suppress(RequestError):  # the server is busy: in a moment
                    yield f"data: {json.dumps(await self.worker(lambda: room.view(invite)))}\n\n"
                    sent = version
            if now - beaten >= _BEAT:
                beaten = now
                self._wake(room)
                yield "event: beat\ndata: \n\n"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _CHECK)

    def _holder(self, request: Request) -> SeatInvite | Challenge:
        holder: SeatInvite | Challenge | None = self.rooms.keys.get(request.path_params["key"])
        if holder is None:
            raise RequestError("The key in the address is missing or wrong; ask for a new link.", 403)
        return holder

    def _seat(self, request: Request) -> SeatInvite:
        holder = self._holder(request)
        if not isinstance(holder, SeatInvite):
            raise RequestError("This link is of a challenge; join it first.", 404)
        return holder

    # --- bidders and players ----------------------------------------------------------------------------------

    def _wake(self, room: Room) -> None:
        """Let bidders and players go on at a table."""
        room.woken = True
        if room.driver is None or room.driver.done():
            room.driver = asyncio.create_task(self._drive(room))

    async def _drive(self, room: Room) -> None:
        try:
            while room.woken:
                room.woken = False
                while await self.worker(room.step):
                    room.notify()
                    await asyncio.sleep(self.pace * room.pause())
        except (RequestError, BidderError) as error:  # the next beat tries again
            _LOG.warning("a table with guests waits: %s", error)
            room.tell(f"The table waits: {str(error).rstrip('.')}.")
            room.notify()


class HostRoutes:
    """What the host may request about other people."""

    def __init__(self, session: Session, rooms: Rooms, host: str) -> None:
        self.session, self.rooms, self.host = session, rooms, host

    def routes(self, router: Router) -> list[Route]:
        return [
            *router.routes(("POST", "rooms", self.open), ("POST", "challenges", self.challenge)),
            *router.routes(("GET", "reach", self.reach), at_once=True),
        ]

    def reach(self, fields: NoFields) -> Json:
        """Return a name by which other machines reach this one; empty where they cannot."""
        return {"reach": self.host}

    def open(self, fields: RoomFields) -> Json:
        """Open a table for several people, and return the key of the host's seat."""
        name, seat = check_name(fields.name), seat_number(fields.seat)
        if seat is None or (fields.kind == PRACTICE and seat & 1):
            raise RequestError("Partners who practise sit North and South.")
        seats = (seat, seat ^ 2) if fields.kind == PRACTICE else (seat,)
        setup = self._setup(fields, fields.cards)
        return {"key": self.rooms.open(fields.kind, setup, seats, secrets.randbits(48), name).key}

    def challenge(self, fields: ChallengeFields) -> Json:
        """Begin a challenge, and return the key that its players share."""
        setup = self._setup(fields, "montecarlo")
        challenge = Challenge(self.rooms, setup, fields.seed or secrets.randbits(48), fields.boards)
        self.rooms.keys[challenge.key] = challenge
        return {"key": challenge.key}

    def _setup(self, fields: Specs, player: Player) -> Setup:
        ns, ew, control = (self.session.check_spec(spec) for spec in (fields.ns, fields.ew, fields.control))
        return Setup((), ns, ew, control, player)
