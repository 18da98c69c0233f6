"""BEN's endpoints, ``/bid``, ``/lead``, ``/play``, ``/explain`` and more, and ``/``, which says what answers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from msgspec import Struct
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bridge_table.http.fields import RequestError, read_fields
from bridge_table.http.guard import SameOriginMiddleware
from bridge_table.http.routing import Json, make_starlette
from bridge_table.http.server import is_local
from bridge_table.http.worker import SerialWorker
from bridge_table.programs import ben
from bridge_table.programs.answers import Answers

_MAX_WAITING = 64


def bid(answers: Answers, fields: ben.HandFields) -> Json:
    """Return a call."""
    question = fields.question()
    out = answers.call(question, fields.details)
    if fields.details and question.calls:
        shown = zip(question.calls, answers.shows(question), strict=True)
        out["explanations"] = [[ben.answer_word(call), ben.meaning(shows)] for call, shows in shown]
    return out


def card(answers: Answers, fields: ben.HandFields) -> Json:
    """Return a card."""
    return answers.card(fields.question(), fields.details)


def explain(answers: Answers, fields: ben.AuctionFields) -> Json:
    """Return what the last call shows."""
    shown = answers.shows(fields.question())
    if not shown:
        raise RequestError("'ctx' holds no call to be explained.")
    return {"explanation": ben.meaning(shown[-1]), "Alert": shown[-1].artificial}


def explain_auction(answers: Answers, fields: ben.AuctionFields) -> Json:
    """Return what every call shows."""
    question = fields.question()
    return ben.auction_json(question.calls, answers.shows(question))


def bids(answers: Answers, fields: ben.PositionFields) -> Json:
    """Return what every legal call would show."""
    question = fields.question()
    return ben.bids_json(answers.every(question), answers.sides(question.seat & 1))


_ENDPOINTS: dict[str, tuple[type[Struct], Callable[[Answers, Any], Json]]] = {
    ben.BID: (ben.HandFields, bid),
    ben.LEAD: (ben.HandFields, card),
    ben.PLAY: (ben.PlayFields, card),
    "/explain": (ben.AuctionFields, explain),
    "/explain_auction": (ben.AuctionFields, explain_auction),
    "/bids": (ben.PositionFields, bids),
}


def make_app(
    answers: Answers, *, host: str = "127.0.0.1", origins: Collection[str] = (), names: Collection[str] = ()
) -> Starlette:
    """Return the server as an ASGI app.

    Args:
        host: where it will listen; on this machine alone, Host headers must name this machine.
        origins: of pages of other sites that may send requests. names: further names of this machine.
    """
    worker = SerialWorker(_MAX_WAITING)

    def route(path: str, kind: type[Struct], answer: Callable[[Answers, Any], Json]) -> Route:
        async def endpoint(request: Request) -> Response:
            fields = await read_fields(request, kind)
            return JSONResponse(await worker(lambda: answer(answers, fields)))

        return Route(path, endpoint, methods=["GET"])

    async def home(request: Request) -> Response:
        found = {"program": "bridge-env", "bids": answers.spec, "plays": answers.play, "endpoints": [*_ENDPOINTS]}
        return JSONResponse(found)

    errors = {
        404: f"There is no such endpoint; there are {', '.join(_ENDPOINTS)}.",
        405: "Requests are sent by GET, with all fields in the address.",
    }
    hosts = ["127.0.0.1", "localhost", "::1", *names] if is_local(host) else ["*"]
    middleware = [
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        Middleware(CORSMiddleware, allow_origins=list(origins)),
        Middleware(SameOriginMiddleware, origins=origins),
    ]
    routes = [Route("/", home, methods=["GET"]), *(route(path, *rest) for path, rest in _ENDPOINTS.items())]
    return make_starlette(routes, errors, 0, middleware)
