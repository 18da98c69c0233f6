"""Boards bid one call after the other, every rule tried in its order: the oracle for the trie of auction states."""

from __future__ import annotations

import numpy as np

from agents.systems.engine.auction_state import BOOK, GAME, JUMP, new_state, start_state, write_context, write_mixed
from agents.systems.engine.compiled import (
    CARDS,
    END_RULE,
    END_TERM,
    FIRST,
    FIRST_RULE,
    FIRST_TERM,
    RULE_BASE,
    RULE_FLAGS,
    SHOWS_NOTHING,
)
from agents.systems.engine.rule_order import (
    all_groups,
    call_of,
    conditions_of,
    context_of,
    holds,
    legal_call,
    meaning_of,
    rule_groups,
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
    for group in all_groups(pool, node, system):
        if found and is_fully_explained(call, flags, out):
            break
        fits = False
        for rule in rules_of(pool, group):
            if call_of(pool, rule, last_bid) != call or pool.rules[rule, RULE_FLAGS] & SHOWS_NOTHING:
                continue
            if not fits:  # the context, looked at only when one of the rules makes this call
                reset(rule_out)
                first, end = context_of(pool, group)
                if not constraint_shows(pool, first, end, f, rule_out, clause_out, together_out):
                    break
                fits = True
            reset(rule_out)
            first, end = meaning_of(pool, rule)
            if constraint_shows(pool, first, end, f, rule_out, clause_out, together_out):
                unite(out, rule_out, found)
                found, flags = True, flags | pool.rules[rule, RULE_FLAGS]
        if found and group == node:
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
    call, rule = _by_rules(pool, systems, hand, t)
    first_card = pool.blocks[systems[seat], CARDS]
    if 0 <= rule < pool.groups[first_card, FIRST_RULE]:
        return call, rule  # of the tree
    for group in range(first_card, pool.blocks[systems[seat], FIRST]):
        first, end = context_of(pool, group)
        if holds(pool, first, end, f):
            return _weighed(pool, group, call, rule, t)
    return call, rule


@njit
def _weighed(pool, group, call, rule, t):
    """Return the call with the highest sum of all cards and that card, the rules' if no sum is higher than its own."""
    f, sums, by = t.f, np.full(38, -10000, np.int64), np.full(38, -1, np.int64)
    for card in range(pool.groups[group, FIRST_RULE], pool.groups[group, END_RULE]):
        made = legal_call(pool, card, t.auction)
        first, end = conditions_of(pool, card)
        if made >= 0:
            write_level(made, f)
            bid = made - 3
            f[BOOK] = 1 if made == call else 0
            f[JUMP] = 1 if bid >= 5 and bid - 5 > t.auction[LAST_BID] else 0
            f[GAME] = 1 if bid in (14, 17, 18, 20, 21) else 0
        if made < 0 or by[made] >= 0 or not holds(pool, first, end, f):
            continue
        by[made], sums[made] = card, pool.rules[card, RULE_BASE]
        for k in range(pool.rules[card, FIRST_TERM], pool.rules[card, END_TERM]):
            points, word, less, clause = pool.terms[k]
            if clause >= 0:
                sums[made] += points if holds(pool, clause, clause + 1, f) else 0
            else:
                sums[made] += points * f[word]
                if less >= 0:
                    sums[made] -= points * f[less]
    f[BOOK] = f[JUMP] = f[GAME] = 0
    if by[call] < 0 or sums[call] == sums.max():
        return np.int64(call), np.int64(rule)
    best = np.flatnonzero(sums == sums.max())
    first = by[best].min()  # of equals the card that stands first in the text
    return np.int64(best[np.argmin(by[best])]), first


@njit
def _by_rules(pool, systems, hand, t):
    """Return the call and the rule of the first rule that fits."""
    seat, f = row_turn(t.auction), t.f
    copy(hand, f[:NUM_FEATURES])
    write_context(t, seat)
    write_mixed(t, seat)
    for group in rule_groups(pool, t.place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, group)
        if not holds(pool, first, end, f):
            continue
        for rule in rules_of(pool, group):
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
