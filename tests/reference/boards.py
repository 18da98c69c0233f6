"""Boards bid one call after the other, every rule tried in its order: the oracle for the trie of auction states."""

from __future__ import annotations

from agents.systems.engine.auction_state import new_state, start_state, write_context, write_mixed
from agents.systems.engine.compiled import RULE_FLAGS
from agents.systems.engine.rule_order import (
    call_of,
    conditions_of,
    context_of,
    holds,
    legal_call,
    parts,
    rules_of,
    write_level,
)
from agents.systems.engine.shown_ranges import constraint_shows, is_fully_explained, reset, unite
from agents.systems.engine.states import record_call
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.auction import DEALER, DONE, LAST_BID, VULNERABILITY, row_turn
from bridge_env.rules.calls import PASS


@njit
def call_shows(pool, node, system, call, t):
    """Write what a call shows to ``t.out``: the union over the rules that can have made it; return (found, flags)."""
    found, flags, last_bid, f, out = False, 0, t.auction[LAST_BID], t.f, t.out
    rule_out, clause_out, together_out = t.scratch[0], t.scratch[1], t.scratch[2]
    reset(out)
    for part in parts(pool, node, system):
        if found and is_fully_explained(call, flags, out):
            break
        fits = False
        for rule in rules_of(pool, part):
            if call_of(pool, rule, last_bid) != call:
                continue
            if not fits:  # the context, looked at only when one of the rules makes this call
                reset(rule_out)
                first, end = context_of(pool, part)
                if not constraint_shows(pool, first, end, f, rule_out, clause_out, together_out):
                    break
                fits = True
            reset(rule_out)
            first, end = conditions_of(pool, rule)
            if constraint_shows(pool, first, end, f, rule_out, clause_out, together_out):
                unite(out, rule_out, found)
                found, flags = True, flags | pool.rules[rule, RULE_FLAGS]
        if found and part == node:
            break  # the tree explains it: general rules have no say
    return found, flags


@njit
def apply_call(pool, systems, call, t):
    """Make a call of the seat to call, whose context is in ``t.f``."""
    seat = row_turn(t.auction)
    write_level(call, t.f)
    found, flags = call_shows(pool, t.place[seat], systems[seat], call, t)
    record_call(pool, seat, call, found, flags, t)


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


@njit
def bid_boards(pool, systems, hands, boards, calls, lengths, auctions, histories, used):
    """What ``table_kernels.bid_boards`` does, with the same arguments behind the pool."""
    t = new_state()
    for i in range(len(systems)):
        start_state(pool, systems[i], auctions[i, DEALER], auctions[i, VULNERABILITY], t)
        for k in range(lengths[i]):
            write_context(t, row_turn(t.auction))
            apply_call(pool, systems[i], calls[i, k], t)
        while not t.auction[DONE]:
            hand = hands[boards[i], row_turn(t.auction)]
            call, rule = decide(pool, systems[i], hand, t)
            if rule >= 0:
                used[rule] += 1
            apply_call(pool, systems[i], call, t)
        copy(t.auction, auctions[i])
        copy(t.history, histories[i])
