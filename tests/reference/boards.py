"""Boards bid by ``engine.decide`` and ``engine.apply_call``, one call after the other: the oracle for positions."""

from __future__ import annotations

from agents.systems.engine.auction_state import new_state
from agents.systems.engine.engine import apply_call, decide, replay
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import DEALER, DONE, VULNERABILITY, row_turn


@njit
def bid_boards(pool, systems, hands, boards, calls, lengths, auctions, histories, used):
    """What ``following.bid_along`` does, with the same arguments behind the pool."""
    t = new_state()
    for i in range(len(systems)):
        replay(pool, systems[i], auctions[i, DEALER], auctions[i, VULNERABILITY], calls[i], lengths[i], t)
        while not t.auction[DONE]:
            hand = hands[boards[i], row_turn(t.auction)]
            call, rule = decide(pool, systems[i], hand, t)
            if rule >= 0:
                used[rule] += 1
            apply_call(pool, systems[i], call, t)
        copy(t.auction, auctions[i])
        copy(t.history, histories[i])
