"""The routes of what the table remembers: boards, sessions, kinds of decisions, and mistakes that are due."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from training.http.asked import Refused
from training.http.body import body, query
from training.http.thinking import Thinking
from training.web import drills, history, repeats, seating
from training.web.doors import answering
from training.web.session import Session
from training.web.table import OVER
from training.web.views import state

_FAR = 10**9  # the most boards that a page may ask for


class Archive:
    """What the page of history and the drill of one's own mistakes may ask.

    Args:
        thinking: does what takes a while; the same as the table's.
    """

    def __init__(self, session: Session, thinking: Thinking) -> None:
        self.session, self.thinking = session, thinking

    def routes(self) -> list[Route]:
        """Paths as they are behind the token."""
        api = [
            ("/api/history", "GET", self.overview),
            ("/api/history/boards", "GET", self.boards),
            ("/api/history/boards/{number:int}/open", "POST", self.open),
            ("/api/mistakes", "GET", self.due),
            ("/api/mistakes/drill", "POST", self.drill),
        ]
        return [Route(path, answering(door), methods=[method]) for path, method, door in api]

    async def overview(self, request: Request) -> dict[str, Any]:
        query(request).done()
        return await self.thinking(lambda: history.overview(self.session.memory))

    async def boards(self, request: Request) -> dict[str, Any]:
        asked = query(request)
        page = asked.number("page", 0, _FAR // history.PAGE, 0)
        asked.done()
        return await self.thinking(lambda: history.boards(self.session.memory, page))

    async def open(self, request: Request) -> dict[str, Any]:
        """A kept board at a table where it is over, to be reviewed; it counts no more, because its deal has."""
        (await body(request, self.session.limits.body)).done()
        number = min(int(request.path_params["number"]), _FAR)

        def lay() -> dict[str, Any]:
            board = history.kept_board(self.session.memory, number)
            setup, deal, calls, cards = history.laid(board)
            for spec in (setup.north_south, setup.east_west, setup.control):
                seating.checked(spec, self.session.named)
            table = self.session.open(setup, deal)
            table.begin_with(calls)
            table.cards, table.claimed, table.helped, table.phase = cards, board["claimed"], board["helped"], OVER
            return state(table, setup.people[0])

        return await self.thinking(lay)

    async def due(self, request: Request) -> dict[str, Any]:
        query(request).done()
        return await self.thinking(lambda: repeats.due(self.session.memory))

    async def drill(self, request: Request) -> dict[str, Any]:
        """A drill of the calls that are due; ``spec`` reads auctions whose own bidders are not here any more."""
        asked = await body(request, self.session.limits.body)
        spec, count = asked.text("spec", 300), asked.number("count", 1, self.session.limits.drill, 10)
        asked.done()

        def lay() -> dict[str, Any]:
            named = self.session.named
            seating.checked(spec, named)
            found = repeats.drill_of_due(self.session.memory, spec, count)
            found.readers = tuple((_here(ns, spec, named), _here(ew, spec, named)) for ns, ew in found.readers)
            return drills.begun(self.session.keep_drill(found), found)

        return await self.thinking(lay)


def _here(bidder: str, instead: str, named: tuple[str, ...]) -> str:
    """A bidder, or another one in its place where this server does not have it."""
    try:
        return seating.checked(bidder, named)
    except Refused:
        return instead
