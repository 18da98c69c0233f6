"""Encode a state of the auction for a network, as the numbers of the inputs that are on.

Every input is 0 or 1, and some 45 of them are 1. So a state is a short list of numbers, and the first layer of a
network is the sum of as many rows of its weights.

=============  ====  =============================================================================================
offset         size  what it says
=============  ====  =============================================================================================
``CARDS``        52  my cards, at ``suit * 13 + rank``
``LENGTHS``      56  how long each suit is: ``suit * 14 + cards``
``POINTS``       32  my high-card points, 31 and more as 31
``HONOURS``      44  the high-card points in each suit: ``suit * 11 + points``
``VULNERABLE``    4  vulnerability: 0 nobody, 1 we, 2 they, 3 both
``PLACE``         4  my place: 0 the dealer, 1 second, 2 third, 3 fourth
``PASSED``        4  the players that passed before the opening: me, left, partner, right
``BIDS``        420  35 bids, 12 each: its bidder (4), its doubler (4), its redoubler (4)
``LAST``         36  the last bid; 35 before there is one
``HELD``         12  its bidder, times 3, plus 0 undoubled, 1 doubled, 2 redoubled
``NEWEST``      144  the last bid of each seat: ``seat * 36 + bid``, 35 where the seat has not bid
``CALLS``         6  how many calls I have made, 5 and more as 5
=============  ====  =============================================================================================

Seats are relative to the player: 0 me, 1 left, 2 partner, 3 right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.view import BidView
from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import FIRST_BID, NUM_BIDS, PASS

LAYOUT = "bridge-env-814/1"  # goes into the files of networks; changes when the table above does

CARDS = 0
LENGTHS = CARDS + 52
POINTS = LENGTHS + 4 * 14
HONOURS = POINTS + 32
HAND_INPUTS = HONOURS + 4 * 11  # those before it depend on the hand alone
VULNERABLE = HAND_INPUTS
PLACE = VULNERABLE + 4
PASSED = PLACE + 4
BIDS = PASSED + 4
LAST = BIDS + NUM_BIDS * 12
HELD = LAST + NUM_BIDS + 1
NEWEST = HELD + 12
CALLS = NEWEST + 4 * (NUM_BIDS + 1)
NUM_INPUTS = CALLS + 6

HAND_ON = 13 + 4 + 1 + 4  # inputs of the hand that are on, always
MOST_ON = HAND_ON + 2 + 4 + 3 * NUM_BIDS + 1 + 1 + 4 + 1  # room for any state

_MOST_POINTS, _MOST_CALLS = 31, 5

assert NUM_INPUTS == 814

Sparse = tuple[NDArray[np.uint16], NDArray[np.int64]]
"""The inputs that are on, row behind row uint16 (M,), and where each row starts int64 (N + 1,)."""


@njit
def row_hand_inputs(hand, out):  # type: ignore[no-untyped-def]
    """Write the numbers of the inputs that ``hand`` bool (52,) turns on to ``out``: ``HAND_ON`` of them."""
    n = 0
    total = 0
    for suit in range(4):
        length = points = 0
        for rank in range(13):
            if hand[suit * 13 + rank]:
                out[n] = CARDS + suit * 13 + rank
                n += 1
                length += 1
                points += max(rank - 8, 0)
        out[13 + suit] = LENGTHS + suit * 14 + length
        out[18 + suit] = HONOURS + suit * 11 + points
        total += points
    out[17] = POINTS + min(total, _MOST_POINTS)


@njit
def row_auction_inputs(history, length, dealer, vulnerability, seat, out):  # type: ignore[no-untyped-def]
    """Write the numbers of the inputs that the first ``length`` calls turn on, seen by ``seat``; return how many."""
    first = (dealer - seat) & 3
    out[0] = VULNERABLE + ((vulnerability >> (seat & 1)) & 1) + 2 * ((vulnerability >> (1 - (seat & 1))) & 1)
    out[1] = PLACE + ((4 - first) & 3)
    n = 2
    last, holder, doubling, mine = NUM_BIDS, 0, 0, 0
    newest = NEWEST + NUM_BIDS
    me, left, partner, right = newest, newest + 36, newest + 72, newest + 108
    for i in range(length):
        call = int(history[i])
        caller = (first + i) & 3
        mine += caller == 0
        if call == PASS:
            if last == NUM_BIDS:
                out[n] = PASSED + caller
                n += 1
            continue
        if call >= FIRST_BID:
            last, holder, doubling = call - FIRST_BID, caller, 0
            at = NEWEST + caller * 36 + last
            if caller == 0:
                me = at
            elif caller == 1:
                left = at
            elif caller == 2:
                partner = at
            else:
                right = at
        else:
            doubling = call
        out[n] = BIDS + last * 12 + 4 * doubling + caller
        n += 1
    out[n] = LAST + last
    out[n + 1], out[n + 2], out[n + 3], out[n + 4] = me, left, partner, right
    out[n + 5] = CALLS + min(mine, _MOST_CALLS)
    n += 6
    if last < NUM_BIDS:
        out[n] = HELD + 3 * holder + doubling
        n += 1
    return n


@njit
def _inputs_of_rows(hand, history, length, dealer, vulnerability, seat, out, starts):  # type: ignore[no-untyped-def]
    """Fill ``out`` and ``starts`` (N + 1,) as ``inputs_of`` returns them; return how much of ``out`` is used."""
    used = 0
    for i in range(len(seat)):
        starts[i] = used
        row_hand_inputs(hand[i], out[used:])
        used += HAND_ON
        used += row_auction_inputs(history[i], length[i], dealer[i], vulnerability[i], np.int64(seat[i]), out[used:])
    starts[len(seat)] = used
    return used


def inputs_of(view: BidView) -> Sparse:
    """Return the inputs that are on in a batch of views.

    Returns:
        numbers uint16 (M,), row behind row, and where each row starts, int64 (N + 1,).
    """
    room = len(view) * min(MOST_ON, HAND_ON + 8 + int(view.length.max(initial=0)) + 1)
    out, starts = np.empty(room + MOST_ON, np.uint16), np.empty(len(view) + 1, np.int64)
    columns = map(np.ascontiguousarray, (view.history, view.length, view.dealer, view.vulnerability, view.seat))
    used = _inputs_of_rows(view.hand, *columns, out, starts)
    return out[:used].copy(), starts


def take_rows(rows: Sparse, chosen: NDArray[np.int64]) -> Sparse:
    """Return some of the rows, in the order of ``chosen``."""
    numbers, starts = rows
    length = (starts[1:] - starts[:-1])[chosen]
    ends = np.concatenate([[0], np.cumsum(length)])
    return numbers[np.repeat(starts[chosen] - ends[:-1], length) + np.arange(ends[-1])], ends


def stack_rows(parts: Sequence[Sparse]) -> Sparse:
    """Return rows of several batches, one behind the other."""
    begins = np.cumsum([0, *(len(numbers) for numbers, _ in parts)])
    starts = [starts[:-1] + begin for (_, starts), begin in zip(parts, begins, strict=False)]
    return np.concatenate([numbers for numbers, _ in parts]), np.concatenate([*starts, begins[-1:]])
