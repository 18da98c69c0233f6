"""List the words of the bidding language, with the column of each in the feature row.

A feature row has the hand's features (``bridge_env.features``) and, behind them, the context's: what the
auction so far says to the seat that must call. Three kinds of words:

- HAND: known from the thirteen cards alone.
- CONTEXT: known to the whole table from the auction alone.
- MIXED: a hand's value put together with what partner has shown, such as combined points or a fit.
"""

from __future__ import annotations

from bridge_env.features import FEATURES, NUM_FEATURES

SUIT_LETTERS = "CDHS"

#: Context words: (word, has one column a suit, mixed with the hand?, what it says)
_CONTEXT_WORDS: tuple[tuple[str, bool, bool, str], ...] = (
    ("position", False, False, "before the opening: 1 to 4 in turn; 0 afterwards"),
    ("vul", False, False, "1 when our side is vulnerable"),
    ("they-vul", False, False, "1 when their side is vulnerable"),
    ("last-level", False, False, "level of the last bid, 0 before any"),
    ("last-notrump", False, False, "1 when the last bid is in no trump"),
    ("last", True, False, "1 when the last bid is in this suit"),
    ("ours", False, False, "1 when the last bid is our side's"),
    ("partner-last", False, False, "1 when the last bid is partner's"),
    ("doubled", False, False, "0 undoubled, 1 doubled, 2 redoubled"),
    ("passes", False, False, "passes since the last other call; at 2 after a bid a further pass ends the auction"),
    ("forced", False, False, "1 when partner's last call forces us to speak"),
    ("i-bid", False, False, "my calls so far other than pass"),
    ("partner-bid", False, False, "partner's calls so far other than pass"),
    ("they-bid", False, False, "the opponents' calls so far other than pass"),
    ("we-opened", False, False, "1 when our side made the first bid"),
    ("i-passed", False, False, "1 when my first call was a pass"),
    ("partner-called", False, False, "partner's last call (its number; write partner-called:4N)"),
    ("i-called", False, False, "my last call"),
    ("partner-min", False, False, "the least strength that partner has shown"),
    ("partner-max", False, False, "the most strength that partner has shown"),
    ("my-min", False, False, "the least strength that I have shown"),
    ("my-max", False, False, "the most strength that I have shown"),
    ("level", False, False, "level of the call that the rule would make"),
    ("partner", True, False, "cards of a suit that partner has shown, at least"),
    ("partner-most", True, False, "cards of a suit that partner can have, at most"),
    ("shown", True, False, "cards of a suit that I have shown, at least"),
    ("theirs", True, False, "cards of a suit that one of the opponents has shown, at least"),
    ("combined", False, True, "my hcp + the least strength of partner"),
    ("combined-max", False, True, "my hcp + the most strength of partner"),
    ("combined-points", False, True, "my points + the least strength of partner"),
    ("combined-aces", False, True, "my aces + the least aces that partner has shown"),
    ("total", True, True, "my support points for a suit + the least strength of partner"),
    ("total-max", True, True, "my support points for a suit + the most strength of partner"),
    ("likely", False, True, "my hcp + the strength that partner is likely to have: a third up its range, 3 at most"),
    ("likely-total", True, True, "my support points for a suit + the strength that partner is likely to have"),
    ("fit", True, True, "my cards of a suit + the least that partner has shown"),
    ("fit-best", False, True, "the longest fit of all suits"),
    ("fit-major", False, True, "the longest fit in a major"),
    ("best", True, True, "1 for the suit of the longest fit (of equals the higher)"),
    ("long", True, True, "1 for a longest suit of my hand"),
    ("stopped", False, True, "1 when I stop every suit that the opponents have shown"),
    ("in-theirs", False, True, "my cards in the suit of their last bid"),
    ("trump-tricks", False, True, "my top five honours in the suit of their last bid"),
)

CONTEXT, MIXED = set[int](), set[int]()
WORDS: dict[str, int] = {}
MEANINGS: dict[str, str] = {}


def _declare() -> None:
    for name, index in FEATURES.items():
        word, _, part = name.partition(":")
        if word == "length":
            WORDS[part] = index  # "5+ H"
        elif word == "suit_hcp":
            WORDS[f"hcp:{part}"] = index
        elif word != "difference":  # differences are written "H >= S"
            WORDS[name] = index
    column = NUM_FEATURES
    for word, by_suit, mixed, meaning in _CONTEXT_WORDS:
        MEANINGS[word] = meaning
        for name in [f"{word}:{s}" for s in SUIT_LETTERS] if by_suit else [word]:
            WORDS[name] = column
            (MIXED if mixed else CONTEXT).add(column)
            column += 1


_declare()
NUM_COLUMNS = NUM_FEATURES + len(CONTEXT) + len(MIXED)

#: Words whose value is 0 or 1, written without a number: "balanced", "not vul".
FLAG_WORDS = frozenset(
    {"balanced", "semibalanced", "stopper", "vul", "they-vul", "last-notrump", "last", "ours", "partner-last",
     "forced", "we-opened", "i-passed", "best", "long", "stopped"}
)  # fmt: skip
#: Words whose value is the number of a call, written "partner-called:4N".
CALL_WORDS = frozenset({"partner-called", "i-called"})
#: Words that need a suit behind a colon.
SUIT_WORDS = frozenset(name.partition(":")[0] for name in WORDS if ":" in name)

#: What a seat can show: the columns of the ``shown`` table that meanings fill.
SHOWN = ("strength", "C", "D", "H", "S", "aces")


def difference(first: int, second: int) -> tuple[int, int]:
    """Column and sign of ``length(first) - length(second)``."""
    low, high = min(first, second), max(first, second)
    column = FEATURES[f"difference:{SUIT_LETTERS[low]}{SUIT_LETTERS[high]}"]
    return column, 1 if first < second else -1
