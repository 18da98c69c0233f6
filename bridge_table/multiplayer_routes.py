"""The requests of tables of several people: the host opens them, guests hold the key of a seat or of a challenge.

A table with guests goes on by itself.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bridge_env.bidders.errors import BidderError
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS
from bridge_table.board import views
from bridge_table.board.dealing import PARTNER, read_source
from bridge_table.board.seating import Player
from bridge_table.board.table import Setup
from bridge_table.board.views import problem_report
from bridge_table.http.requests import Api, Dealer, Json, RequestError, SerialWorker, Spec, Words, parse_card
from bridge_table.pages import page
from bridge_table.people import CHALLENGE, PRACTICE, Challenge, Room, Rooms, SeatInvite, check_name
from bridge_table.session import Session

_POLL = 0.2  # seconds until bidders and players look at their table again where there was nothing to do
_MAX_BOARDS = 32  # of a challenge
_RETRY = 4.0  # seconds after one of them has failed
_CHAMPION = "policy:champion"
_LOG = logging.getLogger("bridge_env.table")

PersonName = Annotated[str, Meta(max_length=60)]

host_api, key_api, seat_api = Api(), Api(), Api()


@host_api.post("rooms")
def open_room(
    session: Session, *, ns: Spec = PARTNER, ew: Spec = _CHAMPION, control: Spec = _CHAMPION,
    kind: Literal["play", "practice"] = "play", seat: Dealer = "S", name: PersonName = "", cards: Player = "montecarlo",
    hands: Words = "", calls: Words = "",
) -> Json:  # fmt: skip
    """Open a table for several people, of a scenario if ``hands`` or ``calls``; return the key of the host's seat."""
    number, setup = SEATS.index(seat), _setup(session, ns, ew, control, cards)
    if kind == PRACTICE and number & 1:
        raise RequestError("Partners who practise sit North and South.")
    seats = (number, number ^ 2) if kind == PRACTICE else (number,)
    room = Room(session.rooms, kind, setup, read_source(secrets.randbits(48), hands, calls, ns))
    host, *_ = [session.rooms.invite(room, seat) for seat in seats]
    host.host, host.name = True, check_name(name)
    return {"key": host.key}


@host_api.post("challenges")
def open_challenge(
    session: Session, *, ns: Spec = PARTNER, ew: Spec = _CHAMPION, control: Spec = _CHAMPION,
    boards: Annotated[int, Meta(ge=1, le=_MAX_BOARDS)] = 8, seed: Annotated[int, Meta(ge=0, le=10**9)] = 0,
    hands: Words = "", calls: Words = "", stack: str = "",
) -> Json:  # fmt: skip
    """Begin a challenge on boards of a ``stack``, a scenario, or random ones; return the key that its players share."""
    pasted = session.stacks[stack] if stack else []
    if len(pasted) > _MAX_BOARDS:
        raise RequestError(f"A challenge has at most {_MAX_BOARDS} boards; these are {len(pasted)}.")
    setup = _setup(session, ns, ew, control, "montecarlo")
    source = read_source(seed or secrets.randbits(48), hands, calls, ns, pasted)
    source.deal(1)  # a scenario that no deal fits is an error here, and not to each player
    challenge = Challenge(session.rooms, setup, source, len(pasted) or boards)
    session.rooms.keys[challenge.key] = challenge
    return {"key": challenge.key}


def _setup(session: Session, ns: str, ew: str, control: str, player: Player) -> Setup:
    return Setup((), session.check_spec(ns), session.check_spec(ew), session.check_spec(control), player)


@key_api.get("look")
def look(holder: SeatInvite | Challenge, *, draw: bool = False) -> Json:
    """Return what the holder of a key may know; ``draw``: draw hands for what rare calls show."""
    return holder.room.view(holder, draw) if isinstance(holder, SeatInvite) else holder.view()


@key_api.post("join")
def join(challenge: SeatInvite | Challenge, *, name: PersonName) -> Json:
    """Return the key of a new player's seat."""
    if not isinstance(challenge, Challenge):
        raise RequestError("This link is of a seat, not of a challenge.", 404)
    return {"key": challenge.join(name).key}


@seat_api.post("here")
async def here(invite: SeatInvite) -> Json:
    """Note that the person is there, and return the version of the table, which grows with every change."""
    invite.seen = invite.room.rooms.clock()
    return {"version": invite.room.version}


@seat_api.post("call")
def make_call(invite: SeatInvite, *, board: int, call: str, at: int) -> Json:
    """Make a call on the board that the page shows."""
    invite.room.table_of(board).call(invite.seat, parse_call(call), at)
    return invite.changed_view()


@seat_api.post("card")
def play_card(invite: SeatInvite, *, board: int, card: str, at: int) -> Json:
    """Play a card."""
    invite.room.table_of(board).card(invite.seat, parse_card(card), at)
    return invite.changed_view()


@seat_api.post("claim")
def claim(invite: SeatInvite, *, board: int, tricks: int) -> Json:
    """Claim some of the tricks that are left."""
    table = invite.room.table_of(board)
    if table.chooser() != invite.seat:
        raise RequestError("A claim is for the seat that is to play.", 409)
    table.claim(invite.seat, tricks)
    return invite.changed_view()


@seat_api.post("next")
def deal_next(invite: SeatInvite, *, board: int, swap: bool = False) -> Json:
    """Deal the next board; with ``swap`` partners change seats in the scenario from then on."""
    invite.room.next(board, invite, swap)
    return invite.changed_view()


@seat_api.post("name")
def set_name(invite: SeatInvite, *, name: PersonName) -> Json:
    """Set the person's name."""
    if invite.room.kind == CHALLENGE:
        raise RequestError("In a challenge you keep the name that you joined with.", 409)
    invite.name = check_name(name)
    return invite.changed_view()


@seat_api.post("invite")
def invite_other(invite: SeatInvite, *, seat: Dealer) -> Json:
    """Return the key of one more seat; its older key is no longer valid."""
    number = SEATS.index(seat)
    if not invite.host:
        raise RequestError("Only the host invites to a table.", 403)
    if number == invite.seat:
        raise RequestError("Invite to one of the other seats.")
    fresh = invite.room.rooms.invite(invite.room, number)
    invite.room.notify()
    return {"key": fresh.key}


@seat_api.post("calls")
def show_calls(invite: SeatInvite) -> Json:
    """Return what each legal call would show."""
    return views.every_call(invite.room.table, invite.seat)


@seat_api.get("report")
def show_report(invite: SeatInvite) -> Json:
    """Return a report of a problem as a file."""
    return problem_report(invite.room.table, invite.seat)


class GuestServer:
    """Serves guests, and lets bidders and players go on at their tables; ``pace`` is a factor of the pauses."""

    def __init__(self, rooms: Rooms, worker: SerialWorker) -> None:
        self.rooms, self.worker, self.pace = rooms, worker, 1.0

    def routes(self) -> list[Route]:
        return [
            *key_api.routes(self._holder, self._run),
            *seat_api.routes(self._seat, self._run),
            Route("/", self._page, methods=["GET"]),
            Route("/{file}", self._page, methods=["GET"]),
        ]

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

    async def _run(self, holder: SeatInvite | Challenge, work: Callable[[], Json]) -> Json:
        """Return the result of a request, run in the worker; at a table bidders and players go on from then on."""
        if isinstance(holder, Challenge):
            return await self.worker(work)
        holder.seen = self.rooms.clock()

        def at_table() -> Json:
            holder.room.settle()
            return work()

        out = await self.worker(at_table)
        if holder.room.driver is None or holder.room.driver.done():
            holder.room.driver = asyncio.create_task(self._drive(holder.room))
        return out

    async def _page(self, request: Request) -> Response:
        """Return a file of the pages; without a name the page that the key opens."""
        opened = "join.html" if isinstance(self._holder(request), Challenge) else "seat.html"
        return page(request.path_params.get("file", opened))

    async def _drive(self, room: Room) -> None:
        """Let bidders and players go on at a table."""
        while True:
            try:
                pause = self.pace * room.pause() if await self.worker(room.step) else _POLL
            except (RequestError, BidderError) as error:
                _LOG.warning("a table with guests waits: %s", error)
                room.news, pause = f"The table waits: {str(error).rstrip('.')}.", _RETRY
                room.notify()
            await asyncio.sleep(pause)
