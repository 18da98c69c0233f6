"""BEN's endpoints, ``/bid``, ``/lead``, ``/play``, ``/explain`` and ``/bids``, and ``/``, which says what answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bridge_env.rules.calls import PASS
from bridge_table.http.requests import Json, RequestError, SerialWorker, make_starlette, read_fields
from bridge_table.http.server import TIMEOUT, is_local
from bridge_table.programs import ben
from bridge_table.programs.answers import Answers


def bid(answers: Answers, fields: ben.Fields) -> Json:
    """Return a call."""
    return answers.call(fields.question(True), fields.details)


def card(answers: Answers, fields: ben.Fields) -> Json:
    """Return a card."""
    return answers.card(fields.question(True))


def explain(answers: Answers, fields: ben.Fields) -> Json:
    """Return what the last call shows."""
    question = fields.question(False)
    if not question.calls:
        raise RequestError("'ctx' holds no call to be explained.")
    shows = answers.shows(question)
    return {"explanation": str(shows), "Alert": shows.artificial}


def bids(answers: Answers, fields: ben.Fields) -> Json:
    """Return what every legal call would show; the last row also has the specs of both sides, as in BEN."""
    question = fields.question(False)
    north_south, east_west = answers.sides(question.seat & 1)
    rows: list[dict[str, Any]] = [
        {"bid": "P" if call == PASS else ben.answer_word(call), "m": str(shows), "Alert": shows.artificial}
        for call, shows in answers.every(question).items()
    ]
    rows[-1] |= {"NS": north_south, "EW": east_west}
    return rows


_ENDPOINTS: dict[str, Callable[[Answers, ben.Fields], Json]] = {
    ben.BID: bid, ben.LEAD: card, ben.PLAY: card, "/explain": explain, "/bids": bids,
}  # fmt: skip


def make_app(answers: Answers, *, host: str = "127.0.0.1", timeout: float = TIMEOUT) -> Starlette:
    """Return the server as an ASGI app.

    Args:
        host: where it will listen; on this machine alone, Host headers must name this machine.
        timeout: seconds that bidder or player may take for an answer.
    """
    worker = SerialWorker(timeout)

    def route(path: str, answer: Callable[[Answers, ben.Fields], Json]) -> Route:
        async def endpoint(request: Request) -> Response:
            fields = await read_fields(request, ben.Fields)
            return JSONResponse(await worker(lambda: answer(answers, fields)))

        return Route(path, endpoint, methods=["GET"])

    async def home(request: Request) -> Response:
        found = {"program": "bridge-env", "bids": answers.spec, "plays": answers.play, "endpoints": [*_ENDPOINTS]}
        return JSONResponse(found)

    hosts = ["127.0.0.1", "localhost", "::1"] if is_local(host) else ["*"]
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)]
    routes = [Route("/", home, methods=["GET"]), *(route(*row) for row in _ENDPOINTS.items())]
    return make_starlette(routes, middleware)
