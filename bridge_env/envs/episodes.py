"""Draw episodes: boards with dealer and vulnerability, and the score that the reward compares with."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.bidders.protocols import SlowBidder
from bridge_env.bidders.registry import implements
from bridge_env.double_dummy.boards import Boards, boards_of
from bridge_env.double_dummy.exact import library_then_solver
from bridge_env.envs.compiled.rows import EPISODE, SETTLED
from bridge_env.envs.compiled.steps import find_episodes
from bridge_env.envs.config import EnvConfig
from bridge_env.envs.rewards import PAR
from bridge_env.envs.table import Tables, bidders_of
from bridge_env.hands.deals import parse_deal
from bridge_env.rng import streams
from bridge_env.rules.auction import Contracts
from bridge_env.rules.cards import DealError, parse_seat, parse_vulnerability
from bridge_env.rules.par import par

OPTIONS = ("deal", "dealer", "vulnerability")
_BUFFERED = 4096  # episodes of all tables: some MB
_BUFFERED_PER_TABLE = 512


@dataclass(frozen=True, slots=True)
class Episodes:
    """N episodes."""

    key: NDArray[np.uint64]  # (N,), each episode's random stream, from which all else in it is derived
    boards: Boards  # with known dealer and vulnerability
    reference: NDArray[np.int16]  # (N,), points for NS: the other table's score, par, or 0; see ``rewards``
    control: Contracts | None  # the other table's contracts, where the reward compares with it

    def __len__(self) -> int:
        return len(self.key)


def table_seeds(seed: int, count: int) -> NDArray[np.uint64]:
    """Return the seeds of the tables of a vector env that is seeded with one number: uint64 (count,).

    Table 0 has the number itself, and the others have hashes, so that envs with seeds side by side share no table.
    """
    seeds = streams.key("table", np.uint64(seed % 2**64), np.arange(count)) >> np.uint64(1)
    seeds[0] = seed % 2**64
    return seeds


def seed_base(seed: ArrayLike) -> NDArray[np.uint64]:
    """Return the streams from which each seed's episodes are derived: uint64 (N,) of whole numbers 0 and up."""
    return streams.key("seed of episodes", np.asarray(seed, np.uint64))


def episode_key(base: ArrayLike, number: ArrayLike) -> NDArray[np.uint64]:
    """Return the stream of episode ``number`` (0, 1, ...) after a seed: uint64 (N,)."""
    return streams.key(base, EPISODE, number)


def parse_reset_options(options: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Parse the options of ``reset`` into arguments of ``draw_episodes`` for ``count`` episodes.

    Raises:
        ValueError: an option is unknown or wrong (``DealError`` for a deal).
    """
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; reset takes {', '.join(OPTIONS)}")
    deal, dealer, vulnerability = (options.get(name) for name in OPTIONS)
    boards = None
    if deal is not None:
        boards = boards_of(parse_deal(deal) if isinstance(deal, str) else np.asarray(deal))
        if len(boards) != 1:
            raise DealError(f"the option 'deal' is one deal, owners of shape (52,); this one has {len(boards)}")
        boards = boards.take(np.zeros(count, np.intp))
    return {
        "boards": boards,
        "dealer": None if dealer is None else parse_seat(dealer),
        "vulnerability": None if vulnerability is None else parse_vulnerability(vulnerability),
    }


def draw_episodes(
    config: EnvConfig,
    key: NDArray[np.uint64],
    number: NDArray[np.int64],
    *,
    boards: Boards | None = None,
    dealer: int | None = None,
    vulnerability: int | None = None,
) -> Episodes:
    """Draw episodes of the given streams: the same, however they are cut into calls.

    Args:
        key: uint64 (N,), the episodes' streams.
        number: int64 (N,), the place of each episode's board in a source in order.
        boards: instead of the deal source's.
        dealer, vulnerability: instead of those of ``config``.
    """
    drawn = config.deals.draw(key, number) if boards is None else boards
    chance = streams.draws(streams.key(key, SETTLED), 2)
    boards = replace(
        drawn,
        dealer=_first_known(config.dealer if dealer is None else dealer, drawn.dealer, chance[:, 0]),
        vulnerability=_first_known(
            config.vulnerability if vulnerability is None else vulnerability, drawn.vulnerability, chance[:, 1]
        ),
    )
    reference = np.zeros(len(key), np.int16)
    control: Contracts | None = None
    if config.other_table is not None:
        tables = Tables(len(key), config.other_table)
        rows = np.arange(len(key))
        tables.start(rows, boards, key, rows)
        reference = tables.scores()
        control = tables.auctions.contracts()
        boards = replace(boards, tricks=tables.state.tricks)
    elif config.reward.reference == PAR:
        unknown = np.flatnonzero((boards.tricks < 0).any(axis=(1, 2)))
        if unknown.size:
            tricks = boards.tricks.copy()
            tricks[unknown] = library_then_solver().tricks(boards.owner[unknown])
            boards = replace(boards, tricks=tricks)
        reference = par(boards.tricks, boards.dealer, boards.vulnerability)
    return Episodes(key, boards, reference, control)


def _first_known(fixed: int | None, known: NDArray[np.int8], chance: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the fixed value, else the board's, else one of four by chance: int8 (N,)."""
    if fixed is not None:
        return np.full(len(known), fixed, np.int8)
    return np.where(known >= 0, known, (chance & np.uint64(3)).astype(np.int8)).astype(np.int8)


class EpisodeBuffer:
    """The next episodes of ``count`` tables, drawn many at a time where that is faster, and not copied."""

    def __init__(self, config: EnvConfig, count: int) -> None:
        self._config, self._count = config, count
        # Boards that must be solved, and auctions of bidders that are slow or may change, are not drawn ahead.
        slow = any(implements(bidder, SlowBidder) for bidder in bidders_of(config.other_table or ()))
        ahead = config.deals.solved and config.specs and not slow
        self._depth = max(1, min(_BUFFERED_PER_TABLE, _BUFFERED // count)) if ahead else 1
        # Those in the buffer: of which seed each table's are, and the number of the first one after them.
        self._base = np.zeros(count, np.uint64)
        self._end = np.zeros(count, np.int64)
        self._episodes: Episodes | None = None  # episode n of table t is row depth * t + n % depth

    def __reduce__(self) -> tuple[Any, ...]:
        return EpisodeBuffer, (self._config, self._count)

    def deal(self, tables: Tables, rows: NDArray[np.intp], options: dict[str, Any] | None = None) -> None:
        """Start the next episodes at the tables ``rows``, with ``options`` (parsed) for these alone."""
        state = tables.state
        if self._depth > 1 and options is None:
            at = np.empty(len(rows), np.intp)
            while not find_episodes(tables.pointers.addresses, rows, self._base, self._end, self._depth, at):
                self._refill(state.base, state.number)
            assert self._episodes is not None
            episodes = self._episodes
        else:
            episodes = self._draw(rows, state.base[rows], state.number[rows], **options or {})
            at = np.arange(len(rows))
        state.number[rows] += 1
        tables.start(rows, episodes.boards, episodes.key, at, episodes.reference)
        if tables.control is not None and episodes.control is not None:
            for array, values in zip(tables.control, episodes.control, strict=True):
                array[rows] = values[at]

    def _draw(
        self, tables: NDArray[np.intp], base: NDArray[np.uint64], number: NDArray[np.int64], **options: Any
    ) -> Episodes:
        places = self._places(tables, base, number)
        return draw_episodes(self._config, episode_key(base, number), places, **options)

    def _places(
        self, tables: NDArray[np.intp], base: NDArray[np.uint64], number: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the places of episodes' boards in a source in order, as the argument ``order`` says."""
        config = self._config
        if config.order == "spread":
            return tables + number * self._count
        if config.order == "next":
            return tables + number
        assert isinstance(config.deals, Sized)
        count = len(config.deals)
        # Each time through the deals: from another one on, in steps of a length that meets all of them.
        first, step = (streams.draws(streams.key(base, "order", number // count), 2) % np.uint64(count)).T.astype(int)
        while (missing := np.gcd(step, count) > 1).any():
            step[missing] += 1
        return (first + step * (number % count)) % count

    def _refill(self, base: NDArray[np.uint64], number: NDArray[np.int64]) -> None:
        """Draw what is missing of the ``depth`` episodes of each table from its next one, ``number`` (N,), on."""
        ahead = self._end - number
        ahead[(ahead < 0) | (ahead > self._depth) | (base != self._base)] = 0
        missing = self._depth - ahead
        tables = np.repeat(np.arange(self._count), missing)
        numbers = np.arange(len(tables)) + np.repeat(number + ahead - np.cumsum(missing) + missing, missing)
        drawn = self._draw(tables, base[tables], numbers)
        if self._episodes is None:
            self._episodes = deepcopy(drawn)  # as many as there is room for, in another order
        places = tables * self._depth + numbers % self._depth
        for target, source in zip(_arrays(self._episodes), _arrays(drawn), strict=True):
            target[places] = source
        self._base[:], self._end[:] = base, number + self._depth


def _arrays(episodes: Episodes) -> list[NDArray[Any]]:
    boards = episodes.boards
    played = [episodes.key, episodes.reference, boards.owner, boards.tricks, boards.dealer, boards.vulnerability]
    return [*played, *(episodes.control or ())]
