"""Calls of bid deals by the auction before them, from the opening on; and an auction as the title of a note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.telling.wording import of_call
from agents.networks.meaning import auction_keys
from bridge_env.calls import PASS
from bridge_env.features import HCP_AND_LENGTHS
from bridge_env.streams import key as hashed
from training.book.measure import HELD, Figures, Table
from training.book.points import Points, Walker


@dataclass(frozen=True)
class Group:
    """All times that one call was made after one auction.

    Attributes:
        before: the calls from the opening on; empty to open.
        call: that followed.
        rows: of ``Spoken``.
        visits: how often a seat had to call there.
    """

    before: tuple[int, ...]
    call: int
    rows: NDArray[np.int64]
    visits: int

    @property
    def title(self) -> str:
        """``1!h-(2!c)-?``."""
        return title(self.before)


class Spoken:
    """Every call of some deals that a system bids in all four seats, one a row.

    Attributes:
        table: the deals, and ``table.calls`` the calls.
        held: int8 (N, 5), points and cards of C D H S of the caller.
    """

    def __init__(self, hierarchy: Hierarchy, walker: Walker, seed: int, deals: int) -> None:
        self.table = Table(hierarchy, walker, seed, 0, deals)
        calls = self.table.calls
        history = self.table.history
        passes = np.minimum((history == PASS).cumprod(axis=1).sum(axis=1), 4)
        columns = np.arange(history.shape[1])
        shifted = np.minimum(columns + passes[:, None], history.shape[1] - 1)
        self.opened = np.take_along_axis(history, shifted, axis=1)
        self.opened[columns + passes[:, None] >= history.shape[1]] = -1
        self.number = np.maximum(calls.number - passes[calls.board], 0)  # calls before it since the opening
        keys = auction_keys(self.opened)
        begin = np.broadcast_to(hashed("to open"), len(calls))
        self.before = np.where(self.number > 0, keys[calls.board, np.maximum(self.number - 1, 0)], begin)
        self.key: NDArray[np.uint64] = hashed(self.before, calls.call.astype(np.int64))
        self.held = np.full((len(calls), len(HELD)), -1, np.int8)
        self.held[:, :5] = self.table.features[calls.board, calls.seat][:, HCP_AND_LENGTHS]

    def __len__(self) -> int:
        return len(self.number)

    def groups(self, least: int) -> Iterator[Group]:
        """The calls that were made ``least`` times or more, the most frequent first."""
        order = np.argsort(self.key, kind="stable")
        key = self.key[order]
        parts = [
            part for part in np.split(order, np.flatnonzero(key[1:] != key[:-1]) + 1) if len(part) >= max(least, 1)
        ]
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


def spoken(hierarchy: Hierarchy, seed: int, deals: int) -> Spoken:
    """The calls of a system on ``deals`` deals of a seed."""
    return Spoken(hierarchy, Walker(Points(hierarchy.system)), seed, deals)


def title(before: tuple[int, ...]) -> str:
    """An auction as who calls next sees it: ``1!h-(2!c)-?``; their passes go without saying."""
    if not before:
        return "Opening"
    parts = []
    for i, call in enumerate(before):
        theirs = bool((len(before) - i) & 1)
        if not (theirs and call == PASS):
            parts.append(f"({name(call)})" if theirs else name(call))
    return "-".join([*parts, "?"])


def name(call: int) -> str:
    """``2!c``, ``3NT``, ``X``, ``P``."""
    return "P" if call == PASS else of_call(call)
