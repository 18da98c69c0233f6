"""Declare the words of bidding systems: what a constraint can speak of, and all that the engine knows of each word.

A feature row has the hand's features (``bridge_env.hands.features``) and, behind them, the context's: what the
auction so far says to the seat that must call. Three kinds of words:

- HAND: known from the thirteen cards alone.
- CONTEXT: known to everybody from the auction alone.
- MIXED: a hand's value put together with what partner has shown, such as combined points or a fit.

A word is declared here once, with what it counts, between which numbers, and what it shows of a hand when a call is
read backwards; ``columns`` makes of it the tables that kernels (``njit``) freeze. docs/systems.md says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge_env.hands.features import BY_SHAPE, DECLARED, FEATURES, NUM_FEATURES, UNKNOWN

SUIT_LETTERS = "CDHS"

#: What a seat can show, and the most of it: the columns of the ``shown`` table that meanings fill.
SHOWN: dict[str, int] = {"strength": 37, **dict.fromkeys(SUIT_LETTERS, 13), "aces": 4}

#: What a feature of the hand shows. Words that are not named here show nothing.
#: - The quantity whose range the word's own range is; ``{}`` is the suit that the word speaks of.
#: - Or, of a word that is 0 or 1, the ranges that 1 implies.
LONGEST = "its most in every suit"
Shows = str | Mapping[str, tuple[int, int]]
HAND_SHOWS: dict[str, Shows] = {
    "hcp": "strength",
    "points": "strength",
    "support": "strength",
    "length": "{}",
    "longest": LONGEST,
    "aces": "aces",
    "balanced": dict.fromkeys(SUIT_LETTERS, (2, 5)),
    "semibalanced": dict.fromkeys(SUIT_LETTERS, (2, 6)),
}


@dataclass(frozen=True)
class Word:
    """A word of the auction, or of the auction and the hand."""

    name: str  # as people write it
    meaning: str  # what it says to people
    mixed: bool = False  # it is put together with the hand
    by_suit: bool = False  # it needs a suit behind a colon, and has a column for each
    least: int = 0  # of its value
    most: int = 99  # of its value; a word of 0 and 1 is written without a number
    call: bool = False  # its value is the number of a call, written "partner-called:4N"
    # the row of ``shown`` that it reads: "me" or "partner", a quantity, and the least (0) or the most (1)
    reads: tuple[str, str, int] | None = None
    hand: str = ""  # the feature of the hand that it counts
    # with ``hand``, the word of the auction that is added; empty: the feature is of the suit of the opponents' last bid
    plus: str = ""
    kind: int = (
        UNKNOWN  # what lengths and points say of it, if ``hand`` does not say so: as ``bridge_env.hands.features``
    )
    shows: Shows = ""  # what it shows of the hand, as ``HAND_SHOWS``


def _auction(name: str, meaning: str, most: int = 99, *, by_suit: bool = False) -> Word:
    """Return a word with a line of its own in ``auction_state.write_context``."""
    return Word(name, meaning, by_suit=by_suit, most=most)


def _call(name: str, meaning: str) -> Word:
    """Return the number of a call, -1 for none; it has a line of its own in ``auction_state.write_context``."""
    return Word(name, meaning, least=-1, call=True)


def _shown(name: str, seat: str, quantity: str, end: int, meaning: str) -> Word:
    """Return what a seat has shown. ``{}`` in a quantity is a suit: one column for each."""
    most = SHOWN[quantity.format(SUIT_LETTERS[0])]
    return Word(name, meaning, by_suit="{}" in quantity, most=most, reads=(seat, quantity, end))


def _sum(name: str, hand: str, plus: str, meaning: str, shows: bool = True) -> Word:
    """Return the sum of a feature of the hand and a word of the auction, which shows what the feature shows."""
    by_suit = f"{hand}:C" in FEATURES
    return Word(name, meaning, True, by_suit, hand=hand, plus=plus, shows=HAND_SHOWS[hand] if shows else "")


def _in_their_suit(name: str, hand: str, meaning: str) -> Word:
    """Return a feature of the hand in the suit of the opponents' last bid; 0 if that is none."""
    return Word(name, meaning, True, hand=hand)


def _counted(name: str, meaning: str, most: int = 99, **more: object) -> Word:
    """Return a word with lines of its own in ``auction_state.write_mixed`` and ``programs``."""
    return Word(name, meaning, True, most=most, **more)  # type: ignore[arg-type]


LEAST_SHOWN, MOST_SHOWN = 0, 1

#: The words of the auction, and of the auction and the hand, in the order of their columns.
AUCTION_WORDS: tuple[Word, ...] = (
    _auction("position", "before the opening: 1 to 4 in turn; 0 afterwards"),
    _auction("vul", "1 when our side is vulnerable", 1),
    _auction("they-vul", "1 when their side is vulnerable", 1),
    _auction("last-level", "level of the last bid, 0 before any"),
    _auction("last-notrump", "1 when the last bid is in no trump", 1),
    _auction("last", "1 when the last bid is in this suit", 1, by_suit=True),
    _auction("ours", "1 when the last bid is our side's", 1),
    _auction("partner-last", "1 when the last bid is partner's", 1),
    _auction("doubled", "0 undoubled, 1 doubled, 2 redoubled"),
    _auction("passes", "passes since the last other call; at 2 after a bid a further pass ends the auction"),
    _auction("forced", "1 when partner's last call forces us to speak", 1),
    _auction("i-bid", "my calls so far other than pass"),
    _auction("partner-bid", "partner's calls so far other than pass"),
    _auction("they-bid", "the opponents' calls so far other than pass"),
    _auction("we-opened", "1 when our side made the first bid", 1),
    _auction("i-passed", "1 when my first call was a pass", 1),
    _call("partner-called", "partner's last call (its number; write partner-called:4N)"),
    _call("i-called", "my last call"),
    _shown("partner-min", "partner", "strength", LEAST_SHOWN, "the least strength that partner has shown"),
    _shown("partner-max", "partner", "strength", MOST_SHOWN, "the most strength that partner has shown"),
    _shown("my-min", "me", "strength", LEAST_SHOWN, "the least strength that I have shown"),
    _shown("my-max", "me", "strength", MOST_SHOWN, "the most strength that I have shown"),
    _auction("level", "level of the call that the rule would make"),
    _shown("partner", "partner", "{}", LEAST_SHOWN, "cards of a suit that partner has shown, at least"),
    _shown("shown", "me", "{}", LEAST_SHOWN, "cards of a suit that I have shown, at least"),
    _auction("theirs", "cards of a suit that one of the opponents has shown, at least", by_suit=True),
    _sum("combined", "hcp", "partner-min", "my hcp + the least strength of partner"),
    _sum("combined-max", "hcp", "partner-max", "my hcp + the most strength of partner"),
    _sum("combined-aces", "aces", "partner-aces", "my aces + the least aces that partner has shown", shows=False),
    _sum("total", "support", "partner-min", "my support points for a suit + the least strength of partner"),
    _sum("total-max", "support", "partner-max", "my support points for a suit + the most strength of partner"),
    _sum("likely", "hcp", "partner-likely",
         "my hcp + the strength that partner is likely to have: a third up its range, 3 at most"),
    _sum("likely-total", "support", "partner-likely",
         "my support points for a suit + the strength that partner is likely to have"),
    _sum("fit", "length", "partner", "my cards of a suit + the least that partner has shown"),
    _counted("fit-best", "the longest fit of all suits", kind=BY_SHAPE),
    _counted("fit-major", "the longest fit in a major", kind=BY_SHAPE),
    _counted("best", "1 for the suit of the longest fit (of equals the higher)", 1, by_suit=True, kind=BY_SHAPE),
    _counted("long", "1 for a longest suit of my hand", 1, by_suit=True, kind=BY_SHAPE, shows={"{}": (4, 13)}),
    _counted("control", "1 for the ace, the king, a singleton or a void in a suit", 1, by_suit=True),
    _counted("stopped", "1 when I stop every suit that the opponents have shown", 1),
    _in_their_suit("in-theirs", "length", "my cards in the suit of their last bid"),
    _in_their_suit("trump-tricks", "top5", "my top five honours in the suit of their last bid"),
    _shown("partner-aces", "partner", "aces", LEAST_SHOWN, "the least aces that partner has shown"),
    _auction("partner-likely", "the strength that partner is likely to have: a third up its range, 3 at most"),
    _auction("bound", "1 when a pass of mine would end an auction that my side must go on with", 1),
    _auction("forcing-pass", "1 when a pass of mine would force partner: they came in, and my side must go on", 1),
    _auction("they-min", "the least strength that the stronger of the opponents has shown (by its least)", 37),
    _auction("they-max", "the most strength that this opponent has shown", 37),
    _auction("book", "in scores: 1 when the call is the one that the rules would make", 1),
    _auction("jump", "in scores: 1 when the call is a bid that leaves out a level", 1),
    _auction("game", "in scores: 1 when the call is 3NT, four of a major or five of a minor", 1),
)  # fmt: skip

CONTEXT, MIXED = set[int](), set[int]()
WORDS: dict[str, int] = {}
MEANINGS: dict[str, str] = {word.name: word.meaning for word in AUCTION_WORDS}


def _declare() -> None:
    for name, index in FEATURES.items():
        feature, _, part = name.partition(":")
        if feature == "length":
            WORDS[part] = index  # "5+ H"
        elif feature == "suit_hcp":
            WORDS[f"hcp:{part}"] = index
        elif feature != "difference":  # differences are written "H >= S"
            WORDS[name] = index
    column = NUM_FEATURES
    for word in AUCTION_WORDS:
        for name in names_of(word):
            WORDS[name] = column
            (MIXED if word.mixed else CONTEXT).add(column)
            column += 1


def names_of(word: Word) -> list[str]:
    """Return the names of a word's columns: ``fit:C`` to ``fit:S``, or its own."""
    return [f"{word.name}:{suit}" for suit in SUIT_LETTERS] if word.by_suit else [word.name]


_declare()
NUM_COLUMNS = NUM_FEATURES + len(CONTEXT) + len(MIXED)

#: Words whose value is 0 or 1, written without a number: "balanced", "not vul".
FLAG_WORDS = frozenset(feature.name for feature in DECLARED if (feature.least, feature.most) == (0, 1)) | frozenset(
    word.name for word in AUCTION_WORDS if (word.least, word.most) == (0, 1)
)
#: Words whose value is the number of a call, written "partner-called:4N".
CALL_WORDS = frozenset(word.name for word in AUCTION_WORDS if word.call)
#: Words that only scores can ask for.
SCORE_WORDS = frozenset({"book", "jump", "game"})
#: Words that need a suit behind a colon.
SUIT_WORDS = frozenset(name.partition(":")[0] for name in WORDS if ":" in name)


def speaks_of_hand(word: str) -> bool:
    """Return whether a word, maybe of a suit that the call names, speaks of the hand, not of the auction alone."""
    stem, colon, _ = word.partition(":")
    return WORDS.get(f"{stem}:S" if colon else word) not in CONTEXT  # none: lengths of suits


def difference(first: int, second: int) -> tuple[int, int]:
    """Return column and sign of ``length(first) - length(second)``."""
    low, high = min(first, second), max(first, second)
    column = FEATURES[f"difference:{SUIT_LETTERS[low]}{SUIT_LETTERS[high]}"]
    return column, 1 if first < second else -1
