"""The apps behind the guard: routes, and an answer in a sentence where none of them answers."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

BROKEN = "Something went wrong in the server; its terminal tells what."
_LOG = logging.getLogger("bridge_env.http")


def app_of(routes: Sequence[Route], told: Mapping[int, str]) -> Starlette:
    """An app of routes; ``told`` is what is told to who asks what no route answers, by status."""

    async def lost(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return JSONResponse({"error": told.get(status, "The request cannot be met.")}, status)

    handlers: dict[Any, Any] = {HTTPException: lost, ClientDisconnect: _gone, Exception: _broken}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # who asked has hung up, and nobody reads it


async def _broken(request: Request, error: Exception) -> Response:
    _LOG.exception("a request failed", exc_info=error)
    return JSONResponse({"error": BROKEN}, 500)
