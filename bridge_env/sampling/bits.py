"""Represent hands as bits for the kernels of this folder: card ``13 * suit + rank`` is bit ``16 * suit + rank``.

The solver has the same layout (``bridge_env.double_dummy.solver.state``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.intrinsics import lowest
from bridge_env.compiled.jit import njit
from bridge_env.rng.streams import GOLDEN
from bridge_env.rng.streams_numba import row_mix
from bridge_env.rules.cards import UNKNOWN

UInt64Array = NDArray[np.uint64]

_ONE, _NINE, _S11, _S32 = np.uint64(1), np.uint64(9), np.uint64(11), np.uint64(32)
_SUIT = np.uint64(0x1FFF)
_CARDS = np.arange(52, dtype=np.uint64)
_POWERS = np.uint64(1) << (_CARDS // np.uint64(13) * np.uint64(16) + _CARDS % np.uint64(13))
HONOUR_POINTS = np.array([sum(p for i, p in enumerate((1, 2, 3, 4)) if m >> i & 1) for m in range(16)], np.int64)
"""int64 (16,), the points of each set of J Q K A, the four upper bits of a suit."""


@njit(forceinline=True)
def holding(bits, suit):  # type: ignore[no-untyped-def]
    """Return the 13 bits of a suit."""
    return (bits >> np.uint64(16 * suit)) & _SUIT


@njit(forceinline=True)
def points(bits):  # type: ignore[no-untyped-def]
    """Return the high-card points of a hand."""
    total = 0
    for suit in range(4):
        total += HONOUR_POINTS[holding(bits, suit) >> _NINE]
    return total


@njit(forceinline=True)
def draw(stream):  # type: ignore[no-untyped-def]
    """Return the next number of ``stream`` uint64 (1,), as ``streams.draws`` counts them."""
    stream[0] += GOLDEN
    return row_mix(stream[0])


@njit(forceinline=True)
def uniform(stream):  # type: ignore[no-untyped-def]
    """Return the next float in [0, 1)."""
    return (draw(stream) >> _S11) * 2.0**-53


@njit(forceinline=True)
def random_below(stream, n):  # type: ignore[no-untyped-def]
    """Return a whole number from 0 to n - 1, as near to equally likely as 32 bits allow."""
    return np.int64(((draw(stream) >> _S32) * np.uint64(n)) >> _S32)


@njit(forceinline=True)
def random_subset(stream, cards, count, room):  # type: ignore[no-untyped-def]
    """Return ``count`` of the bits ``cards``, all choices equally likely. ``room`` int64 (52,) is scratch."""
    n = 0
    while cards:
        room[n] = lowest(cards)
        cards &= cards - _ONE
        n += 1
    chosen = np.uint64(0)
    for i in range(count):
        at = i + random_below(stream, n - i)
        chosen |= _ONE << np.uint64(room[at])
        room[at] = room[i]
    return chosen


def to_hands(bits: UInt64Array) -> NDArray[np.bool_]:
    """Convert bits uint64 (M,) to hands bool (M, 52)."""
    return bits[:, None] & _POWERS > 0


def to_bits(hands: NDArray[np.bool_]) -> UInt64Array:
    """Convert hands bool (..., 52) to bits uint64 (...)."""
    return (hands * _POWERS).sum(axis=-1, dtype=np.uint64)


def to_owner(bits: UInt64Array) -> NDArray[np.uint8]:
    """Convert bits uint64 (M, 4) to deals uint8 (M, 52); 255 where nobody holds a card."""
    held = bits[:, :, None] & _POWERS > 0
    return np.where(held.any(axis=1), held.argmax(axis=1), UNKNOWN).astype(np.uint8)
