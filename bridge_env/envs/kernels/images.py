"""Solved deals drawn from a library, each as any of its images (``double_dummy.images``), which are solved as well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import UInt8Array
from bridge_env.chance import purpose, row_key
from bridge_env.double_dummy.images import row_image
from bridge_env.kernels import njit

_BOARD, _IMAGE = purpose("board"), purpose("image")


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
