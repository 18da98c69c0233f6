"""Encode a view as 480 numbers, in the layout that OpenSpiel and pgx share.

=============  ================================================================================================
offset         meaning of a 1
=============  ================================================================================================
[0]            our side is not vulnerable
[1]            our side is vulnerable
[2]            their side is not vulnerable
[3]            their side is vulnerable
[4:8]          passed before the opening bid: me, left-hand opponent, partner, right-hand opponent
[8:428]        35 bids from 1C to 7NT, 12 each: its bidder (4), its doubler (4), its redoubler (4);
               seats as above, counted clockwise from the observer
[428:480]      the observer's cards at ``428 + rank * 4 + suit`` (ranks 2..A = 0..12, suits C D H S = 0..3): in
               another order than those of ``BidView.hand``; ``hand_of`` turns them round
=============  ================================================================================================

Seats are relative to the observer, and the first call is the dealer's. OpenSpiel, whose dealer is always North, has the
same numbers on its boards (from index 4 of its 571-long tensor on, behind the phase of the game).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.view import BidView
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import DEALER, LENGTH, VULNERABILITY
from bridge_env.rules.calls import FIRST_BID, NUM_BIDS, PASS

OBSERVATION_SIZE = 480
LAYOUT = "openspiel-480/1"  # a file of weights names it; it changes when the table above does
VULNERABILITY_AT, OPENING_PASS_AT, BIDS_AT, HAND_AT = 0, 4, 8, 428
BID_STRIDE, DOUBLE_AT, REDOUBLE_AT = 12, 4, 8  # within a bid's 12: bidder 0, doubler 4, redoubler 8

assert HAND_AT == BIDS_AT + NUM_BIDS * BID_STRIDE
assert OBSERVATION_SIZE == HAND_AT + 52


@njit(forceinline=True)
def row_observation(state, history, shown, seat, out):  # type: ignore[no-untyped-def]
    """Write the observation of ``seat`` at a table to ``out`` int8 (480,).

    ``shown`` uint8 (52,) is the deal in the order of the observation (``row_shown``): the hand is then one
    comparison of 52 bytes.
    """
    for i in range(HAND_AT):  # to numba cheaper than a slice
        out[i] = 0
    vulnerability = state[VULNERABILITY]
    out[VULNERABILITY_AT + ((vulnerability >> (seat & 1)) & 1)] = 1
    out[VULNERABILITY_AT + 2 + ((vulnerability >> (1 - (seat & 1))) & 1)] = 1
    first, length = state[DEALER] - seat, state[LENGTH]
    # Which call comes next cannot be guessed, so there is no branch on it: a pass after the opening is written
    # where the hand comes afterwards.
    last, passed = 0, OPENING_PASS_AT  # where the last bid is; where a pass goes
    for i in range(length):
        call = int(history[i])
        caller = (first + i) & 3
        bids = call >= FIRST_BID
        last = BIDS_AT + (call - FIRST_BID) * BID_STRIDE if bids else last
        passed = HAND_AT if bids else passed
        at = last + (0 if bids else DOUBLE_AT * call)  # a redouble, call 2, at twice the place of a double
        out[(passed if call == PASS else at) + caller] = 1
    hand, own = out[HAND_AT:], np.uint8(seat)
    for card in range(np.uint64(52)):  # unsigned and of bytes, it becomes two or three vector instructions
        hand[card] = shown[card] == own


@njit(forceinline=True)
def row_shown(owner, shown):  # type: ignore[no-untyped-def]
    """Write ``owner`` uint8 (52,) to ``shown`` uint8 (52,), in the order of the observation."""
    for suit in range(4):
        for rank in range(13):
            shown[rank * 4 + suit] = owner[suit * 13 + rank]


@njit
def _observe_rows(state, history, owner, seats, out):  # type: ignore[no-untyped-def]
    shown = np.empty(52, np.uint8)
    for i in range(len(out)):
        row_shown(owner[i], shown)
        row_observation(state[i], history[i], shown, seats[i], out[i])


def observe(view: BidView) -> NDArray[np.int8]:
    """Return the observations of a batch of views: int8 (N, 480)."""
    state = np.zeros((len(view), max(DEALER, LENGTH, VULNERABILITY) + 1), np.int16)
    state[:, DEALER], state[:, LENGTH] = view.dealer, view.length
    state[:, VULNERABILITY] = view.vulnerability
    owner = np.where(view.hand, view.seat[:, None], 255).astype(np.uint8)
    out = np.empty((len(view), OBSERVATION_SIZE), np.int8)
    _observe_rows(state, np.ascontiguousarray(view.history), owner, view.seat, out)
    return out


def hand_of(observation: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the hands of observations (..., 480), as all else takes them: bool (..., 52), card ``suit * 13 + rank``.

    Raises:
        ValueError: the last axis is another one than of observations.
    """
    seen = np.asarray(observation)
    if seen.shape[-1:] != (OBSERVATION_SIZE,):
        raise ValueError(f"observations have {OBSERVATION_SIZE} numbers; these have the shape {seen.shape}")
    by_rank = seen[..., HAND_AT:].reshape(*seen.shape[:-1], 13, 4)
    return by_rank.swapaxes(-1, -2).reshape(*seen.shape[:-1], 52) > 0
