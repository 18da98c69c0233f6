"""What all doors share: reading a request, doing what it asks, and answering in JSON with every fault as a sentence."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bridge_env.bidder_errors import BidderError
from bridge_env.calls import parse_call
from bridge_env.cards import CARD_NUMBERS
from bridge_table.board.table import Table
from bridge_table.http.asked import Asked, Refused, body, query
from bridge_table.http.thinking import Thinking
from bridge_table.learning.memory import MemoryFault

_LOG = logging.getLogger("bridge_env.table")

Told = dict[str, Any]
Steps = Iterator[Told | None]
Door = Callable[..., Steps]


class Doors:
    """Makes routes of doors.

    A door is a generator. It takes the fields of a request, and the variable parts of its path by name, and yields once
    it has read them. Then it yields the answer; where it yields None, there is more to do: it goes on when others have
    had their turn.

    Args:
        thinking: in which answers are found, but for those that come ``at_once``.
        most: bytes of a request.
    """

    def __init__(self, thinking: Thinking, most: int) -> None:
        self.thinking, self.most = thinking, most

    def routes(self, *ways: tuple[str, str, Door], at_once: bool = False) -> list[Route]:
        """Paths as they are behind the token, from (method, path, door)."""
        return [
            Route(f"/api/{path}", answering(self._asking(method, door, at_once)), methods=[method])
            for method, path, door in ways
        ]

    def _asking(self, method: str, door: Door, at_once: bool) -> Callable[[Request], Awaitable[Told]]:
        async def asking(request: Request) -> Told:
            asked = query(request) if method == "GET" else await body(request, self.most)
            steps = door(asked, **request.path_params)
            next(steps)
            asked.done()
            while (found := next(steps) if at_once else await self.thinking(steps.__next__)) is None:
                if await request.is_disconnected():
                    raise ClientDisconnect
            return found

        return asking


def answering(asking: Callable[[Request], Awaitable[Told | Response]]) -> Callable[[Request], Awaitable[Response]]:
    """What is found as JSON, if it is no answer already, and every fault as a sentence."""

    async def answer(request: Request) -> Response:
        try:
            found = await asking(request)
            return found if isinstance(found, Response) else JSONResponse(found)
        except Refused as refused:
            return JSONResponse({"error": str(refused)}, refused.status)
        except (BidderError, MemoryFault) as fault:  # none of the request's
            _LOG.error("%s", fault)
            return JSONResponse({"error": f"{fault}."}, 500)
        except ValueError as error:
            return JSONResponse({"error": f"{error}."}, 400)

    return answer


def made_call(table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
    """What makes the call that a request holds."""
    call, at = parse_call(asked.text("call", 8)), asked.number("at", 0, 400)
    return lambda: table.call(seat, call, at)


def played_card(table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
    """What plays the card that a request holds."""
    word, at = asked.text("card", 4), asked.number("at", 0, 400)
    card = CARD_NUMBERS.get(word)
    if card is None:
        raise Refused(f"{word!r} is no card; write one such as HQ.")
    return lambda: table.card(seat, card, at)
