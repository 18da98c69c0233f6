"""Apply the 96 symmetries of a solved deal, by number, to deal and table; draw deals from a library.

Symmetry ``i`` of a deal has its suits permuted by ``SUIT_ORDERS[i % 24]`` and its hands moved ``i // 24`` seats
clockwise; symmetry 0 is the deal itself. Its table is the deal's with the entries in other places.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.hands.packing import DEAL_BYTES
from bridge_env.rng import streams
from bridge_env.rng.streams_numba import purpose, row_key
from bridge_env.rules.cards import UInt8Array

SUIT_ORDERS = np.array([[*order, 4] for order in permutations(range(4))], np.int64)
"""int64 (24, 5): strain i of the result is strain ``SUIT_ORDERS[order, i]`` of the deal. No trump stays."""
SUIT_ORDERS.flags.writeable = False

_ORDERS = len(SUIT_ORDERS)
NUM_SYMMETRIES = 4 * _ORDERS
BOARD, IMAGE = "board", "image"  # purposes of streams
_BOARD, _IMAGE = purpose(BOARD), purpose(IMAGE)


def symmetry_number(order: ArrayLike, steps: ArrayLike) -> NDArray[np.int64]:
    """Return the number of the symmetry with suit order ``order`` (0..23) and hands moved ``steps`` (0..3) seats."""
    return _ORDERS * np.asarray(steps, np.int64) + np.asarray(order, np.int64)


@njit(forceinline=True)
def _suit_seats(record, suit):  # type: ignore[no-untyped-def]
    """Return the seats that hold the 13 cards of a suit, two bits each from the lowest rank up: uint32.

    The six bits above them mean nothing.
    """
    first = np.uint64(13 * suit) >> np.uint64(2)  # the byte with the suit's lowest card; four bytes hold them all
    word = np.uint32(0)
    for i in range(4):  # an unsigned index is not tested for being negative, so four bytes are read at once
        word |= np.uint32(record[first + np.uint64(i)]) << np.uint32(8 * i)
    return word >> np.uint32(2 * suit)


@njit(forceinline=True)
def _entry(record, declarer, strain):  # type: ignore[no-untyped-def]
    """Return declarer's tricks in a strain."""
    at = np.uint64(5 * declarer + strain)
    byte = record[np.uint64(DEAL_BYTES) + (at >> np.uint64(1))]
    return byte >> np.uint8(4) if at & np.uint64(1) else byte & np.uint8(15)


@njit(forceinline=True)
def row_symmetry(record, image, owner, tricks):  # type: ignore[no-untyped-def]
    """Write symmetry ``image`` of a packed record uint8 (23,) to ``owner`` (52,) and ``tricks`` (4, 5)."""
    order, steps = SUIT_ORDERS[image % _ORDERS], image // _ORDERS
    moved = np.uint32(steps)
    for suit in range(4):
        seats, hand = _suit_seats(record, order[suit]), owner[13 * suit :]
        for rank in range(np.uint32(13)):  # unsigned, it becomes a few vector instructions
            hand[rank] = np.uint8(((seats >> (rank + rank)) + moved) & np.uint32(3))
    for declarer in range(4):
        for strain in range(5):
            tricks[(declarer + steps) & 3, strain] = _entry(record, declarer, order[strain])


@njit(nogil=True)
def _image_rows(records, indices, image, owner, tricks):  # type: ignore[no-untyped-def]
    for i in range(len(image)):
        row_symmetry(records[indices[i]], image[i], owner[i], tricks[i])


def symmetries_of(
    records: UInt8Array, indices: NDArray[np.intp], image: NDArray[np.int64]
) -> tuple[UInt8Array, NDArray[np.int8]]:
    """Return symmetric deals of solved deals.

    Args:
        records: uint8 (n, 23), a library's.
        indices: intp (N,), which of them, 0..n - 1.
        image: int64 (N,), the number of a symmetry of each, 0..95.

    Returns:
        owner uint8 (N, 52) and tricks int8 (N, 4, 5).
    """
    owner = np.empty((len(image), 52), np.uint8)
    tricks = np.empty((len(image), 4, 5), np.int8)
    _image_rows(records, np.asarray(indices, np.intp), np.asarray(image, np.int64), owner, tricks)
    return owner, tricks


@njit(forceinline=True)
def row_draw_symmetry(key, records, indices, images, owner, tricks):  # type: ignore[no-untyped-def]
    """Draw one of the deals ``indices``, and one of its first ``images`` symmetries, by the stream ``key``."""
    at = indices[row_key(key, _BOARD) % np.uint64(len(indices))]
    image = np.int64(row_key(key, _IMAGE) % np.uint64(images))
    row_symmetry(records[at], image, owner, tricks)


def draw_symmetries(
    key: NDArray[np.uint64], records: UInt8Array, indices: NDArray[np.intp], images: int
) -> tuple[UInt8Array, NDArray[np.int8]]:
    """Draw a solved deal for every stream, each deal and symmetry equally likely.

    Args:
        key: uint64 (N,).
        records: uint8 (n, 23), a library's.
        indices: intp (m,), the deals of it to draw from; m >= 1.
        images: how many of each deal's symmetries: 96, or 1 for the deals as they are.

    Returns:
        owner uint8 (N, 52) and tricks int8 (N, 4, 5).
    """
    at = indices[(streams.key(key, BOARD) % np.uint64(len(indices))).astype(np.intp)]
    return symmetries_of(records, at, (streams.key(key, IMAGE) % np.uint64(images)).astype(np.int64))
