"""Make routes of plain functions that run one at a time, and an app that answers every error in a sentence.

msgspec reads the fields of requests from the query or the JSON body.
"""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import anyio.to_thread
import msgspec
from msgspec.structs import asdict
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge_env.bidders.errors import BidderError
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import CARD_NUMBERS

Spec = Annotated[str, msgspec.Meta(max_length=300)]
Words = Annotated[str, msgspec.Meta(max_length=2000)]  # calls or cards with spaces between them
Name = Annotated[str, msgspec.Meta(max_length=200)]
SystemText = Annotated[str, msgspec.Meta(max_length=256_000)]
Seat = Literal["N", "E", "S", "W", "watch"]
Dealer = Literal["N", "E", "S", "W"]
Vulnerability = Literal["None", "NS", "EW", "Both"]
_Fields = TypeVar("_Fields", bound=msgspec.Struct)
_LOG = logging.getLogger("bridge_env.http")
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_MAX_WAITING = 64  # computations; more are refused
_MAX_BODY = 1_000_000  # bytes of a request
_SENTENCES = {404: "There is no such page.", 405: "This method is not allowed here."}
Json = Any  # what JSONResponse takes
Handler = Callable[..., Any]
_Handler = TypeVar("_Handler", bound=Handler)
_Result = TypeVar("_Result")


class RequestError(ValueError):
    """A request that cannot be met: a sentence for its sender, and the status of the HTTP response."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


def fields_struct(handler: Callable[..., Any]) -> type[msgspec.Struct]:
    """Return a struct of the keyword-only parameters of a handler, which takes no other fields."""
    hints = get_type_hints(handler, include_extras=True)
    fields = [
        (name, hints[name]) if parameter.default is parameter.empty else (name, hints[name], parameter.default)
        for name, parameter in inspect.signature(handler).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    return msgspec.defstruct("Fields", fields, forbid_unknown_fields=True, kw_only=True)


async def read_fields(request: Request, kind: type[_Fields]) -> _Fields:
    """Return the fields of a request, of a GET those of its query, else of its JSON body; raise ``RequestError`` where
    one is missing, unknown or faulty.
    """
    try:
        if request.method == "GET":
            return msgspec.convert(dict(request.query_params), kind, strict=False)
        return msgspec.json.decode(await request.body() or b"{}", type=kind, strict=False)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RequestError(f"{error}.") from None


def parse_calls(text: str) -> list[int]:
    """Return the calls of a text with spaces between them."""
    return [parse_call(word) for word in text.split()]


def parse_card(text: str) -> int:
    """Return the number of a card, ``HQ``; raise ``ValueError`` where it is no card."""
    card = CARD_NUMBERS.get(text.upper().replace("10", "T"))
    if card is None:
        raise ValueError(f"{text!r} is no card; write the suit and the rank, as in HQ")
    return card


class Api:
    """Handlers of requests below ``/api/``.

    The first argument of a handler is the context of its routes. The variable parts of its path follow by name, and its
    keyword-only parameters are the fields of the request. The result is sent as JSON.
    """

    def __init__(self) -> None:
        self._handlers: list[tuple[str, str, Handler]] = []

    def get(self, path: str) -> Callable[[_Handler], _Handler]:
        """Return a decorator of the handler of GET requests."""
        return partial(self._add, "GET", path)

    def post(self, path: str) -> Callable[[_Handler], _Handler]:
        """Return a decorator of the handler of POST requests."""
        return partial(self._add, "POST", path)

    def _add(self, method: str, path: str, handler: _Handler) -> _Handler:
        self._handlers.append((method, path, handler))
        return handler

    def routes(
        self, context: Callable[[Request], Any], run: Callable[[Any, Callable[[], Json]], Awaitable[Json]]
    ) -> list[Route]:
        """Return the routes of all handlers; ``context`` returns their first argument, and ``run`` the result of a
        plain function, which may take long. Coroutines are awaited.
        """

        def route(method: str, path: str, handler: Handler) -> Route:
            kind = fields_struct(handler)

            async def endpoint(request: Request) -> Response:
                first = context(request)
                params = {name: value for name, value in request.path_params.items() if name != "key"}
                fields = asdict(await read_fields(request, kind))
                answer = partial(handler, first, **params, **fields)
                return JSONResponse(await (answer() if inspect.iscoroutinefunction(handler) else run(first, answer)))

            return Route(f"/api/{path}", endpoint, methods=[method])

        return [route(*row) for row in self._handlers]


def make_starlette(routes: Sequence[BaseRoute], middleware: Sequence[Middleware] = ()) -> Starlette:
    """Return an app whose error responses are ``{"error": SENTENCE}``."""
    exceptions: dict[Any, Any] = {
        HTTPException: _no_route, BidderError: server_error, ValueError: _client_error, Exception: _broken,
    }  # fmt: skip
    guarded = [*middleware, Middleware(SameOriginMiddleware)]
    return Starlette(routes=routes, middleware=guarded, max_body_size=_MAX_BODY, exception_handlers=exceptions)


def error_response(text: str, status: int) -> Response:
    """Return an error as JSON, with a full stop."""
    return JSONResponse({"error": f"{text.rstrip('.')}."}, status)


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return error_response(_SENTENCES.get(status, "The request cannot be met."), status)


async def server_error(request: Request, error: Exception) -> Response:
    """Log an error of a bidder or of the server, and answer 500 with its text."""
    _LOG.error("%s", error)
    return error_response(str(error), 500)


async def _client_error(request: Request, error: Exception) -> Response:
    return error_response(str(error), error.status if isinstance(error, RequestError) else 400)


async def _broken(request: Request, error: Exception) -> Response:
    return error_response("Something went wrong in the server; its terminal has the error", 500)


class SameOriginMiddleware:
    """An ASGI middleware that answers 403 to requests of other sites' pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self.app if self._is_allowed(Headers(scope=scope), scope["method"]) else _FORBIDDEN
        await app(scope, receive, send_with_headers)

    def _is_allowed(self, headers: Headers, method: str) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            return origin.lower() == f"http://{headers.get('host', '').lower()}"
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            return True
        return method == "GET" and headers.get("sec-fetch-mode") == "navigate"  # someone followed a link


_FORBIDDEN = error_response("A page of another site may not send requests to this server.", 403)


class SerialWorker:
    """Runs one computation at a time, of ``timeout`` seconds at most, off the event loop: solvers belong to the
    process.
    """

    def __init__(self, timeout: float) -> None:
        self.timeout, self._waiting = timeout, 0
        self._lock = threading.Lock()

    async def __call__(self, work: Callable[[], _Result]) -> _Result:
        """Return the result of ``work``, run in a thread; raise ``RequestError`` where too many wait, or it took too
        long.
        """
        if self._waiting >= _MAX_WAITING:
            raise RequestError("The server is busy; try again in a moment.", 503)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(self.run, work)
        finally:
            self._waiting -= 1

    def run(self, work: Callable[[], _Result]) -> _Result:
        """Return the result of ``work``, run in a thread of its own, which goes on after a timeout and ends with the
        process.
        """
        result: Future[_Result] = Future()

        def compute() -> None:
            try:
                result.set_result(work())
            except BaseException as error:  # else a SystemExit of a bidder would look like a timeout
                result.set_exception(error)

        with self._lock:
            threading.Thread(target=compute, daemon=True).start()
            if not wait([result], self.timeout).done:
                text = f"There was no answer within {self.timeout:g} seconds; the bidder may be stuck."
                raise RequestError(text, 504)
        return result.result()
