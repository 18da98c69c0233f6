"""Look at auctions and hands through systems: the states that auctions lead to, and what the systems do there.

``state_rows`` follows auctions to their states and finds the systems' calls; the other kernels take these states.
"""

from __future__ import annotations

import numpy as np

from agents.systems.engine.call_index import call_shows
from agents.systems.engine.rule_order import write_level
from agents.systems.engine.shown_ranges import narrow_shown
from agents.systems.engine.states import choose, engine_at, enter, follow, load, write_hand
from agents.systems.language.columns import QUANTITIES, QUANTITY
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import FEATURES, HCP, POINTS
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.rules.auction import DEALER, DONE, LAST_BID, VULNERABILITY, row_turn
from bridge_env.rules.calls import NUM_CALLS, PASS

_ACES, _ACES_SHOWN = FEATURES["aces"], QUANTITY["aces"]


@njit
def state_rows(plan, systems, hands, boards, begins, calls, lengths, auctions, state_ids, chosen, rules):
    """Follow auctions to their ends; write the states, the systems' calls there on some hands, and their rules.

    Of an auction that is over the call is Pass, without a rule.

    Args:
        plan, systems, hands, calls, lengths, auctions: as for ``table_kernels.bid_boards``. All states must find room.
        boards: int64 (M,), whose hands call; begins: int64 (N + 1,), where those of each auction begin.
        state_ids: written, int32 (N,), states.
        chosen: written, int8 (M,); rules: written, int32 (M,), -1 where no rule made the call.
    """
    e = engine_at(plan)
    for i in range(len(state_ids)):
        dealer, length = auctions[i, DEALER], lengths[i]
        at = enter(e, systems, i, dealer, auctions[i, VULNERABILITY])
        for k in range(length):
            at = follow(e, systems, i, at, np.int64(calls[i, k]), True)
        state_ids[i] = at
        for k in range(begins[i], begins[i + 1]):
            call, rule = np.int64(PASS), np.int64(-1)
            if not e.store.notes[at, DONE]:
                call, rule = choose(e, systems, i, at, hands, boards[k], (dealer + length) & 3)
            chosen[k], rules[k] = call, rule


@njit(forceinline=True)
def write_features(e, at, hand):
    """Write the full feature row of a hand int16 (NUM_FEATURES,) in a state to ``t.f``; return the seat to call."""
    load(e, at)
    return write_hand(e, hand)


@njit
def feature_rows(plan, state_ids, hands, out, nodes):
    """Write the feature rows int16 (N, NUM_COLUMNS) of hands int16 (N, NUM_FEATURES) in states.

    ``nodes`` int32 (N,) are written too: where the auction is in the tree of the seat to call, -1 outside.
    """
    e = engine_at(plan)
    for i in range(len(state_ids)):
        seat = write_features(e, np.int64(state_ids[i]), hands[i])
        out[i] = e.t.f
        nodes[i] = e.t.place[seat]


@njit(forceinline=True)
def missed(ranges, hand):
    """Return by how many points, cards and aces a hand (its features) misses ``ranges`` int16 (QUANTITIES, 2).

    Strength may be counted in high-card points or with points for length, whichever is nearer.
    """
    off = max(ranges[0, 0] - max(hand[HCP], hand[POINTS]), 0) + max(hand[HCP] - ranges[0, 1], 0)
    for suit in range(4):
        cards = hand[HAND_LENGTH + suit]
        off += max(ranges[1 + suit, 0] - cards, 0) + max(cards - ranges[1 + suit, 1], 0)
    aces = hand[_ACES]
    return off + max(ranges[_ACES_SHOWN, 0] - aces, 0) + max(aces - ranges[_ACES_SHOWN, 1], 0)


@njit
def misdescription_rows(plan, systems, hands, boards, state_ids, wanted, out):
    """Write by how many points, cards and aces more each call misdescribes the hand than the ranges shown before.

    Args:
        plan, systems, hands: as for ``state_rows``; state_ids: from there; boards: int64 (N,), whose hands.
        wanted: bool (N, 38), legal calls to look at.
        out: written where ``wanted``, int16 (N, 38).
    """
    e = engine_at(plan)
    t, ranges = e.t, np.empty((QUANTITIES, 2), np.int16)
    for i in range(len(state_ids)):
        before, seat = -1, np.int64(0)
        for call in range(NUM_CALLS):
            if not wanted[i, call]:
                continue
            if before < 0:
                load(e, np.int64(state_ids[i]))
                seat = np.int64(row_turn(t.auction))
                before = missed(t.shown[seat], hands[boards[i], seat])
            write_level(call, t.f)
            node, last = t.place[seat], t.auction[LAST_BID]
            found, _ = call_shows(e.pool, e.call_index, systems[i, seat], node, last, call, t.f, t.out, t.scratch)
            for q in range(QUANTITIES):
                ranges[q, 0], ranges[q, 1] = t.shown[seat, q, 0], t.shown[seat, q, 1]
            narrow_shown(ranges, t.out, found, call, t.shown[seat ^ 2])
            out[i, call] = max(0, missed(ranges, hands[boards[i], seat]) - before)
