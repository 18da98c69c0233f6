"""Make routes of plain functions, and an app that answers every error in a sentence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, get_type_hints

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from bridge_env.bidders.errors import BidderError
from bridge_table.http.fields import RequestError, read_fields
from bridge_table.http.worker import SerialWorker

_LOG = logging.getLogger("bridge_env.http")

Json = Any  # what JSONResponse takes
Handler = Callable[..., Json]


class Router:
    """Makes routes of handlers.

    A handler takes ``fields``, whose annotation is a subclass of ``RequestFields``, and the variable parts of its path
    by name; its result is sent as JSON.

    Args:
        worker: runs the handlers, except those that answer ``at_once``.
    """

    def __init__(self, worker: SerialWorker) -> None:
        self.worker = worker

    def routes(self, *routes: tuple[str, str, Handler], at_once: bool = False) -> list[Route]:
        """Return routes of (method, path below ``/api/``, handler)."""
        return [
            Route(f"/api/{path}", self._endpoint(handler, at_once), methods=[method])
            for method, path, handler in routes
        ]

    def _endpoint(self, handler: Handler, at_once: bool) -> Callable[[Request], Any]:
        kind = get_type_hints(handler)["fields"]

        async def endpoint(request: Request) -> Response:
            params = {name: value for name, value in request.path_params.items() if name != "key"}
            answer = partial(handler, await read_fields(request, kind), **params)
            return JSONResponse(answer() if at_once else await self.worker(answer))

        return endpoint


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
