"""Threads that work on the same rounds: called and gathered inside kernels, without the interpreter.

To wake a thread that sleeps costs some 50 microseconds, as much as hundreds of tables. So after a round a worker
stays in its kernel for about a millisecond and looks whether the next one has been called; only then it sleeps.
The caller waits in its kernel as well. Neither needs the interpreter's lock meanwhile.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bridge_env.envs.memory import load, load_changed, store
from bridge_env.kernels import njit

# ``posts`` is int64. Its word 0 is the number of the round that has been called, or CLOSED. Worker w's words are at
# ``w * POST``: the number of the round that it has done last, and two counts of it.
POST = 16  # words, so that no two threads write to the same or neighbouring lines of the cache
CLOSED = -1
PATIENCE = 40_000  # times that a thread looks before it stops waiting: a millisecond, more or less
_NAP = 50e-6  # seconds between two looks of a caller that has waited for so long


@njit(forceinline=True)
def call_crew(posts):  # type: ignore[no-untyped-def]
    """Let a round begin."""
    if len(posts) > POST:
        store(posts, 0, posts[0] + 1)


@njit(forceinline=True)
def report(posts, worker, number, first, second):  # type: ignore[no-untyped-def]
    """A worker has done round ``number``, with two counts."""
    posts[worker * POST + 1] = first
    posts[worker * POST + 2] = second
    store(posts, worker * POST, number)


@njit(nogil=True)
def gather(posts, patience):  # type: ignore[no-untyped-def]
    """Wait until all workers have done the round, ``patience`` looks at most.

    Returns the sums of their two counts, and how many are late; if any, the sums mean nothing yet.
    """
    first = second = late = 0
    for at in range(POST, len(posts), POST):
        done = load(posts, at)
        while done != posts[0]:
            now = load_changed(posts, at, done, patience)
            if now == done:
                late += 1
                break
            done = now
        first += posts[at + 1]
        second += posts[at + 2]
    return first, second, late


class Crew:
    """Workers 1, 2, ... beside the caller, who is number 0. Ends with ``close``, or with the process.

    Args:
        others: how many.
        work: called with ``posts`` and a worker's number, in its thread, again and again: does the rounds that are
            called and returns when none has come for a while.

    Attributes:
        posts: int64, what kernels call, report and gather with.
    """

    def __init__(self, others: int, work: Callable[[NDArray[np.int64], int], object]) -> None:
        self.posts: NDArray[np.int64] = np.zeros((1 + others) * POST, np.int64)
        self._work = work
        self._process = os.getpid()
        self._error: BaseException | None = None
        self._asleep = 0
        self._bell = threading.Condition()
        self._threads = [
            threading.Thread(target=self._attend, args=(i,), name=f"bridge_env round {i}", daemon=True)
            for i in range(1, 1 + others)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def here(self) -> bool:
        """Whether its threads run in this process: after a fork they do not, nor after an error or ``close``."""
        return self._process == os.getpid() and self.posts[0] != CLOSED

    def rouse(self) -> None:
        """Wake who sleeps, just before a round is called (in a kernel, where the interpreter is free for them)."""
        if self._asleep:
            with self._bell:
                self._bell.notify_all()

    def gather_late(self) -> tuple[int, int]:
        """Wait for who was late in ``gather``; returns the sums of the two counts.

        Whatever happens meanwhile, no worker writes to the round's arrays any more when this returns or raises.

        Raises:
            BaseException: a worker's own, which ends the crew.
        """
        interrupt: BaseException | None = None
        while True:
            try:
                first, second, late = gather(self.posts, 1)
                if not late:
                    break
                if self._error is not None:
                    self.close()
                    raise self._error
                self.rouse()  # one may have fallen asleep just before the call
                time.sleep(_NAP)
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt
        return first, second

    def close(self) -> None:
        """End the threads, after the shares that they are at."""
        if self.here:
            self.posts[0] = CLOSED
            with self._bell:
                self._bell.notify_all()
            for thread in self._threads:
                thread.join()

    def _attend(self, worker: int) -> None:
        """What a thread does."""
        try:
            while self.posts[0] != CLOSED:
                self._work(self.posts, worker)
                with self._bell:
                    # Asleep first, then one more look: a call either is seen here or sees who sleeps.
                    self._asleep += 1
                    if self.posts[0] == self.posts[worker * POST]:
                        self._bell.wait()
                    self._asleep -= 1
        except BaseException as error:  # noqa: BLE001 - it is raised again where the round was called
            self._error = error
