"""Pack deals and trick tables to bytes: 2 bits a card, 4 bits an entry.

=============  =====  =============================================================================
thing          bytes  layout
=============  =====  =============================================================================
packed deal    13     card ``c`` (0..51) is bits ``2 * (c % 4)`` and up of byte ``c // 4``; its value is
                      the seat that holds it, N E S W = 0..3
packed table   10     entry ``e = 5 * declarer + strain`` (0..19) is the low half of byte ``e // 2`` if
                      ``e`` is even, the high half if odd; its value is the declarer's tricks, 0..13
=============  =====  =============================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.rules.cards import UInt8Array

DEAL_BYTES, TABLE_BYTES = 13, 10
RECORD_BYTES = DEAL_BYTES + TABLE_BYTES

_TWO, _FOUR, _SIX = np.uint8(2), np.uint8(4), np.uint8(6)
_BYTES = np.arange(256, dtype=np.uint8)
# The meaning of each byte value, as the four seats or two entries in one machine word: one look-up a byte
# decodes several times faster than shifting. Made of bytes, so the machine's byte order does not matter.
_FOUR_SEATS = np.stack([_BYTES >> shift & 3 for shift in (0, 2, 4, 6)], axis=1).view(np.uint32).ravel()
_TWO_ENTRIES = np.stack([_BYTES & 15, _BYTES >> 4], axis=1).view(np.uint16).ravel()


def pack_deals(owner: ArrayLike) -> UInt8Array:
    """Pack owners uint8 (N, 52), every seat 0..3, to uint8 (N, 13)."""
    four = np.asarray(owner, np.uint8).reshape(-1, DEAL_BYTES, 4)
    return four[..., 0] | four[..., 1] << _TWO | four[..., 2] << _FOUR | four[..., 3] << _SIX


def unpack_deals(packed: UInt8Array) -> UInt8Array:
    """Invert :func:`pack_deals`: uint8 (N, 13) to uint8 (N, 52)."""
    return _FOUR_SEATS[packed].view(np.uint8)


def pack_tables(tricks: ArrayLike) -> UInt8Array:
    """Pack tricks int8 (N, 4, 5), every entry 0..13, to uint8 (N, 10)."""
    two = np.asarray(tricks).astype(np.uint8).reshape(-1, TABLE_BYTES, 2)
    return two[..., 0] | two[..., 1] << _FOUR


def unpack_tables(packed: UInt8Array) -> NDArray[np.int8]:
    """Invert :func:`pack_tables`: uint8 (N, 10) to int8 (N, 4, 5)."""
    return _TWO_ENTRIES[packed].view(np.int8).reshape(-1, 4, 5)


def pack_records(owner: ArrayLike, tricks: ArrayLike) -> UInt8Array:
    """Pack owners (N, 52) and their tricks (N, 4, 5) as a library has them, deal before table: uint8 (N, 23)."""
    return np.concatenate([pack_deals(owner), pack_tables(tricks)], axis=1)
