"""The host's doors to tables for several people: open one, or a challenge, and get its key."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from training.http.asked import Refused
from training.http.body import body, query
from training.web import seating
from training.web.challenge import MOST_BOARDS, MOST_CHALLENGES, Challenge
from training.web.doors import answering
from training.web.guests import Guests
from training.web.rooms import PLAY, PRACTICE, checked_name
from training.web.session import Session
from training.web.table import Setup

_PLAYERS = ("montecarlo", "rule", "deceptive")
_USUAL = "policy:champion"


class Inviting:
    """What the host may ask about other people."""

    def __init__(self, session: Session, guests: Guests) -> None:
        self.session, self.guests, self.rooms = session, guests, guests.rooms
        self._challenges: list[Challenge] = []

    def routes(self) -> list[Route]:
        """Paths as they are behind the token."""
        doors = {"rooms": self.open, "challenges": self.challenge}
        return [
            *(Route(f"/api/{name}", answering(door), methods=["POST"]) for name, door in doors.items()),
            Route("/api/reach", answering(self.reach), methods=["GET"]),
        ]

    async def reach(self, request: Request) -> dict[str, Any]:
        """By which name other machines reach this one; empty where they cannot."""
        query(request).done()
        return {"reach": self.guests.host}

    async def open(self, request: Request) -> dict[str, Any]:
        """Open a table for several people, and return the key of the host's seat."""
        asked = await body(request, self.session.limits.body)
        kind, seat = asked.choice("kind", (PLAY, PRACTICE), PLAY), asked.seat()
        name = checked_name(asked.text("name", 60, ""))
        specs = [asked.text(field, 300, _USUAL) for field in ("ns", "ew", "control")]
        player = asked.choice("cards", _PLAYERS, _PLAYERS[0])
        asked.done()
        seat = 2 if seat is None else seat
        if kind == PRACTICE and seat & 1:
            raise Refused("Partners who practise sit North and South.")
        seats = (seat, seat ^ 2) if kind == PRACTICE else (seat,)
        place = await self.guests.thinking(
            lambda: self.rooms.open(kind, self._setup(specs, player), seats, secrets.randbits(48), name)
        )
        return {"key": place.key}

    async def challenge(self, request: Request) -> dict[str, Any]:
        """Begin a challenge, and return the key that its players share."""
        asked = await body(request, self.session.limits.body)
        boards, seed = asked.number("boards", 1, MOST_BOARDS, 8), asked.number("seed", 0, 10**9, 0)
        specs = [asked.text(field, 300, _USUAL) for field in ("ns", "ew", "control")]
        asked.done()
        setup = await self.guests.thinking(lambda: self._setup(specs, _PLAYERS[0]))
        if len(self._challenges) >= MOST_CHALLENGES:
            self._end_one()
        made = Challenge(self.rooms, setup, seed or secrets.randbits(48), boards)
        self._challenges.append(made)
        self.rooms.keys[made.key] = made
        return {"key": made.key}

    def _end_one(self) -> None:
        """End the oldest challenge in which nobody is.

        Raises:
            Refused: there are people in all.
        """
        over = next((one for one in self._challenges if not any(room.there() for room in one.players)), None)
        if over is None:
            raise Refused("There are people in as many challenges as this server keeps; wait until some leave.", 409)
        self._challenges.remove(over)
        for key in (over.key, *(place.key for room in over.players for place in room.places.values())):
            self.rooms.keys.pop(key, None)

    def _setup(self, specs: list[str], player: str) -> Setup:
        ns, ew, control = (seating.checked(spec, self.session.named) for spec in specs)
        return Setup((), ns, ew, control, player)
