"""Connections of both servers: a request has to come within a time, and nobody keeps others out by being silent."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HURRY = 20.0  # seconds for a request, body and all, from the first byte or from connecting
_IDLE = 30  # seconds between two requests of one connection
_POLITE = 0.5  # seconds of silence that cost nobody the place


class Hurried(H11Protocol):
    """Hang up on whoever does not end a request in time; the longest silent gives way where all places are taken."""

    hurry = HURRY
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._alarm = self.loop.call_later(self.hurry, transport.abort)
        over = 0 if self.limit_concurrency is None else len(self.connections) + 1 - self.limit_concurrency
        if over > 0:
            for each in sorted(self.connections, key=Hurried.silence, reverse=True)[:over]:  # type: ignore[arg-type]
                if each.silence() > _POLITE:  # type: ignore[union-attr]
                    each.transport.abort()

    def silence(self) -> float:
        """Seconds that this connection has waited for a request or for the rest of one; 0 while one is answered."""
        if self._alarm is not None:
            return self.loop.time() - self._alarm.when() + self.hurry
        idle = self.timeout_keep_alive_task
        return 0.0 if idle is None else self.loop.time() - idle.when() + _IDLE

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._end_alarm()
        elif self._alarm is None:
            self._alarm = self.loop.call_later(self.hurry, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_alarm()
        super().connection_lost(exc)

    def _end_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None


def server_of(app: Any, most: int, longest_head: int) -> uvicorn.Server:
    """What runs ``app``.

    Args:
        most: connections; more are told to come back.
        longest_head: bytes of a request before its end must have come.
    """
    config = uvicorn.Config(
        app, http=Hurried, log_level="warning", access_log=False, server_header=False,
        h11_max_incomplete_event_size=longest_head, timeout_keep_alive=_IDLE, limit_concurrency=most,
    )  # fmt: skip
    return uvicorn.Server(config)
