"""Solve every legal card double dummy in the middle of the play.

Cards that are equal (touching, counting those in play) are solved once.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.double_dummy.exact import default_threads
from bridge_env.double_dummy.solver.solve import (
    ALL_BEST,
    ALL_CARDS,
    NOT_LEGAL,
    ONE_BEST,
    WorkspacePool,
    hand_bits,
    solve_cards,
)
from bridge_env.double_dummy.solver.state import Workspace

__all__ = ["ALL_BEST", "ALL_CARDS", "NOT_LEGAL", "ONE_BEST", "SOLVING_COST", "card_tricks"]

Int8Array = NDArray[np.int8]

SOLVING_COST = {
    ALL_CARDS: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 6, 18, 40, 120]),
    ALL_BEST: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 12, 24, 70]),
    ONE_BEST: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 10, 18, 60]),
}
"""int64 (14,), the relative cost of a position of 0..13 tricks.

Budgets count in it, so that a choice does not depend on the machine.
"""
_AT_ONCE = 64  # positions a thread solves at a time


def card_tricks(
    left: ArrayLike,
    strain: ArrayLike,
    leader: ArrayLike,
    trick: ArrayLike,
    threads: int | None = None,
    wanted: int = ALL_CARDS,
) -> Int8Array:
    """Count for every card the tricks that the side to play takes from here on, including the present trick.

    Args:
        left: uint8 (N, 52), the seat that still holds each card; 255 for cards that were played, also to this trick.
        strain: 0..4 (C D H S NT), scalar or (N,).
        leader: the seat that leads, or led, to the present trick, scalar or (N,).
        trick: int8 (N, 3), the cards of the present trick in order, padded with -1.
        threads: threads that solve; None = ``default_threads()``.
        wanted: ALL_CARDS; ALL_BEST, only the best cards; or ONE_BEST, one of them. Early in the play these take a
            fraction of the time.

    Returns:
        int8 (N, 52); -1 where a card is not legal, or not wanted.

    Raises:
        ValueError: hands whose numbers of cards do not fit the trick; a strain or a leader that is none.
    """
    hands = np.atleast_2d(np.asarray(left, np.uint8))
    n = len(hands)
    s = np.broadcast_to(np.asarray(strain, np.intp), n)
    first = np.broadcast_to(np.asarray(leader, np.intp), n)
    t = np.broadcast_to(np.asarray(trick, np.int8), (n, 3))
    if ((s < 0) | (s > 4) | (first < 0) | (first > 3)).any():
        raise ValueError("a strain is 0..4 (C D H S NT), and a leader 0..3 (N E S W)")
    _check(hands, first, t)
    played = np.where(t >= 0, t // 13 * 16 + t % 13, -1).astype(np.int64)
    held, rows = hand_bits(hands), np.arange(n)
    for k in range(3):
        there = played[:, k] >= 0
        held[rows[there], (first[there] + k) & 3] |= np.int64(1) << played[there, k]
    out = np.full((n, 52), NOT_LEGAL, np.int8)
    trump, leading = np.array(s, np.int64), np.array(first, np.int64)  # read-only ones are another type to numba

    def work(workspace: Workspace, part: slice) -> int:
        return int(
            solve_cards(workspace.arrays, held[part], trump[part], leading[part], played[part], wanted, out[part])
        )

    _pool(default_threads() if threads is None else threads).share(n, work, at_most=_AT_ONCE)
    return out


_pool = lru_cache(maxsize=4)(WorkspacePool)


def _check(hands: NDArray[np.uint8], leader: NDArray[np.intp], trick: Int8Array) -> None:
    """Raise ``ValueError`` where sizes of hands differ, since the search would write outside its memory."""
    rows = np.arange(len(hands))
    sizes = (hands[:, :, None] == np.arange(4, dtype=np.uint8)).sum(axis=1)
    for k in range(3):
        sizes[rows, (leader + k) & 3] += trick[:, k] >= 0
    bad = np.flatnonzero((sizes != sizes[:, :1]).any(axis=1) | (sizes[:, 0] == 0))
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"position {row}: the hands, with the cards of the present trick, have {sizes[row].tolist()} cards "
            f"(N E S W), leader {leader[row]}, trick {trick[row].tolist()}: all must have the same number, 1 to 13"
        )
