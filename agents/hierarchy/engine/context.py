"""What the auction says to the seat that must call: the context columns of its feature row.

Strength is counted in points on the scale that the rule used (hcp, or points with length or shortness).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.language.vocabulary import CONTEXT, NUM_COLUMNS, WORDS
from agents.hierarchy.language.vocabulary import SHOWN as SHOWN_QUANTITIES
from bridge_env.auction import (
    DEALER,
    DOUBLING,
    LAST_BID,
    LAST_BIDDER,
    LENGTH,
    MAX_CALLS,
    PASSES,
    STATE_COLUMNS,
    VULNERABILITY,
    row_start,
)
from bridge_env.calls import PASS
from bridge_env.features import HCP, POINTS, STOPPER, SUPPORT
from bridge_env.features import LENGTH as HAND_LENGTH
from bridge_env.kernels import njit

STRENGTH, SUIT, ACES = 0, 1, 5
QUANTITIES = len(SHOWN_QUANTITIES)
BIDS, LAST_CALL, FORCES, TOLD_COLUMNS = range(4)
OPENER, SIDES = 2, 3
TOP = np.array([37, 13, 13, 13, 13, 4], np.int16)  # the most of each quantity
IS_CONTEXT = np.array([column in CONTEXT for column in range(NUM_COLUMNS)])
_GAME_BIDS = np.array([20, 21, 17, 18, 14], np.int16)  # 5C 5D 4H 4S 3NT as bids

# Columns of the context, by name.
POSITION, VUL, THEY_VUL, LAST_LEVEL = WORDS["position"], WORDS["vul"], WORDS["they-vul"], WORDS["last-level"]
LAST_NOTRUMP, LAST, OURS, PARTNER_LAST = WORDS["last-notrump"], WORDS["last:C"], WORDS["ours"], WORDS["partner-last"]
DOUBLED, PASSES_COLUMN, FORCED = WORDS["doubled"], WORDS["passes"], WORDS["forced"]
I_BID, PARTNER_BID, THEY_BID = WORDS["i-bid"], WORDS["partner-bid"], WORDS["they-bid"]
WE_OPENED, I_PASSED = WORDS["we-opened"], WORDS["i-passed"]
PARTNER_CALLED, I_CALLED = WORDS["partner-called"], WORDS["i-called"]
PARTNER_MIN, PARTNER_MAX, MY_MIN, MY_MAX = WORDS["partner-min"], WORDS["partner-max"], WORDS["my-min"], WORDS["my-max"]
LEVEL_COLUMN, PARTNER, PARTNER_MOST = WORDS["level"], WORDS["partner:C"], WORDS["partner-most:C"]
SHOWN, THEIRS = WORDS["shown:C"], WORDS["theirs:C"]
COMBINED, COMBINED_MAX, COMBINED_POINTS = WORDS["combined"], WORDS["combined-max"], WORDS["combined-points"]
COMBINED_ACES, TOTAL, TOTAL_MAX = WORDS["combined-aces"], WORDS["total:C"], WORDS["total-max:C"]
LIKELY, LIKELY_TOTAL = WORDS["likely"], WORDS["likely-total:C"]
FIT, FIT_BEST, FIT_MAJOR, BEST = WORDS["fit:C"], WORDS["fit-best"], WORDS["fit-major"], WORDS["best:C"]
LONG, STOPPED, IN_THEIRS, TRUMP_TRICKS = WORDS["long:C"], WORDS["stopped"], WORDS["in-theirs"], WORDS["trump-tricks"]
ACES_COLUMN, LONGEST, BALANCED, SEMIBALANCED = WORDS["aces"], WORDS["longest"], WORDS["balanced"], WORDS["semibalanced"]
TOP5_COLUMN = WORDS["top5:C"]


class Table(NamedTuple):
    """A table's scratch memory, which all kernels of this folder share.

    Attributes:
        auction, history: the rows of ``bridge_env.auction``; its kernels make the calls.
        place: the node of each seat's own system that the auction has reached, -1 outside the tree.
        shown: for each seat the least and most strength, cards of C D H S, and aces so far.
        told: for each seat the calls other than pass, its last call (-1 none), 1 if that call forces.
        sides: 1 if NS, EW are forced to game; the seat that opened (-1 none).
        f: the feature row of the seat to call.
        out: what its call shows.
        scratch: room to work that out.
    """

    auction: Annotated[NDArray[np.int16], (STATE_COLUMNS,)]
    history: Annotated[NDArray[np.int8], (MAX_CALLS,)]
    place: Annotated[NDArray[np.int32], (4,)]
    shown: Annotated[NDArray[np.int16], (4, QUANTITIES, 2)]
    told: Annotated[NDArray[np.int16], (4, TOLD_COLUMNS)]
    sides: Annotated[NDArray[np.int16], (SIDES,)]
    f: Annotated[NDArray[np.int16], (NUM_COLUMNS,)]
    out: Annotated[NDArray[np.int16], (QUANTITIES, 2)]
    scratch: Annotated[NDArray[np.int16], (3, QUANTITIES, 2)]


@njit
def new_table():
    """A table with nothing on it; ``start_table`` begins an auction there."""
    return Table(
        np.empty(STATE_COLUMNS, np.int16), np.empty(MAX_CALLS, np.int8), np.empty(4, np.int32),
        np.empty((4, QUANTITIES, 2), np.int16), np.empty((4, TOLD_COLUMNS), np.int16), np.empty(SIDES, np.int16),
        np.zeros(NUM_COLUMNS, np.int16), np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16),
    )  # fmt: skip


@njit(forceinline=True)
def start_table(pool, systems, dealer, vulnerability, t):
    """Begin an auction at ``t``; ``systems`` int32 (4,) index the seats' systems in the pool."""
    row_start(t.auction, t.history, dealer, vulnerability)
    for seat in range(4):
        t.place[seat] = pool.roots[systems[seat]]
        for q in range(QUANTITIES):
            t.shown[seat, q, 0] = 0
            t.shown[seat, q, 1] = TOP[q]
        t.told[seat, BIDS], t.told[seat, LAST_CALL], t.told[seat, FORCES] = 0, -1, 0
    t.sides[0] = t.sides[1] = 0
    t.sides[OPENER] = -1


@njit
def write_context(t, seat):
    """Write the columns that the auction alone decides, as ``seat`` sees it."""
    auction, history, shown, told, sides, f = t.auction, t.history, t.shown, t.told, t.sides, t.f
    partner, left, right = seat ^ 2, (seat + 1) & 3, (seat + 3) & 3
    bid, us = auction[LAST_BID], seat & 1
    bidder = auction[LAST_BIDDER]
    f[POSITION] = auction[LENGTH] + 1 if bid < 0 else 0
    f[VUL] = (auction[VULNERABILITY] >> us) & 1
    f[THEY_VUL] = (auction[VULNERABILITY] >> (1 - us)) & 1
    f[LAST_LEVEL] = bid // 5 + 1 if bid >= 0 else 0
    for suit in range(4):
        f[LAST + suit] = bid >= 0 and bid % 5 == suit
        f[PARTNER + suit] = shown[partner, SUIT + suit, 0]
        f[PARTNER_MOST + suit] = shown[partner, SUIT + suit, 1]
        f[SHOWN + suit] = shown[seat, SUIT + suit, 0]
        f[THEIRS + suit] = max(shown[left, SUIT + suit, 0], shown[right, SUIT + suit, 0])
    f[LAST_NOTRUMP] = bid >= 0 and bid % 5 == 4
    f[OURS] = bid >= 0 and (bidder & 1) == us
    f[PARTNER_LAST] = bid >= 0 and bidder == partner
    f[DOUBLED] = auction[DOUBLING]
    f[PASSES_COLUMN] = auction[PASSES]
    below_game = bid < _GAME_BIDS[bid % 5] if bid >= 0 else True
    right_passed = told[right, LAST_CALL] <= PASS
    f[FORCED] = (told[partner, FORCES] and right_passed) or (sides[us] and below_game)
    f[I_BID] = told[seat, BIDS]
    f[PARTNER_BID] = told[partner, BIDS]
    f[THEY_BID] = told[left, BIDS] + told[right, BIDS]
    f[WE_OPENED] = sides[OPENER] >= 0 and (sides[OPENER] & 1) == us
    first = (seat - auction[DEALER]) & 3
    f[I_PASSED] = auction[LENGTH] > first and history[first] == PASS
    f[PARTNER_CALLED] = told[partner, LAST_CALL]
    f[I_CALLED] = told[seat, LAST_CALL]
    f[PARTNER_MIN], f[PARTNER_MAX] = shown[partner, STRENGTH, 0], shown[partner, STRENGTH, 1]
    f[MY_MIN], f[MY_MAX] = shown[seat, STRENGTH, 0], shown[seat, STRENGTH, 1]


@njit
def write_mixed(t, seat):
    """Write the columns that put the hand (already in ``t.f``) and the context together."""
    shown, auction, f = t.shown, t.auction, t.f
    partner = seat ^ 2
    low, high = shown[partner, STRENGTH, 0], shown[partner, STRENGTH, 1]
    f[COMBINED], f[COMBINED_MAX] = f[HCP] + low, f[HCP] + high
    f[COMBINED_POINTS] = f[POINTS] + low
    f[LIKELY] = f[HCP] + low + min((high - low) // 3, 3)
    f[COMBINED_ACES] = f[ACES_COLUMN] + shown[partner, ACES, 0]
    longest_fit, best = -1, 0
    f[STOPPED] = 1
    for suit in range(4):
        length = f[HAND_LENGTH + suit]
        f[TOTAL + suit] = f[SUPPORT + suit] + low
        f[TOTAL_MAX + suit] = f[SUPPORT + suit] + high
        f[LIKELY_TOTAL + suit] = f[SUPPORT + suit] + low + min((high - low) // 3, 3)
        f[FIT + suit] = length + shown[partner, SUIT + suit, 0]
        f[LONG + suit] = length == f[LONGEST]
        f[BEST + suit] = 0
        if f[FIT + suit] >= longest_fit:
            longest_fit, best = f[FIT + suit], suit
        if f[THEIRS + suit] >= 4 and not f[STOPPER + suit]:
            f[STOPPED] = 0
    f[FIT_BEST] = longest_fit
    f[BEST + best] = 1
    f[FIT_MAJOR] = max(f[FIT + 2], f[FIT + 3])
    strain = auction[LAST_BID] % 5
    if auction[LAST_BID] >= 0 and strain < 4 and not f[OURS]:
        f[IN_THEIRS], f[TRUMP_TRICKS] = f[HAND_LENGTH + strain], f[TOP5_COLUMN + strain]
    else:
        f[IN_THEIRS] = f[TRUMP_TRICKS] = 0
