"""Episodes about to be played: boards with dealer, vulnerability, and the score to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env import streams
from bridge_env.auction import Contracts
from bridge_env.boards import Boards, boards_of
from bridge_env.cards import DealError, parse_deal, parse_seat, parse_vulnerability
from bridge_env.envs.kernels.rows import EPISODE, SETTLED
from bridge_env.envs.rewards import NOTHING, PAR
from bridge_env.envs.setup import Setup
from bridge_env.envs.table import Tables
from bridge_env.par import par

OPTIONS = ("deal", "dealer", "vulnerability")


@dataclass(frozen=True, slots=True)
class Episodes:
    """N episodes.

    Attributes:
        key: uint64 (N,), each episode's random stream; all else in it is derived from this.
        boards: with dealer and vulnerability settled.
        reference: int16 (N,), points for NS: the other table's score, par, or 0; see ``rewards``.
        control: the other table's contracts, where the reward compares with it.
    """

    key: NDArray[np.uint64]
    boards: Boards
    reference: NDArray[np.int16]
    control: Contracts | None

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
