"""Measure the worth of a call: play a system with and without it against a control pair, on the same boards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from agents.systems.language.tree import Line, System
from training.evaluation.boards import standard_error
from training.evaluation.partnership_match import BoardRange, Partnership, boards_of, duel, gains_and_changes

FEWEST = 30  # boards that a figure is drawn from


@dataclass(frozen=True)
class Worth:
    """IMPs of a call."""

    boards: int  # whose auctions it alters
    mean: float  # IMPs on such a board
    error: float  # the standard error
    per_thousand: float  # IMPs that it is worth over a thousand boards of all kinds

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


class Judge:
    """A system's duplicate match against a control pair on judging boards, and again without some lines."""

    def __init__(self, system: System, control: System, boards: int, seed: int) -> None:
        self._us, self._control = Partnership(system, system), Partnership(control, control)
        self._board_range = BoardRange(seed, "judging", 0, boards)
        self.boards, _ = boards_of(self._board_range)
        imps = duel(self._us, self._control, self._board_range).imps.astype(np.int64)
        self.mean, self.error = float(imps.mean()), standard_error(imps, self.boards.base)

    def worth_of(self, numbers: frozenset[int]) -> Worth | None:
        """Measure the gain by some lines, given by number; None where too few boards show it."""
        other = without(self._us.first, numbers)
        gains, changed = gains_and_changes(Partnership(other, other), self._us, self._control, self._board_range)
        rows = np.flatnonzero(changed)
        if len(rows) < FEWEST:
            return None
        lost = -gains[rows].astype(np.int64)
        error = standard_error(lost, self.boards.base[rows])
        return Worth(len(rows), float(lost.mean()), error, 1000.0 * int(lost.sum()) / len(gains))


def without(system: System, numbers: frozenset[int]) -> System:
    """Return the system without some lines, given by number: the next line that fits decides. Their answers stay."""

    def remaining(line: Line) -> list[Line]:
        if line.number not in numbers:
            return [line]
        return [replace(line, after=True, constraint=(), flags=(), note="")] if line.lines else []

    return system.rebuilt(remaining)
