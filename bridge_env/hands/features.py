"""Compute the features of a hand: the one definition of points, lengths, controls, losers and the rest.

``hand_features`` turns hands into rows of small integers; ``FEATURES`` names the columns and
``MEANINGS`` explains them. Suits stand in the order C D H S. Constraints, bidding systems and case bases all
read these columns.

Zar points are Zar Petkov's (Aggressive Bidding, 2003). Playing tricks are those with the hand's own suits, per suit the
sum of two numbers. Its honours, the best of: AKQ 3; AKJ, AQJ 2 1/2; AK, AQT, KQJ 2; AQ, AJT, KQT, KJT 1 1/2; A, KQ, QJT
1; Kx, QJx 1/2. Its length: each trump beyond the third 1; the fourth card of a side suit 1/2, each further one 1. A run
from the ace down counts 1 a card at least. More methods of the literature: ``studies.tricks_2008.evaluation``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit

_SUIT_LETTERS = "CDHS"
_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))

#: How a feature follows from lengths and points: not at all, from the lengths alone, or as hcp plus a function of them.
UNKNOWN, BY_SHAPE, HCP_AND_SHAPE = 0, 1, 2


class Feature(NamedTuple):
    """A column of features, or one for each part."""

    name: str  # before the colon of a column's name
    parts: tuple[str, ...]  # behind it
    least: int  # of the values
    most: int  # the same
    kind: int  # how it follows from lengths and points: UNKNOWN, BY_SHAPE or HCP_AND_SHAPE
    meaning: str  # for people


_ALONE, _SUITS, _PAIRED = ("",), tuple(_SUIT_LETTERS), tuple(_SUIT_LETTERS[a] + _SUIT_LETTERS[b] for a, b in _PAIRS)

#: All features, in the order of their columns.
DECLARED: tuple[Feature, ...] = (
    Feature("hcp", _ALONE, 0, 37, HCP_AND_SHAPE, "high-card points, A 4, K 3, Q 2, J 1 (Milton Work)"),
    Feature("points", _ALONE, 0, 99, HCP_AND_SHAPE,
            "hcp + 1 for every card beyond the fourth of a suit (length points)"),
    Feature("length", _SUITS, 0, 13, BY_SHAPE, "cards in a suit (one column for each suit)"),
    Feature("longest", _ALONE, 4, 13, BY_SHAPE, "length of the longest suit"),
    Feature("shortest", _ALONE, 0, 3, BY_SHAPE, "length of the shortest suit"),
    Feature("difference", _PAIRED, -13, 13, BY_SHAPE, "length of one suit minus another's: C-D C-H C-S D-H D-S H-S"),
    Feature("balanced", _ALONE, 0, 1, BY_SHAPE, "1 for 4-3-3-3, 4-4-3-2, 5-3-3-2"),
    Feature("semibalanced", _ALONE, 0, 1, BY_SHAPE, "1 for balanced, 5-4-2-2 and 6-3-2-2"),
    Feature("controls", _ALONE, 0, 12, UNKNOWN, "A 2, K 1"),
    Feature("aces", _ALONE, 0, 4, UNKNOWN, "number of aces"),
    Feature("kings", _ALONE, 0, 4, UNKNOWN, "number of kings"),
    Feature("losers", _ALONE, 0, 12, UNKNOWN,
            "losing trick count: A, K, Q missing among the first three cards of each suit"),
    Feature("top3", _SUITS, 0, 3, UNKNOWN, "honours A K Q in a suit"),
    Feature("top5", _SUITS, 0, 5, UNKNOWN, "honours A K Q J T in a suit"),
    Feature("stopper", _SUITS, 0, 1, UNKNOWN, "1 for A, Kx, Qxx, Jxxx in a suit"),
    Feature("keycards", _SUITS, 0, 5, UNKNOWN, "aces + the king of the suit"),
    Feature("suit_hcp", _SUITS, 0, 10, UNKNOWN, "hcp in a suit"),
    Feature("support", _SUITS, 0, 99, HCP_AND_SHAPE,
            "dummy points with the suit as trumps: hcp + void 5, singleton 3, doubleton 1 in the side "
            "suits with four trumps or more; 3, 2, 1 with three; hcp with fewer"),
    Feature("rule20", _ALONE, 0, 99, HCP_AND_SHAPE,
            "hcp + the lengths of the two longest suits (the rule of twenty opens from 20)"),
    Feature("quick", _ALONE, 0, 99, UNKNOWN, "quick tricks in halves: AK 4, AQ 3, A 2, KQ 2, Kx 1 for each suit"),
    Feature("zar", _ALONE, 0, 99, UNKNOWN,
            "Zar points: hcp + controls + the two longest suits + the longest less the shortest (26 "
            "opens)"),
    Feature("playing", _SUITS, 0, 99, UNKNOWN, "playing tricks in halves, with the suit as trumps"),
    Feature("king", _SUITS, 0, 1, UNKNOWN, "1 for the king of a suit"),
    Feature("queen", _SUITS, 0, 1, UNKNOWN, "1 for the queen of a suit"),
)  # fmt: skip
#: The meaning of each of them.
MEANINGS: dict[str, str] = {feature.name: feature.meaning for feature in DECLARED}

#: Column name -> index. Features of a suit are ``name:C`` ... ``name:S``, differences ``difference:CD`` ...
FEATURES: dict[str, int] = {}
COLUMN_FEATURES: list[Feature] = []  # of each column
for _feature in DECLARED:
    for _part in _feature.parts:
        FEATURES[f"{_feature.name}:{_part}" if _part else _feature.name] = len(FEATURES)
        COLUMN_FEATURES.append(_feature)
NUM_FEATURES = len(FEATURES)
#: For each column, how it follows from lengths and points: int8 (NUM_FEATURES,).
KINDS = np.array([_feature.kind for _feature in COLUMN_FEATURES], np.int8)

HCP, POINTS, LENGTH = FEATURES["hcp"], FEATURES["points"], FEATURES["length:C"]
HCP_AND_LENGTHS = [HCP, *range(LENGTH, LENGTH + 4)]
_LONGEST, _SHORTEST, _DIFFERENCE = FEATURES["longest"], FEATURES["shortest"], FEATURES["difference:CD"]
_BALANCED, _SEMIBALANCED = FEATURES["balanced"], FEATURES["semibalanced"]
_CONTROLS, _ACES, _KINGS, _LOSERS = FEATURES["controls"], FEATURES["aces"], FEATURES["kings"], FEATURES["losers"]
_TOP3, _TOP5, STOPPER = FEATURES["top3:C"], FEATURES["top5:C"], FEATURES["stopper:C"]
_KEYCARDS, _SUIT_HCP, SUPPORT = FEATURES["keycards:C"], FEATURES["suit_hcp:C"], FEATURES["support:C"]
_RULE20, _QUICK = FEATURES["rule20"], FEATURES["quick"]
_ZAR, _PLAYING = FEATURES["zar"], FEATURES["playing:C"]
_KING, _QUEEN = FEATURES["king:C"], FEATURES["queen:C"]


@njit(forceinline=True)
def _suit_losers(n, a, k, q):  # type: ignore[no-untyped-def]
    """Return the losers of a suit: its length ``n``, and 1 for each of a k q that it holds."""
    return min(n, 3) - a - (k if n >= 2 else 0) - (q if n >= 3 else 0)


@njit(forceinline=True)
def _playing_honours(n, a, k, q, j, t):  # type: ignore[no-untyped-def]
    """Return what a suit's honours add to its playing tricks, in halves."""
    if a:
        if k:
            return 6 if q else (5 if j else 4)
        if q:
            return 5 if j else (4 if t else 3)
        return 3 if j and t else 2
    if k:
        if q:
            return 4 if j else (3 if t else 2)
        return 3 if j and t else (1 if n >= 2 else 0)
    if q and j:
        return 2 if t else (1 if n >= 3 else 0)
    return 0


@njit(forceinline=True)
def _suit_playing_tricks(n, a, k, q, j, t):  # type: ignore[no-untyped-def]
    """Return playing tricks of a suit in halves: (as a side suit, as trumps). ``_run_tricks`` can be more."""
    honours = _playing_honours(n, a, k, q, j, t)
    return honours + (2 * n - 7 if n > 3 else 0), honours + 2 * max(n - 3, 0)


@njit(forceinline=True)
def _run_tricks(hand, suit):  # type: ignore[no-untyped-def]
    """Return the number of cards of a suit in a run from the ace down."""
    run = 0
    while run < 13 and hand[suit * 13 + 12 - run]:
        run += 1
    return run


@njit(forceinline=True)
def _suit_features(hand, suit, f):  # type: ignore[no-untyped-def]
    """Write the columns of one suit, and add its share to the sums."""
    base = suit * 13
    length = 0
    for rank in range(13):
        length += hand[base + rank]
    a, k, q = int(hand[base + 12]), int(hand[base + 11]), int(hand[base + 10])
    j, t = int(hand[base + 9]), int(hand[base + 8])
    points = 4 * a + 3 * k + 2 * q + j
    f[LENGTH + suit] = length
    f[HCP] += points
    f[_SUIT_HCP + suit] = points
    f[_CONTROLS] += 2 * a + k
    f[_ACES] += a
    f[_KINGS] += k
    f[_TOP3 + suit] = a + k + q
    f[_TOP5 + suit] = a + k + q + j + t
    f[_KING + suit], f[_QUEEN + suit] = k, q
    f[_KEYCARDS + suit] = k  # the aces are added when all are counted
    f[STOPPER + suit] = a or (k and length >= 2) or (q and length >= 3) or (j and length >= 4)
    f[_LOSERS] += _suit_losers(length, a, k, q)
    if a:
        f[_QUICK] += 4 if k else (3 if q else 2)
    elif k:
        f[_QUICK] += 2 if q else (1 if length >= 2 else 0)
    side, as_trumps = _suit_playing_tricks(length, a, k, q, j, t)
    run = 2 * _run_tricks(hand, suit)
    side = max(side, run)
    for trump in range(4):
        f[_PLAYING + trump] += max(as_trumps, run) if trump == suit else side


@njit
def row_features(hand, f):  # type: ignore[no-untyped-def]
    """Write the features of ``hand`` bool (52,) to ``f`` int16 (NUM_FEATURES,)."""
    for column in range(NUM_FEATURES):  # to numba cheaper than a slice
        f[column] = 0
    for suit in range(4):
        _suit_features(hand, suit, f)
    longest = second = 0
    shortest = 13
    doubletons = 0
    f[POINTS] = f[HCP]
    for suit in range(4):
        length = f[LENGTH + suit]
        if length > longest:
            longest, second = length, longest
        elif length > second:
            second = length
        shortest = min(shortest, length)
        doubletons += length == 2
        f[POINTS] += max(length - 4, 0)
        f[_KEYCARDS + suit] += f[_ACES]
    f[_LONGEST], f[_SHORTEST] = longest, shortest
    column = _DIFFERENCE
    for first in range(3):
        for other in range(first + 1, 4):
            f[column] = f[LENGTH + first] - f[LENGTH + other]
            column += 1
    f[_BALANCED] = shortest >= 2 and doubletons <= 1 and longest <= 5
    f[_SEMIBALANCED] = shortest >= 2 and longest <= 6 and doubletons <= 2
    f[_RULE20] = f[HCP] + longest + second
    f[_ZAR] = f[HCP] + f[_CONTROLS] + 2 * longest + second - shortest
    for trump in range(4):
        trumps = f[LENGTH + trump]
        value = f[HCP]
        for suit in range(4):
            if suit != trump and f[LENGTH + suit] < 3 and trumps >= 3:
                short = f[LENGTH + suit]
                value += (5 - 2 * short) if trumps >= 4 else (3 - short)
        f[SUPPORT + trump] = value


@njit
def _all_features(hands, out):  # type: ignore[no-untyped-def]
    for i in range(len(hands)):
        row_features(hands[i], out[i])


def hand_features(hands: ArrayLike) -> NDArray[np.int16]:
    """Return the features of hands bool (N, 52): int16 (N, NUM_FEATURES), columns as in ``FEATURES``.

    Raises:
        TypeError: the hands are signed or real numbers, as those of observations, whose cards are in another order.
    """
    held = np.asarray(hands)
    if held.dtype.kind in "if":
        raise TypeError(
            f"hands are bool (N, 52), card suit * 13 + rank; these are {held.dtype}. The hands of observations have "
            "another order: bridge_env.bidders.observation.hand_of(observations) turns it round"
        )
    held = np.ascontiguousarray(held, np.bool_)
    out = np.empty((len(held), NUM_FEATURES), np.int16)
    _all_features(held, out)
    return out
