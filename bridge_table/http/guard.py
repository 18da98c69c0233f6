"""Refuse requests that pages of other sites send, and keep those pages from reading or framing the answers."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge_table.http.routing import error_response

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


class SameOriginMiddleware:
    """An ASGI middleware that answers 403 to requests of other sites' pages, except those of ``origins``."""

    def __init__(self, app: ASGIApp, origins: Collection[str] = ()) -> None:
        self.app, self.origins = app, frozenset(origins)

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
            return origin.lower() in self.origins or origin.lower() == f"http://{headers.get('host', '').lower()}"
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            return True
        return method == "GET" and headers.get("sec-fetch-mode") == "navigate"  # someone followed a link


_FORBIDDEN = error_response("A page of another site may not send requests to this server.", 403)
