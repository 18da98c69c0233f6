"""Evaluate hands as players do: nine point counts, and eight methods that count shape.

These are the methods that Mossakowski and Mandziuk put beside their networks ("Learning without human expertise:
a case study of the double dummy bridge problem", IEEE Transactions on Neural Networks 20, 2009). Their inventory is
followed; their own tables were not at hand. So each method below names its source with all rules to count it
by hand, and a note where only the name is theirs. A pair's value is the sum of its two hands'.

**Point counts** sum values of honours (``POINT_COUNTS``). Work is Milton Work's count, first McCampbell's
(1915); Robertson's is of 1904, Reith's of the early 1930s, Bamberger's that of Stern's Vienna system, the Four Aces'
that of their system of the 1930s (The Official Encyclopedia of Bridge). Collet, Polish, Vernes and AKQ: the study's.

**Methods that see shape** (``DISTRIBUTIONAL``) are taken for a strain. ``x`` is any lower card.

honour tricks
    Culbertson's table, per suit the best of: AK 2; AQ 1 1/2; A, KQ, KJT 1; Kx, QJx 1/2. No strain.
playing tricks
    Tricks with the hand's own suits, per suit the sum of two numbers. Its honours, the best of: AKQ 3; AKJ, AQJ
    2 1/2; AK, AQT, KQJ 2; AQ, AJT, KQT, KJT 1 1/2; A, KQ, QJT 1; Kx, QJx 1/2. Its length: each trump beyond the
    third 1; the fourth card of a side suit 1/2, each further one 1. A run from the ace down counts 1 a card at
    least (AKQJ is 4). At no trump all suits are side suits. This is how the books after Culbertson add honours and
    length; they differ by half a trick in places, and this table is not that of one edition.
losing trick count
    Of each suit's first three cards (or as many as there are), the A, K, Q that are missing: A for one card, A and K
    for two (Courtenay, The Losing Trick Count, 1935). A bare K is a loser, Qx two. No strain. Few is good.
asset system
    Work points + 1 for each asset. Of trumps: each beyond the fifth; Q or J or both; T and 9 together. Of shape, one
    in all: a side suit with at most one card, or a usable side suit. Of each usable side suit: its Q; T and 9
    together. Usable is a side suit of four cards (at no trump five) or more with A, K or Q; short suits are no asset
    at no trump. Only the name is the study's: the assets are those of the Foundation System ("Hand Evaluation") that
    one hand can see without the auction.
stayman
    Points with trumps. Work points; with four trumps or more void 5, singleton 3, doubleton 1 a side suit, with three
    3, 2, 1, with fewer none. If short suits count: -1 for each side suit that is a bare K, Q or J, and +1 with five
    trumps or more. At no trump Work points. Only the name is the study's: the numbers are the 5-3-1 count with its
    usual corrections (Bernard Magee's glossary, "Distributional point count").
rule of three and four
    Long-suit tricks: trumps beyond the third and cards of a side suit beyond the fourth, 1 each; at no trump all
    suits are side suits. Only the name is the study's: this is a meaning for one hand.
minus value
    Moins-value: points to take off, as a positive number. 1 for each suit that is a bare K, Q or J, or Q or J with
    one card other than A or K (Qx, Jx, QJ); 1 for no ace; 1 for 4-3-3-3. No strain. Only the name is the study's:
    these are the usual deductions from a 4-3-2-1 count for unguarded honours, no aces and a flat hand.
plus value
    Culbertson's plus values, beside his honour tricks (two of them make half a trick). 1 for a bare K; 1
    for Qx without A, K or a QJx; 1 for J with A or K, but not in AKQJ, nor in the KJT that is counted already; 1 in
    all if another suit is void or a singleton. No strain.

Honour tricks and plus values are as in Culbertson's table at Wikinfo, "Honor trick".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.features import FEATURES, HCP, SUPPORT, hand_features

#: Name -> the values of A, K, Q, J and T, in the order of the columns of ``point_counts``.
POINT_COUNTS = {
    "work": (4.0, 3.0, 2.0, 1.0, 0.0),
    "bamberger": (7.0, 5.0, 3.0, 1.0, 0.0),
    "collet": (4.0, 3.0, 2.0, 0.5, 0.5),
    "four aces": (3.0, 2.0, 1.0, 0.5, 0.0),
    "polish": (7.0, 4.0, 3.0, 0.0, 0.0),
    "reith": (6.0, 4.0, 3.0, 2.0, 1.0),
    "robertson": (7.0, 5.0, 3.0, 2.0, 1.0),
    "vernes": (4.0, 3.1, 1.9, 0.9, 0.0),
    "akq": (4.0, 3.0, 2.0, 0.0, 0.0),
}
#: The columns of ``distributional``.
DISTRIBUTIONAL = (
    "honour tricks",
    "playing tricks",
    "losing trick count",
    "asset system",
    "stayman",
    "rule of three and four",
    "minus value",
    "plus value",
)
#: Sums in tenths are exact, in any order of the cards; each is divided once.
_TENTHS = np.rint(np.array(list(POINT_COUNTS.values())).T * 10).astype(np.int16)
_NO_TRUMP = 4

Float32Array = NDArray[np.float32]


def point_counts(hands: NDArray[np.bool_]) -> Float32Array:
    """Return point counts of hands bool (N, 52): float32 (N, 9), columns as in ``POINT_COUNTS``."""
    honours = hands.reshape(-1, 4, 13)[:, :, :7:-1].sum(axis=1, dtype=np.int16)
    return (honours @ _TENTHS / np.float32(10)).astype(np.float32)


def distributional(hands: NDArray[np.bool_], strain: int) -> Float32Array:
    """Return the methods that see shape, of hands bool (N, 52): float32 (N, 8), columns as in ``DISTRIBUTIONAL``.

    Args:
        strain: 0 to 4 (C D H S NT). Playing tricks, assets, Stayman's points and the rule of three and four depend
            on it.
    """
    f = hand_features(hands)
    a, k, q, j, t, nine = hands.reshape(-1, 4, 13)[:, :, :6:-1].transpose(2, 0, 1)
    n = hands.reshape(-1, 4, 13).sum(axis=2)
    suit = np.arange(4) == strain
    trumps = n @ suit
    honour = np.select([a & k, a & q, a, k & (q | (j & t)), k & (n >= 2), q & j & (n >= 3)], [4, 3, 2, 2, 1, 1])
    # A suit of three cards or fewer takes as many tricks as trumps as beside others: so the shortest is no trump.
    played = np.where(strain == _NO_TRUMP, n.argmin(axis=1), strain)
    playing = f[np.arange(len(f)), FEATURES["playing:C"] + played]
    usable = ~suit & (n >= (5 if strain == _NO_TRUMP else 4)) & (a | k | q)
    shape = usable | (~suit & (n <= 1) & (strain != _NO_TRUMP))
    assets = suit * (np.maximum(n - 5, 0) + (q | j) + (t & nine)) + usable * (q + (t & nine).astype(int))
    unguarded = ((n == 1) & (k | q | j)) | ((n == 2) & (q | j) & ~(a | k))
    bare = (unguarded & (n == 1) & ~suit).sum(axis=1)
    ruffs = f[:, SUPPORT + min(strain, 3)] - f[:, HCP] - bare + (trumps >= 5)
    flat = (n.max(axis=1) == 4) & (n.min(axis=1) == 3)
    beside = j & ~(a & k & q) & ~(t & ~a & ~q)  # a jack with A or K that no other method has counted
    plus = np.where(n == 1, k, np.where(a | k, beside, q & ~(j & (n >= 3)))).sum(axis=1)
    methods = (
        honour.sum(axis=1) / 2,
        playing / 2,
        f[:, FEATURES["losers"]],
        f[:, HCP] + assets.sum(axis=1) + shape.any(axis=1),
        f[:, HCP] + np.where(trumps >= 3, ruffs, 0),
        np.maximum(n - np.where(suit, 3, 4), 0).sum(axis=1),
        unguarded.sum(axis=1) + ~a.any(axis=1) + flat,
        plus + ((n == 0) | ((n == 1) & ~k)).any(axis=1),
    )
    return np.stack(methods, axis=1).astype(np.float32)
