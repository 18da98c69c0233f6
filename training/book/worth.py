"""Measure the worth of a treatment: play a system with and without it against a control pair, on the same boards.

A change to one point can alter an auction only from a call of ours at that point on. So the boards on which our side
never calls there keep their result, and only the others are bid again. That is exact, and a test holds it against whole
matches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy, bid_out, deal_features
from agents.hierarchy.language.tree import Line, System
from bridge_env.calls import as_wide
from bridge_env.scoring import imps
from training.book.measure import Calls, calls_of
from training.book.points import Entry, Points, Walker
from training.match.boards import Boards, library_boards, standard_error

FEWEST = 30  # boards that a figure is drawn from


@dataclass(frozen=True)
class Worth:
    """IMPs of a treatment.

    Attributes:
        boards: on which it came up.
        mean, error: IMPs on such a board, and the standard error; None with too few boards.
        per_thousand: IMPs that it is worth over a thousand boards of all kinds.
    """

    boards: int
    mean: float | None
    error: float | None
    per_thousand: float | None

    def __str__(self) -> str:
        if self.mean is None:
            return ""
        return f"{self.mean:+.2f} ± {self.error:.2f}"


class Judge:
    """A system's duplicate match against a control pair on judging boards, and again with the system changed."""

    def __init__(self, points: Points, control: System, boards: int, seed: int) -> None:
        self.points = points
        self.boards: Boards = library_boards(boards, seed)
        self.features = deal_features(self.boards.owner)
        self.control = Hierarchy(control)
        self.all = np.arange(len(self.boards))
        self.histories, self.imps = self._match(Hierarchy(points.system), self.all)
        self.walker = Walker(points)
        self.calls = [self._our_calls(table) for table in (0, 1)]

    @property
    def mean(self) -> float:
        """IMPs a board of the system against the control pair."""
        return float(self.imps.mean())

    @property
    def error(self) -> float:
        """Its standard error."""
        return standard_error(self.imps, self.boards.base)

    def _match(self, ours: Hierarchy, rows: NDArray[np.int64]) -> tuple[list[NDArray[np.int8]], NDArray[np.int64]]:
        """Both tables of some boards: the auctions, and our IMPs."""
        boards, features, theirs = self.boards.take(rows), self.features[rows], self.control
        histories, points = [], []
        for seats in ((ours, theirs) * 2, (theirs, ours) * 2):
            auctions = bid_out(seats, features, boards.dealer, boards.vulnerability)
            histories.append(auctions.history[:, : int(auctions.length.max(initial=1))].copy())
            points.append(boards.points(auctions))
        return histories, imps(points[0] - points[1]).astype(np.int64)

    def _our_calls(self, table: int) -> Calls:
        calls = calls_of(self.walker, self.histories[table], self.boards.dealer)
        return calls.take((calls.seat & 1) == table)

    def boards_with(self, wanted: Callable[[int, int], bool]) -> NDArray[np.int64]:
        """Boards on which our side makes a call such that ``wanted(state, call)``, at either table."""
        found = []
        for calls in self.calls:
            pairs, inverse = np.unique(calls.state.astype(np.int64) * 64 + calls.call, return_inverse=True)
            hit = np.array([wanted(int(pair) >> 6, int(pair) & 63) for pair in pairs], np.bool_)
            found.append(calls.board[hit[inverse]])
        return np.unique(np.concatenate(found))

    def differences(self, other: System, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """By how much ``other`` does worse on some boards, and on which of them an auction differs."""
        histories, result = self._match(Hierarchy(other), rows)
        changed = np.zeros(len(rows), np.bool_)
        for now, then in zip(histories, self.histories, strict=True):
            now, then = as_wide([now, then[rows]])
            changed |= (now != then).any(axis=1)
        return self.imps[rows] - result, changed

    def worth_of(self, entry: Entry) -> Worth:
        """Measure the gain by an entry's lines, on the boards on which the call occurs."""
        if entry.point is None:
            return self.worth_against(without(self.points.system, entry.numbers), self.all)
        rows = self.boards_with(lambda state, call: any(e is entry for e, _ in self._at(state, call)))
        gains, _ = self.differences(without(self.points.system, entry.numbers), rows)
        return self._worth(gains, rows, np.ones(len(rows), np.bool_))

    @cache  # noqa: B019 - a judge lives as long as its book is made
    def _at(self, state: int, call: int) -> tuple[Any, ...]:
        return tuple(self.walker.calls_at(state, call))

    def worth_against(self, other: System, rows: NDArray[np.int64]) -> Worth:
        """Measure the gain of the system over ``other``. Boards: those of ``rows`` on which an auction differs."""
        gains, changed = self.differences(other, rows)
        return self._worth(gains, rows, changed)

    def _worth(self, gains: NDArray[np.int64], rows: NDArray[np.int64], counted: NDArray[np.bool_]) -> Worth:
        count = int(counted.sum())
        if count < FEWEST:
            return Worth(count, None, None, None)
        error = standard_error(gains[counted], self.boards.base[rows[counted]])
        return Worth(count, float(gains[counted].mean()), error, 1000.0 * int(gains.sum()) / len(self.all))


def without(system: System, numbers: frozenset[int]) -> System:
    """The system without the lines of some numbers: the next line that fits decides. What follows them stays."""

    def kept(line: Line) -> list[Line]:
        if line.number not in numbers:
            return [line]
        return [replace(line, after=True, constraint=(), flags=(), note="")] if line.lines else []

    return system.rebuilt(kept)
