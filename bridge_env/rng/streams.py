"""Make counter-based random streams: a number depends on its coordinates, never on the order of drawing.

There is no generator state anywhere. A stream is a ``uint64`` key hashed from its coordinates, such as
(run, purpose, generation, board, table, call); the same coordinates give the same numbers however the work
is cut into batches or spread over workers.

The mixing function is SplitMix64's finalizer (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014).
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

UInt64Array = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


def mix(x: UInt64Array) -> UInt64Array:
    """Scramble 64-bit values; a bijection. Also compiled by numba, so it is plain arithmetic."""
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


def key(*coordinates: ArrayLike | str) -> UInt64Array:
    """Hash coordinates to stream keys.

    Args:
        coordinates: integers, integer arrays (broadcast together) or strings (purposes, hashed by CRC-32).

    Returns:
        uint64 array of the broadcast shape, at least 1-d.

    Raises:
        ValueError: a number that is not whole, or that no 64 bits hold.
    """
    h = np.zeros(1, np.uint64)
    for c in coordinates:
        if isinstance(c, str):
            c = zlib.crc32(c.encode())
        part = np.asarray(c)
        if part.dtype.kind not in "iub" and part.size:
            raise ValueError(f"random streams have whole numbers of 64 bits, as seeds and otherwise; {c!r} is none")
        if part.dtype != np.uint64:  # negative numbers wrap around, by intention
            part = part.astype(np.int64).astype(np.uint64)
        h = mix((h ^ part) + GOLDEN)
    return h


def draws(keys: ArrayLike, count: int) -> UInt64Array:
    """Draw ``count`` independent 64-bit numbers of every stream: shape ``keys.shape + (count,)``."""
    k = np.asarray(keys, np.uint64)
    steps = (np.arange(1, count + 1, dtype=np.uint64)) * GOLDEN
    return mix(k[..., None] + steps)


def choose(keys: UInt64Array, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Draw for every stream one of the True columns of its row of ``mask``, each equally likely: intp (N,)."""
    rank = (uniforms(keys, 1)[:, 0] * mask.sum(axis=1)).astype(np.int64)
    return (np.cumsum(mask, axis=1) == rank[:, None] + 1).argmax(axis=1)


def uniforms(keys: ArrayLike, count: int) -> NDArray[np.float64]:
    """Draw ``count`` floats in [0, 1) of every stream: shape ``keys.shape + (count,)``."""
    return (draws(keys, count) >> _S11).astype(np.float64) * 2.0**-53
