"""Encode the critic's inputs, for training only: all four hands, the tricks, and the value of the present contract.

=============  =====  ============================================================================================
offset          size  meaning
=============  =====  ============================================================================================
``HANDS``        736  the inputs of four hands, as ``agents.networks.inputs`` has them: mine, left, partner, right
``AUCTION``      630  the inputs of the auction, as there
``TRICKS``       280  double-dummy tricks: ``(place * 5 + strain) * 14 + tricks``
``UNDOUBLED``     49  IMPs more than the greedy auction's if all pass now, plus 24
``DOUBLED``       49  the same if the contract is doubled
=============  =====  ============================================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.inputs import HAND_INPUTS, HAND_ON, MOST_ON, NUM_INPUTS, Sparse, row_auction_inputs
from agents.networks.tables import Deals
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LENGTH, Auctions, row_turn
from bridge_env.rules.scoring import imps, score

HANDS = 0
AUCTION = 4 * HAND_INPUTS
TRICKS = AUCTION + NUM_INPUTS - HAND_INPUTS
UNDOUBLED = TRICKS + 4 * 5 * 14
DOUBLED = UNDOUBLED + 49
CRITIC_INPUTS = DOUBLED + 49
CRITIC_ON = 4 * HAND_ON + 20 + 2 + MOST_ON  # room for any state


@njit
def _fill(state, history, board, hand, tricks, dealer, vulnerability, numbers, starts):  # type: ignore[no-untyped-def]
    """Write all inputs but the last two of each row."""
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
        used += 2
    starts[len(board)] = used
    return used


def critic_rows(auctions: Auctions, deals: Deals, board: NDArray[np.int64], best_points: NDArray[np.int64]) -> Sparse:
    """Return the inputs that are on for the seats to call in N auctions; ``board`` int64 (N,) says which of ``deals``
    each has, ``best_points`` int64 (N,) what the greedy auction scored there, NS-positive.
    """
    longest = int(auctions.length.max(initial=0))
    numbers = np.empty(len(board) * (4 * HAND_ON + 22 + 9 + min(longest, MOST_ON)) + CRITIC_ON, np.uint16)
    starts = np.empty(len(board) + 1, np.int64)
    used = _fill(
        auctions.state, auctions.history, board, deals.hand, deals.tricks, deals.dealer, deals.vulnerability, numbers,
        starts,
    )  # fmt: skip
    bid, doubling, declarer = auctions.contracts()
    took, sign = deals.tricks[board, declarer, bid % 5], 1 - 2 * (auctions.turn.astype(np.int64) & 1)
    for first, place, times in ((UNDOUBLED, 2, doubling), (DOUBLED, 1, np.maximum(doubling, 1))):
        points = score(bid, times, declarer, deals.vulnerability[board], took)
        numbers[starts[1:] - place] = first + 24 + imps(sign * (points - best_points)).astype(np.int64)
    return numbers[:used], starts
