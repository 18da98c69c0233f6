"""Bid with systems: boards to their end, and tables until it is somebody else's turn.

States are those of an auction that N deals: a table where another seat deals is turned, its systems with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.states import choose, engine_at, enter, follow, turned_sides
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import row_features
from bridge_env.rules.auction import DEALER, DONE, LENGTH, VULNERABILITY, row_step, row_turn


@njit
def bid_boards(plan, systems, hands, boards, calls, lengths, auctions, histories, used):
    """Bid boards to their end from the calls already made, a system in every seat.

    Args:
        plan: int64 (SCHEMA.places,), of a ``PointerTable``.
        systems: int32 (N, 4) index of each seat's system in the pool.
        hands: int16 (B, 4, NUM_FEATURES); boards: int64 (N,), whose hands a row has.
        calls: int8 (N, L), legal calls from the dealer on; lengths: int64 (N,).
        auctions, histories: fresh rows of ``bridge_env.rules.auction`` (dealer and vulnerability set); finished here.
        used: int64 (rules of the pool,), counts how often each rule made a call.
    """
    e = engine_at(plan)
    turned = np.empty((1, 4), np.int32)  # the systems from the dealer on
    for i in range(len(systems)):
        auction, dealer = auctions[i], np.int64(auctions[i, DEALER])
        for place in range(4):
            turned[0, place] = systems[i, (dealer + place) & 3]
        at = enter(e, turned, 0, 0, turned_sides(auction[VULNERABILITY], dealer))
        length = np.int64(0)
        while True:
            call, rule = np.int64(0), np.int64(-1)
            if length < lengths[i]:
                call = np.int64(calls[i, length])
            else:
                call, rule = choose(e, turned, 0, at, hands, boards[i], (dealer + length) & 3)
            if rule >= 0:
                used[rule] += 1
            length += 1
            row_step(auction, histories[i], call)
            if auction[DONE]:
                break
            at = follow(e, turned, 0, at, call, False)


class TableStates(NamedTuple):
    """What systems record of N tables."""

    known: NDArray[np.bool_]  # (N,), whether the rest is of the deal that lies there
    features: NDArray[np.int16]  # (N, 4, NUM_FEATURES), of the hands at the seats that the systems hold
    at: NDArray[np.int32]  # (N, R), the state up to which the auction has been followed, by each of R readings
    followed: NDArray[np.int16]  # (N, R), how many calls that is; 0 where it is to be followed from the start


@njit(forceinline=True)
def _meet(owner, reading_of, hand, features):
    """Count the hands of a new deal at the seats that systems hold."""
    for seat in range(4):
        if reading_of[seat] >= 0:
            for card in range(52):
                hand[card] = owner[card] == seat
            row_features(hand, features[seat])


@njit
def call_at_tables(plan, read_by, reading_of, rows, state, history, owner, known, features, at_table, followed):
    """Make the calls of systems at tables ``rows`` until the auction is over, or a seat that they do not hold calls.

    Every table records the state up to which each way of reading the auction has followed it, so that a call costs a
    step from there, and not a replay of the auction.

    Args:
        plan: as for ``bid_boards``.
        read_by: int32 (R, 4), the systems of the pool by which a reading reads the four seats.
        reading_of: int8 (4,), the reading of the player at N, E, S, W; -1: a seat that the systems do not hold.
        rows: (M,).
        state, history: of N auctions (``bridge_env.rules.auction``); calls are made there.
        owner: uint8 (N, 52).
        known, features, at_table, followed: ``TableStates``.
    """
    e = engine_at(plan)
    hand, turned = np.empty(52, np.bool_), np.empty((len(read_by), 4), np.int32)
    for row in rows:
        auction, calls, dealer = state[row], history[row], np.int64(state[row, DEALER])
        if not known[row]:
            _meet(owner[row], reading_of, hand, features[row])
            followed[row] = 0
            known[row] = True
        for reading in range(len(read_by)):
            for place in range(4):
                turned[reading, place] = read_by[reading, (dealer + place) & 3]
        sides = turned_sides(auction[VULNERABILITY], dealer)
        uncached, calls_read = np.int64(-1), np.int64(0)  # the reading whose state scratch memory holds, and its length
        while not auction[DONE]:
            holder = np.int64(row_turn(auction))
            r = np.int64(reading_of[holder])
            if r < 0:
                break
            length, k = np.int64(auction[LENGTH]), np.int64(followed[row, r])
            if uncached == r:
                at, k = np.int64(-1), calls_read
            elif k > 0:
                at = np.int64(at_table[row, r])
            else:
                at = enter(e, turned, r, 0, sides)
            for number in range(k, length):
                at = follow(e, turned, r, at, np.int64(calls[number]), False)
            call, _ = choose(e, turned, r, at, features, row, holder)
            uncached, calls_read = np.int64(r if at < 0 else -1), length
            at_table[row, r], followed[row, r] = at, length if at >= 0 else 0
            row_step(auction, calls, call)
