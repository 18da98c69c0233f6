"""Solve every legal card double dummy in the middle of the play.

Positions of up to OWN_CARDS cards a hand go to the solver of our own, which is faster there: eight times with four
cards (results/bench/solver.md). Earlier ones go to DDS, one call for all cards of a position. Both value cards that
are equal (touching, counting those in play) once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.double_dummy.exact import (
    BOARDS_PER_CALL,
    DDS_LOCK,
    THEIR_STRAIN,
    asked_boards,
    default_threads,
    load_dds,
    solved_boards,
)
from bridge_env.double_dummy.own.solver import ALL_BEST, ALL_CARDS, NOT_LEGAL, ONE_BEST, Crew, own_card_tricks

__all__ = ["ALL_BEST", "ALL_CARDS", "NOT_LEGAL", "ONE_BEST", "OWN_CARDS", "SOLVING_COST", "card_tricks", "without_dds"]

Int8Array = NDArray[np.int8]

USUAL_OWN_CARDS = 8
"""Cards a hand up to which our own solver is faster than DDS (`bridge-env bench --solver`)."""
OWN_CARDS = USUAL_OWN_CARDS
"""Cards a hand up to which it is asked."""
SOLVING_COST = {
    ALL_CARDS: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 6, 18, 40, 120]),
    ALL_BEST: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 12, 24, 70]),
    ONE_BEST: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 10, 18, 60]),
}
"""int64 (14,), about what DDS takes on one core for a position of 0..13 tricks, in fifths of a millisecond.

Budgets count in it, so that a choice does not depend on the machine; our own solver takes less for late positions.
"""
_THEIR_SUIT = THEIR_STRAIN[:4]
# Offsets in DDS's records, in 32-bit words.
_TRICK_SUITS, _TRICK_RANKS = 2, 5
_CARDS, _SUIT, _RANK, _EQUALS, _SCORE = 1, 2, 15, 28, 41


def without_dds() -> None:
    """Let our own solver value positions of any size in this process.

    Early in the play it takes a quarter longer than DDS, which keeps some 100 MB for every core.
    """
    global OWN_CARDS  # noqa: PLW0603 - a choice of the process, as the threads of DDS are
    OWN_CARDS = 13
    _crew.cache_clear()


def card_tricks(
    left: ArrayLike,
    strain: ArrayLike,
    leader: ArrayLike,
    trick: ArrayLike,
    threads: int | None = None,
    wanted: int = ALL_CARDS,
) -> Int8Array:
    """For every card, count the tricks that the side to play takes from here on, including the present trick.

    Args:
        left: uint8 (N, 52), the seat that still holds each card; 255 for cards that were played, also to this trick.
        strain: 0..4 (C D H S NT), scalar or (N,).
        leader: who leads, or led, the present trick, scalar or (N,).
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
    early = _check(hands, first, t) > OWN_CARDS
    out = np.full((n, 52), NOT_LEGAL, np.int8)
    threads = default_threads() if threads is None else threads
    if not early.all():
        late = np.flatnonzero(~early)
        out[late] = own_card_tricks(hands[late], s[late], first[late], t[late], _crew(threads), wanted)
    if early.any():
        with DDS_LOCK:
            dds, rows = load_dds(threads), np.flatnonzero(early)
            for start in range(0, len(rows), BOARDS_PER_CALL):
                part = rows[start : start + BOARDS_PER_CALL]
                out[part] = _solve(dds, hands[part], s[part], first[part], t[part], wanted)
    return out


@lru_cache(maxsize=4)
def _crew(threads: int) -> Crew:
    if OWN_CARDS > USUAL_OWN_CARDS:
        return Crew(threads)
    return Crew(threads, shapes=1 << 13, entries=1 << 16)  # 2 MB a thread: late positions need no more


def _check(hands: NDArray[np.uint8], leader: NDArray[np.intp], trick: Int8Array) -> NDArray[np.intp]:
    """Return how many cards every hand has, int (N,). Solvers run into memory that is not theirs where sizes differ.

    Raises:
        ValueError: hands whose numbers of cards do not fit the trick.
    """
    rows = np.arange(len(hands))
    sizes = (hands[:, :, None] == np.arange(4, dtype=np.uint8)).sum(axis=1)
    for k in range(3):
        sizes[rows, (leader + k) & 3] += trick[:, k] >= 0
    gaps = ((trick[:, 1:] >= 0) & (trick[:, :-1] < 0)).any(axis=1)
    again = ((trick >= 0) & (np.take_along_axis(hands, np.maximum(trick, 0).astype(np.intp), axis=1) != 255)).any(
        axis=1
    )
    twice = (trick >= 0) & ((trick == np.roll(trick, 1, axis=1)) | (trick == np.roll(trick, 2, axis=1)))
    bad = np.flatnonzero((sizes != sizes[:, :1]).any(axis=1) | (sizes[:, 0] == 0) | gaps | again | twice.any(axis=1))
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"position {row}: the hands, with the cards of the present trick, have {sizes[row].tolist()} cards "
            f"(N E S W), leader {leader[row]}, trick {trick[row].tolist()}: all must have the same number, 1 to 13"
        )
    cards: NDArray[np.intp] = sizes[:, 0]
    return cards


def _solve(
    dds: Any,
    hands: NDArray[np.uint8],
    strain: NDArray[np.intp],
    leader: NDArray[np.intp],
    trick: Int8Array,
    wanted: int,
) -> Int8Array:
    """``card_tricks`` of at most 200 positions."""
    asked, boards = asked_boards(dds, hands, strain, leader, wanted)
    there = trick >= 0
    boards[:, _TRICK_SUITS : _TRICK_SUITS + 3] = np.where(there, _THEIR_SUIT[np.maximum(trick, 0) // 13], 0)
    boards[:, _TRICK_RANKS : _TRICK_RANKS + 3] = np.where(there, trick % 13 + 2, 0)
    return _values(solved_boards(dds, asked, len(hands)))


def _values(futures: NDArray[np.int32]) -> Int8Array:
    """DDS's lists of cards, with equal ones, as values of all cards: int8 (n, 52)."""
    out = np.full((len(futures), 52), NOT_LEGAL, np.int8)
    row, k = np.nonzero(np.arange(13) < futures[:, _CARDS, None])
    suit = _THEIR_SUIT[futures[row, _SUIT + k]]
    ranks = futures[row, _EQUALS + k] | (1 << futures[row, _RANK + k])  # bits 2..14 for ranks 2..A
    value = futures[row, _SCORE + k].astype(np.int8)
    at, rank = np.nonzero(ranks[:, None] >> np.arange(2, 15) & 1)
    out[row[at], 13 * suit[at] + rank] = value[at]
    return out
