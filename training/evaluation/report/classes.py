"""Put every board of a match into a class: the kind of call at which its tables parted, or that they bid alike.

By class and swing the boards are chosen that a report keeps in full.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    place: NDArray[np.int64]  # (N,), the place of the board in ``found``; -1 where both tables bid alike
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
    place = np.full(len(match.boards), -1, np.int64)
    place[found.board] = np.arange(len(found.board))
    return Classes(of_board, place, found, by_kind(match, found), by_calls(match, found))


def chosen(match: MatchResult, classes: Classes) -> NDArray[np.int64]:
    """Return the positions of the boards to show, the most wanted first; the same match gives the same boards.

    First those that the table of calls names, then a sample of each class, then the biggest swings. Small matches are
    kept whole.
    """
    order = np.argsort(-np.abs(match.imps), kind="stable")
    named = np.flatnonzero(np.isin(match.boards.number, [n for share in classes.calls for n in share.examples]))
    wanted: list[int] = [*named.tolist(), *_sample(match, classes)]
    most = len(dict.fromkeys(wanted)) + SWINGS
    return np.array(list(dict.fromkeys([*wanted, *order.tolist()]))[:most], np.int64)


def _sample(match: MatchResult, classes: Classes) -> Iterable[int]:
    key = streams.key("report", match.seed, match.boards.number)
    for number in classes.numbers:
        rows = np.flatnonzero(classes.of_board == number)
        yield from rows[np.argsort(key[rows], kind="stable")][:SAMPLE].tolist()
