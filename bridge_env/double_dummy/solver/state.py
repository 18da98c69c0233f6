"""Lay out the memory of one search, and read suits from hands.

A hand is an int64 with 16 bits a suit (C D H S), of which bits 0..12 are the ranks 2..A, so that card ``16 * suit +
rank`` is a bit. ``relevant`` in all modules is such a word: the cards on whose owners an answer rests. The answer holds
for all deals in which the same seats hold these and all higher cards of their suits, and suits are as long.

The state is one array of int64, with the places below. A ply is a card played, 0..51; a trick is four of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.intrinsics import array_at, highest, lowest, ones
from bridge_env.compiled.jit import njit

Int64Array = NDArray[np.int64]

NO_TRUMP = 4
PLIES, TRICKS, LISTED = 56, 14, 16

HANDS = 0  # of the four seats, without the cards played
# Era of the table, its used entries and buckets, positions searched, a request to stop.
STAMP, ENTRIES, BUCKETS, NODES, STOP = 4, 5, 6, 7, 8
# Of each ply: seat and card; the best card so far in its trick and its seat; the relevant cards of the moves
# that failed; the moves listed and how many were tried; the move tried before any was listed, and its killers' key.
SEAT, CARD, BEST, WINNER, RELEVANT, COUNT, TRIED, FIRST, KEY, FLOOR = range(16, 16 + 10 * PLIES, PLIES)
# FLOOR is of each ply and suit: cards of lower ranks fail as one of them did.
MOVES = FLOOR + 4 * PLIES
# Of each trick, at its beginning: tricks that North-South needs, the leader, all cards, the lengths of all suits, the
# table's bucket of this shape and its era, and the entries that fitted without an answer.
NEED = MOVES + LISTED * PLIES
LEADER, ALL, SHAPE, BUCKET, ERA, OPENS, OPEN = range(NEED + TRICKS, NEED + 8 * TRICKS, TRICKS)
SCRATCH = OPEN + 4 * TRICKS
STATE_WORDS = SCRATCH + LISTED

KILLER_BITS = 13

KTH = np.zeros((1 << 13, 14), np.uint16)
"""The k-th highest rank of a suit of these ranks, as its bit."""
_left = np.arange(1 << 13)
for _k in range(1, 14):
    KTH[:, _k] = np.where(_left, 1 << np.maximum(np.frexp(_left)[1] - 1, 0), 0)
    _left ^= KTH[:, _k]


class Workspace:
    """Hold the memory of one thread. Where a hard deal fills the table of positions, the table is emptied.

    Args:
        shapes: buckets of the table, a power of two, 32 bytes each.
        entries: positions in it, 40 bytes each; the system allocates the memory when it is touched.
    """

    def __init__(self, shapes: int = 1 << 16, entries: int = 1 << 20) -> None:
        self.state = np.zeros(STATE_WORDS, np.int64)
        self.owners = np.zeros((4, 1 << 13), np.int32)
        self.buckets = np.zeros((shapes, 4), np.int64)
        self.entries = np.empty((entries, 4), np.int64)
        self.marks = np.empty(entries, np.int64)
        self.killers = np.zeros((1 << KILLER_BITS, 2), np.int64)

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Return the arrays that kernels take first, for ``untracked_arrays``."""
        return self.state, self.owners, KTH, self.buckets, self.entries, self.marks, self.killers


@njit(forceinline=True)
def untracked_arrays(arrays):  # type: ignore[no-untyped-def]
    """Return the same state, owners, KTH, buckets, entries, marks and killers without reference counts.

    numba counts references to an array that comes from Python, and that took a third of the time.
    """
    state, owners, kth, buckets, entries, marks, killers = arrays
    return (
        array_at(state.ctypes.data, (STATE_WORDS,), np.int64),
        array_at(owners.ctypes.data, (4, 1 << 13), np.int32),
        array_at(kth.ctypes.data, (1 << 13, 14), np.uint16),
        array_at(buckets.ctypes.data, (len(buckets), 4), np.int64),
        array_at(entries.ctypes.data, (len(entries), 4), np.int64),
        array_at(marks.ctypes.data, (len(marks),), np.int64),
        array_at(killers.ctypes.data, (1 << KILLER_BITS, 2), np.int64),
    )


@njit(forceinline=True)
def ranks(hand, suit):  # type: ignore[no-untyped-def]
    """Return the 13 bits of a suit."""
    return (hand >> (suit << 4)) & 0x1FFF


@njit(forceinline=True)
def card(suit, rank):  # type: ignore[no-untyped-def]
    """Return the bit of a card."""
    return np.int64(1) << ((suit << 4) + rank)


@njit(forceinline=True)
def size(bits):  # type: ignore[no-untyped-def]
    """Return the number of cards."""
    return ones(np.uint64(bits))


@njit(forceinline=True)
def top(bits):  # type: ignore[no-untyped-def]
    """Return the number of the highest card; -1 if there is none."""
    return highest(np.uint64(bits))


@njit(forceinline=True)
def bottom(bits):  # type: ignore[no-untyped-def]
    """Return the number of the lowest card, of at least one."""
    return lowest(np.uint64(bits))


@njit(forceinline=True)
def above(bits, rank):  # type: ignore[no-untyped-def]
    """Return the cards of a suit that are higher than ``rank``; all where it is -1."""
    return bits & ~((np.int64(2) << rank) - 1) if rank >= 0 else bits


@njit(forceinline=True)
def beats(one, other, trump):  # type: ignore[no-untyped-def]
    """Return whether a card wins over one that was played before."""
    if (one >> 4) == (other >> 4):
        return one > other
    return (one >> 4) == trump
