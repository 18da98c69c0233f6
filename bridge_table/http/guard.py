"""Guard the server as an ASGI layer: check token, Host and Origin; limit size and rate of requests."""

from __future__ import annotations

import hmac
import ipaddress
import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol

Scope = dict[str, Any]

HEADERS = (
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                                 b"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)  # fmt: skip
PATIENCE = 120.0  # seconds that a bidder or player may take for an answer
_USUAL_PORT = "80"  # of HTTP, which browsers leave out
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Limits:
    """What the server takes."""

    body: int = 1_000_000  # bytes of a request
    rate: float = 40.0  # requests a second in the long run
    burst: int = 160  # requests at once
    waiting: int = 8  # requests that think or wait to think at the same time
    patience: float = PATIENCE  # seconds that a bidder or player may take for an answer


class Bucket:
    """Lets ``burst`` through at once, and ``rate`` a second after that."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self._left, self._last = float(burst), clock()

    def take(self) -> bool:
        now = self.clock()
        self._left = min(self.burst, self._left + (now - self._last) * self.rate)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Holder(Protocol):
    """Who holds a key besides the token, and how often they may ask."""

    bucket: Bucket


class Keys(Protocol):
    """The keys besides the token, and the app that their holders see; it asks whether the server is to end."""

    app: Any
    ending: Callable[[], bool]

    def find(self, key: str) -> Holder | None: ...


class Guard:
    """An ASGI app around another: refuses with a sentence what does not come from the page.

    Args:
        app: what is guarded; it sees paths without the token.
        token: the first part of every path; None where no key is asked for: then paths stay as they are.
        host: where the server listens; other names than this machine's are allowed only where it is not local.
        port: the port, None in tests.
        limits: of bodies and rates.
        command: what printed the address.
        origins: of pages elsewhere that may ask, such as ``https://example.org``.
        names: by which the server may be called besides.
        keys: of guests, whose app finds who asks as ``scope["holder"]``.
    """

    def __init__(
        self, app: Any, token: str | None, host: str, port: int | None, limits: Limits,
        command: str = "bridge-env table", origins: Collection[str] = (), names: Collection[str] = (),
        keys: Keys | None = None,
    ) -> None:  # fmt: skip
        self.app, self.token, self.host, self.port, self.limits = app, token, host, port, limits
        self.command, self.keys = command, keys
        self.origins, self.names = frozenset(origins), frozenset(names)
        self.bucket = Bucket(limits.rate, limits.burst)

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        allowed = origin if origin in self.origins else ""
        key = _first(scope["path"])
        holder = None if self.keys is None or not key else self.keys.find(key)
        refusal = self._refusal(scope, headers, allowed, holder)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        send = _with_headers(send, allowed)
        if self.token is None:
            await self.app(scope, receive, send)
            return
        rest = scope["path"][len(key) + 1 :]
        inner = {**scope, "path": rest, "raw_path": rest.encode(), "root_path": "", "holder": holder}
        app = self.app if holder is None or self.keys is None else self.keys.app
        await app(inner, receive, send)

    def _refusal(
        self, scope: Scope, headers: dict[bytes, bytes], allowed: str, holder: Holder | None
    ) -> tuple[int, str] | None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._known_host(host):
            return 403, f"This server answers under its own address only; use the one that {self.command} printed."
        origin = headers.get(b"origin")
        if not allowed and origin is not None and origin.decode("latin-1").lower() != f"http://{host}":
            return 403, "Another page may not speak to this server."
        elsewhere = headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin")
        opens = scope["method"] == "GET" and headers.get(b"sec-fetch-mode") == b"navigate"  # by a link, with the token
        if elsewhere and not allowed and not opens:
            return 403, "Another page may not speak to this server."
        key = _first(scope["path"]).encode()
        if self.token is not None and holder is None and not hmac.compare_digest(key, self.token.encode()):
            return 403, f"The key in the address is missing or wrong; open the address that {self.command} printed."
        if not (self.bucket if holder is None else holder.bucket).take():
            return 429, "These are too many requests at once; wait a second."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12:
            return 400, "The length of the request is no number."
        if int(length) > self.limits.body:
            return 413, f"The request is too large; at most {self.limits.body:,} bytes are taken."
        return None

    def _known_host(self, header: str) -> bool:
        name, colon, port = header.rpartition(":")
        if not colon or name.endswith(":"):
            name, port = header, ""
        if self.port is not None and (port or _USUAL_PORT) != str(self.port):
            return False
        if name in _LOCAL or name == self.host or name in self.names:
            return True
        return self.host not in _LOCAL and _is_address(name)


def _first(path: str) -> str:
    """The first part of a path that goes on after it; else nothing."""
    parts = path.split("/", 2)
    return parts[1] if len(parts) == 3 else ""


def _is_address(name: str) -> bool:
    """An address of digits: names may be made to point here by others."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _with_headers(send: Any, origin: str) -> Any:
    """Add our headers to an answer; a page of ``origin``, if one is named, may read it."""
    told = [(b"access-control-allow-origin", origin.encode()), (b"vary", b"origin"),
            (b"cross-origin-resource-policy", b"cross-origin")] if origin else []  # fmt: skip

    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            headers = [*message["headers"], *told]
            known = {name.lower() for name, _ in headers}
            message["headers"] = [*headers, *(pair for pair in HEADERS if pair[0] not in known)]
        await send(message)

    return sending


async def _answer(send: Any, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
