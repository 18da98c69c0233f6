"""Whole boards bid by ``engine.decide`` and ``engine.observe``, one call after the other: the oracle for positions."""

from __future__ import annotations

import numpy as np

from agents.hierarchy.engine.context import QUANTITIES
from agents.hierarchy.engine.engine import decide, observe, replay
from agents.hierarchy.language.vocabulary import NUM_COLUMNS
from bridge_env.auction import DEALER, DONE, VULNERABILITY, row_turn
from bridge_env.kernels import njit


@njit
def bid_boards(pool, systems, hands, boards, calls, lengths, auctions, histories, used):
    """What ``following.bid_along`` does, with the same arguments behind the pool."""
    place, told, sides = np.empty(4, np.int32), np.empty((4, 3), np.int16), np.empty(3, np.int16)
    shown = np.empty((4, QUANTITIES, 2), np.int16)
    f = np.zeros(NUM_COLUMNS, np.int16)
    out, scratch = np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16)
    for i in range(len(systems)):
        auction, history = auctions[i], histories[i]
        replay(
            pool, systems[i], auction[DEALER], auction[VULNERABILITY], calls[i], lengths[i],
            auction, history, place, shown, told, sides, f, out, scratch,
        )  # fmt: skip
        while not auction[DONE]:
            hand = hands[boards[i], row_turn(auction)]
            call, rule = decide(pool, systems[i], hand, auction, history, place, shown, told, sides, f)
            if rule >= 0:
                used[rule] += 1
            observe(pool, systems[i], call, auction, history, place, shown, told, sides, f, out, scratch)
