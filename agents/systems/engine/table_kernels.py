"""Call at tables: systems bid on from the present position until it is somebody else's turn.

Every table records the position up to which each way of reading the auction has followed it, so that a call costs a
step from there, and not a replay of the auction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.cache_kernels import (
    LINK_AT,
    NEW,
    PROGRAM_AT,
    _apply_call,
    _decide,
    _enter,
    _keep_if_met,
    _load,
    _met,
    _run,
    _unpacked,
    _write_context,
    turned_sides,
)
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import row_features
from bridge_env.rules.auction import DEALER, DONE, LENGTH, VULNERABILITY, row_step, row_turn


class TableStates(NamedTuple):
    """What systems record of N tables."""

    known: NDArray[np.bool_]  # (N,), whether the rest is of the deal that lies there
    features: NDArray[np.int16]  # (N, 4, NUM_FEATURES), of the hands at the seats that the systems hold
    at: NDArray[np.int32]  # (N, R), the position up to which the auction has been followed, by each of R readings
    followed: NDArray[np.int16]  # (N, R), how many calls that is; 0 where it is to be followed from the start


@njit(forceinline=True)
def _meet(owner, reading_of, hand, features):
    """Count the hands of a new deal at the seats that systems hold."""
    for seat in range(4):
        if reading_of[seat] >= 0:
            for card in range(52):
                hand[card] = owner[card] == seat
            row_features(hand, features[seat])


@njit(forceinline=True)
def _follow(pool, read, store, systems, r, at, loaded, calls, row, dealer, begin, end, seldom, work, t):
    """Follow calls ``begin`` to ``end`` of a row from a position; the one reached, and what memory then holds.

    Args:
        systems, r: whose row ``r`` names the four seats' systems; calls, row: of auctions that ``dealer`` began.
        seldom: cache also positions that are met for the first time; there must be room.
    """
    for k in range(begin, end):
        call, seat = np.int64(calls[row, k]), (dealer + k) & 3
        after = np.int64(store.links[at, LINK_AT + call]) if at >= 0 else np.int64(-1)
        if after < 0:
            if loaded != at:
                _load(store, at, work, t)
            _write_context(t, seat)
            _apply_call(pool, read, systems[r, seat], seat, call, t)
            if at >= 0:
                after = _keep_if_met(store, at, call, seldom, work, t)
            loaded = after = max(after, np.int64(-1))
        at = after
    return at, loaded


@njit(forceinline=True)
def _call_here(pool, read, store, room, systems, r, at, loaded, features, row, holder, seat, work, t):
    """Return the call of a hand at a position, its rule, and the position that memory then holds."""
    program = np.int64(store.links[at, PROGRAM_AT]) if at >= 0 else np.int64(NEW)
    if program >= 0:
        call, rule = _run(store, at, program, features, row, holder, work.fits)
        return call, rule, loaded
    if loaded != at:
        _load(store, at, work, t)
    _write_context(t, seat)
    call, rule = _decide(pool, read, store, room, systems, r, features[row, holder], seat, t)
    if at >= 0:
        _met(pool, store, room, systems[r, seat], at, program, seat, t)
    return call, rule, at


@njit
def call_at_tables(plan, room, read_by, reading_of, rows, state, history, owner, known, features, at_table, followed):
    """Make the calls of systems at tables ``rows`` until the auction is over, or a seat that they do not hold calls.

    Args:
        plan, room: as for ``cache_kernels.bid_along``.
        read_by: int32 (R, 4), the systems of the pool by which a reading reads the four seats.
        reading_of: int8 (4,), the reading of the player at N, E, S, W; -1: a seat that the systems do not hold.
        rows: (M,).
        state, history: of N auctions (``bridge_env.rules.auction``); calls are made there.
        owner: uint8 (N, 52).
        known, features, at_table, followed: ``TableStates``.
    """
    pool, read, store, work, t = _unpacked(plan)
    hand, turned = np.empty(52, np.bool_), np.empty((len(read_by), 4), np.int32)
    loaded = np.int64(-1)  # the position that scratch memory holds; -1: one that is not cached
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
        unkept, come = np.int64(-1), np.int64(0)  # the reading of this auction that scratch memory holds, and how far
        while not auction[DONE]:
            holder = np.int64(row_turn(auction))
            r = np.int64(reading_of[holder])
            if r < 0:
                break
            length, k = np.int64(auction[LENGTH]), np.int64(followed[row, r])
            seat = length & 3
            for first in range(4):
                t.history[first] = calls[first]  # the context needs a seat's first call
            if unkept == r:
                at, k = np.int64(-1), come
            elif k > 0:
                at = np.int64(at_table[row, r])
            else:
                at = _enter(pool, store, turned, r, 0, sides, work, t)
                loaded = at if at < 0 else loaded
            at, loaded = _follow(pool, read, store, turned, r, at, loaded, history, row, 0, k, length, False, work, t)
            call, _, loaded = _call_here(
                pool, read, store, room, turned, r, at, loaded, features, row, holder, seat, work, t
            )
            unkept, come = np.int64(r if at < 0 else -1), length
            at_table[row, r], followed[row, r] = at, length if at >= 0 else 0
            row_step(auction, calls, call)
