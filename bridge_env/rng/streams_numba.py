"""Compute the streams of ``bridge_env.rng.streams`` in kernels, one number at a time."""

from __future__ import annotations

import zlib

import numpy as np

from bridge_env.compiled.jit import njit
from bridge_env.rng import streams
from bridge_env.rng.streams import GOLDEN

row_mix = njit(streams.mix, forceinline=True)


def purpose(text: str) -> np.uint64:
    """Return a purpose as the coordinate that ``streams.key`` makes of it."""
    return np.uint64(zlib.crc32(text.encode()))


@njit(forceinline=True)
def row_key(key, coordinate):  # type: ignore[no-untyped-def]
    """Return ``streams.key(key, coordinate)``."""
    return row_mix((row_mix(key + GOLDEN) ^ np.uint64(coordinate)) + GOLDEN)


@njit(forceinline=True)
def row_key_of_three(key, first, second):  # type: ignore[no-untyped-def]
    """Return ``streams.key(key, first, second)``."""
    return row_mix((row_key(key, first) ^ np.uint64(second)) + GOLDEN)


@njit(forceinline=True)
def row_draw(key, number):  # type: ignore[no-untyped-def]
    """Return ``streams.draws(key, count)[number]``, for any count above ``number``."""
    return row_mix(key + np.uint64(number + 1) * GOLDEN)
