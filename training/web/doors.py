"""What all routes share: reading a request, and answering it in JSON with every fault as a sentence."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bridge_env.auction import IllegalCall
from bridge_env.bidders import SpecError
from bridge_env.calls import parse_call
from bridge_env.faults import BidderFault
from bridge_env.play import IllegalCard
from training.cardplay.person import read_card
from training.http.asked import Asked, Refused
from training.web.memory import MemoryFault
from training.web.table import Table

_STATIC = files("training.web") / "static"
_TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
          "svg": "image/svg+xml"}  # fmt: skip
_LOG = logging.getLogger("bridge_env.table")

Door = Callable[[Request], Awaitable[dict[str, Any]]]


def answering(door: Door) -> Callable[[Request], Awaitable[Response]]:
    """The door's answer as JSON, and every fault as a sentence."""

    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await door(request))
        except Refused as refused:
            return JSONResponse({"error": str(refused)}, refused.status)
        except (BidderFault, MemoryFault) as fault:  # none of the request's
            _LOG.error("%s", fault)
            return JSONResponse({"error": f"{fault}."}, 500)
        except (IllegalCall, IllegalCard, SpecError, ValueError) as error:
            return JSONResponse({"error": f"{error}."}, 400)

    return answer


def made_call(table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
    """What makes the call that a request holds."""
    call, at = parse_call(asked.text("call", 8)), asked.number("at", 0, 400)
    return lambda: table.call(seat, call, at)


def played_card(table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
    """What plays the card that a request holds."""
    word, at = asked.text("card", 4), asked.number("at", 0, 400)
    card = read_card(word)
    if card is None:
        raise Refused(f"{word!r} is no card; write one such as HQ.")
    return lambda: table.card(seat, card, at)


async def static(request: Request) -> Response:
    """A file of the page. There are no folders, and nothing else is served."""
    return page(request.path_params.get("file", "index.html"))


def page(name: str) -> Response:
    """A file of the page by its name."""
    known = {str(entry.name): entry for entry in _STATIC.iterdir()}
    kind = name.rpartition(".")[2]
    if name not in known or kind not in _TYPES:
        return JSONResponse({"error": "There is no such page."}, 404)
    return Response(known[name].read_bytes(), media_type=_TYPES[kind])
