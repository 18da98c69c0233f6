"""BEN's endpoints, ``/bid``, ``/lead``, ``/play``, ``/explain`` and more, and ``/``, which says what answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bridge_table.http.fields import RequestError
from bridge_table.http.guard import SameOriginMiddleware
from bridge_table.http.routing import error_response, make_starlette
from bridge_table.http.server import is_local
from bridge_table.http.worker import SerialWorker
from bridge_table.programs import ben
from bridge_table.programs.answers import Answers, OwnFault

_MAX_WAITING = 64
_LOG = logging.getLogger("bridge_env.serve")

Fields = dict[str, str]


class Endpoints:
    """What other programs may ask; fields that no endpoint knows are ignored, because programs send their own."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def home(self, fields: Fields) -> Any:
        spec, play = self.answers.spec, self.answers.play
        return {"program": "bridge-env", "bids": spec, "plays": play, "doors": list(ben.ENDPOINTS)}

    def bid(self, fields: Fields) -> Any:
        question, details = ben.read_question(fields), ben.read_flag(fields, "details")
        out = ben.call_json(self.answers.call(question, details), self.answers.spec)
        if details and question.calls:
            shown = self.answers.shows(question)
            out["explanations"] = [
                [ben.answer_word(call), ben.meaning(shows)] for call, shows in zip(question.calls, shown, strict=True)
            ]
        return out

    def lead(self, fields: Fields) -> Any:
        return self._card(fields, False)

    def play(self, fields: Fields) -> Any:
        if not fields.get("played"):
            raise RequestError("No card was played yet: ask /lead for the opening lead.")
        return self._card(fields, True)

    def explain(self, fields: Fields) -> Any:
        return ben.shows_json(self.answers.shows(ben.read_auction(fields))[-1])

    def explain_auction(self, fields: Fields) -> Any:
        question = ben.read_auction(fields)
        return ben.auction_json(question.calls, self.answers.shows(question))

    def bids(self, fields: Fields) -> Any:
        question = ben.read_position(fields)
        return ben.bids_json(self.answers.every(question), self.answers.sides(question.seat & 1))

    def _card(self, fields: Fields, play: bool) -> Any:
        question, details = ben.read_question(fields, play), ben.read_flag(fields, "details")
        return ben.card_json(self.answers.card(question, details), self.answers.play, details)


def make_app(
    answers: Answers, *, host: str = "127.0.0.1", origins: Collection[str] = (), names: Collection[str] = ()
) -> Starlette:
    """Return the server as an ASGI app.

    Args:
        host: where it will listen; on this machine alone, Host headers must name this machine.
        origins: of pages of other sites that may send requests. names: further names of this machine.
    """
    worker, endpoints = SerialWorker(_MAX_WAITING), Endpoints(answers)

    def route(path: str, answer: Callable[[Fields], Any]) -> Route:
        async def endpoint(request: Request) -> Response:
            fields = dict(request.query_params)
            return JSONResponse(await worker(lambda: answer(fields)))

        return Route(path, endpoint, methods=["GET"])

    routes = [
        route("/", endpoints.home),
        route(ben.BID, endpoints.bid),
        route(ben.LEAD, endpoints.lead),
        route(ben.PLAY, endpoints.play),
        route(ben.EXPLAIN, endpoints.explain),
        route(ben.EXPLAIN_ALL, endpoints.explain_auction),
        route(ben.BIDS, endpoints.bids),
    ]
    errors = {
        404: f"There is no such endpoint; there are {', '.join(ben.ENDPOINTS)}.",
        405: "Requests are sent by GET, with all fields in the address.",
    }
    hosts = ["127.0.0.1", "localhost", "::1", *names] if is_local(host) else ["*"]
    middleware = [
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        Middleware(CORSMiddleware, allow_origins=list(origins)),
        Middleware(SameOriginMiddleware, origins=origins),
    ]
    return make_starlette(routes, errors, 0, middleware, {OwnFault: _own_fault})


async def _own_fault(request: Request, fault: OwnFault) -> Response:
    _LOG.error("%s", fault)
    return error_response(f"{fault.spec} gave no answer that can be used; the server's terminal says why", 500)
