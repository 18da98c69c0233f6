"""Run heavy work off the event loop, one piece at a time: solvers and compiled caches belong to the process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from bridge_table.http.asked import Refused
from training.running.timeout import CallTimeout, call_with_timeout

_Found = TypeVar("_Found")
_ONE_AT_A_TIME = threading.Lock()


def alone(work: Callable[[], _Found]) -> _Found:
    """Do ``work`` while nothing else of this kind is done in the process."""
    with _ONE_AT_A_TIME:
        return work()


class Thinking:
    """Does heavy work in threads.

    Args:
        most: pieces of work that may wait or be done; more are refused.
        patience: seconds for a piece of work; None: as long as it takes.
    """

    def __init__(self, most: int, patience: float | None = None) -> None:
        self.most, self.patience, self._waiting = most, patience, 0

    async def __call__(self, work: Callable[[], _Found]) -> _Found:
        if self._waiting >= self.most:
            raise Refused("The server is busy thinking; try again in a moment.", 503)
        self._waiting += 1
        try:
            found: _Found = await anyio.to_thread.run_sync(alone, lambda: self._bounded(work))
            return found
        finally:
            self._waiting -= 1

    def _bounded(self, work: Callable[[], _Found]) -> _Found:
        """What ``work`` gives; it is left alone when it takes too long, so that others get their turn."""
        try:
            return call_with_timeout(self.patience, work)
        except CallTimeout:
            told = f"There was no answer within {self.patience:g} seconds; the bidder may be stuck."
            raise Refused(told, 504) from None
