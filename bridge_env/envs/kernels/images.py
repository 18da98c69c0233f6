"""Solved deals drawn from a library, each as any of its 96 images, which are solved as well.

Image ``i`` of a deal has its suits permuted by ``SUIT_ORDERS[i % 24]`` and its hands moved ``i // 24`` seats
clockwise; image 0 is the deal itself. Its table is the deal's with the entries in other places.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import UInt8Array
from bridge_env.double_dummy.packing import DEAL_BYTES
from bridge_env.envs.kernels.chance import purpose, row_key
from bridge_env.kernels import njit

NUM_IMAGES = 96

SUIT_ORDERS = np.array([[*order, 4] for order in permutations(range(4))], np.int64)
"""int64 (24, 5): strain i of the image is strain ``SUIT_ORDERS[order, i]`` of the deal. No trump stays."""
SUIT_ORDERS.flags.writeable = False

_BOARD, _IMAGE = purpose("board"), purpose("image")


@njit(forceinline=True)
def row_image(record, image, owner, tricks):  # type: ignore[no-untyped-def]
    """Write image ``image`` of a packed record uint8 (23,) to ``owner`` (52,) and ``tricks`` (4, 5)."""
    order, steps = SUIT_ORDERS[image % 24], image // 24
    low = high = np.uint64(0)  # the record's 52 seats of two bits, clubs first: bits 0 to 63 and 40 to 103
    for i in range(8):
        low |= np.uint64(record[i]) << np.uint64(8 * i)
        high |= np.uint64(record[i + 5]) << np.uint64(8 * i)
    moved = np.uint32(steps)
    for suit in range(4):
        old = order[suit]
        word = low >> np.uint64(26 * old) if old < 2 else high >> np.uint64(26 * old - 40)
        seats, hand = np.uint32(word), owner[13 * suit :]
        for rank in range(np.uint32(13)):  # unsigned, it becomes a few vector instructions
            hand[rank] = np.uint8(((seats >> (rank + rank)) + moved) & np.uint32(3))
    for declarer in range(4):
        for strain in range(5):
            entry = 5 * declarer + order[strain]
            tricks[(declarer + steps) & 3, strain] = (record[DEAL_BYTES + (entry >> 1)] >> (4 * (entry & 1))) & 15


@njit(forceinline=True)
def row_draw_image(key, records, indices, images, owner, tricks):  # type: ignore[no-untyped-def]
    """Draw one of the deals ``indices``, and one of its first ``images`` images, by the stream ``key``."""
    at = indices[row_key(key, _BOARD) % np.uint64(len(indices))]
    image = np.int64(row_key(key, _IMAGE) % np.uint64(images))
    row_image(records[at], image, owner, tricks)


@njit(nogil=True)
def _draw_rows(key, records, indices, images, owner, tricks):  # type: ignore[no-untyped-def]
    for i in range(len(key)):
        row_draw_image(key[i], records, indices, images, owner[i], tricks[i])


def draw_images(
    key: NDArray[np.uint64], records: UInt8Array, indices: NDArray[np.intp], images: int
) -> tuple[UInt8Array, NDArray[np.int8]]:
    """A solved deal for every stream, each deal and image equally likely.

    Args:
        key: uint64 (N,).
        records: uint8 (n, 23), a library's.
        indices: intp (m,), the deals of it to draw from; m >= 1.
        images: how many of each deal's images: 96, or 1 for the deals as they are.

    Returns:
        owner uint8 (N, 52) and tricks int8 (N, 4, 5).
    """
    owner = np.empty((len(key), 52), np.uint8)
    tricks = np.empty((len(key), 4, 5), np.int8)
    _draw_rows(key, records, indices, images, owner, tricks)
    return owner, tricks
