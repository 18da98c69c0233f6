"""Run heavy work off the event loop, one piece at a time: solvers and compiled caches belong to the process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from training.web.asked import Refused

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
    """

    def __init__(self, most: int) -> None:
        self.most, self._waiting = most, 0

    async def __call__(self, work: Callable[[], _Found]) -> _Found:
        if self._waiting >= self.most:
            raise Refused("The server is busy thinking; try again in a moment.", 503)
        self._waiting += 1
        try:
            found: _Found = await anyio.to_thread.run_sync(alone, work)
            return found
        finally:
            self._waiting -= 1
