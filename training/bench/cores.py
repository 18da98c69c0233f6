"""Cores of this machine, to keep to, and of a simulation."""

from __future__ import annotations

import contextlib
import heapq
import os
from collections.abc import Iterator


class Cores:
    """Cores that take tasks in the order in which these were handed out."""

    def __init__(self, count: int) -> None:
        self._free = [0.0] * count

    def take(self, at: float, seconds: float) -> float:
        """When a task is done that is handed out ``at`` a time and lasts so long."""
        done = max(at, heapq.heappop(self._free)) + seconds
        heapq.heappush(self._free, done)
        return done


@contextlib.contextmanager
def pinned(cores: int) -> Iterator[None]:
    """Keep this process, and those that it starts, to so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:cores])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
