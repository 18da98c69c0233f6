"""The kernels that bid with compiled systems: follow the auction, keep what each seat has shown, pick the call.

A table's scratch memory:

- ``auction`` and ``history``: the rows of ``bridge_env.auction``; its kernels make the calls.
- ``place`` int32 (4,): the node of each seat's own system that the auction has reached, -1 outside the tree.
- ``shown`` int16 (4, 6, 2): for each seat the least and most strength, cards of C D H S, and aces so far.
- ``told`` int16 (4, 3): for each seat the calls other than pass, its last call (-1 none), 1 if that call forces.
- ``sides`` int16 (3,): 1 if NS, EW are forced to game; the seat that opened (-1 none).

Strength is counted in points on the scale that the rule used (hcp, or points with length or shortness).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from agents.hierarchy.compiled import FLAG_BITS, span_call
from agents.hierarchy.vocabulary import CONTEXT, NUM_COLUMNS, SHOWN, WORDS
from bridge_env.auction import (
    DEALER,
    DONE,
    DOUBLING,
    LAST_BID,
    LAST_BIDDER,
    LENGTH,
    MAX_CALLS,
    PASSES,
    STATE_COLUMNS,
    VULNERABILITY,
    row_legal,
    row_start,
    row_step,
    row_turn,
)  # fmt: skip
from bridge_env.calls import FIRST_BID, PASS
from bridge_env.features import HCP, NUM_FEATURES, POINTS, STOPPER, SUPPORT
from bridge_env.features import LENGTH as HAND_LENGTH

STRENGTH, SUIT, ACES = 0, 1, 5
QUANTITIES = len(SHOWN)
BIDS, LAST_CALL, FORCES = 0, 1, 2
OPENER = 2
TOP = np.array([37, 13, 13, 13, 13, 4], np.int16)

_FORCING, _GAME_FORCING, _ARTIFICIAL = FLAG_BITS["forcing"], FLAG_BITS["gf"], FLAG_BITS["artificial"]
_GAME_BIDS = np.array([20, 21, 17, 18, 14], np.int16)  # 5C 5D 4H 4S 3NT as bids
_span_call = njit(cache=True)(span_call)

# Columns of the context, by name.
_C = WORDS
_POSITION, _VUL, _THEY_VUL, _LAST_LEVEL = _C["position"], _C["vul"], _C["they-vul"], _C["last-level"]
_LAST_NOTRUMP, _LAST, _OURS, _PARTNER_LAST = _C["last-notrump"], _C["last:C"], _C["ours"], _C["partner-last"]
_DOUBLED, _PASSES, _FORCED = _C["doubled"], _C["passes"], _C["forced"]
_I_BID, _PARTNER_BID, _THEY_BID = _C["i-bid"], _C["partner-bid"], _C["they-bid"]
_WE_OPENED, _I_PASSED = _C["we-opened"], _C["i-passed"]
_PARTNER_CALLED, _I_CALLED = _C["partner-called"], _C["i-called"]
_PARTNER_MIN, _PARTNER_MAX, _MY_MIN, _MY_MAX = _C["partner-min"], _C["partner-max"], _C["my-min"], _C["my-max"]
_LEVEL, _PARTNER, _PARTNER_MOST = _C["level"], _C["partner:C"], _C["partner-most:C"]
_SHOWN, _THEIRS = _C["shown:C"], _C["theirs:C"]
_COMBINED, _COMBINED_MAX, _COMBINED_POINTS = _C["combined"], _C["combined-max"], _C["combined-points"]
_COMBINED_ACES, _TOTAL, _TOTAL_MAX = _C["combined-aces"], _C["total:C"], _C["total-max:C"]
_LIKELY, _LIKELY_TOTAL = _C["likely"], _C["likely-total:C"]
_FIT, _FIT_BEST, _FIT_MAJOR, _BEST = _C["fit:C"], _C["fit-best"], _C["fit-major"], _C["best:C"]
_LONG, _STOPPED, _IN_THEIRS, _TRUMP_TRICKS = _C["long:C"], _C["stopped"], _C["in-theirs"], _C["trump-tricks"]
_ACES_COLUMN, _LONGEST, _BALANCED, _SEMIBALANCED = _C["aces"], _C["longest"], _C["balanced"], _C["semibalanced"]
_TOP5 = _C["top5:C"]

IS_CONTEXT = np.array([column in CONTEXT for column in range(NUM_COLUMNS)])


@njit(cache=True)
def start_table(dealer, vulnerability, roots, auction, history, place, shown, told, sides):
    """Empty a table's scratch memory; ``roots`` int32 (4,) are the roots of the four seats' systems."""
    row_start(auction, history, dealer, vulnerability)
    for seat in range(4):
        place[seat] = roots[seat]
        for q in range(QUANTITIES):
            shown[seat, q, 0] = 0
            shown[seat, q, 1] = TOP[q]
        told[seat, BIDS], told[seat, LAST_CALL], told[seat, FORCES] = 0, -1, 0
    sides[0] = sides[1] = 0
    sides[OPENER] = -1


@njit(cache=True)
def write_context(auction, history, shown, told, sides, seat, f):
    """Write the columns that the auction alone decides, as ``seat`` sees it."""
    partner, left, right = seat ^ 2, (seat + 1) & 3, (seat + 3) & 3
    bid, us = auction[LAST_BID], seat & 1
    bidder = auction[LAST_BIDDER]
    f[_POSITION] = auction[LENGTH] + 1 if bid < 0 else 0
    f[_VUL] = (auction[VULNERABILITY] >> us) & 1
    f[_THEY_VUL] = (auction[VULNERABILITY] >> (1 - us)) & 1
    f[_LAST_LEVEL] = bid // 5 + 1 if bid >= 0 else 0
    for suit in range(4):
        f[_LAST + suit] = bid >= 0 and bid % 5 == suit
        f[_PARTNER + suit] = shown[partner, SUIT + suit, 0]
        f[_PARTNER_MOST + suit] = shown[partner, SUIT + suit, 1]
        f[_SHOWN + suit] = shown[seat, SUIT + suit, 0]
        f[_THEIRS + suit] = max(shown[left, SUIT + suit, 0], shown[right, SUIT + suit, 0])
    f[_LAST_NOTRUMP] = bid >= 0 and bid % 5 == 4
    f[_OURS] = bid >= 0 and (bidder & 1) == us
    f[_PARTNER_LAST] = bid >= 0 and bidder == partner
    f[_DOUBLED] = auction[DOUBLING]
    f[_PASSES] = auction[PASSES]
    below_game = bid < _GAME_BIDS[bid % 5] if bid >= 0 else True
    right_passed = told[right, LAST_CALL] <= PASS
    f[_FORCED] = (told[partner, FORCES] and right_passed) or (sides[us] and below_game)
    f[_I_BID] = told[seat, BIDS]
    f[_PARTNER_BID] = told[partner, BIDS]
    f[_THEY_BID] = told[left, BIDS] + told[right, BIDS]
    f[_WE_OPENED] = sides[OPENER] >= 0 and (sides[OPENER] & 1) == us
    first = (seat - auction[DEALER]) & 3
    f[_I_PASSED] = auction[LENGTH] > first and history[first] == PASS
    f[_PARTNER_CALLED] = told[partner, LAST_CALL]
    f[_I_CALLED] = told[seat, LAST_CALL]
    f[_PARTNER_MIN], f[_PARTNER_MAX] = shown[partner, STRENGTH, 0], shown[partner, STRENGTH, 1]
    f[_MY_MIN], f[_MY_MAX] = shown[seat, STRENGTH, 0], shown[seat, STRENGTH, 1]


@njit(cache=True)
def write_mixed(shown, auction, seat, f):
    """Write the columns that put the hand (already in ``f``) and the context together."""
    partner = seat ^ 2
    low, high = shown[partner, STRENGTH, 0], shown[partner, STRENGTH, 1]
    f[_COMBINED], f[_COMBINED_MAX] = f[HCP] + low, f[HCP] + high
    f[_COMBINED_POINTS] = f[POINTS] + low
    f[_LIKELY] = f[HCP] + low + min((high - low) // 3, 3)
    f[_COMBINED_ACES] = f[_ACES_COLUMN] + shown[partner, ACES, 0]
    longest_fit, best = -1, 0
    f[_STOPPED] = 1
    for suit in range(4):
        length = f[HAND_LENGTH + suit]
        f[_TOTAL + suit] = f[SUPPORT + suit] + low
        f[_TOTAL_MAX + suit] = f[SUPPORT + suit] + high
        f[_LIKELY_TOTAL + suit] = f[SUPPORT + suit] + low + min((high - low) // 3, 3)
        f[_FIT + suit] = length + shown[partner, SUIT + suit, 0]
        f[_LONG + suit] = length == f[_LONGEST]
        f[_BEST + suit] = 0
        if f[_FIT + suit] >= longest_fit:
            longest_fit, best = f[_FIT + suit], suit
        if f[_THEIRS + suit] >= 4 and not f[STOPPER + suit]:
            f[_STOPPED] = 0
    f[_FIT_BEST] = longest_fit
    f[_BEST + best] = 1
    f[_FIT_MAJOR] = max(f[_FIT + 2], f[_FIT + 3])
    strain = auction[LAST_BID] % 5
    if auction[LAST_BID] >= 0 and strain < 4 and not f[_OURS]:
        f[_IN_THEIRS], f[_TRUMP_TRICKS] = f[HAND_LENGTH + strain], f[_TOP5 + strain]
    else:
        f[_IN_THEIRS] = f[_TRUMP_TRICKS] = 0


@njit(cache=True)
def holds(pool, first, end, f):
    """Do the clauses ``first .. end`` hold for the feature row?"""
    for clause in range(first, end):
        satisfied = False
        for together in range(pool.clauses[clause, 0], pool.clauses[clause, 1]):
            satisfied = True
            for atom in range(pool.together[together, 0], pool.together[together, 1]):
                value = f[pool.atoms[atom, 0]]
                if value < pool.atoms[atom, 1] or value > pool.atoms[atom, 2]:
                    satisfied = False
                    break
            if satisfied:
                break
        if not satisfied:
            return False
    return True


@njit(cache=True)
def _narrow(out, quantity, lo, hi):
    out[quantity, 0] = max(out[quantity, 0], lo)
    out[quantity, 1] = min(out[quantity, 1], hi)


@njit(cache=True)
def _atom_shows(column, lo, hi, f, out):
    """Narrow ``out`` (6, 2) by what an atom says of the hand; False if the context contradicts it."""
    if IS_CONTEXT[column]:
        return lo <= f[column] <= hi
    low, high = f[_PARTNER_MIN], f[_PARTNER_MAX]
    if column in (HCP, POINTS) or SUPPORT <= column < SUPPORT + 4:
        _narrow(out, STRENGTH, lo, hi)
    elif column in (_COMBINED, _COMBINED_POINTS) or _TOTAL <= column < _TOTAL + 4:
        _narrow(out, STRENGTH, lo - low, hi - low)
    elif column == _COMBINED_MAX or _TOTAL_MAX <= column < _TOTAL_MAX + 4:
        _narrow(out, STRENGTH, lo - high, hi - high)
    elif column == _LIKELY or _LIKELY_TOTAL <= column < _LIKELY_TOTAL + 4:
        likely = low + min((high - low) // 3, 3)
        _narrow(out, STRENGTH, lo - likely, hi - likely)
    elif HAND_LENGTH <= column < HAND_LENGTH + 4:
        _narrow(out, SUIT + column - HAND_LENGTH, lo, hi)
    elif _FIT <= column < _FIT + 4:
        held = f[_PARTNER + column - _FIT]
        _narrow(out, SUIT + column - _FIT, lo - held, hi - held)
    elif column == _ACES_COLUMN:
        _narrow(out, ACES, lo, hi)
    elif column in (_BALANCED, _SEMIBALANCED) and lo == 1:
        for suit in range(4):
            _narrow(out, SUIT + suit, 2, 5 if column == _BALANCED else 6)
    elif column == _LONGEST:
        for suit in range(4):
            _narrow(out, SUIT + suit, 0, hi)
    elif _LONG <= column < _LONG + 4 and lo == 1:
        _narrow(out, SUIT + column - _LONG, 4, 13)
    return True


@njit(cache=True)
def _reset(out):
    for q in range(QUANTITIES):
        out[q, 0], out[q, 1] = 0, TOP[q]


@njit(cache=True)
def _possible(out):
    for q in range(QUANTITIES):
        if out[q, 0] > out[q, 1]:
            return False
    return True


@njit(cache=True)
def _narrower(out):
    """Do the ranges say anything at all?"""
    for q in range(QUANTITIES):
        if out[q, 0] > 0 or out[q, 1] < TOP[q]:
            return True
    return False


@njit(cache=True)
def constraint_shows(pool, first, end, f, out, clause_out, together_out):
    """Narrow ``out`` to the ranges that the clauses imply; False if the context contradicts them."""
    for clause in range(first, end):
        found = False
        for together in range(pool.clauses[clause, 0], pool.clauses[clause, 1]):
            _reset(together_out)
            feasible = True
            for atom in range(pool.together[together, 0], pool.together[together, 1]):
                if not _atom_shows(pool.atoms[atom, 0], pool.atoms[atom, 1], pool.atoms[atom, 2], f, together_out):
                    feasible = False
                    break
            if not feasible or not _possible(together_out):
                continue
            for q in range(QUANTITIES):
                clause_out[q, 0] = min(clause_out[q, 0], together_out[q, 0]) if found else together_out[q, 0]
                clause_out[q, 1] = max(clause_out[q, 1], together_out[q, 1]) if found else together_out[q, 1]
            found = True
        if not found:
            return False
        for q in range(QUANTITIES):
            _narrow(out, q, clause_out[q, 0], clause_out[q, 1])
    return _possible(out)


@njit(cache=True)
def call_shows(pool, node, first_block, end_block, auction, call, f, out, scratch):
    """What a call shows: the union over the rules that can have made it. Returns (found, flags of them all)."""
    found, flags = False, 0
    rule_out, clause_out, together_out = scratch[0], scratch[1], scratch[2]
    _reset(out)
    if node >= 0:
        for rule in range(pool.nodes[node, 0], pool.nodes[node, 1]):
            if pool.rules[rule, 1] == call:
                found, flags = _add_rule(pool, rule, f, out, rule_out, clause_out, together_out, found, flags)
    if found:
        return True, flags
    for block in range(first_block, end_block):
        if call == PASS and found and not _narrower(out):
            break  # nothing more to learn: any hand can pass here
        if flags & _ARTIFICIAL:
            break  # it means what its convention says: no natural rule further on explains it
        fits = False
        for rule in range(pool.blocks[block, 2], pool.blocks[block, 3]):
            if _span_call(pool.rules[rule, 0], pool.rules[rule, 1], auction[LAST_BID]) != call:
                continue
            if not fits:  # the block's context, looked at only when one of its rules makes this call
                _reset(rule_out)
                if not constraint_shows(
                    pool, pool.blocks[block, 0], pool.blocks[block, 1], f, rule_out, clause_out, together_out
                ):
                    break
                fits = True
            found, flags = _add_rule(pool, rule, f, out, rule_out, clause_out, together_out, found, flags)
    return found, flags


@njit(cache=True)
def _add_rule(pool, rule, f, out, rule_out, clause_out, together_out, found, flags):
    _reset(rule_out)
    if not constraint_shows(pool, pool.rules[rule, 3], pool.rules[rule, 4], f, rule_out, clause_out, together_out):
        return found, flags
    for q in range(QUANTITIES):
        out[q, 0] = min(out[q, 0], rule_out[q, 0]) if found else rule_out[q, 0]
        out[q, 1] = max(out[q, 1], rule_out[q, 1]) if found else rule_out[q, 1]
    return True, flags | pool.rules[rule, 2]


@njit(cache=True)
def _learn(shown, out, found, call, partner):
    """Add to what a seat has shown. Where it contradicts what came before, the later call is believed."""
    if not found and call >= FIRST_BID and (call - FIRST_BID) % 5 < 4:
        suit = SUIT + (call - FIRST_BID) % 5
        least = 4 if partner[suit, 0] < 4 else 3  # a bid that no rule explains is natural, or a raise
        out[suit, 0] = max(out[suit, 0], least)
    for q in range(QUANTITIES):
        lo, hi = max(shown[q, 0], out[q, 0]), min(shown[q, 1], out[q, 1])
        if lo > hi:
            lo, hi = max(out[q, 0], 0), min(out[q, 1], TOP[q])
            hi = max(lo, hi)
        shown[q, 0], shown[q, 1] = lo, hi
    held = shown[SUIT, 0] + shown[SUIT + 1, 0] + shown[SUIT + 2, 0] + shown[SUIT + 3, 0]
    for suit in range(SUIT, SUIT + 4):
        shown[suit, 1] = max(shown[suit, 0], min(shown[suit, 1], 13 - held + shown[suit, 0]))


@njit(cache=True)
def observe(pool, systems, call, auction, history, place, shown, told, sides, f, out, scratch):
    """The seat to call makes ``call``: note what it shows, and follow it in every seat's system.

    ``f`` holds the context of that seat, as ``write_context`` or ``decide`` left it.
    """
    seat = row_turn(auction)
    f[_LEVEL] = (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0
    spans = pool.spans[systems[seat]]
    found, flags = call_shows(pool, place[seat], spans[0], spans[1], auction, call, f, out, scratch)
    _learn(shown[seat], out, found, call, shown[seat ^ 2])
    told[seat, LAST_CALL] = call
    told[seat, FORCES] = found and (flags & _FORCING) != 0
    told[seat, BIDS] += call != PASS
    if found and flags & _GAME_FORCING:
        sides[seat & 1] = 1
    unopened = auction[LAST_BID] < 0
    if call >= FIRST_BID and unopened:
        sides[OPENER] = seat
    for other in range(4):
        node = place[other]
        if node < 0:
            continue
        theirs = (other ^ seat) & 1
        child = pool.children[node, theirs, call]
        if child < 0 and call == PASS and (unopened or theirs):
            child = node  # passes before the opening, and theirs in between, go without saying
        place[other] = child
    row_step(auction, history, call)


@njit(cache=True)
def decide(pool, systems, hand, auction, history, place, shown, told, sides, f):
    """The call of the seat to call on ``hand`` (its features), and the rule that made it (-1: none)."""
    seat = row_turn(auction)
    f[:NUM_FEATURES] = hand
    write_context(auction, history, shown, told, sides, seat, f)
    write_mixed(shown, auction, seat, f)
    node = place[seat]
    if node >= 0:
        for rule in range(pool.nodes[node, 0], pool.nodes[node, 1]):
            call = pool.rules[rule, 1]
            if row_legal(auction, call):
                f[_LEVEL] = (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0
                if holds(pool, pool.rules[rule, 3], pool.rules[rule, 4], f):
                    return call, rule
    f[_LEVEL] = 0
    for block in range(pool.spans[systems[seat], 0], pool.spans[systems[seat], 1]):
        if not holds(pool, pool.blocks[block, 0], pool.blocks[block, 1], f):
            continue
        for rule in range(pool.blocks[block, 2], pool.blocks[block, 3]):
            call = _span_call(pool.rules[rule, 0], pool.rules[rule, 1], auction[LAST_BID])
            if call < 0 or not row_legal(auction, call):
                continue
            f[_LEVEL] = (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0
            if holds(pool, pool.rules[rule, 3], pool.rules[rule, 4], f):
                return call, rule
        f[_LEVEL] = 0
    return PASS, -1


@njit(cache=True)
def replay(
    pool, systems, dealer, vulnerability, calls, length, auction, history, place, shown, told, sides, f, out, scratch
):
    """Bring a table's scratch memory to the end of ``calls``."""
    roots = np.empty(4, np.int32)
    for seat in range(4):
        roots[seat] = pool.roots[systems[seat]]
    start_table(dealer, vulnerability, roots, auction, history, place, shown, told, sides)
    for i in range(length):
        write_context(auction, history, shown, told, sides, row_turn(auction), f)
        observe(pool, systems, calls[i], auction, history, place, shown, told, sides, f, out, scratch)


@njit(cache=True)
def bid_rows(pool, systems, dealer, vulnerability, calls, length, hands, chosen, rules, shown_out):
    """Calls for a batch of tables, each replayed from its start.

    Args:
        systems: (N, 4) index of each seat's system in the pool.
        calls: int8 (N, L); length (N,).
        hands: int16 (N, NUM_FEATURES) of the seats to call.
        chosen, rules: written, (N,).
        shown_out: written, int16 (N, 4, 6, 2): what each seat has shown.
    """
    auction, history = np.empty(STATE_COLUMNS, np.int16), np.empty(MAX_CALLS, np.int8)
    place, told, sides = np.empty(4, np.int32), np.empty((4, 3), np.int16), np.empty(3, np.int16)
    f = np.zeros(NUM_COLUMNS, np.int16)
    out, scratch = np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16)
    for i in range(len(chosen)):
        shown = shown_out[i]
        replay(
            pool, systems[i], dealer[i], vulnerability[i], calls[i], length[i],
            auction, history, place, shown, told, sides, f, out, scratch,
        )  # fmt: skip
        chosen[i], rules[i] = decide(pool, systems[i], hands[i], auction, history, place, shown, told, sides, f)


@njit(cache=True)
def bid_boards(pool, systems, hands, auctions, histories, used):
    """Bid boards to their end with a system in every seat; the same calls as ``bid_rows`` one at a time.

    Args:
        systems: int32 (N, 4) index of each seat's system in the pool.
        hands: int16 (N, 4, NUM_FEATURES), all four seats.
        auctions, histories: fresh rows of ``bridge_env.auction`` (dealer and vulnerability set); finished here.
        used: int64 (rules of the pool,), counts how often each rule made the call.
    """
    place, told, sides = np.empty(4, np.int32), np.empty((4, 3), np.int16), np.empty(3, np.int16)
    shown = np.empty((4, QUANTITIES, 2), np.int16)
    f, roots = np.zeros(NUM_COLUMNS, np.int16), np.empty(4, np.int32)
    out, scratch = np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16)
    for i in range(len(systems)):
        auction, history = auctions[i], histories[i]
        for seat in range(4):
            roots[seat] = pool.roots[systems[i, seat]]
        start_table(auction[DEALER], auction[VULNERABILITY], roots, auction, history, place, shown, told, sides)
        while not auction[DONE]:
            hand = hands[i, row_turn(auction)]
            call, rule = decide(pool, systems[i], hand, auction, history, place, shown, told, sides, f)
            if rule >= 0:
                used[rule] += 1
            observe(pool, systems[i], call, auction, history, place, shown, told, sides, f, out, scratch)
