"""Make tables of the vocabulary over the columns of a feature row, which kernels (``njit``) freeze.

``PLUS`` and its like speak of columns by number; -1 is none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from agents.systems.language.vocabulary import (
    AUCTION_WORDS,
    CONTEXT,
    HAND_SHOWS,
    LONGEST,
    NUM_COLUMNS,
    SHOWN,
    SUIT_LETTERS,
    WORDS,
    Shows,
    names_of,
)
from bridge_env.hands.features import BY_SHAPE, COLUMN_FEATURES, FEATURES, KINDS

QUANTITIES = len(SHOWN)
QUANTITY = {name: number for number, name in enumerate(SHOWN)}
TOP = np.array(list(SHOWN.values()), np.int16)  # the most of each quantity

IS_CONTEXT = np.array([column in CONTEXT for column in range(NUM_COLUMNS)])

#: The least and the most that a column can hold.
LEAST, MOST = np.zeros(NUM_COLUMNS, np.int64), np.full(NUM_COLUMNS, 99, np.int64)

#: What lengths and points say of a column: as ``bridge_env.hands.features.KINDS``. The auction is known.
KIND = np.zeros(NUM_COLUMNS, np.int8)

#: The column of the hand that a column counts: its own, except of a sum or of a word of their suit (there the clubs').
HAND = np.arange(NUM_COLUMNS, dtype=np.int16)
#: The column of the auction that is added to it.
PLUS = np.full(NUM_COLUMNS, -1, np.int16)
IN_THEIR_SUIT = np.zeros(NUM_COLUMNS, np.bool_)

_reads: list[tuple[int, int, int, int]] = []

#: The quantity whose range a column's range is, less what ``PLUS`` adds; or one of these.
NOTHING, EVERY_SUIT, IMPLIED = -1, -2, -3
SHOWS = np.full(NUM_COLUMNS, NOTHING, np.int8)
#: Of a column that is IMPLIED: the ranges that its 1 implies.
IMPLIES = np.zeros((NUM_COLUMNS, QUANTITIES, 2), np.int16)
IMPLIES[:, :, 1] = TOP


def _write_shows(column: int, suit: str, shows: Shows) -> None:
    if not isinstance(shows, str):
        SHOWS[column] = IMPLIED
        for quantity, bounds in shows.items():
            IMPLIES[column, QUANTITY[quantity.format(suit)]] = bounds
    elif shows:
        SHOWS[column] = EVERY_SUIT if shows == LONGEST else QUANTITY[shows.format(suit)]


def _write_hand() -> None:
    for name, column in FEATURES.items():
        stem, _, suit = name.partition(":")
        feature = COLUMN_FEATURES[column]
        LEAST[column], MOST[column], KIND[column] = feature.least, feature.most, KINDS[column]
        _write_shows(column, suit, HAND_SHOWS.get(stem, ""))


def _write_auction() -> None:
    for word in AUCTION_WORDS:
        for suit, name in zip(SUIT_LETTERS if word.by_suit else [""], names_of(word), strict=True):
            column = WORDS[name]
            LEAST[column], MOST[column] = word.least, word.most
            KIND[column] = word.kind if word.mixed else BY_SHAPE
            _write_shows(column, suit, word.shows)
            if word.reads:
                whose, quantity, end = word.reads
                _reads.append((column, {"me": 0, "partner": 2}[whose], QUANTITY[quantity.format(suit)], end))
            if word.hand:
                HAND[column] = _column_of(FEATURES, word.hand, suit or "C")
                KIND[column] = KINDS[HAND[column]]
                IN_THEIR_SUIT[column] = not word.plus
            if word.plus:
                PLUS[column] = _column_of(WORDS, word.plus, suit)


def _column_of(columns: Mapping[str, int], name: str, suit: str) -> int:
    """Return the column of a word, or of one that has suits the suit's."""
    return columns[name] if name in columns else columns[f"{name}:{suit}"]


_write_hand()
_write_auction()


#: Rows (column, seat: 0 me, 2 partner; quantity, end) of the columns that are read from ``shown``, and rows (column,
#: column of the hand, of the auction) of those that are sums. Unsigned: kernels need not check whether an index counts
#: from the end.
READS = np.array(_reads, np.uintp)
SUMS = np.array([(column, HAND[column], PLUS[column]) for column in np.flatnonzero(PLUS >= 0)], np.uintp)
#: Those that speak of their suit.
THEIRS = np.flatnonzero(IN_THEIR_SUIT)
