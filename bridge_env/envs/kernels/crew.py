"""Threads that help with rounds: called, sharing and gathered inside kernels, without the interpreter.

To wake a thread that sleeps costs some 50 microseconds, as much as hundreds of tables. So a helper stays in its kernel
for about a millisecond after a round and looks whether the next one has been called; only then it sleeps. And nobody
waits for a helper that sleeps, or whose core another program has: a round is cut into shares that who is there takes,
the caller from the first one up and the helpers from the last one down, so that most tables stay in the same caches.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from bridge_env.chance import row_mix
from bridge_env.kernels import njit
from bridge_env.memory import add, load, store

# Words of ``posts``, int64. TAKEN is made of three numbers: of the round (from bit 32 on; negative: closed), of the
# shares that helpers have taken (from bit 16 on), and of those that the caller has taken. The others count for the
# round: how many shares there are, are done, and two sums of what was done. They lie in two lines of the cache.
TAKEN, SHARES, DONE, FIRST, SECOND = 0, 16, 32, 33, 34
WORDS = 48
MAX_SHARES = 1 << 14
PATIENCE = 40_000  # times that a thread looks before it stops waiting: a millisecond, more or less
_ROUND, _HELPERS = 1 << 32, 1 << 16
_LOW = (1 << 16) - 1
_NAP = 50e-6  # seconds between two looks of a caller that has waited for so long


@njit(forceinline=True)
def _pause(chain):  # type: ignore[no-untyped-def]
    """Some 20 ns of calculating in a chain, which leave a core that two threads share to the other; never 0."""
    for _ in range(4):
        chain = row_mix(chain)  # a bijection, of 0 to 0
    return chain


@njit(forceinline=True)
def call_crew(posts):  # type: ignore[no-untyped-def]
    """Let a round begin: all that was written before is seen by who takes a share of it."""
    posts[DONE] = posts[FIRST] = posts[SECOND] = 0
    store(posts, TAKEN, ((load(posts, TAKEN) >> 32) + 1) << 32)


@njit(forceinline=True)
def _left(taken, shares):  # type: ignore[no-untyped-def]
    return taken >= 0 and (taken & _LOW) + ((taken >> 16) & _LOW) < shares


@njit(forceinline=True)
def take_share(posts, helper):  # type: ignore[no-untyped-def]
    """The number of a share of the round that nobody else has or will have; -1 if there is none left."""
    shares = posts[SHARES]
    if _left(load(posts, TAKEN), shares):  # a look first: no number can grow into the next one's bits
        taken = add(posts, TAKEN, _HELPERS if helper else 1)
        if _left(taken, shares):
            return shares - 1 - ((taken >> 16) & _LOW) if helper else taken & _LOW
    return -1


@njit(forceinline=True)
def report(posts, first, second):  # type: ignore[no-untyped-def]
    """A share is done, with two counts."""
    add(posts, FIRST, first)
    add(posts, SECOND, second)
    add(posts, DONE, 1)


@njit(nogil=True)
def gather(posts, patience):  # type: ignore[no-untyped-def]
    """Wait until all shares are done, ``patience`` looks at most.

    Returns the sums of the two counts, and whether some share is late; then the sums mean nothing yet.
    """
    chain = np.uint64(1)
    while load(posts, DONE) < posts[SHARES] and patience > 0 and chain != 0:
        chain = _pause(chain)
        patience -= 1
    return posts[FIRST], posts[SECOND], load(posts, DONE) < posts[SHARES]


@njit(forceinline=True)
def next_round(posts, seen, patience):  # type: ignore[no-untyped-def]
    """Wait for a round other than number ``seen``, ``patience`` looks at most; its number, -1 if closed, 0 if none."""
    chain = np.uint64(1)
    while patience > 0 and chain != 0:
        now = load(posts, TAKEN) >> 32
        if now != seen:
            return now
        chain = _pause(chain)
        patience -= 1
    return 0


class _Shift:
    """What the helpers of a crew share with it. They keep this and not the crew, which may go while they work."""

    def __init__(self, posts: NDArray[np.int64]) -> None:
        self.posts = posts
        self.process = os.getpid()
        self.error: BaseException | None = None
        self.asleep = 0
        self.bell = threading.Condition()

    @property
    def here(self) -> bool:
        return self.process == os.getpid() and self.posts[TAKEN] >= 0

    def end(self) -> None:
        """Let the helpers end, after the shares that they are at. Waits for nobody."""
        if self.here:
            self.posts[TAKEN] = -_ROUND
            with self.bell:
                self.bell.notify_all()


def _attend(shift: _Shift, help: Callable[[NDArray[np.int64]], object]) -> None:
    """What a helper's thread does."""
    try:
        while shift.posts[TAKEN] >= 0:
            help(shift.posts)
            with shift.bell:
                shift.asleep += 1
                if shift.posts[TAKEN] >= 0:
                    shift.bell.wait()
                shift.asleep -= 1
    except BaseException as error:  # it is raised again where rounds are called
        shift.error = error


class Crew:
    """Helpers beside the caller. They end with ``close``, when nobody has the crew any more, or with the process.

    Args:
        shares: into how many shares a round is cut, at most MAX_SHARES of them count.
        help: called with ``posts`` in each helper's thread, again and again: takes shares, does and reports them, and
            returns when no round has come for a while. It must not keep the crew, or whoever has it.

    Attributes:
        posts: int64 (WORDS,), what the kernels above take.
    """

    def __init__(self, helpers: int, shares: int, help: Callable[[NDArray[np.int64]], object]) -> None:
        self.posts: NDArray[np.int64] = np.zeros(WORDS, np.int64)
        self.posts[SHARES] = self.posts[DONE] = max(1, min(shares, MAX_SHARES))
        self.posts[TAKEN] = MAX_SHARES  # no round yet, all is taken
        self._shift = _Shift(self.posts)
        self._attend = partial(_attend, self._shift, help)
        weakref.finalize(self, self._shift.end)
        self._threads = [
            threading.Thread(target=self._attend, name=f"bridge_env helper {i + 1}", daemon=True)
            for i in range(helpers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def here(self) -> bool:
        """Whether its threads run, and in this process: after a fork they do not."""
        return self._shift.here

    def rouse(self) -> None:
        """Wake who sleeps, just before a round is called. Who falls asleep just then is not waited for.

        Raises:
            BaseException: a helper's own, which ends the crew.
        """
        shift = self._shift
        if shift.error is not None:
            self._fail(shift.error)
        if shift.asleep:
            with shift.bell:
                shift.bell.notify_all()

    def gather_late(self) -> tuple[int, int]:
        """Wait for shares that were late in ``gather``; returns the sums of the two counts.

        Whatever happens meanwhile, nobody writes to the round's arrays any more when this returns or raises.

        Raises:
            BaseException: a helper's own, which ends the crew.
        """
        interrupt: KeyboardInterrupt | None = None
        while True:
            try:
                first, second, late = gather(self.posts, 1)
                if not late:
                    break
                if self._shift.error is not None:
                    self._fail(self._shift.error)
                time.sleep(_NAP)
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt
        return first, second

    def close(self) -> None:
        """End the threads, after the shares that they are at."""
        if self.here:
            self._shift.end()
            for thread in self._threads:
                thread.join()

    def _fail(self, error: BaseException) -> NoReturn:
        self.close()
        raise error
