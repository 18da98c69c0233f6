"""Measure the worth of a treatment: play a system with and without it against a control pair, on the same boards.

Only the boards on which a change can do anything are bid again (``training.evaluation.partnership_match``). That is
exact: a test compares it with complete matches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.tree import Line, System
from training.book.deals import calls_of, group_rows
from training.book.graph import AuctionGraph, Entry, Walker
from training.evaluation.boards import standard_error
from training.evaluation.partnership_match import BoardRange, Partnership, boards_of, duel, gains_and_changes

FEWEST = 30  # boards that a figure is drawn from


@dataclass(frozen=True)
class Worth:
    """IMPs of a treatment."""

    boards: int  # on which it came up
    mean: float | None  # IMPs on such a board; None with too few boards
    error: float | None  # the standard error
    per_thousand: float | None  # IMPs that it is worth over a thousand boards of all kinds

    def __str__(self) -> str:
        if self.mean is None:
            return ""
        return f"{self.mean:+.2f} ± {self.error:.2f}"


class Judge:
    """A system's duplicate match against a control pair on judging boards, and again with the system changed."""

    def __init__(self, graph: AuctionGraph, control: System, boards: int, seed: int) -> None:
        self.graph, self.walker = graph, Walker(graph)
        self._us, self._control = (Partnership(system, system) for system in (graph.system, control))
        self._board_range = BoardRange(seed, "judging", 0, boards)
        self.boards, _ = boards_of(self._board_range)
        self._played = duel(self._us, self._control, self._board_range)
        self.imps = self._played.imps.astype(np.int64)

    @property
    def mean(self) -> float:
        """Return IMPs a board of the system against the control pair."""
        return float(self.imps.mean())

    @property
    def error(self) -> float:
        """Return the standard error of ``mean``."""
        return standard_error(self.imps, self.boards.base)

    @cached_property
    def _boards(self) -> dict[int, list[NDArray[np.int64]]]:
        """Return the boards on which our side makes a call, at either table, by the entries that the call can be."""
        found: dict[int, list[NDArray[np.int64]]] = {}
        for table, history in enumerate(self._played.history):
            calls = calls_of(self.walker, history, self.boards.dealer)
            ours = np.flatnonzero((calls.seat & 1) == table)
            for rows in group_rows(calls.state.astype(np.int64) * 64 + calls.call, ours, 1):
                for entry, _ in self.walker.calls_at(int(calls.state[rows[0]]), int(calls.call[rows[0]])):
                    found.setdefault(entry.index, []).append(calls.board[rows])
        return found

    def boards_with(self, entry: Entry) -> NDArray[np.int64]:
        """Return the boards on which our side makes a call that can be ``entry``, at either table."""
        return np.unique(np.concatenate([np.empty(0, np.int64), *self._boards.get(entry.index, [])]))

    def differences(self, other: System) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return by how many IMPs ``other`` does worse on each board, and on which boards an auction differs."""
        gains, changed = gains_and_changes(Partnership(other, other), self._us, self._control, self._board_range)
        return -gains.astype(np.int64), changed

    def worth_of(self, entry: Entry) -> Worth:
        """Measure the gain by an entry's lines: on the boards on which the call occurs, or a general rule matters."""
        gains, changed = self.differences(without(self.graph.system, entry.numbers))
        rows = np.flatnonzero(changed) if entry.point is None else self.boards_with(entry)
        if len(rows) < FEWEST:
            return Worth(len(rows), None, None, None)
        error = standard_error(gains[rows], self.boards.base[rows])
        return Worth(len(rows), float(gains[rows].mean()), error, 1000.0 * int(gains.sum()) / len(gains))


def without(system: System, numbers: frozenset[int]) -> System:
    """Return the system without some lines, given by number: the next line that fits decides. Their answers stay."""

    def remaining(line: Line) -> list[Line]:
        if line.number not in numbers:
            return [line]
        return [replace(line, after=True, constraint=(), flags=(), note="")] if line.lines else []

    return system.rebuilt(remaining)
