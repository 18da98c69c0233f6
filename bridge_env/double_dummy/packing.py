"""Deals and trick tables as bytes: 2 bits a card, 4 bits an entry.

=============  =====  =============================================================================
thing          bytes  layout
=============  =====  =============================================================================
packed deal    13     card ``c`` (0..51) is bits ``2 * (c % 4)`` and up of byte ``c // 4``; its value is
                      the seat that holds it, N E S W = 0..3
packed table   10     entry ``e = 5 * declarer + strain`` (0..19) is the low half of byte ``e // 2`` if
                      ``e`` is even, the high half if odd; its value is the declarer's tricks, 0..13
=============  =====  =============================================================================

What decodes one record is plain arithmetic, so that kernels do the same: ``images`` compiles it with ``njit``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.cards import SEATS, UInt8Array

DEAL_BYTES, TABLE_BYTES = 13, 10
RECORD_BYTES = DEAL_BYTES + TABLE_BYTES

_TWO, _FOUR, _SIX = np.uint8(2), np.uint8(4), np.uint8(6)
_LOW_OF_FOUR, _LOW_OF_TWO = np.uint64(0x1111111111111111), np.uint64(0x5555555555555555)
_AT_A_TIME = 1 << 14  # records: what a core's cache holds
_BYTES = np.arange(256, dtype=np.uint8)
# What each byte value stands for, as the four seats or two entries in one machine word: one look-up a byte
# decodes several times faster than shifting. Made of bytes, so the machine's byte order does not matter.
_FOUR_SEATS = np.stack([_BYTES >> shift & 3 for shift in (0, 2, 4, 6)], axis=1).view(np.uint32).ravel()
_TWO_ENTRIES = np.stack([_BYTES & 15, _BYTES >> 4], axis=1).view(np.uint16).ravel()


def pack_deals(owner: ArrayLike) -> UInt8Array:
    """Owners uint8 (N, 52), every seat 0..3, as packed deals uint8 (N, 13)."""
    four = np.asarray(owner, np.uint8).reshape(-1, DEAL_BYTES, 4)
    packed: UInt8Array = four[..., 0] | four[..., 1] << _TWO | four[..., 2] << _FOUR | four[..., 3] << _SIX
    return packed


def unpack_deals(packed: UInt8Array) -> UInt8Array:
    """The inverse of :func:`pack_deals`: uint8 (N, 13) to uint8 (N, 52)."""
    return _FOUR_SEATS[packed].view(np.uint8)


def pack_tables(tricks: ArrayLike) -> UInt8Array:
    """Tricks int8 (N, 4, 5), every entry 0..13, as packed tables uint8 (N, 10)."""
    two = np.asarray(tricks).astype(np.uint8).reshape(-1, TABLE_BYTES, 2)
    return two[..., 0] | two[..., 1] << _FOUR


def unpack_tables(packed: UInt8Array) -> NDArray[np.int8]:
    """The inverse of :func:`pack_tables`: uint8 (N, 10) to int8 (N, 4, 5)."""
    return _TWO_ENTRIES[packed].view(np.int8).reshape(-1, 4, 5)


def pack_records(owner: ArrayLike, tricks: ArrayLike) -> UInt8Array:
    """Owners (N, 52) and their tricks (N, 4, 5) as they stand in a library, deal before table: uint8 (N, 23)."""
    return np.concatenate([pack_deals(owner), pack_tables(tricks)], axis=1)


def impossible_records(records: UInt8Array) -> str | None:
    """Find a packed record uint8 (N, 23) that is impossible, and say why; None if all are possible.

    A hand holds 13 cards, and an entry of a table is 0..13. Both are read off the packed bytes, eight at a time, for a
    fraction of what unpacking would cost.
    """
    for first in range(0, len(records), _AT_A_TIME):
        part = np.ascontiguousarray(records[first : first + _AT_A_TIME])
        short, over = _faults(part)
        if short.any() or over.any():
            return _fault_text(part, first, short, over)
    return None


def _faults(records: UInt8Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of which records some hand has more or fewer than 13 cards, and of which some entry is 14 or 15: bool (N,)."""
    two_deals = _words(records, 0, 5), _words(records, 5, 13)
    lows = [two & _LOW_OF_TWO for two in two_deals]
    highs = [two >> np.uint64(1) & _LOW_OF_TWO for two in two_deals]
    both = [low & high for low, high in zip(lows, highs, strict=True)]
    odd, upper, west = (np.bitwise_count(a) + np.bitwise_count(b) for a, b in (lows, highs, both))
    short = (west != 13) | (odd != 26) | (upper != 26)  # E and W, S and W, W
    over = np.zeros(len(records), np.bool_)
    for four in (_words(records, 13, 21), _words(records, 15, 23)):
        over |= (four >> np.uint64(1) & four >> np.uint64(2) & four >> np.uint64(3) & _LOW_OF_FOUR) != 0
    return short, over


def _words(records: UInt8Array, begin: int, end: int) -> NDArray[np.uint64]:
    """Bytes ``begin .. end`` of every record, at most eight, as a number each: uint64 (N,)."""
    last = min(begin, RECORD_BYTES - 8)  # eight bytes at a time, also where fewer are asked for
    words = np.ndarray(len(records), "<u8", records.data, last, (RECORD_BYTES,)).astype(np.uint64)
    return words >> np.uint64(8 * (begin - last)) & np.uint64((1 << 8 * (end - begin)) - 1)


def _fault_text(records: UInt8Array, first: int, short: NDArray[np.bool_], over: NDArray[np.bool_]) -> str:
    row = int(np.flatnonzero(short | over)[0])
    if not short[row]:
        most = unpack_tables(records[row : row + 1, DEAL_BYTES:]).max()
        return f"the table of deal {first + row} has {most} tricks, more than 13"
    held = np.bincount(unpack_deals(records[row : row + 1, :DEAL_BYTES])[0], minlength=4)
    seat = int(np.flatnonzero(held != 13)[0])
    return f"deal {first + row} gives {SEATS[seat]} {held[seat]} cards, not 13"


# --- one record uint8 (23,), also inside kernels ----------------------------------------------------------


def suit_seats(record: Any, suit: int) -> Any:
    """The seats that hold the 13 cards of a suit, two bits each from the lowest rank up: uint32.

    Above them stand six bits that mean nothing.
    """
    first = np.uint64(13 * suit) >> np.uint64(2)  # the byte with the suit's lowest card; four bytes hold them all
    word = np.uint32(0)
    for i in range(4):  # an unsigned index is not tested for being negative, so kernels read four bytes at once
        word |= np.uint32(record[first + np.uint64(i)]) << np.uint32(8 * i)
    return word >> np.uint32(2 * suit)


def entry(record: Any, declarer: int, strain: int) -> Any:
    """Declarer's tricks in a strain."""
    at = np.uint64(5 * declarer + strain)
    byte = record[np.uint64(DEAL_BYTES) + (at >> np.uint64(1))]
    return byte >> np.uint8(4) if at & np.uint64(1) else byte & np.uint8(15)
