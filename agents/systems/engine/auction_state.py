"""Follow what the auction says to the seat that must call: the context columns of its feature row.

Strength is counted in points on the scale that the rule used (hcp, or points with length or shortness).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.columns import HAND, QUANTITIES, QUANTITY, READS, SUMS, THEIRS, TOP
from agents.systems.language.vocabulary import NUM_COLUMNS, WORDS
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.hands.features import STOPPER
from bridge_env.rules.auction import (
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
from bridge_env.rules.calls import NUM_BIDS, PASS

STRENGTH, SUIT = QUANTITY["strength"], QUANTITY["C"]
BIDS, LAST_CALL, FORCES, PASSED, ASKING_BID, STATUS_COLUMNS = range(6)
OPENER, SIDES = 2, 3
GAME_BIDS = np.array([20, 21, 17, 18, 14], np.int16)  # 5C 5D 4H 4S 3NT as bids
ENOUGH = 25  # strength that both partners have shown with which they let no opponents play undoubled

# Columns of the context, by name.
POSITION, VUL, THEY_VUL, LAST_LEVEL = WORDS["position"], WORDS["vul"], WORDS["they-vul"], WORDS["last-level"]
LAST_NOTRUMP, LAST, OURS, PARTNER_LAST = WORDS["last-notrump"], WORDS["last:C"], WORDS["ours"], WORDS["partner-last"]
DOUBLED, PASSES_COLUMN, FORCED = WORDS["doubled"], WORDS["passes"], WORDS["forced"]
BOUND, FORCING_PASS = WORDS["bound"], WORDS["forcing-pass"]
I_BID, PARTNER_BID, THEY_BID = WORDS["i-bid"], WORDS["partner-bid"], WORDS["they-bid"]
WE_OPENED, I_PASSED = WORDS["we-opened"], WORDS["i-passed"]
PARTNER_CALLED, I_CALLED = WORDS["partner-called"], WORDS["i-called"]
LEVEL_COLUMN, THEIRS_COLUMN, PARTNER_LIKELY = WORDS["level"], WORDS["theirs:C"], WORDS["partner-likely"]
FIT, FIT_BEST, FIT_MAJOR, BEST = WORDS["fit:C"], WORDS["fit-best"], WORDS["fit-major"], WORDS["best:C"]
LONG, STOPPED, LONGEST = WORDS["long:C"], WORDS["stopped"], WORDS["longest"]
CONTROL, KING, SUIT_HCP = WORDS["control:C"], WORDS["king:C"], WORDS["hcp:C"]
THEY_MIN, THEY_MAX = WORDS["they-min"], WORDS["they-max"]
BOOK, JUMP, GAME = WORDS["book"], WORDS["jump"], WORDS["game"]


class AuctionState(NamedTuple):
    """A table's scratch memory, which all kernels of this folder share."""

    # this and the next: the rows of ``bridge_env.rules.auction``; its kernels make the calls
    auction: Annotated[NDArray[np.int16], STATE_COLUMNS]
    history: Annotated[NDArray[np.int8], MAX_CALLS]
    # the node of each seat's own system that the auction has reached, -1 outside the tree
    place: Annotated[NDArray[np.int32], 4]
    # for each seat the least and most of each quantity so far: strength, cards of C D H S, aces
    shown: Annotated[NDArray[np.int16], 4, QUANTITIES, 2]
    # for each seat the calls other than pass, its last call (-1 none), 1 if that forces, 1 if its first was a pass,
    # 1 if its last is an asking bid
    seat_status: Annotated[NDArray[np.int16], 4, STATUS_COLUMNS]
    # 1 where NS, EW are forced to game; the seat that opened (-1 none)
    sides: Annotated[NDArray[np.int16], SIDES]
    f: Annotated[NDArray[np.int16], NUM_COLUMNS]  # the feature row of the seat to call
    out: Annotated[NDArray[np.int16], QUANTITIES, 2]  # what its call shows
    scratch: Annotated[NDArray[np.int16], 3, QUANTITIES, 2]  # room to work that out


@njit
def new_state():
    """Make a table with nothing on it; ``start_state`` begins an auction there."""
    return AuctionState(
        np.empty(STATE_COLUMNS, np.int16), np.empty(MAX_CALLS, np.int8), np.empty(4, np.int32),
        np.empty((4, QUANTITIES, 2), np.int16), np.empty((4, STATUS_COLUMNS), np.int16), np.empty(SIDES, np.int16),
        np.zeros(NUM_COLUMNS, np.int16), np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16),
    )  # fmt: skip


@njit(forceinline=True)
def start_state(pool, systems, dealer, vulnerability, t):
    """Begin an auction at ``t``; ``systems`` int32 (4,) index the seats' systems in the pool."""
    row_start(t.auction, t.history, dealer, vulnerability)
    for seat in range(4):
        t.place[seat] = pool.roots[systems[seat]]
        for q in range(QUANTITIES):
            t.shown[seat, q, 0] = 0
            t.shown[seat, q, 1] = TOP[q]
        t.seat_status[seat] = 0
        t.seat_status[seat, LAST_CALL] = -1
    t.sides[0] = t.sides[1] = 0
    t.sides[OPENER] = -1


@njit(forceinline=True)
def write_context(t, seat):
    """Write the columns that the auction alone decides, as ``seat`` sees it."""
    auction, shown, seat_status, sides, f = t.auction, t.shown, t.seat_status, t.sides, t.f
    partner, left, right = seat ^ 2, (seat + 1) & 3, (seat + 3) & 3
    bid, us = auction[LAST_BID], seat & 1
    bidder = auction[LAST_BIDDER]
    f[POSITION] = auction[LENGTH] + 1 if bid < 0 else 0
    f[VUL] = (auction[VULNERABILITY] >> us) & 1
    f[THEY_VUL] = (auction[VULNERABILITY] >> (1 - us)) & 1
    f[LAST_LEVEL] = bid // 5 + 1 if bid >= 0 else 0
    for suit in range(4):
        f[LAST + suit] = bid >= 0 and bid % 5 == suit
        f[THEIRS_COLUMN + suit] = max(shown[left, SUIT + suit, 0], shown[right, SUIT + suit, 0])
    f[LAST_NOTRUMP] = bid >= 0 and bid % 5 == 4
    f[OURS] = bid >= 0 and (bidder & 1) == us
    f[PARTNER_LAST] = bid >= 0 and bidder == partner
    f[DOUBLED] = auction[DOUBLING]
    f[PASSES_COLUMN] = auction[PASSES]
    write_forcing(t, seat)
    f[I_BID] = seat_status[seat, BIDS]
    f[PARTNER_BID] = seat_status[partner, BIDS]
    f[THEY_BID] = seat_status[left, BIDS] + seat_status[right, BIDS]
    f[WE_OPENED] = sides[OPENER] >= 0 and (sides[OPENER] & 1) == us
    f[I_PASSED] = seat_status[seat, PASSED]
    f[PARTNER_CALLED] = seat_status[partner, LAST_CALL]
    f[I_CALLED] = seat_status[seat, LAST_CALL]
    me = np.uintp(seat)
    for k in range(len(READS)):
        f[READS[k, 0]] = shown[me ^ READS[k, 1], READS[k, 2], READS[k, 3]]
    low, high = shown[partner, STRENGTH, 0], shown[partner, STRENGTH, 1]
    f[PARTNER_LIKELY] = low + min((high - low) // 3, 3)
    stronger = left if shown[left, STRENGTH, 0] > shown[right, STRENGTH, 0] else right
    f[THEY_MIN], f[THEY_MAX] = shown[stronger, STRENGTH, 0], shown[stronger, STRENGTH, 1]
    f[BOOK] = f[JUMP] = f[GAME] = 0  # of scores alone: ``sums`` writes them


@njit(forceinline=True)
def write_forcing(t, seat):
    """Write whether a side must go on: by partner's last call for one round, or by an earlier one to game.

    Nobody need take out a double of their own: what the opponents bid and we have doubled may be passed.
    """
    auction, f = t.auction, t.f
    bid, side, doubled, passes = auction[LAST_BID], t.sides[seat & 1], auction[DOUBLING], auction[PASSES]
    below = side > 0 and (bid < 0 or bid < GAME_BIDS[bid % 5])
    partner_forces = t.seat_status[seat ^ 2, FORCES] and t.seat_status[(seat + 3) & 3, LAST_CALL] <= PASS
    f[FORCED] = partner_forces or below
    f[BOUND] = f[FORCING_PASS] = 0
    if bid < 0 or bid == NUM_BIDS - 1:
        return
    if (auction[LAST_BIDDER] ^ seat) & 1:  # they have the contract: after two passes mine lets them play it
        if doubled == 0:
            strength = t.shown[seat, STRENGTH, 0] + t.shown[seat ^ 2, STRENGTH, 0]
            must = side > 0 or strength >= ENOUGH
            f[BOUND] = partner_forces or (must and passes == 2)
            f[FORCING_PASS] = must and passes == 0
    else:  # we have it: once it is doubled, the turn comes back to whoever bid it
        f[BOUND] = partner_forces or (below and ((doubled == 0 and passes == 1) or (doubled == 1 and passes == 2)))
        f[FORCING_PASS] = below and doubled == 1 and passes == 0


@njit(forceinline=True)
def write_mixed(t, seat):
    """Write the columns that put the hand and the context (already in ``t.f``) together."""
    auction, f = t.auction, t.f
    for k in range(len(SUMS)):
        f[SUMS[k, 0]] = f[SUMS[k, 1]] + f[SUMS[k, 2]]
    longest_fit, best = -1, 0
    f[STOPPED] = 1
    for suit in range(4):
        f[LONG + suit] = f[HAND_LENGTH + suit] == f[LONGEST]
        f[CONTROL + suit] = controls(f, suit)
        f[BEST + suit] = 0
        if f[FIT + suit] >= longest_fit:
            longest_fit, best = f[FIT + suit], suit
        if is_theirs(suit, f) and not f[STOPPER + suit]:
            f[STOPPED] = 0
    f[FIT_BEST] = longest_fit
    f[BEST + best] = 1
    f[FIT_MAJOR] = max(f[FIT + 2], f[FIT + 3])
    suit = their_suit(auction, f)
    for column in THEIRS:
        f[column] = f[HAND[column] + suit] if suit >= 0 else 0


@njit(forceinline=True)
def is_theirs(suit, f):
    """Return whether an opponent has shown four cards of a suit, so that the word ``stopped`` needs a stopper."""
    return f[THEIRS_COLUMN + suit] >= 4


@njit(forceinline=True)
def controls(f, suit):
    """Return whether a hand wins the first or second round of a suit. Without its king, 4 hcp are the ace."""
    return f[HAND_LENGTH + suit] <= 1 or f[KING + suit] or f[SUIT_HCP + suit] >= 4


@njit(forceinline=True)
def their_suit(auction, f):
    """Return the suit of the last bid, if the opponents made it; else -1. ``f`` holds the context."""
    bid = auction[LAST_BID]
    return bid % 5 if bid >= 0 and bid % 5 < 4 and not f[OURS] else -1
