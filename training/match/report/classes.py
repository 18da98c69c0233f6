"""Put every board of a match into a class: the kind of call at which its tables parted, or that they bid alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from training.match.situations import KINDS
from training.match.where import Differences, Share, by_calls, by_kind, differences

if TYPE_CHECKING:
    from training.match.match import MatchResult

ALIKE = len(KINDS)
"""The class of boards that both tables bid alike."""
NAMES = (*KINDS, "both tables bid alike")


@dataclass(frozen=True)
class Class:
    """What one class came to.

    Attributes:
        number: of the class, an index of ``NAMES``.
        share: its IMPs a board of the whole match, with their error, and its boards.
        won, lost: IMPs a board of the whole match that A gained on boards of this class, and lost; both 0 or more.
    """

    number: int
    share: Share
    won: float
    lost: float


@dataclass(frozen=True, eq=False)
class Classes:
    """The boards of a match by class.

    Attributes:
        of_board: int64 (N,), the class of each board.
        place: int64 (N,), the place of the board in ``found``; -1 where both tables bid alike.
        found: how the boards differ.
        rows: what each class came to, the costliest for A first; classes without boards are left out.
        calls: the pairs of calls that cost A most.
    """

    of_board: NDArray[np.int64]
    place: NDArray[np.int64]
    found: Differences
    rows: list[Class]
    calls: list[Share]


def classes_of(match: MatchResult) -> Classes:
    """The boards of a match by the first call at which their tables differ."""
    found = differences(match)
    of_board = np.full(len(match.boards), ALIKE, np.int64)
    of_board[found.board] = found.kind
    place = np.full(len(match.boards), -1, np.int64)
    place[found.board] = np.arange(len(found.board))
    rows = []
    for share in by_kind(match, found):
        number = KINDS.index(share.what)
        imps = match.imps[of_board == number]
        won, lost = (float(side.sum()) / len(match.boards) for side in (imps[imps > 0], -imps[imps < 0]))
        rows.append(Class(number, share, won, lost))
    return Classes(of_board, place, found, rows, by_calls(match, found))
