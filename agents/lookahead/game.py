"""Solve the rest of an auction by backward induction, as a game with four visible hands.

A position is the last bid and its bidder, its doubling, the passes since, and the seat to call. From 7NT down, the
value of each is the best that its side can reach; bids above are at hand as the best of those already solved.
North-South want much, East-West little.

- Declarer is the first of a side that named the strain at the table; in a strain it has not named, the player who
  bids it in the look-ahead. (That an earlier bid of the same look-ahead may have named it is left out:
  with it there would be 59,049 times as many positions.)
- With four visible hands a pass costs nothing while partner can still speak, because he sees all. Real partners do
  not. So a seat finds its best call only with chance ``trust[seat]``, and passes else; 1 is minimax.
"""

from __future__ import annotations

import numpy as np

from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import DOUBLING, FIRST_NAMER, LAST_BID, LAST_BIDDER, PASSES, row_turn
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, PASS, REDOUBLE

_WORST = 1e9


@njit
def _final(state, leaf, bid, bidder, doubling):
    """Return what North-South score if all pass now."""
    if bid < 0:
        return 0.0
    declarer = state[FIRST_NAMER + (bidder & 1) * 5 + bid % 5]
    if declarer < 0:
        declarer = bidder
    return leaf[declarer, bid, doubling] if declarer & 1 == 0 else -leaf[declarer, bid, doubling]


@njit
def _better(value, other, seat):
    return max(value, other) if seat & 1 == 0 else min(value, other)


@njit
def _solve_bid(state, leaf, trust, bid, bidder, best, values):
    """Solve the positions whose last bid is ``bid`` by ``bidder``: ``values`` [doubling, passes, seat to call].

    Args:
        best: (36, 4), the best that a seat can do by bids from a number up; filled above ``bid``.
    """
    for doubling in range(2, -1, -1):
        final = _final(state, leaf, bid, bidder, doubling)
        for passes in range(2, -1, -1):
            for seat in range(4):
                passing = final if passes == 2 else values[doubling, passes + 1, (seat + 1) & 3]
                value = passing
                ours = (seat ^ bidder) & 1 == 0
                if (doubling == 0 and not ours) or (doubling == 1 and ours):
                    value = _better(value, values[doubling + 1, 0, (seat + 1) & 3], seat)
                if bid < NUM_BIDS - 1:
                    value = _better(value, best[bid + 1, seat], seat)
                values[doubling, passes, seat] = trust[seat] * value + (1.0 - trust[seat]) * passing


@njit
def _solve_above(state, leaf, trust, last, best, values):
    """Fill ``best`` for all bids above ``last``."""
    for seat in range(4):
        best[NUM_BIDS, seat] = -_WORST if seat & 1 == 0 else _WORST
    for bid in range(NUM_BIDS - 1, last, -1):
        for seat in range(4):
            _solve_bid(state, leaf, trust, bid, seat, best, values)
            best[bid, seat] = _better(values[0, 0, (seat + 1) & 3], best[bid + 1, seat], seat)


@njit
def _solve_opening(trust, best, values):
    """Solve the positions before any bid: ``values`` (5, 4) [passes, seat to call], 0 once all have passed."""
    values[4] = 0.0
    for passes in range(3, -1, -1):
        for seat in range(4):
            passing = values[passes + 1, (seat + 1) & 3]
            values[passes, seat] = trust[seat] * _better(passing, best[0, seat], seat) + (1.0 - trust[seat]) * passing


@njit
def call_values(states, leaf_of, leaves, trust, out):
    """Value every call for the side that makes it.

    Args:
        states: int16 (N, STATE_COLUMNS), positions that are not over.
        leaf_of: int64 (N,), which of ``leaves`` float32 (S, 4, 35, 3) a row has.
        out: written, float32 (N, 38); -1e9 where a call is not legal.
    """
    best, values, opening = np.empty((NUM_BIDS + 1, 4)), np.empty((3, 3, 4)), np.empty((5, 4))
    for n in range(len(states)):
        state, leaf = states[n], leaves[leaf_of[n]]
        last, doubling, passes = np.int64(states[n, LAST_BID]), states[n, DOUBLING], states[n, PASSES]
        seat = row_turn(state)
        sign = 1.0 if seat & 1 == 0 else -1.0
        out[n] = -_WORST
        _solve_above(state, leaf, trust, last, best, values)
        for bid in range(last + 1, NUM_BIDS):
            _solve_bid(state, leaf, trust, bid, seat, best, values)
            out[n, FIRST_BID + bid] = sign * values[0, 0, (seat + 1) & 3]
        if last < 0:
            _solve_opening(trust, best, opening)
            out[n, PASS] = sign * opening[passes + 1, (seat + 1) & 3]
            continue
        bidder = np.int64(state[LAST_BIDDER])
        _solve_bid(state, leaf, trust, last, bidder, best, values)
        passing = _final(state, leaf, last, bidder, doubling)
        if passes < 2:
            passing = values[doubling, passes + 1, (seat + 1) & 3]
        out[n, PASS] = sign * passing
        ours = (seat ^ bidder) & 1 == 0
        if doubling == 0 and not ours:
            out[n, DOUBLE] = sign * values[1, 0, (seat + 1) & 3]
        if doubling == 1 and ours:
            out[n, REDOUBLE] = sign * values[2, 0, (seat + 1) & 3]
