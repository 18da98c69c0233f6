"""Define what the words behind a call promise: "take-out" has shape, "values" have a minimum, "splinter" is short.

Conventions are as the field has them; a label that is not here promises nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.responses import Responses
from bridge_env.rules.calls import DOUBLE

Bools = NDArray[np.bool_]
Holds = Callable[[Responses], Bools]


class Label(NamedTuple):
    """A word of notes."""

    name: str  # as people write it
    pattern: str  # of the beginnings of notes that say it
    promises: str  # what it says of the hand, for people
    holds: Holds  # of which rows that is so
    doubles: bool = False  # it is a promise of doubles alone


def _take_out(rows: Responses) -> Bools:
    others = np.where(rows.theirs < 3, rows.cards, 0)
    shape = (others >= 3).sum(axis=1) >= np.minimum((rows.theirs < 3).sum(axis=1), 2)
    short = (rows.in_theirs <= 2) & ((others.sum(axis=1) >= 7) | ((rows.cards >= 4) & rows.unbid)[:, 2:].any(axis=1))
    return ((rows.in_theirs <= 3) & (shape | short)) | (rows.hcp >= 16) | (rows.their_suit < 0)


def _negative(rows: Responses) -> Bools:
    major = ((rows.cards >= 4) & rows.unbid)[:, 2:].any(axis=1)
    suits = ((rows.cards >= 3) & rows.unbid).sum(axis=1) >= 2
    return (major | suits | (rows.in_theirs <= 3)) & _some_values(rows)


def _some_values(rows: Responses) -> Bools:
    return (rows.hcp >= 6) | (rows.hcp + rows.partner_least >= 18)


def _two_suits(least: int, second: int, points: int) -> Holds:
    def holds(rows: Responses) -> Bools:
        lengths = np.sort(rows.cards, axis=1)
        return (lengths[:, 3] >= least) & (lengths[:, 2] >= second) & (rows.hcp >= points)

    return holds


def _splinter(rows: Responses) -> Bools:
    trumps = (rows.cards + rows.partner >= 8).any(axis=1)
    return (rows.cards_of(rows.strain) <= 1) & trumps


def _support(fit: int, points: int) -> Holds:
    def holds(rows: Responses) -> Bools:
        trumps = (rows.cards + rows.partner >= fit).any(axis=1)
        return trumps & (rows.hcp >= points)

    return holds


def _transfer(rows: Responses) -> Bools:
    return ~np.isin(rows.strain, (1, 2)) | (rows.cards_of(rows.strain + 1) >= 5)


def _points(least: int, most: int = 40) -> Holds:
    return lambda rows: (rows.hcp >= least) & (rows.hcp <= most)


_RAISES = r"limit raise|Jordan|Truscott|cue bid: a raise"
LABELS: tuple[Label, ...] = (
    Label("take-out", r"take-?out\b(?! of)", "at most three cards in their suit and two of the others, or 16 points",
           _take_out, True),
    Label("negative", r"negative\b|responsive\b", "the unbid suits, or shortness in theirs, and some points",
           _negative, True),
    Label("reopening", r"reopening\b", "at most three cards in their suit", lambda rows: rows.in_theirs <= 3, True),
    Label("values", r"values\b|the hand is ours", "6 points, or 18 with partner's least", _some_values),
    Label("weak", r"weak\b", "12 points at most", _points(0, 12)),
    Label("strong", r"strong jump shift|too strong", "13 points", _points(13)),
    Label("positive", r"positive\b", "7 points", _points(7)),
    Label("Michaels", r"Michaels|Leaping Michaels", "5-5 in two suits and 5 points", _two_suits(5, 5, 5)),
    Label("unusual", r"unusual\b|Landy|both m|the minors", "5-4 in two suits and 5 points", _two_suits(5, 4, 5)),
    Label("splinter", r"splinter", "one card at most in the suit, and eight trumps with partner's", _splinter),
    Label("Jacoby", r"Jacoby", "nine trumps with partner's, and 8 points", _support(9, 8)),
    Label("a raise", _RAISES, "seven trumps with partner's and 5 points", _support(7, 5)),
    Label("Stayman", r"Stayman", "four cards in a major", lambda rows: np.sort(rows.cards[:, 2:], axis=1)[:, -1] >= 4),
    Label("transfer", r"transfer|Texas", "five cards in the next suit", _transfer),
)  # fmt: skip


#: What a double or redouble may mean (two in one auction leave partner to guess), with the beginnings of such notes.
DOUBLES = {
    "for penalties": r"for penalties|penalty",
    "for take-out": r"take-?out|negative|responsive|reopening|SOS",
    "of values": r"values|the hand is ours",
    "of a suit": r"(clubs|diamonds|hearts|spades)\b|for the lead",
}
#: Notes of calls that partner must answer.
ASKING = re.compile(
    r"cue bid|fourth suit(?!: weak)|new minor forcing|Drury|Lebensohl|Blackwood|Gerber|Stayman|transfer|Texas|Jacoby"
    r"|.*\bkey cards|take-?out\b|negative\b|responsive\b|reopening"
)
#: Notes that say that a bid of a suit need not promise it.
NO_LENGTH = re.compile(r"may be short|preference|a feature|control|key cards")
#: A note that says that a no trump is not natural.
NO_BALANCE = re.compile(r"gambling")
#: A note that names nothing.
NAMELESS = re.compile(r"(learned)?$")


def meaning_of_double(note: str) -> int:
    """Return which of ``DOUBLES`` a note names; -1 for none."""
    return next((kind for kind, meaning in enumerate(DOUBLES.values()) if re.match(meaning, note)), -1)


def labels_of(note: str, call: int) -> list[Label]:
    """Return the promises that a note makes for a call."""
    return [label for label in LABELS if re.match(label.pattern, note) and (call == DOUBLE or not label.doubles)]
