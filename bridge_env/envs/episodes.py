"""Episodes about to be played: boards with dealer, vulnerability, and the score to compare with.

Those of many tables are drawn some ahead of use, and boards that must be solved are solved meanwhile.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env import streams
from bridge_env.auction import Contracts
from bridge_env.boards import Boards, boards_of
from bridge_env.cards import DealError, parse_deal, parse_seat, parse_vulnerability
from bridge_env.envs.deals import DealSource
from bridge_env.envs.kernels.rows import EPISODE, SETTLED
from bridge_env.envs.rewards import NOTHING, PAR
from bridge_env.envs.setup import Setup
from bridge_env.envs.table import Tables
from bridge_env.par import par

OPTIONS = ("deal", "dealer", "vulnerability")
_Told = SimpleQueue[tuple[NDArray[np.uint64], NDArray[np.int64]] | None]
_DRAWN_AT_ONCE = 256  # so many episodes cost little more to draw than one
_MOST_AHEAD = 8192  # episodes: some 2 MB
_SOLVED_AT_ONCE = 8  # boards: some seconds, for which whoever else needs the solver may have to wait


@dataclass(frozen=True, slots=True)
class Episodes:
    """N episodes."""

    key: NDArray[np.uint64]  # (N,), each episode's random stream; all else in it is derived from this
    boards: Boards  # with dealer and vulnerability settled
    reference: NDArray[np.int16]  # (N,), points for NS: the other table's score, par, or 0; see ``rewards``
    control: Contracts | None  # the other table's contracts, where the reward compares with it

    def __len__(self) -> int:
        return len(self.key)


def seed_base(seed: ArrayLike) -> NDArray[np.uint64]:
    """What the episodes of each seed are derived from: uint64 (N,) of whole numbers 0 and up."""
    return streams.key("seed of episodes", np.asarray(seed, np.uint64))


def episode_key(base: ArrayLike, number: ArrayLike) -> NDArray[np.uint64]:
    """The stream of episode ``number`` (0, 1, ...) after a seed: uint64 (N,)."""
    return streams.key(base, EPISODE, number)


def settled_by(options: Mapping[str, Any], count: int) -> dict[str, Any]:
    """What the options of ``reset`` settle, as arguments of ``draw_episodes`` for ``count`` episodes.

    Raises:
        ValueError: an option is unknown or wrong (``DealError`` for a deal).
    """
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; reset takes {', '.join(OPTIONS)}")
    deal, dealer, vulnerability = (options.get(name) for name in OPTIONS)
    return {
        "boards": None if deal is None else _one_board(deal).take(np.zeros(count, np.intp)),
        "dealer": None if dealer is None else parse_seat(dealer),
        "vulnerability": None if vulnerability is None else parse_vulnerability(vulnerability),
    }


def _one_board(deal: object) -> Boards:
    """The board of the option ``deal``.

    Raises:
        DealError: it is not a deal.
    """
    boards = boards_of(parse_deal(deal) if isinstance(deal, str) else np.asarray(deal))
    if len(boards) != 1:
        raise DealError(f"the option 'deal' is one deal, owners of shape (52,); this one has {len(boards)}")
    return boards


def draw_episodes(
    setup: Setup,
    key: NDArray[np.uint64],
    number: NDArray[np.int64],
    *,
    boards: Boards | None = None,
    dealer: int | None = None,
    vulnerability: int | None = None,
) -> Episodes:
    """Episodes of the given streams: the same, however they are cut into calls.

    Args:
        key: uint64 (N,), the episodes' streams.
        number: int64 (N,), how many-th episode each is.
        boards: instead of those that the deal source gives.
        dealer, vulnerability: instead of those of ``setup``.
    """
    drawn = setup.deals.draw(key, number) if boards is None else boards
    chance = streams.draws(streams.key(key, SETTLED), 2)
    boards = replace(
        drawn,
        dealer=_settle(setup.dealer if dealer is None else dealer, drawn.dealer, chance[:, 0]),
        vulnerability=_settle(
            setup.vulnerability if vulnerability is None else vulnerability, drawn.vulnerability, chance[:, 1]
        ),
    )
    reference = np.zeros(len(key), np.int16)
    control: Contracts | None = None
    if setup.other_table is not None:
        tables = Tables(len(key), setup.other_table)
        rows = np.arange(len(key))
        tables.start(rows, boards, key, rows)
        reference, _ = tables.scores(setup.deals)
        control = tables.auctions.contracts()
        boards = replace(boards, tricks=tables.tricks)
    elif setup.reward.reference == PAR:
        unknown = np.flatnonzero((boards.tricks < 0).any(axis=(1, 2)))
        if unknown.size:
            tricks = boards.tricks.copy()
            tricks[unknown] = setup.deals.tricks(boards.owner[unknown])
            boards = replace(boards, tricks=tricks)
        reference = par(boards.tricks, boards.dealer, boards.vulnerability)
    else:
        assert setup.reward.reference == NOTHING
    return Episodes(key, boards, reference, control)


def _settle(fixed: int | None, said: NDArray[np.int8], chance: NDArray[np.uint64]) -> NDArray[np.int8]:
    """What is fixed, else what the board says, else one of four by chance: int8 (N,)."""
    if fixed is not None:
        return np.full(len(said), fixed, np.int8)
    return np.where(said >= 0, said, (chance & np.uint64(3)).astype(np.int8)).astype(np.int8)


# --- drawn and solved ahead of use -------------------------------------------------------------------------


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
        self._told: _Told | None = None
        self._thread: threading.Thread | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_told": None, "_thread": None}

    def solve(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> None:
        """Episodes that will be played next, instead of those that were said before and are not solved yet."""
        if self._closed or self._setup.reward.reference != PAR or self._setup.deals.solved:
            return
        if self._told is None or self._thread is None or not self._thread.is_alive():  # not after a fork
            self._told = SimpleQueue()
            weakref.finalize(self, self._told.put, None)
            arguments = self._setup.deals, self._told  # the thread keeps these and not the solver
            self._thread = threading.Thread(
                target=_solve_ahead, args=arguments, name="bridge_env solves ahead", daemon=True
            )
            self._thread.start()
        self._told.put((key, number))

    def close(self) -> None:
        """Let the thread end, after the boards that it is solving."""
        self._closed = True
        if self._told is not None:
            self._told.put(None)


def _solve_ahead(deals: DealSource, told: _Told) -> None:
    """What the thread does, until it is told None: what was told last comes first."""
    while (episodes := told.get()) is not None:
        if not told.empty():
            continue
        boards = deals.draw(*episodes)
        unknown = np.flatnonzero((boards.tricks < 0).any(axis=(1, 2)))
        for start in range(0, len(unknown), _SOLVED_AT_ONCE):
            if not told.empty():
                break
            try:
                deals.tricks(boards.owner[unknown[start : start + _SOLVED_AT_ONCE]])
            except RuntimeError as error:
                if "interpreter shutdown" in str(error):  # the process ends, and nobody has closed the env
                    return
                raise


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
