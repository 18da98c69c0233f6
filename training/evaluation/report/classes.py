"""Put every board of a match into a class: the kind of call at which its tables parted, or that they bid alike.

By class and swing the boards are chosen that a report keeps in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridge_env.rng import streams
from training.evaluation.first_difference import Differences, Share, by_calls, by_kind, differences
from training.evaluation.situations import KINDS

if TYPE_CHECKING:
    from training.evaluation.duplicate import MatchResult

ALIKE = len(KINDS)
"""The class of boards that both tables bid alike."""
NAMES = (*KINDS, "both tables bid alike")
SAMPLE = 8
"""Boards of a class that are chosen by chance."""
SWINGS = 180
"""Boards that are chosen for their swing."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The boards of a match by class."""

    of_board: NDArray[np.int64]  # (N,), the class of each board, an index of ``NAMES``
    found: Differences  # how the boards differ
    rows: list[Share]  # what each class came to, the costliest for A first; classes without boards are left out
    calls: list[Share]  # the pairs of calls that cost A most

    @property
    def numbers(self) -> list[int]:
        """Return the classes that have boards; that of boards bid alike comes last."""
        return [*(NAMES.index(row.what) for row in self.rows), ALIKE]


def classes_of(match: MatchResult) -> Classes:
    """Sort the boards of a match by the first call at which their tables differ."""
    found = differences(match)
    of_board = np.full(len(match.boards), ALIKE, np.int64)
    of_board[found.board] = found.kind
    return Classes(of_board, found, by_kind(match, found), by_calls(match, found))


def select_boards(match: MatchResult, classes: Classes) -> NDArray[np.int64]:
    """Return the positions of the boards to show: those that the table of calls names, a sample of each class, the
    biggest swings; all of a small match."""
    order = np.argsort(-np.abs(match.imps), kind="stable")
    named = np.flatnonzero(np.isin(match.boards.number, [n for share in classes.calls for n in share.examples]))
    key = streams.key("report", match.seed, match.boards.number)
    of_class = [np.flatnonzero(classes.of_board == number) for number in classes.numbers]
    samples = [rows[np.argsort(key[rows], kind="stable")][:SAMPLE] for rows in of_class]
    wanted = np.unique(np.concatenate([named, *samples]))
    return np.concatenate([wanted, order[~np.isin(order, wanted)][:SWINGS]])
