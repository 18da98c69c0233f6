"""Bid boards along cached positions: what was found for an auction serves every board that comes to it.

A position is an auction so far, its dealer and vulnerability, and the systems of the four seats: all that decides an
``auction_state.AuctionState``, whatever the hands are. A board that comes where another has been finds it there, and a
position that is met often gets a program (``programs``). Where there is no room left for positions, boards go on in
scratch memory. Calls and counts are those of ``engine.decide`` and ``engine.apply_call``.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import (
    SIDES,
    STATUS_COLUMNS,
    SUIT,
    AuctionState,
    new_state,
    start_state,
    write_context,
    write_mixed,
)
from agents.systems.engine.call_index import Readings, reads_as
from agents.systems.engine.compiled import Compiled
from agents.systems.engine.engine import decide, record_call
from agents.systems.engine.programs import run_anywhere, run_program, write_program
from agents.systems.engine.rule_order import NOWHERE, write_level
from agents.systems.language.columns import QUANTITIES
from bridge_env.compiled.array_structs import Schema
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.auction import (
    DEALER,
    DOUBLING,
    LAST_BID,
    LAST_BIDDER,
    STATE_COLUMNS,
    VULNERABILITY,
    row_step,
    row_turn,
)
from bridge_env.rules.calls import NUM_BIDS, NUM_CALLS, PASS

# A row of ``notes``: auction, seat_status, sides, then of each seat the least and most of each quantity.
STATUS_AT = STATE_COLUMNS
SIDES_AT = STATUS_AT + 4 * STATUS_COLUMNS
SHOWN_AT = SIDES_AT + SIDES
BASE = 2 * QUANTITIES  # of a seat
NOTES = SHOWN_AT + 4 * BASE
# A row of ``links``: program, cards that partner has shown in C D H S (a byte each), the 38 positions that follow,
# places. What most boards need lies in the first 64 bytes, which memory hands over at once; rows are thrice as long.
PROGRAM_AT, FITS_AT, LINK_AT, PLACE_AT, LINKS = 0, 1, 2, 2 + NUM_CALLS, 48
STATES = (NUM_BIDS + 1) * 3  # of an auction, as far as programs that serve many positions differ by them
ROOT_TABLE, ROOT_COLUMNS = 4, 5  # the key of a root: the four systems; dealer and vulnerability in one
NEVER, ONCE = -1, -2  # of a position that follows: how often auctions have come there, while it is not cached
NEW = -1  # of a program: nobody has called here; below it: somebody has
MEETINGS = 16  # with the rules tried one by one, before a position gets a program
# What ``counts`` holds: positions, steps of programs and roots in use; positions for which there was no room.
POSITIONS, STEPS, ROOTS, MISSED = range(4)


class Store(NamedTuple):
    """Memory for positions, and how much of it is in use. It takes pages when it is first written to."""

    links: Annotated[NDArray[np.int32], "positions", LINKS]  # of a position, as above
    notes: Annotated[NDArray[np.int16], "positions", NOTES]  # the same
    code: Annotated[NDArray[np.int64], "steps"]  # the programs
    # the keys of roots, -1 where empty; as many as a power of two
    root_keys: Annotated[NDArray[np.int32], "roots", ROOT_COLUMNS]
    roots: Annotated[NDArray[np.int32], "roots"]  # of a key: the position
    # of a system and a state: the program of its general rules there, -1 none
    general: Annotated[NDArray[np.int32], "systems", STATES]
    trees: Annotated[NDArray[np.int32], "nodes"]  # of a node: its program, -1 none
    tree_states: Annotated[NDArray[np.int32], "nodes"]  # of a node: the state that its program was made for
    counts: Annotated[NDArray[np.int64], 4]  # POSITIONS, STEPS, ROOTS, MISSED


class Work(NamedTuple):
    """Room to work beside a table: ``now`` is the table's auction, status of seats and sides in one."""

    now: Annotated[NDArray[np.int16], SHOWN_AT]
    fits: Annotated[NDArray[np.int64], 4]


def room_to_work() -> tuple[Work, AuctionState]:
    """Make a table and what goes with it."""
    work = Work(np.zeros(SHOWN_AT, np.int16), np.zeros(4, np.int64))
    auction, seat_status, sides = np.split(work.now, [STATUS_AT, SIDES_AT])
    t = new_state()._replace(auction=auction, seat_status=seat_status.reshape(4, STATUS_COLUMNS), sides=sides)
    return work, t


#: What kernels take: the addresses of a ``PointerTable`` of this schema. Arrays in tuples that Python passes would be
#: counted each time that they are passed on: the same work took 30 ms with them, 17 without.
SCHEMA = Schema(Compiled, Readings, Store, Work, AuctionState)
_pool_at, _readings_at, _store_at = SCHEMA.reader(Compiled), SCHEMA.reader(Readings), SCHEMA.reader(Store)
_work_at, _table_at = SCHEMA.reader(Work), SCHEMA.reader(AuctionState)


@njit(forceinline=True)
def _unpacked(plan):
    """Return the records of a plan."""
    return _pool_at(plan), _readings_at(plan), _store_at(plan), _work_at(plan), _table_at(plan)


_write_context = njit(forceinline=True)(write_context.py_func)
_write_mixed = njit(forceinline=True)(write_mixed.py_func)


@njit(forceinline=True)
def _doubles(auction, seat):
    """Return 0 if the seat to call may neither double nor redouble, 1 if it may double, 2 if it may redouble."""
    if auction[LAST_BID] < 0:
        return 0
    if (seat ^ auction[LAST_BIDDER]) & 1:
        return 1 if auction[DOUBLING] == 0 else 0
    return 2 if auction[DOUBLING] == 1 else 0


@njit
def _write_shape(pool, system, node, auction, f, code, counts, starts, key, room):
    """Write the program of a node or of a system's general rules, which serves many positions; -1 without room."""
    if room == 0 or counts[STEPS] + room > len(code):
        return -1
    start = counts[STEPS]
    counts[STEPS] += write_program(pool, np.int64(system), np.int64(node), auction, False, f, code, start)
    starts[key] = start
    return start


@njit(forceinline=True)
def _decide(pool, read, store, room, systems, i, hand, seat, t):
    """Return ``engine.decide`` of the hand int16 (NUM_FEATURES,) at ``seat``, where ``f`` holds the context."""
    for column in range(NUM_FEATURES):
        t.f[column] = hand[column]
    _write_mixed(t, seat)
    node, system, counts = t.place[seat], systems[i, seat], store.counts
    state = (t.auction[LAST_BID] + 1) * 3 + _doubles(t.auction, seat)
    general, tree = np.int64(store.general[system, state]), np.int64(-1)
    if general < 0:
        general = _write_shape(
            pool, system, NOWHERE, t.auction, t.f, store.code, counts, store.general[system], state, room
        )
    if node >= 0:
        tree = np.int64(store.trees[node])
        if tree < 0:
            tree = _write_shape(pool, NOWHERE, node, t.auction, t.f, store.code, counts, store.trees, node, room)
            store.tree_states[node] = state
        if store.tree_states[node] != state:
            tree = np.int64(-1)
    if general < 0 or (node >= 0 and tree < 0):
        call, rule = decide(pool, systems[i], hand, t)
        return np.int64(call), np.int64(rule)
    if node >= 0:
        call, rule = run_anywhere(store.code, tree, t.f)
        if rule >= 0:
            return call, rule
    return run_anywhere(store.code, general, t.f)


@njit(forceinline=True)
def _apply_call(pool, read, system, seat, call, t):
    """Do as ``engine.apply_call``, with the readings."""
    write_level(call, t.f)
    found, flags = reads_as(pool, read, system, t.place[seat], t.auction[LAST_BID], call, t.f, t.out, t.scratch)
    record_call(pool, seat, call, found, flags, t)


@njit(forceinline=True)
def _root(systems, row, dealer, vulnerability, root_keys):
    """Return the place of a row's root in the table, or the empty place where it belongs."""
    last = np.int32(dealer * 4 + vulnerability)
    h = np.uint32(last)
    for seat in range(4):
        h = h * np.uint32(0x9E3779B1) + np.uint32(systems[row, seat])
    h ^= h >> np.uint32(15)
    at = np.int64(h) & (len(root_keys) - 1)
    while root_keys[at, ROOT_TABLE] >= 0:
        same = root_keys[at, ROOT_TABLE] == last
        for seat in range(4):
            same &= root_keys[at, seat] == systems[row, seat]
        if same:
            break
        at = (at + 1) & (len(root_keys) - 1)
    return at


@njit(forceinline=True)
def _load(store, at, work, t):
    """Load a position into scratch memory."""
    for k in range(SHOWN_AT):
        work.now[k] = store.notes[at, k]
    for seat in range(4):
        for k in range(BASE):
            t.shown[seat, k >> 1, k & 1] = store.notes[at, SHOWN_AT + seat * BASE + k]
    for k in range(4):
        t.place[k] = store.links[at, PLACE_AT + k]


@njit(forceinline=True)
def _keep(store, work, t):
    """Store what scratch memory holds as a new position; return it, -1 where there is no room."""
    new = store.counts[POSITIONS]
    if new >= len(store.links):
        store.counts[MISSED] += 1
        return np.int64(-1)
    store.counts[POSITIONS] = new + 1
    for call in range(NUM_CALLS):
        store.links[new, LINK_AT + call] = NEVER
    for seat in range(4):
        store.links[new, PLACE_AT + seat] = t.place[seat]
    store.links[new, PROGRAM_AT] = NEW
    partner, fits = row_turn(t.auction) ^ 2, np.int64(0)
    for suit in range(4):
        fits |= np.int64(t.shown[partner, SUIT + suit, 0]) << (8 * suit)
    store.links[new, FITS_AT] = fits
    for k in range(SHOWN_AT):
        store.notes[new, k] = work.now[k]
    for seat in range(4):
        for k in range(BASE):
            store.notes[new, SHOWN_AT + seat * BASE + k] = t.shown[seat, k >> 1, k & 1]
    return new


@njit(forceinline=True)
def _keep_if_met(store, at, call, seldom, work, t):
    """Cache the position after a call when an auction comes there for the second time: most never see another.

    Args:
        seldom: cache it at once.

    Returns:
        the position, -1 where it is not cached.
    """
    if store.links[at, LINK_AT + call] == NEVER and not seldom:
        store.links[at, LINK_AT + call] = ONCE
        return np.int64(-1)
    new = _keep(store, work, t)
    if new >= 0:
        store.links[at, LINK_AT + call] = new
    return new


@njit(forceinline=True)
def _enter(pool, store, systems, i, dealer, vulnerability, work, t):
    """Return the root of a row; -1 where there is no room for it: then scratch memory holds it."""
    slot = _root(systems, i, dealer, vulnerability, store.root_keys)
    if store.root_keys[slot, ROOT_TABLE] >= 0:
        return np.int64(store.roots[slot])
    start_state(pool, systems[i], dealer, vulnerability, t)
    if 2 * store.counts[ROOTS] >= len(store.roots):
        return np.int64(-1)
    at = _keep(store, work, t)
    if at >= 0:
        for seat in range(4):
            store.root_keys[slot, seat] = systems[i, seat]
        store.root_keys[slot, ROOT_TABLE] = dealer * 4 + vulnerability
        store.roots[slot] = at
        store.counts[ROOTS] += 1
    return at


@njit(forceinline=True)
def _run(store, at, program, hands, row, holder, fits):
    """Run the program of a position on the hand at ``hands[row, holder]``."""
    shown = store.links[at, FITS_AT]
    for suit in range(4):
        fits[suit] = (shown >> (8 * suit)) & 255
    return run_program(store.code, program, hands, row, holder, fits)


@njit(forceinline=True)
def _met(pool, store, room, system, at, program, seat, t):
    """Count a meeting at a position; the last one before it gets a program writes that."""
    store.links[at, PROGRAM_AT] = max(program - 1, NEW - MEETINGS)
    start = store.counts[STEPS]
    if program == NEW - MEETINGS and room > 0 and start + room <= len(store.code):
        here = np.int64(t.place[seat])
        store.counts[STEPS] += write_program(pool, np.int64(system), here, t.auction, True, t.f, store.code, start)
        store.links[at, PROGRAM_AT] = start


@njit(forceinline=True)
def turned_sides(vulnerability, dealer):
    """Return the code of vulnerability where the dealer's seat is called N."""
    return ((vulnerability & 1) << 1 | vulnerability >> 1) if dealer & 1 else vulnerability


@njit
def bid_along(plan, room, systems, hands, boards, calls, lengths, auctions, histories, used):
    """Bid boards to their end from the calls already made, a system in every seat.

    Positions are those of an auction that N deals: a table where another seat deals is turned, its systems with it.

    Args:
        plan: int64 (SCHEMA.places,), of a ``PointerTable``.
        room: steps that the longest program can have; 0: make none.
        systems: int32 (N, 4) index of each seat's system in the pool.
        hands: int16 (B, 4, NUM_FEATURES); boards: int64 (N,), whose hands a row has.
        calls: int8 (N, L), legal calls from the dealer on; lengths: int64 (N,).
        auctions, histories: fresh rows of ``bridge_env.rules.auction`` (dealer and vulnerability set); finished here.
        used: int64 (rules of the pool,), counts how often each rule made a call.
    """
    pool, read, store, work, t = _unpacked(plan)
    links = store.links
    turned = np.empty((1, 4), np.int32)  # the systems from the dealer on
    loaded = np.int64(-1)  # the position that scratch memory holds; -1: one that is not cached
    for i in range(len(systems)):
        dealer, row, length, passes = np.int64(auctions[i, DEALER]), boards[i], 0, 0
        for place in range(4):
            turned[0, place] = systems[i, (dealer + place) & 3]
        sides = turned_sides(auctions[i, VULNERABILITY], dealer)
        at = _enter(pool, store, turned, 0, 0, sides, work, t)
        loaded = at if at < 0 else loaded
        while True:
            seat, holder = length & 3, (dealer + length) & 3
            program = np.int64(links[at, PROGRAM_AT]) if at >= 0 else np.int64(NEW)
            call, rule, aware = np.int64(0), np.int64(-1), False
            if length < lengths[i]:
                call = np.int64(calls[i, length])
            elif program >= 0:
                call, rule = _run(store, at, program, hands, row, holder, work.fits)
            else:
                if loaded != at:
                    _load(store, at, work, t)
                    loaded = at
                _write_context(t, seat)
                aware = True
                call, rule = _decide(pool, read, store, room, turned, 0, hands[row, holder], seat, t)
                if at >= 0:
                    _met(pool, store, room, turned[0, seat], at, program, seat, t)
            if rule >= 0:
                used[rule] += 1
            t.history[length] = call
            length += 1
            row_step(auctions[i], histories[i], call)
            passes = passes + 1 if call == PASS else 0
            if passes == (4 if passes == length else 3):
                break
            after = np.int64(links[at, LINK_AT + call]) if at >= 0 else np.int64(-1)
            if after < 0:
                if loaded != at:
                    _load(store, at, work, t)
                if not aware:
                    _write_context(t, seat)
                _apply_call(pool, read, turned[0, seat], seat, call, t)
                if at >= 0:
                    after = _keep_if_met(store, at, call, False, work, t)
                loaded = after = max(after, np.int64(-1))
            at = after
