"""Look at positions through a system: the call that it makes there, what was shown, and what other calls would show.

``state_rows`` follows auctions to their states (``cache_kernels``) and finds the system's calls there.
``misdescription_rows`` counts by how much a hand misses what a call would show partner. The results of
a state serve every board that comes there.
"""

from __future__ import annotations

import numpy as np

from agents.systems.engine.auction_state import write_context, write_mixed
from agents.systems.engine.cache_kernels import BASE, SHOWN_AT, _enter, _load, _unpacked
from agents.systems.engine.call_index import reads_as
from agents.systems.engine.rule_order import conditions_of, context_of, holds, legal_call, write_level
from agents.systems.engine.shown_ranges import narrow_shown
from agents.systems.engine.table_kernels import _call_here, _follow
from agents.systems.language.columns import QUANTITIES
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import HCP, NUM_FEATURES, POINTS
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.rules.auction import DEALER, DONE, LAST_BID, VULNERABILITY, row_turn
from bridge_env.rules.calls import NUM_CALLS, PASS

RANGES = 5  # quantities that calls can misdescribe: strength, cards of C D H S


@njit
def state_rows(plan, room, systems, hands, boards, begins, calls, lengths, auctions, state_ids, chosen, rules):
    """Follow auctions to their ends; write the positions, the system's calls there on some hands, and their rules.

    Of an auction that is over the call is Pass, without a rule.

    Args:
        plan, room, systems, hands, calls, lengths, auctions: as for ``cache_kernels.bid_along``. There must be room for
            every position that is met.
        boards: int64 (M,), whose hands call; begins: int64 (N + 1,), where those of each auction begin.
        state_ids: written, int32 (N,), positions.
        chosen: written, int8 (M,); rules: written, int32 (M,), -1 where no rule made the call.
    """
    pool, read, store, work, t = _unpacked(plan)
    loaded = np.int64(-1)  # the position that scratch memory holds
    for i in range(len(state_ids)):
        dealer, length = auctions[i, DEALER], lengths[i]
        at = _enter(pool, store, systems, i, dealer, auctions[i, VULNERABILITY], work, t)
        for k in range(min(length, 4)):
            t.history[k] = calls[i, k]  # the context needs a seat's first call
        at, loaded = _follow(pool, read, store, systems, i, at, loaded, calls, i, dealer, 0, length, True, work, t)
        seat = (dealer + length) & 3
        state_ids[i] = at
        for k in range(begins[i], begins[i + 1]):
            if store.notes[at, DONE]:  # nobody calls: a program made here would know of no call but Pass
                call, rule = np.int64(PASS), np.int64(-1)
            else:
                call, rule, loaded = _call_here(
                    pool, read, store, room, systems, i, at, loaded, hands, boards[k], seat, seat, work, t
                )
            chosen[k], rules[k] = call, rule


@njit
def shown_rows(notes, state_ids, out):
    """Write what each seat has shown at positions: int16 (N, 4, RANGES, 2)."""
    for i in range(len(state_ids)):
        for seat in range(4):
            for q in range(RANGES):
                for end in range(2):
                    out[i, seat, q, end] = notes[state_ids[i], SHOWN_AT + seat * BASE + 2 * q + end]


@njit(forceinline=True)
def missed(ranges, hand):
    """Return by how many points and cards a hand (its features) misses ``ranges`` int16 (RANGES or more, 2).

    Strength may be counted in high-card points or with points for length, whichever is nearer.
    """
    off = max(ranges[0, 0] - max(hand[HCP], hand[POINTS]), 0) + max(hand[HCP] - ranges[0, 1], 0)
    for suit in range(4):
        cards = hand[HAND_LENGTH + suit]
        off += max(ranges[1 + suit, 0] - cards, 0) + max(cards - ranges[1 + suit, 1], 0)
    return off


@njit
def misdescription_rows(plan, systems, hands, boards, state_ids, wanted, out):
    """Write by how many points and cards more each call misdescribes the hand than the ranges shown before.

    Args:
        plan, systems, hands: as for ``state_rows``; state_ids: from there; boards: int64 (N,), whose hands.
        wanted: bool (N, 38), legal calls to look at.
        out: written where ``wanted``, int16 (N, 38).
    """
    pool, read, store, work, t = _unpacked(plan)
    ranges, loaded = np.empty((QUANTITIES, 2), np.int16), np.int64(-1)
    for i in range(len(state_ids)):
        before, seat = -1, np.int64(0)
        for call in range(NUM_CALLS):
            if not wanted[i, call]:
                continue
            if before < 0:
                if loaded != state_ids[i]:
                    _load(store, state_ids[i], work, t)
                    loaded = np.int64(state_ids[i])
                    write_context(t, row_turn(t.auction))
                seat = np.int64(row_turn(t.auction))
                before = missed(t.shown[seat], hands[boards[i], seat])
            write_level(call, t.f)
            node, last = t.place[seat], t.auction[LAST_BID]
            found, _ = reads_as(pool, read, systems[i, seat], node, last, call, t.f, t.out, t.scratch)
            for q in range(QUANTITIES):
                ranges[q, 0], ranges[q, 1] = t.shown[seat, q, 0], t.shown[seat, q, 1]
            narrow_shown(ranges, t.out, found, call, t.shown[seat ^ 2])
            out[i, call] = max(0, missed(ranges, hands[boards[i], seat]) - before)


@njit
def condition_rows(plan, state_id, part, rule, hands, out):
    """Write whether hands meet the conditions of a rule at a position, whatever rules come before it.

    Args:
        plan: as for ``state_rows``; state_id: the position, from there.
        part, rule: of the pool; hands: int16 (N, 4, NUM_FEATURES).
        out: written, bool (N,); all False where the rule has no legal call, or its block another context.
    """
    pool, _, store, work, t = _unpacked(plan)
    _load(store, state_id, work, t)
    seat = np.int64(row_turn(t.auction))
    write_context(t, seat)
    call = legal_call(pool, rule, t.auction)
    first, end = context_of(pool, part)
    least, most = conditions_of(pool, rule)
    for i in range(len(hands)):
        out[i] = False
        if call >= 0:
            for column in range(NUM_FEATURES):
                t.f[column] = hands[i, seat, column]
            write_level(PASS, t.f)
            write_mixed(t, seat)
            if holds(pool, first, end, t.f):
                write_level(call, t.f)
                out[i] = holds(pool, least, most, t.f)
