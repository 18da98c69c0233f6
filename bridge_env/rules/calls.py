"""Encode, parse and write the 38 calls and contracts.

=========  =======================================================================
thing      encoding
=========  =======================================================================
strain     C D H S NT = 0..4
call       Pass 0, X 1, XX 2, bid ``3 + 5 * (level - 1) + strain`` (1C = 3, 7NT = 37)
bid        ``call - 3``: 0..34, used where only bids are possible
doubling   0 undoubled, 1 doubled, 2 redoubled
=========  =======================================================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.cards import SEATS, plain_suits

PASS, DOUBLE, REDOUBLE, FIRST_BID = 0, 1, 2, 3
NUM_CALLS, NUM_BIDS = 38, 35
STRAINS = ("C", "D", "H", "S", "NT")
NOTRUMP = 4

CALL_NAMES: tuple[str, ...] = ("Pass", "X", "XX", *(f"{lv}{st}" for lv in range(1, 8) for st in STRAINS))

_WORDS = {
    "PASS": PASS, "P": PASS, "--": PASS, "X": DOUBLE, "D": DOUBLE, "DBL": DOUBLE, "DOUBLE": DOUBLE,
    "XX": REDOUBLE, "R": REDOUBLE, "RDBL": REDOUBLE, "REDOUBLE": REDOUBLE,
}  # fmt: skip
_RESULT = re.compile(r"([1-7])(NT|[NCDHS])(XX|X|\*\*|\*|RDBL|DBL|R|D)?(?:BY)?([NESW])?(?(3)|(XX?))?(=|[+-]\d{1,2})?$")
_DOUBLINGS = {None: 0, "X": 1, "*": 1, "DBL": 1, "D": 1, "XX": 2, "**": 2, "RDBL": 2, "R": 2}
_PASSED_OUT = ("P", "AP", "PASS", "PASSED", "ALLPASS", "PASSEDOUT", "PASSOUT")


class CallError(ValueError):
    """Text that is no call, or no contract; the message quotes it."""


def bid_call(level: int, strain: int) -> int:
    """Return the call that bids ``level`` (1..7) in ``strain`` (0..4)."""
    return FIRST_BID + 5 * (level - 1) + strain


def level_of(call: int) -> int:
    """Return the level 1..7 of a bid."""
    return (call - FIRST_BID) // 5 + 1


def strain_of(call: int) -> int:
    """Return the strain 0..4 of a bid."""
    return (call - FIRST_BID) % 5


def parse_call(text: str | int) -> int:
    """Parse a call to its number. Accepts P/Pass, X/Dbl/Double, XX/Rdbl/Redouble, 1N/1NT, any case, or 0..37.

    Raises:
        CallError: not a call.
    """
    if not isinstance(text, str):
        if 0 <= int(text) < NUM_CALLS:
            return int(text)
        raise CallError(f"{text!r} is not a call; numbers go from 0 (Pass) to {NUM_CALLS - 1} (7NT)")
    word = text.strip().upper()
    if word in _WORDS:
        return _WORDS[word]
    if len(word) in (2, 3) and word[0] in "1234567":
        strain = "NT" if word[1:] == "N" else word[1:]
        if strain in STRAINS:
            return bid_call(int(word[0]), STRAINS.index(strain))
    raise CallError(f"{text!r} is not a call; use Pass, X, XX or a bid from 1C to 7NT")


def call_text(call: int) -> str:
    """Return ``Pass``, ``X``, ``XX``, ``1C`` ... ``7NT``."""
    if not 0 <= call < NUM_CALLS:
        raise CallError(f"{call!r} is not a call; numbers go from 0 (Pass) to {NUM_CALLS - 1} (7NT)")
    return CALL_NAMES[call]


@dataclass(frozen=True, slots=True)
class Contract:
    """The result of an auction: ``bid`` 0..34 (-1 passed out), ``doubling`` 0..2, ``declarer`` 0..3 (or -1).

    It formats and parses; it computes no rule.
    """

    bid: int
    doubling: int = 0
    declarer: int = -1

    @property
    def passed_out(self) -> bool:
        return self.bid < 0

    @property
    def level(self) -> int:
        return self.bid // 5 + 1

    @property
    def strain(self) -> int:
        return self.bid % 5

    def __str__(self) -> str:
        if self.passed_out:
            return "Pass"
        return f"{self.level}{STRAINS[self.strain]}{'X' * self.doubling} {SEATS[self.declarer]}"

    @classmethod
    def parse(cls, text: str) -> Contract:
        """Parse ``"4SX N"``, ``"3NT by W"`` or ``"Pass"``.

        Raises:
            CallError: not a contract with its declarer.
        """
        found = parse_result(text)
        if found is None or (found[0].declarer < 0 and not found[0].passed_out):
            raise CallError(f"{text!r} is not a contract with its declarer, such as '4SX N' or 'Pass'")
        return found[0]


def parse_result(text: str) -> tuple[Contract, int | None] | None:
    """Return the contract and the tricks of ``"4SXE-1"``, ``"4SEX-1"``, ``"4S"`` or ``"Pass"``; None for other text.

    The declarer is -1, and the tricks are None, where the text has none.
    """
    word = "".join(plain_suits(text).split())
    if word in _PASSED_OUT:
        return Contract(-1), None
    match = _RESULT.match(word)
    if match is None:
        return None
    strain = STRAINS.index("NT" if match[2] == "N" else match[2])
    declarer = -1 if match[4] is None else SEATS.index(match[4])
    contract = Contract(5 * (int(match[1]) - 1) + strain, _DOUBLINGS[match[3] or match[5]], declarer)
    if match[6] is None:
        return contract, None
    tricks = contract.level + 6 + (0 if match[6] == "=" else int(match[6]))
    return (contract, tricks) if 0 <= tricks <= 13 else None


def first_calls(history: NDArray[np.int8], count: NDArray[np.integer]) -> NDArray[np.int8]:
    """Return auctions cut off after some calls: int8 (N, L), padded with -1.

    Args:
        history: int8 (N, L), padded with -1; count: (N,), how many calls stay.
    """
    return np.where(np.arange(history.shape[1]) < count[:, None], history, np.int8(-1))


def histories_of(auctions: Sequence[Sequence[int]]) -> NDArray[np.int8]:
    """Return auctions, each as long as it is, as int8 (N, L), padded with -1."""
    out = np.full((len(auctions), max(map(len, auctions), default=0)), -1, np.int8)
    for row, calls in zip(out, auctions, strict=True):
        row[: len(calls)] = calls
    return out


def as_wide(histories: Sequence[NDArray[np.int8]], least: int = 0) -> list[NDArray[np.int8]]:
    """Return arrays of auctions, int8 (..., L) each, padded with -1 to the widest of them, or to ``least`` calls."""
    width = max(least, *(history.shape[-1] for history in histories))
    return [
        np.pad(h, [(0, 0)] * (h.ndim - 1) + [(0, width - h.shape[-1])], constant_values=-1) for h in histories
    ]  # fmt: skip


def call_indices(length: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each call of auctions of some lengths (N,) the row of its auction, and how many calls came before."""
    row = np.repeat(np.arange(len(length)), length)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
