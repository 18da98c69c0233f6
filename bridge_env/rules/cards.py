"""Encode, parse and check seats, vulnerabilities, cards and deals.

===========  =================================================================================
thing        encoding
===========  =================================================================================
seat         N E S W = 0 1 2 3; partner ``seat ^ 2``, side ``seat & 1`` (0 = NS, 1 = EW)
suit         C D H S = 0..3
rank         2 3 ... K A = 0..12
card         ``suit * 13 + rank``, so ``(..., 52)`` reshapes to ``(..., 4, 13)``
deal         ``owner``: uint8 (N, 52), the seat that holds each card, 255 = unknown
vulnerability  0..3: bit 0 NS, bit 1 EW
===========  =================================================================================
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import ArrayLike, NDArray

UInt8Array = NDArray[np.uint8]
BoolArray = NDArray[np.bool_]

SEATS = "NESW"
SUITS = "CDHS"
RANKS = "23456789TJQKA"
VULNERABILITIES = ("None", "NS", "EW", "Both")
UNKNOWN = 255

_VULNERABILITY_WORDS = {
    "none": 0, "-": 0, "love": 0, "loveall": 0, "nil": 0, "neither": 0, "nobody": 0, "zero": 0, "o": 0, "z": 0,
    "ns": 1, "northsouth": 1, "ew": 2, "eastwest": 2, "both": 3, "all": 3, "everybody": 3, "gameall": 3, "b": 3,
}  # fmt: skip
_SYMBOLS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC", "\ufe0e\ufe0f")


class DealError(ValueError):
    """Text or an array that is not a deal or a hand; the message quotes it and names the fault."""


def card_text(card: int) -> str:
    """Return the name of a card: ``51 -> 'SA'``."""
    return SUITS[card // 13] + RANKS[card % 13]


CARD_NUMBERS = {card_text(card): card for card in range(52)}
"""``{'SA': 51, ...}``."""


def plain_suits(text: str) -> str:
    """Return a text in capitals with letters for the symbols of suits."""
    return text.translate(_SYMBOLS).upper()


def parse_seat(text: str | int) -> int:
    """Parse a seat to its number: ``"N"``, ``"east"`` or 0..3.

    Raises:
        ValueError: not a seat.
    """
    if isinstance(text, int | np.integer) and 0 <= text < 4:
        return int(text)
    word = str(text).strip().upper()
    if word and word[0] in SEATS and word in ("N", "E", "S", "W", "NORTH", "EAST", "SOUTH", "WEST"):
        return SEATS.index(word[0])
    raise ValueError(f"{text!r} is not a seat; use one of N, E, S, W")


def parse_vulnerability(text: str | int) -> int:
    """Parse ``"None" | "NS" | "EW" | "Both"`` (and usual synonyms, such as ``"N-S vul"``) or 0..3.

    Raises:
        ValueError: not a vulnerability.
    """
    if isinstance(text, int | np.integer) and 0 <= text < 4:
        return int(text)
    code = _VULNERABILITY_WORDS.get(re.sub(r"[\W_]|vulnerable|vul", "", str(text).lower()) or str(text).strip())
    if code is None:
        raise ValueError(f"{text!r} is not a vulnerability; use one of None, NS, EW, Both")
    return code


def board_dealer(board: ArrayLike) -> UInt8Array:
    """Return the dealer of board numbers 1, 2, ... (Law 2 of duplicate bridge: N E S W in turn)."""
    return ((np.asarray(board, np.int64) - 1) % 4).astype(np.uint8)


def board_vulnerability(board: ArrayLike) -> UInt8Array:
    """Return the vulnerability of board numbers 1, 2, ...: none, NS, EW, both, shifted by one every four boards."""
    b = np.asarray(board, np.int64) - 1
    return ((b + b // 4) % 4).astype(np.uint8)


def check_deals(owner: ArrayLike) -> UInt8Array:
    """Return ``owner`` as a uint8 (N, 52) array of complete deals.

    Raises:
        DealError: wrong shape, or a seat that does not hold 13 cards; names the first bad row.
    """
    a = np.asarray(owner)
    if a.ndim == 1:
        a = a[None]
    if a.ndim != 2 or a.shape[1] != 52:
        raise DealError(f"a deal is an array (N, 52) of owners; this one has shape {np.shape(owner)}")
    counts = np.stack([(a == seat).sum(axis=1) for seat in range(4)], axis=1)
    bad = np.flatnonzero((counts != 13).any(axis=1))
    if bad.size:
        row = int(bad[0])
        held = ", ".join(f"{SEATS[s]} {counts[row, s]}" for s in range(4))
        raise DealError(f"deal {row} is not a deal: every seat holds 13 cards, here {held}")
    return np.ascontiguousarray(a, np.uint8)
