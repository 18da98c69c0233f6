"""Hands as 52 bits, for the kernels of this folder: card ``c`` is bit ``c``, a suit is 13 of them in a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.chance import row_mix
from bridge_env.kernels import njit
from bridge_env.memory import lowest, ones
from bridge_env.streams import GOLDEN

UInt64Array = NDArray[np.uint64]

_ONE, _S11, _S32 = np.uint64(1), np.uint64(11), np.uint64(32)
_SUIT = np.uint64(0x1FFF)
_POWERS = np.uint64(1) << np.arange(52, dtype=np.uint64)
_ACES, _KINGS, _QUEENS, _JACKS = (np.uint64(sum(1 << (13 * s + rank) for s in range(4))) for rank in (12, 11, 10, 9))


@njit(forceinline=True)
def holding(bits, suit):  # type: ignore[no-untyped-def]
    """The 13 bits of a suit."""
    return (bits >> np.uint64(13 * suit)) & _SUIT


@njit(forceinline=True)
def points(bits):  # type: ignore[no-untyped-def]
    """High-card points."""
    return 4 * ones(bits & _ACES) + 3 * ones(bits & _KINGS) + 2 * ones(bits & _QUEENS) + ones(bits & _JACKS)


@njit(forceinline=True)
def draw(stream):  # type: ignore[no-untyped-def]
    """The next number of ``stream`` uint64 (1,), as ``streams.draws`` counts them."""
    stream[0] += GOLDEN
    return row_mix(stream[0])


@njit(forceinline=True)
def uniform(stream):  # type: ignore[no-untyped-def]
    """The next float in [0, 1)."""
    return (draw(stream) >> _S11) * 2.0**-53


@njit(forceinline=True)
def below(stream, n):  # type: ignore[no-untyped-def]
    """A whole number from 0 to n - 1, as near to equally likely as 32 bits allow."""
    return np.int64(((draw(stream) >> _S32) * np.uint64(n)) >> _S32)


@njit(forceinline=True)
def some_of(stream, cards, count, room):  # type: ignore[no-untyped-def]
    """``count`` of the bits ``cards``, all choices equally likely. ``room`` int64 (52,) is scratch."""
    n = 0
    while cards:
        room[n] = lowest(cards)
        cards &= cards - _ONE
        n += 1
    chosen = np.uint64(0)
    for i in range(count):
        at = i + below(stream, n - i)
        chosen |= _ONE << np.uint64(room[at])
        room[at] = room[i]
    return chosen


@njit
def _spread(bits, out):  # type: ignore[no-untyped-def]
    for i in range(len(bits)):
        for card in range(52):
            out[i, card] = (bits[i] >> np.uint64(card)) & _ONE


def to_hands(bits: UInt64Array) -> NDArray[np.bool_]:
    """Hands bool (M, 52) of bits uint64 (M,)."""
    out = np.empty((len(bits), 52), np.bool_)
    _spread(np.ascontiguousarray(bits), out)
    return out


def to_bits(hands: NDArray[np.bool_]) -> UInt64Array:
    """Bits uint64 (...) of hands bool (..., 52)."""
    bits: UInt64Array = (hands * _POWERS).sum(axis=-1, dtype=np.uint64)
    return bits


@njit
def _owners(bits, out):  # type: ignore[no-untyped-def]
    for i in range(len(bits)):
        for card in range(52):
            out[i, card] = 255
            for seat in range(4):
                if (bits[i, seat] >> np.uint64(card)) & _ONE:
                    out[i, card] = seat


def to_owner(bits: UInt64Array) -> NDArray[np.uint8]:
    """Deals uint8 (M, 52) of bits uint64 (M, 4); 255 where nobody holds a card."""
    out = np.empty((len(bits), 52), np.uint8)
    _owners(np.ascontiguousarray(bits), out)
    return out
