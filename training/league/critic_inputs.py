"""Encode the critic's inputs, for training only: all four hands, the tricks, and the value of the present contract.

=============  =====  ============================================================================================
offset          size  meaning
=============  =====  ============================================================================================
``HANDS``        736  the inputs of four hands, as ``agents.networks.inputs`` has them: mine, left, partner, right
``AUCTION``      630  the inputs of the auction, as there
``TRICKS``       280  double-dummy tricks: ``(place * 5 + strain) * 14 + tricks``
``STANDS``        49  IMPs more than the likeliest auction's if the contract stands as it is, plus 24
``DOUBLED``       49  the same if it is doubled
=============  =====  ============================================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.inputs import HAND_INPUTS, HAND_ON, MOST_ON, NUM_INPUTS, Sparse, row_auction_inputs
from agents.networks.tables import Deals
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import DOUBLING, LAST_BID, LENGTH, Auctions, row_declarer, row_turn
from bridge_env.rules.scoring import IMP_STEPS, SCORE_TABLE

HANDS = 0
AUCTION = 4 * HAND_INPUTS
TRICKS = AUCTION + NUM_INPUTS - HAND_INPUTS
STANDS = TRICKS + 4 * 5 * 14
DOUBLED = STANDS + 49
CRITIC_INPUTS = DOUBLED + 49
CRITIC_ON = 4 * HAND_ON + 20 + 2 + MOST_ON  # room for any state

_STEPS = IMP_STEPS.astype(np.int64)


@njit
def _imps(difference):  # type: ignore[no-untyped-def]
    size = abs(difference)
    out = 0
    while out < 24 and size >= _STEPS[out]:
        out += 1
    return out if difference >= 0 else -out


@njit
def _fill(state, history, board, best_points, hand, tricks, dealer, vulnerability, numbers, starts):  # type: ignore[no-untyped-def]
    used = 0
    for i in range(len(board)):
        at, row = board[i], state[i]
        seat = row_turn(row)
        starts[i] = used
        for place in range(4):
            for k in range(HAND_ON):
                numbers[used] = HANDS + place * HAND_INPUTS + hand[at, (seat + place) & 3, k]
                used += 1
        more = row_auction_inputs(history[i], row[LENGTH], dealer[at], vulnerability[at], seat, numbers[used:])
        for k in range(more):
            numbers[used + k] += AUCTION - HAND_INPUTS
        used += more
        for place in range(4):
            for strain in range(5):
                numbers[used] = TRICKS + (place * 5 + strain) * 14 + tricks[at, (seat + place) & 3, strain]
                used += 1
        sign = 1 - 2 * (seat & 1)
        stands = doubled = 0
        if row[LAST_BID] >= 0:
            declarer = row_declarer(row)
            took = tricks[at, declarer, row[LAST_BID] % 5]
            theirs = 1 - 2 * (declarer & 1)
            vulnerable = (vulnerability[at] >> (declarer & 1)) & 1
            stands = theirs * SCORE_TABLE[row[LAST_BID], row[DOUBLING], vulnerable, took]
            doubled = theirs * SCORE_TABLE[row[LAST_BID], max(row[DOUBLING], 1), vulnerable, took]
        numbers[used] = STANDS + 24 + _imps(sign * (stands - best_points[i]))
        numbers[used + 1] = DOUBLED + 24 + _imps(sign * (doubled - best_points[i]))
        used += 2
    starts[len(board)] = used
    return used


def critic_rows(auctions: Auctions, deals: Deals, board: NDArray[np.int64], best_points: NDArray[np.int64]) -> Sparse:
    """The inputs that are on for the seats to call.

    Args:
        auctions: N of them.
        board: int64 (N,), which of ``deals`` each has.
        best_points: int64 (N,), what the likeliest auction scored there, NS-positive.
    """
    longest = int(auctions.length.max(initial=0))
    numbers = np.empty(len(board) * (4 * HAND_ON + 22 + 9 + min(longest, MOST_ON)) + CRITIC_ON, np.uint16)
    starts = np.empty(len(board) + 1, np.int64)
    used = _fill(
        auctions.state, auctions.history, board, best_points, deals.hand, deals.tricks, deals.dealer,
        deals.vulnerability, numbers, starts,
    )  # fmt: skip
    return numbers[:used], starts
