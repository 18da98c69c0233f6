"""Bid with compiled systems: follow the auction, choose the call.

The straightforward ones: ``agents.systems.engine.cache_kernels`` bids boards to the same calls, many times
faster. ``agents.systems.engine.auction_state`` defines a table's scratch memory.
"""

from __future__ import annotations

import numpy as np

from agents.systems.engine.auction_state import (
    BIDS,
    DEEPEST,
    FORCES,
    LAST_CALL,
    OPENER,
    new_history,
    new_state,
    restore,
    save,
    start_state,
    write_context,
    write_mixed,
)
from agents.systems.engine.compiled import FLAG_BITS
from agents.systems.engine.rule_order import (
    conditions_of,
    context_of,
    holds,
    is_general,
    legal_call,
    parts,
    rules_of,
    write_level,
)
from agents.systems.engine.shown_ranges import call_shows, narrow_shown
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.auction import DEALER, LAST_BID, VULNERABILITY, row_step, row_turn
from bridge_env.rules.calls import FIRST_BID, PASS

_FORCING, _GAME_FORCING = FLAG_BITS["forcing"], FLAG_BITS["gf"]


@njit
def apply_call(pool, systems, call, t):
    """Make a call of the seat to call: record what it shows, and follow it in every seat's system.

    ``t.f`` holds the context of that seat, as ``write_context`` or ``decide`` left it.
    """
    seat = row_turn(t.auction)
    write_level(call, t.f)
    found, flags = call_shows(pool, t.place[seat], systems[seat], call, t)
    record_call(pool, seat, call, found, flags, t)


@njit(forceinline=True)
def record_call(pool, seat, call, found, flags, t):
    """Record a call at the table once ``t.out`` holds what it shows, and follow it in every seat's system."""
    narrow_shown(t.shown[seat], t.out, found, call, t.shown[seat ^ 2])
    t.seat_status[seat, LAST_CALL] = call
    t.seat_status[seat, FORCES] = found and (flags & _FORCING) != 0
    t.seat_status[seat, BIDS] += call != PASS
    if found and flags & _GAME_FORCING:
        t.sides[seat & 1] = 1
    unopened = t.auction[LAST_BID] < 0
    if call >= FIRST_BID and unopened:
        t.sides[OPENER] = seat
    for other in range(4):
        node = t.place[other]
        if node >= 0:
            theirs = (other ^ seat) & 1
            child = pool.children[node, theirs, call]
            if child < 0 and call == PASS and (unopened or theirs):
                child = node  # passes before the opening, and theirs in between, go without saying
            t.place[other] = child
    row_step(t.auction, t.history, call)


@njit
def decide(pool, systems, hand, t):
    """Return the call of the seat to call on ``hand`` (its features), and the rule that made it (-1: none)."""
    seat, f = row_turn(t.auction), t.f
    copy(hand, f[:NUM_FEATURES])
    write_context(t, seat)
    write_mixed(t, seat)
    for part in parts(pool, t.place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, part)
        if not holds(pool, first, end, f):
            continue
        for rule in rules_of(pool, part):
            call = legal_call(pool, rule, t.auction)
            if call < 0:
                continue
            write_level(call, f)
            first, end = conditions_of(pool, rule)
            if holds(pool, first, end, f):
                return call, rule
    write_level(PASS, f)
    return PASS, -1


@njit(forceinline=True)
def replay(pool, systems, dealer, vulnerability, calls, length, t):
    """Bring a table to the end of ``calls``."""
    start_state(pool, systems, dealer, vulnerability, t)
    for i in range(length):
        write_context(t, row_turn(t.auction))
        apply_call(pool, systems, np.int64(calls[i]), t)


@njit(forceinline=True)
def _calls_in_common(systems, dealer, vulnerability, calls, length, i):
    """Return how many calls row ``i`` shares with the row before it; -1 where dealer, sides or systems differ."""
    if i == 0 or dealer[i] != dealer[i - 1] or vulnerability[i] != vulnerability[i - 1]:
        return -1
    for seat in range(4):
        if systems[i, seat] != systems[i - 1, seat]:
            return -1
    shared = 0
    while shared < min(length[i], length[i - 1]) and calls[i, shared] == calls[i - 1, shared]:
        shared += 1
    return shared


@njit
def replay_on(pool, systems, dealer, vulnerability, calls, length, i, t, history):
    """Bring the table to the end of the calls of row ``i``, from where they part with those of the row before it.

    Sorted by dealer, vulnerability and calls, rows are replayed as a tree: no auction's beginning is read twice.

    Args:
        systems: int32 (N, 4); calls: int8 (N, L); length: int64 (N,).
        t: where the row before has left it.
        history: from ``new_history``: the table after each call of the row before.
    """
    at = _calls_in_common(systems, dealer, vulnerability, calls, length, i)
    if at >= 0 and at == length[i - 1]:
        pass  # it goes on from the present table
    elif 0 <= at < DEEPEST:
        restore(t, history, at)
    else:
        start_state(pool, systems[i], dealer[i], vulnerability[i], t)
        at = 0
    followed = i + 1 < len(length)  # the last row, such as the only one, needs no history
    for k in range(at, length[i]):
        if followed and k < DEEPEST:
            save(t, history, k)
        write_context(t, row_turn(t.auction))
        apply_call(pool, systems[i], np.int64(calls[i, k]), t)


@njit
def bid_rows(pool, systems, dealer, vulnerability, calls, length, hands, chosen, rules, shown_out):
    """Choose calls for a batch of tables, each replayed; quickest if sorted by dealer, vulnerability and calls.

    Args:
        systems: (N, 4) index of each seat's system in the pool.
        calls: int8 (N, L); length (N,).
        hands: int16 (N, NUM_FEATURES) of the seats to call.
        chosen, rules: written, (N,).
        shown_out: written, int16 (N, 4, QUANTITIES, 2): what each seat has shown.
    """
    t, history = new_state(), new_history(DEEPEST)
    for i in range(len(chosen)):
        replay_on(pool, systems, dealer, vulnerability, calls, length, i, t, history)
        copy(t.shown, shown_out[i])
        chosen[i], rules[i] = decide(pool, systems[i], hands[i], t)


@njit
def feature_rows(pool, systems, boards, auctions, calls, lengths, hands, rows, general):
    """Write the full feature row of the seat to call after the calls already made, and whether general rules decide.

    Args:
        systems: int32 (4,) index of each seat's system in the pool.
        boards: int64 (N,), whose hands a row has; auctions: fresh rows of ``bridge_env.rules.auction``.
        calls: int8 (N, L); lengths (N,).
        hands: int16 (B, 4, NUM_FEATURES).
        rows: written, int16 (N, NUM_COLUMNS).
        general: written, bool (N,): the tree has no call here, so general rules decide.
    """
    t = new_state()
    for i in range(len(rows)):
        dealer, vulnerability = auctions[i, DEALER], auctions[i, VULNERABILITY]
        replay(pool, systems, dealer, vulnerability, calls[i], lengths[i], t)
        seat = row_turn(t.auction)
        _, rule = decide(pool, systems, hands[boards[i], seat], t)
        write_level(PASS, t.f)
        copy(t.f, rows[i])
        general[i] = is_general(pool, rule, systems[seat])
