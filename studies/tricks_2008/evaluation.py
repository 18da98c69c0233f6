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

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.jit import njit
from bridge_env.hands.features import run_tricks, suit_losers, suit_playing_tricks

#: Name -> the values of A, K, Q, J and T, in the order of the columns of ``point_counts``.
POINT_COUNTS = MappingProxyType(
    {
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
)
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


# --- one suit: its length n, and 1 for each of a k q j t that it holds ------------------------------------


@njit
def _honour_tricks(n, a, k, q, j, t):  # type: ignore[no-untyped-def]
    """Return the honour tricks of a suit, in halves."""
    if a:
        return 4 if k else (3 if q else 2)
    if k:
        return 2 if q or (j and t) else (1 if n >= 2 else 0)
    return 1 if q and j and n >= 3 else 0


@njit
def _plus_values(n, a, k, q, j, t):  # type: ignore[no-untyped-def]
    """Return the plus values of a suit's honours."""
    if n == 1:
        return k
    if not (a or k):
        return 1 if q and not (j and n >= 3) else 0
    counted = (a and k and q) or (t and not a and not q)
    return 1 if j and not counted else 0


@njit
def _unguarded(n, a, k, q, j):  # type: ignore[no-untyped-def]
    """Return 1 for a bare K, Q or J, and for Qx, Jx, QJ."""
    return int((n == 1 and (k or q or j)) or (n == 2 and (q or j) and not (a or k)))


# --- one hand -----------------------------------------------------------------------------------------------


@njit
def _assets(hand, suit, n, strain):  # type: ignore[no-untyped-def]
    """Return the assets of a suit but for its shape, and 1 if it is an asset of shape."""
    a, k, q = int(hand[suit * 13 + 12]), int(hand[suit * 13 + 11]), int(hand[suit * 13 + 10])
    body = int(hand[suit * 13 + 8] and hand[suit * 13 + 7])
    if suit == strain:
        return max(n - 5, 0) + int(q or hand[suit * 13 + 9]) + body, 0
    if n >= (5 if strain == _NO_TRUMP else 4) and (a or k or q):
        return q + body, 1
    return 0, int(n <= 1 and strain != _NO_TRUMP)


@njit
def _row_distributional(hand, strain, out):  # type: ignore[no-untyped-def]
    """Write the eight methods to ``out`` int16 (8,), all in halves."""
    points = aces = honour = playing = losers = assets = length = minus = plus = 0
    shape_asset = short = longest = ruffs = bare = 0
    shortest = 13
    trumps = 0
    if strain != _NO_TRUMP:
        for rank in range(13):
            trumps += int(hand[strain * 13 + rank])
    for suit in range(4):
        base = suit * 13
        n = 0
        for rank in range(13):
            n += int(hand[base + rank])
        a, k, q = int(hand[base + 12]), int(hand[base + 11]), int(hand[base + 10])
        j, t = int(hand[base + 9]), int(hand[base + 8])
        points += 4 * a + 3 * k + 2 * q + j
        aces += a
        longest, shortest = max(longest, n), min(shortest, n)
        honour += _honour_tricks(n, a, k, q, j, t)
        side, as_trumps = suit_playing_tricks(n, a, k, q, j, t)
        playing += max(as_trumps if suit == strain else side, 2 * run_tricks(hand, suit))
        losers += suit_losers(n, a, k, q)
        found, shape = _assets(hand, suit, n, strain)
        assets += found
        shape_asset |= shape
        length += max(n - (3 if suit == strain else 4), 0)
        unguarded = _unguarded(n, a, k, q, j)
        minus += unguarded
        plus += _plus_values(n, a, k, q, j, t)
        short |= int(n == 0 or (n == 1 and not k))
        if suit != strain and n <= 2:
            ruffs += (5 - 2 * n) if trumps >= 4 else (3 - n)
            bare += unguarded if n == 1 else 0
    out[0], out[1], out[2] = honour, playing, 2 * losers
    out[3] = 2 * (points + assets + shape_asset)
    out[4] = 2 * (points + (ruffs - bare + int(trumps >= 5) if trumps >= 3 else 0))
    out[5] = 2 * length
    out[6] = 2 * (minus + int(aces == 0) + int(longest == 4 and shortest == 3))
    out[7] = 2 * (plus + short)


@njit
def _all_distributional(hands, strains, out):  # type: ignore[no-untyped-def]
    for i in range(len(hands)):
        _row_distributional(hands[i], strains[i], out[i])


# --- batches ------------------------------------------------------------------------------------------------


def point_counts(hands: NDArray[np.bool_]) -> Float32Array:
    """Return point counts of hands bool (N, 52): float32 (N, 9), columns as in ``POINT_COUNTS``."""
    held = hands.reshape(-1, 4, 13)
    honours = np.zeros((len(held), 5), np.int16)
    for suit in range(4):
        honours += held[:, suit, :7:-1]
    points: Float32Array = (honours @ _TENTHS / np.float32(10)).astype(np.float32)
    return points


def distributional(hands: NDArray[np.bool_], strain: int | NDArray[np.int64]) -> Float32Array:
    """Return the methods that see shape, of hands bool (N, 52): float32 (N, 8), columns as in ``DISTRIBUTIONAL``.

    Args:
        strain: 0 to 4 (C D H S NT), one for all hands or int (N,). Playing tricks, assets, Stayman's points and
            the rule of three and four depend on it.
    """
    halves = np.empty((len(hands), len(DISTRIBUTIONAL)), np.int16)
    strains = np.ascontiguousarray(np.broadcast_to(strain, (len(hands),)), np.int8)
    _all_distributional(np.ascontiguousarray(hands), strains, halves)
    return halves.astype(np.float32) / np.float32(2)
