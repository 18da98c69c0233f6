"""The kernels that bid with compiled systems: follow the auction, pick the call.

The straightforward ones: ``agents.hierarchy.fast.following`` bids whole boards to the same calls, many times faster.
``agents.hierarchy.engine.context`` tells what a table's scratch memory is.
"""

from __future__ import annotations

import numpy as np

from agents.hierarchy.engine.compiled import FLAG_BITS
from agents.hierarchy.engine.context import (
    BIDS,
    FORCES,
    LAST_CALL,
    OPENER,
    QUANTITIES,
    start_table,
    write_context,
    write_mixed,
)
from agents.hierarchy.engine.meaning import call_shows, learn
from agents.hierarchy.engine.walk import (
    context_of,
    holds,
    is_general,
    legal_call,
    needs_of,
    parts,
    rules_of,
    write_level,
)
from agents.hierarchy.language.vocabulary import NUM_COLUMNS
from bridge_env.auction import (
    DEALER,
    LAST_BID,
    MAX_CALLS,
    STATE_COLUMNS,
    VULNERABILITY,
    row_step,
    row_turn,
)
from bridge_env.calls import FIRST_BID, PASS
from bridge_env.features import NUM_FEATURES
from bridge_env.kernels import njit

_FORCING, _GAME_FORCING = FLAG_BITS["forcing"], FLAG_BITS["gf"]


@njit
def observe(pool, systems, call, auction, history, place, shown, told, sides, f, out, scratch):
    """The seat to call makes ``call``: note what it shows, and follow it in every seat's system.

    ``f`` holds the context of that seat, as ``write_context`` or ``decide`` left it.
    """
    seat = row_turn(auction)
    write_level(call, f)
    found, flags = call_shows(pool, place[seat], systems[seat], auction, call, f, out, scratch)
    learn(shown[seat], out, found, call, shown[seat ^ 2])
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


@njit
def decide(pool, systems, hand, auction, history, place, shown, told, sides, f):
    """The call of the seat to call on ``hand`` (its features), and the rule that made it (-1: none)."""
    seat = row_turn(auction)
    f[:NUM_FEATURES] = hand
    write_context(auction, history, shown, told, sides, seat, f)
    write_mixed(shown, auction, seat, f)
    for part in parts(pool, place[seat], systems[seat]):
        write_level(PASS, f)
        first, end = context_of(pool, part)
        if not holds(pool, first, end, f):
            continue
        for rule in rules_of(pool, part):
            call = legal_call(pool, rule, auction)
            if call < 0:
                continue
            write_level(call, f)
            first, end = needs_of(pool, rule)
            if holds(pool, first, end, f):
                return call, rule
    write_level(PASS, f)
    return PASS, -1


@njit
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


@njit
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


@njit
def feature_rows(pool, systems, boards, auctions, calls, lengths, hands, rows, general):
    """What the seat to call sees after the calls already made: its whole feature row, and who decides.

    Args:
        systems: int32 (4,) index of each seat's system in the pool.
        boards: int64 (N,), whose hands a row has; auctions: fresh rows of ``bridge_env.auction``, changed here.
        calls: int8 (N, L); lengths (N,).
        hands: int16 (B, 4, NUM_FEATURES).
        rows: written, int16 (N, NUM_COLUMNS).
        general: written, bool (N,): the tree has no call here, so general rules decide.
    """
    history = np.empty(MAX_CALLS, np.int8)
    place, told, sides = np.empty(4, np.int32), np.empty((4, 3), np.int16), np.empty(3, np.int16)
    shown = np.empty((4, QUANTITIES, 2), np.int16)
    out, scratch = np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16)
    for i in range(len(rows)):
        auction = auctions[i]
        f = rows[i]
        f[:] = 0
        replay(
            pool, systems, auction[DEALER], auction[VULNERABILITY], calls[i], lengths[i],
            auction, history, place, shown, told, sides, f, out, scratch,
        )  # fmt: skip
        seat = row_turn(auction)
        _, rule = decide(pool, systems, hands[boards[i], seat], auction, history, place, shown, told, sides, f)
        write_level(PASS, f)
        general[i] = is_general(pool, rule, systems[seat])
