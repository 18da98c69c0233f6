"""The vocabulary as tables over the columns of a feature row, which kernels (``njit``) freeze.

``PLUS`` and its like speak of columns by number; -1 is none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.language.vocabulary import (
    AUCTION_WORDS,
    CONTEXT,
    HAND_ENTAILS,
    HAND_SHOWS,
    LONGEST,
    MIXED,
    NUM_BASE,
    NUM_COLUMNS,
    SHOWN,
    SUIT_LETTERS,
    WORDS,
    Follows,
    Shows,
    names_of,
)
from bridge_env.features import BY_SHAPE, COLUMN_FEATURES, FEATURES, KINDS

QUANTITIES = len(SHOWN)
QUANTITY = {name: number for number, name in enumerate(SHOWN)}
TOP = np.array(list(SHOWN.values()), np.int16)  # the most of each quantity

IS_CONTEXT = np.array([column in CONTEXT for column in range(NUM_COLUMNS)])
IS_MIXED = np.array([column in MIXED for column in range(NUM_COLUMNS)])

#: The least and the most that a column can hold.
LEAST, MOST = np.zeros(NUM_COLUMNS, np.int64), np.full(NUM_COLUMNS, 99, np.int64)

#: What lengths and points tell of a column: as ``bridge_env.features.KINDS``. The auction is known.
KIND = np.zeros(NUM_COLUMNS, np.int8)

#: The column of the hand that a column counts: its own, except of a sum or of a word of their suit (there the clubs').
HAND = np.arange(NUM_COLUMNS, dtype=np.int16)
#: The column of the auction that is added to it.
PLUS = np.full(NUM_COLUMNS, -1, np.int16)
IN_THEIR_SUIT = np.zeros(NUM_COLUMNS, np.bool_)

#: What a column reads from ``shown``: whose (0 me, 2 partner; -1: it reads nothing there), which quantity, which end.
WHOSE, WHAT, WHICH = np.full(NUM_COLUMNS, -1, np.int8), np.zeros(NUM_COLUMNS, np.int8), np.zeros(NUM_COLUMNS, np.int8)

#: The quantity whose range a column's range is, less what ``PLUS`` adds; or one of these.
_VALUES = 100  # of a word are told apart: 0 to 99
NOTHING, EVERY_SUIT, IMPLIED = -1, -2, -3
SHOWS = np.full(NUM_COLUMNS, NOTHING, np.int8)
#: Of a column that is IMPLIED: the ranges that its 1 implies.
IMPLIES = np.zeros((NUM_COLUMNS, QUANTITIES, 2), np.int16)
IMPLIES[:, :, 1] = TOP


_more: list[tuple[int, int, Follows, Follows]] = []  # column, quantity, and how its least and most follow


def _write_shows(column: int, suit: str, shows: Shows) -> None:
    if not isinstance(shows, str):
        SHOWS[column] = IMPLIED
        for quantity, bounds in shows.items():
            IMPLIES[column, QUANTITY[quantity.format(suit)]] = bounds
    elif shows:
        SHOWS[column] = EVERY_SUIT if shows == LONGEST else QUANTITY[shows.format(suit)]


def _write_more(column: int, feature: str, suit: str) -> None:
    for quantity, (least, most) in HAND_ENTAILS.get(feature, {}).items():
        _more.append((column, QUANTITY[quantity.format(suit)], least, most))


def _following(quantity: int, least: Follows, most: Follows) -> list[list[int]]:
    """Least and most of a quantity for every value of the word that tells of it."""
    values, top = range(_VALUES), int(TOP[quantity])
    return [
        [max(0, min(top, least(n))) if least else 0 for n in values],
        [max(0, min(top, most(n))) if most else top for n in values],
    ]


def _write_hand() -> None:
    for name, column in FEATURES.items():
        stem, _, suit = name.partition(":")
        feature = COLUMN_FEATURES[column]
        LEAST[column], MOST[column], KIND[column] = feature.least, feature.most, KINDS[column]
        _write_shows(column, suit, HAND_SHOWS.get(stem, ""))
        _write_more(column, stem, suit)


def _write_auction() -> None:
    for word in AUCTION_WORDS:
        for suit, name in zip(SUIT_LETTERS if word.by_suit else [""], names_of(word), strict=True):
            column = WORDS[name]
            LEAST[column], MOST[column] = word.least, word.most
            KIND[column] = word.kind if word.mixed else BY_SHAPE
            _write_shows(column, suit, word.shows)
            if word.told:
                who, quantity, end = word.told
                WHOSE[column] = {"me": 0, "partner": 2}[who]
                WHAT[column], WHICH[column] = QUANTITY[quantity.format(suit)], end
            if word.hand:
                HAND[column] = _column_of(FEATURES, word.hand, suit or "C")
                KIND[column] = KINDS[HAND[column]]
                IN_THEIR_SUIT[column] = not word.plus
            if word.plus and word.shows:
                _write_more(column, word.hand, suit)
            if word.plus:
                PLUS[column] = _column_of(WORDS, word.plus, suit)


def _column_of(columns: Mapping[str, int], name: str, suit: str) -> int:
    """The column of a word, or of one that has suits the suit's."""
    return columns[name] if name in columns else columns[f"{name}:{suit}"]


_write_hand()
_write_auction()
#: What else follows: of a column, rows ``MORE_AT[column] .. MORE_AT[column + 1]``, each with a quantity, and the least
#: (0) and the most (1) of it for every least and most of the column.
MORE_AT = np.searchsorted([column for column, *_ in _more], np.arange(NUM_COLUMNS + 1)).astype(np.int16)
MORE_QUANTITY = np.array([quantity for _, quantity, _, _ in _more], np.int16)
MORE = np.array([_following(*row[1:]) for row in _more], np.int16)
#: The columns that choose among some of the suits, from the first of each word on.
CHOICES = ("best-not-theirs", "long-not-theirs", "long-unbid")
IS_CHOICE = np.zeros(NUM_COLUMNS, np.bool_)
IS_CHOICE[[WORDS[f"{word}:{suit}"] for word in CHOICES for suit in SUIT_LETTERS]] = True
#: The columns that are 1 where a hand answers some questions in one way, of which the auction decides which they are.
IS_QUESTIONS = IS_CHOICE.copy()
IS_QUESTIONS[[WORDS["stopped"], WORDS["stopped-unbid"]]] = True
#: The columns that ask for a detail that a seat has shown, and others that are counted only where a system has them.
ASKS_DETAIL = (WHOSE >= 0) & (WHAT >= NUM_BASE)
ASKS_DETAIL |= (PLUS >= 0) & ASKS_DETAIL[PLUS]
ASKS_DETAIL |= IS_CHOICE
ASKS_DETAIL[[WORDS["stopped-unbid"], WORDS["second-longest"]]] = True


def _reads(details: bool) -> NDArray[np.uintp]:
    """Rows (column, whose, quantity, end) of the columns that are read from ``shown``."""
    columns = np.flatnonzero((WHOSE >= 0) & (details == ASKS_DETAIL))
    return np.stack([columns, WHOSE[columns], WHAT[columns], WHICH[columns]], axis=1).astype(np.uintp)


def _sums(details: bool) -> NDArray[np.uintp]:
    """Rows (column, column of the hand, column of the auction) of the columns that are sums."""
    columns = np.flatnonzero((PLUS >= 0) & (details == ASKS_DETAIL))
    return np.stack([columns, HAND[columns], PLUS[columns]], axis=1).astype(np.uintp)


#: The columns that are read from ``shown``, and those that are sums: of the base, and of details. Their type has no
#: negative numbers, so kernels need not ask whether an index counts from the end.
TOLD, TOLD_DETAILS, SUMS, SUMS_OF_DETAILS = _reads(False), _reads(True), _sums(False), _sums(True)
#: Those that speak of their suit.
THEIRS = np.flatnonzero(IN_THEIR_SUIT)
