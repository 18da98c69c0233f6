"""Run computations off the event loop, one at a time: solvers and compiled caches belong to the process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from bridge_table.http.fields import RequestError
from training.runtime.timeout import CallTimeout, call_with_timeout

_Result = TypeVar("_Result")


class SerialWorker:
    """Runs one computation at a time.

    Args:
        max_waiting: computations that may wait or run; more are refused.
        timeout: seconds for one; None: as long as it takes.
    """

    def __init__(self, max_waiting: int, timeout: float | None = None) -> None:
        self.max_waiting, self.timeout, self._waiting = max_waiting, timeout, 0
        self._lock = threading.Lock()

    async def __call__(self, work: Callable[[], _Result]) -> _Result:
        """Return the result of ``work``, run in a thread.

        Raises:
            RequestError: too many wait, or it took too long; a stuck bidder then runs on, and others get their turn.
        """
        if self._waiting >= self.max_waiting:
            raise RequestError("The server is busy; try again in a moment.", 503)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(self.run, work)
        finally:
            self._waiting -= 1

    def run(self, work: Callable[[], _Result]) -> _Result:
        """Return the result of ``work``, run in this thread; raises as a call of the object does."""
        with self._lock:
            try:
                return call_with_timeout(self.timeout, work)
            except CallTimeout:
                raise RequestError(
                    f"There was no answer within {self.timeout:g} seconds; the bidder may be stuck.", 504
                ) from None
