"""Calls of bid deals by the auction before them, from the opening on; and an auction as the title of a note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.language.paths import readings
from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling.pages import auction_head
from agents.networks.meaning import auction_keys
from bridge_env.calls import PASS
from bridge_env.streams import key as hashed
from training.book.measured.measure import Figures, Table, held_of
from training.book.measured.points import Walker


@dataclass(frozen=True)
class Group:
    """All times that one call was made after one auction."""

    before: tuple[int, ...]  # the calls from the opening on; empty to open
    call: int  # that followed
    rows: NDArray[np.int64]  # of ``Spoken``
    visits: int  # how often a seat had to call there


class Spoken:
    """Every call of some deals that a system bids in all four seats, one a row.

    Attributes:
        table: the deals, and ``table.calls`` the calls.
        opened: int8 (boards, L), the calls from the opening on.
        number, before: of calls since the opening, and a hash of them.
        held: int8 (N, len(HELD)), of the caller.
    """

    def __init__(self, hierarchy: Hierarchy, walker: Walker, seed: int, deals: int) -> None:
        self.table = Table(hierarchy, walker, seed, 0, deals)
        calls = self.table.calls
        self.opened, self.number, self.before = since_opening(self.table.history, calls.board, calls.number)
        self.key: NDArray[np.uint64] = hashed(self.before, calls.call.astype(np.int64))
        self.held = held_of(self.table.features[calls.board, calls.seat])

    def __len__(self) -> int:
        return len(self.number)

    def groups(self, least: int) -> Iterator[Group]:
        """The calls that were made ``least`` times or more, the most frequent first."""
        parts = alike(self.key, np.arange(len(self)), max(least, 1))
        visited, visits = np.unique(self.before, return_counts=True)
        for part in sorted(parts, key=len, reverse=True):
            row = int(part[0])
            board, number = int(self.table.calls.board[row]), int(self.number[row])
            before = tuple(self.opened[board, :number].tolist())
            count = int(visits[np.searchsorted(visited, self.before[row])])
            yield Group(before, int(self.table.calls.call[row]), part, count)

    def figures(self, group: Group) -> Figures:
        """The figures of a group, for ``shows.shown``."""
        return Figures(len(group.rows), group.visits, len(self.table), parts=[self.held[group.rows]])


def alike(keys: NDArray[np.generic], rows: NDArray[np.int64], fewest: float) -> list[NDArray[np.int64]]:
    """Rows with the same key together, as many as ``fewest`` or more."""
    order = rows[np.argsort(keys[rows], kind="stable")]
    found = np.split(order, np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1)
    return [group for group in found if len(group) >= fewest]


def since_opening(
    history: NDArray[np.int8], board: NDArray[np.int64], number: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.uint64]]:
    """Auctions int8 (N, L), padded with -1, from the opening on: passes before it are all made at the same point.

    Args:
        board, number: of some calls: which auction, and how many calls came before in it.

    Returns:
        The auctions; and of each call, how many came before since the opening, and a hash of those.
    """
    passes = np.minimum((history == PASS).cumprod(axis=1).sum(axis=1), 4)
    at = np.arange(history.shape[1]) + passes[:, None]
    opened = np.take_along_axis(history, np.minimum(at, history.shape[1] - 1), axis=1)
    opened[at >= history.shape[1]] = -1
    since = np.maximum(number - passes[board], 0)
    begin = np.broadcast_to(hashed("to open"), len(board))
    return opened, since, np.where(since > 0, auction_keys(opened)[board, np.maximum(since - 1, 0)], begin)


def steps_of(before: tuple[int, ...]) -> tuple[Step, ...]:
    """Calls from the opening on as who calls next sees them; their passes go without saying."""
    return readings(before, 0, len(before) & 1)[0].steps


def title(before: tuple[int, ...]) -> str:
    """An auction as the title of a note: ``1!h-(2!c)-?``."""
    return auction_head(steps_of(before)).strip("*")
