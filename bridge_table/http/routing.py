"""Make routes of plain functions, and an app that answers every error in a sentence."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import asdict
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from bridge_env.bidders.errors import BidderError
from bridge_table.http.fields import RequestError, fields_struct, read_fields

_LOG = logging.getLogger("bridge_env.http")

Json = Any  # what JSONResponse takes
Handler = Callable[..., Any]
_Handler = TypeVar("_Handler", bound=Handler)


class Api:
    """Handlers of requests below ``/api/``.

    The first argument of a handler is the context of its routes. The variable parts of its path follow by name, and its
    keyword-only parameters are the fields of the request. The result is sent as JSON.
    """

    def __init__(self) -> None:
        self._handlers: list[tuple[str, str, Handler]] = []

    def get(self, path: str) -> Callable[[_Handler], _Handler]:
        """Return a decorator of the handler of GET requests."""
        return self._adder("GET", path)

    def post(self, path: str) -> Callable[[_Handler], _Handler]:
        """Return a decorator of the handler of POST requests."""
        return self._adder("POST", path)

    def _adder(self, method: str, path: str) -> Callable[[_Handler], _Handler]:
        def add(handler: _Handler) -> _Handler:
            self._handlers.append((method, path, handler))
            return handler

        return add

    def routes(
        self, context: Callable[[Request], Any], run: Callable[[Any, Callable[[], Json]], Awaitable[Json]]
    ) -> list[Route]:
        """Return the routes of all handlers.

        Args:
            context: returns the first argument of the handlers.
            run: returns the result of a plain function, which may take long, for a context; coroutines are awaited.
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


def make_starlette(
    routes: Sequence[BaseRoute],
    errors: Mapping[int, str],
    max_body: int,
    middleware: Sequence[Middleware],
    handlers: Mapping[Any, Any] | None = None,
) -> Starlette:
    """Return an app whose error responses are ``{"error": SENTENCE}``.

    Args:
        errors: the text for each status that no route sends, such as 404 and 405.
        max_body: bytes of a request's body.
        handlers: further handlers of exceptions, by their class.
    """

    async def no_route(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return error_response(errors.get(status, "The request cannot be met."), status)

    exceptions: dict[Any, Any] = {
        HTTPException: no_route, ClientDisconnect: _disconnected, BidderError: server_error, ValueError: _client_error,
        Exception: _broken, **(handlers or {}),
    }  # fmt: skip
    return Starlette(routes=routes, middleware=middleware, max_body_size=max_body, exception_handlers=exceptions)


def error_response(text: str, status: int) -> Response:
    """Return an error as JSON, with a full stop."""
    return JSONResponse({"error": f"{text.rstrip('.')}."}, status)


async def _disconnected(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # the client has hung up: nobody reads it


async def server_error(request: Request, error: Exception) -> Response:
    """Log an error of a bidder or of the server, and answer 500 with its text."""
    _LOG.error("%s", error)
    return error_response(str(error), 500)


async def _client_error(request: Request, error: Exception) -> Response:
    return error_response(str(error), error.status if isinstance(error, RequestError) else 400)


async def _broken(request: Request, error: Exception) -> Response:
    return error_response("Something went wrong in the server; its terminal has the error", 500)
