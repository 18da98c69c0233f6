"""Episodes of many tables, drawn some ahead of use; and boards that must be solved, solved meanwhile."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import Contracts
from bridge_env.boards import Boards
from bridge_env.envs.episodes import Episodes, draw_episodes, episode_key
from bridge_env.envs.rewards import PAR
from bridge_env.envs.setup import Setup

_DRAWN_AT_ONCE = 256  # so many episodes cost little more to draw than one
_MOST_AHEAD = 8192  # episodes: some 2 MB
_SOLVED_AT_ONCE = 8  # boards: some seconds, for which whoever else needs DDS may have to wait


class EpisodeStock:
    """The episodes of N tables, each table's in order, some of them drawn ahead: the more the longer it goes on.

    Copies and pickles are made without what was drawn ahead: they draw it again.

    Args:
        count: N.
    """

    def __init__(self, setup: Setup, count: int) -> None:
        self._setup, self._count = setup, count
        self._base = np.zeros(count, np.uint64)  # of which seed the episodes of a table are
        self._next = np.zeros(count, np.int64)  # number of the episode that a table takes next
        self._end = np.zeros(count, np.int64)  # and of the first that has not been drawn
        self._used = np.zeros(count, np.bool_)
        # A board that must be solved is drawn when it is played.
        self._depth = max(1, _DRAWN_AT_ONCE // count) if setup.deals.solved else 1
        self._most = max(self._depth, _MOST_AHEAD // count) if setup.deals.solved else 1
        self._kept: Episodes | None = None  # episode n of table t is row depth * t + n % depth
        self._ahead = AheadSolver(setup)

    def __reduce__(self) -> tuple[Any, ...]:
        return EpisodeStock, (self._setup, self._count)

    def take(
        self, rows: NDArray[np.intp], base: NDArray[np.uint64], number: NDArray[np.int64]
    ) -> tuple[Episodes, NDArray[np.intp]]:
        """Episode ``number[i]`` after seed ``base[i]`` for each table ``rows[i]``: a block, and the places in it."""
        if self._most == 1:
            episodes = draw_episodes(self._setup, episode_key(base, number), number)
            self._ahead.solve(episode_key(base, number + 1), number + 1)
            return episodes, np.arange(len(rows))
        anew = rows[(self._base[rows] != base) | (self._next[rows] != number)]
        self._base[rows], self._next[rows], self._used[rows] = base, number, True
        self._end[anew] = self._next[anew]
        if (self._end[rows] <= number).any():
            self._draw(rows)
        self._next[rows] += 1
        assert self._kept is not None
        return self._kept, rows * self._depth + number % self._depth

    def _draw(self, rows: NDArray[np.intp]) -> None:
        """Draw what is missing: at first of ``rows`` alone, later of all tables, which soon ask for more as well."""
        if self._kept is not None and len(self._kept) == self._count * self._depth and self._depth < self._most:
            wider = min(2 * self._depth, self._most)
            self._kept, self._depth = None, wider  # what is left of the narrower stock is drawn again
            self._end[:] = self._next
        if self._kept is not None:
            rows = np.flatnonzero(self._used)
        missing = self._next[rows] + self._depth - self._end[rows]
        tables = np.repeat(rows, missing)
        within = np.arange(len(tables)) - np.repeat(np.cumsum(missing) - missing, missing)
        numbers = np.repeat(self._end[rows], missing) + within
        drawn = draw_episodes(self._setup, episode_key(self._base[tables], numbers), numbers)
        places = tables * self._depth + numbers % self._depth
        self._kept = _filled(self._kept, drawn, places, self._count * self._depth)
        self._end[rows] = self._next[rows] + self._depth

    def close(self) -> None:
        """Stop solving ahead."""
        self._ahead.close()


class _Ahead:
    """What a thread that solves ahead shares with its ``AheadSolver``. It keeps this and not the solver."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.next: tuple[NDArray[np.uint64], NDArray[np.int64]] | None = None
        self.wake = threading.Event()
        self.closed = False

    def end(self) -> None:
        """Let the thread end, after the boards that it is solving."""
        self.closed = True
        self.wake.set()


def _solve_ahead(ahead: _Ahead) -> None:
    """What the thread does."""
    deals = ahead.setup.deals
    while not ahead.closed:
        ahead.wake.wait()
        ahead.wake.clear()
        told = ahead.next
        if told is None or ahead.closed:
            continue
        boards = deals.draw(*told)
        unknown = np.flatnonzero((boards.tricks < 0).any(axis=(1, 2)))
        for start in range(0, len(unknown), _SOLVED_AT_ONCE):
            if ahead.closed or ahead.wake.is_set():  # other boards come first now
                break
            deals.tricks(boards.owner[unknown[start : start + _SOLVED_AT_ONCE]])


class AheadSolver:
    """Solves the boards that come next, in a thread of its own, while others are played.

    It changes no result: what it solves, the deal source's solver remembers and will not have to solve again.
    It has work only if par is asked of boards that come unsolved; other rewards need one contract of a board,
    and which one is not known ahead. The thread starts with the first boards, and ends with ``close`` or when nobody
    has the solver any more; copies and pickles are made without it.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._closed = False
        self._ahead: _Ahead | None = None
        self._thread: threading.Thread | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_ahead": None, "_thread": None}

    def solve(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> None:
        """Episodes that will be played next, instead of those that were said before and are not solved yet."""
        if self._closed or self._setup.reward.reference != PAR or self._setup.deals.solved:
            return
        if self._ahead is None or self._thread is None or not self._thread.is_alive():  # not after a fork
            ahead = self._ahead = _Ahead(self._setup)
            weakref.finalize(self, ahead.end)
            self._thread = threading.Thread(
                target=_solve_ahead, args=(ahead,), name="bridge_env solves ahead", daemon=True
            )
            self._thread.start()
        self._ahead.next = key, number
        self._ahead.wake.set()

    def close(self) -> None:
        """Let the thread end, after the boards that it is solving."""
        self._closed = True
        if self._ahead is not None:
            self._ahead.end()


def _filled(kept: Episodes | None, drawn: Episodes, places: NDArray[np.intp], count: int) -> Episodes:
    """``kept`` with ``drawn`` written to ``places``; made, of length ``count``, at the first call."""
    if kept is None:
        first = np.zeros(count, np.intp)
        control = drawn.control
        kept = replace(
            drawn,
            key=drawn.key[first],
            boards=drawn.boards.take(first),
            reference=drawn.reference[first],
            control=None if control is None else Contracts(*(a[first] for a in control)),
        )
    for to, of in zip(_arrays(kept), _arrays(drawn), strict=True):
        to[places] = of
    return kept


def _arrays(episodes: Episodes) -> Sequence[NDArray[np.generic]]:
    boards: Boards = episodes.boards
    control = () if episodes.control is None else episodes.control
    return (
        episodes.key, episodes.reference, boards.owner, boards.tricks, boards.dealer, boards.vulnerability, *control,
    )  # fmt: skip
