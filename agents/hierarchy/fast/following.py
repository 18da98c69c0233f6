"""The kernel that bids boards along positions: what is known of an auction serves every board that comes to it.

A position is an auction so far, its dealer and vulnerability, and the systems of the four seats: all that decides the
scratch memory of ``engine.context``, whatever the hands are. A board that comes where another has been finds it
there, and a position that is met often gets a program (``programs``). Where there is no room left for positions, boards
go on in scratch memory. Calls and counts are those of ``engine.decide`` and ``engine.observe``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.engine.compiled import FLAG_BITS, Compiled
from agents.hierarchy.engine.context import (
    ACES,
    BIDS,
    FORCES,
    LAST_CALL,
    OPENER,
    QUANTITIES,
    SUIT,
    start_table,
    write_context,
    write_mixed,
)
from agents.hierarchy.engine.engine import decide
from agents.hierarchy.engine.meaning import learn
from agents.hierarchy.engine.walk import NOWHERE, write_level
from agents.hierarchy.fast.programs import run_anywhere, run_program, write_program
from agents.hierarchy.fast.readings import Readings, reads_as
from agents.hierarchy.language.vocabulary import NUM_COLUMNS
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
    row_step,
)
from bridge_env.calls import FIRST_BID, NUM_CALLS, PASS
from bridge_env.features import NUM_FEATURES
from bridge_env.kernels import njit
from bridge_env.memory import array_at

_FORCING, _GAME_FORCING = FLAG_BITS["forcing"], FLAG_BITS["gf"]

# A row of ``notes``: auction, shown, told, sides. A row of ``links``: the 38 positions that follow, places, program.
SHOWN_AT = STATE_COLUMNS
TOLD_AT = SHOWN_AT + 4 * QUANTITIES * 2
SIDES_AT = TOLD_AT + 12
NOTES = SIDES_AT + 3
PLACE_AT, PROGRAM_AT = NUM_CALLS, NUM_CALLS + 4
LINKS = NUM_CALLS + 6
NEW = -1  # of a program: nobody has called here; below it: somebody has
MEETINGS = 16  # with the rules tried one by one, before a position gets a program
# What ``counts`` holds: positions, steps of programs and roots in use; positions for which there was no room.
POSITIONS, STEPS, ROOTS, MISSED = range(4)


class Store(NamedTuple):
    """Memory for positions, and how much of it is in use. The system gives it when it is first written to."""

    links: NDArray[np.int32]  # (positions, LINKS)
    notes: NDArray[np.int16]  # (positions, NOTES)
    code: NDArray[np.int64]  # (steps,): the programs
    root_keys: NDArray[np.int32]  # (a power of two, 5): the four systems, dealer and vulnerability; -1 where empty
    roots: NDArray[np.int32]  # (the same): their positions
    general: NDArray[
        np.int32
    ]  # (systems, 36 * 3): programs of general rules by last bid and what doubles are legal; -1 none
    trees: NDArray[np.int32]  # (nodes,): programs of nodes; -1 none
    tree_states: NDArray[np.int32]  # (nodes,): the last bid and doubles they were made for
    counts: NDArray[np.int64]  # (4,)


class Table(NamedTuple):
    """A table's scratch memory, and room to work. ``now`` is auction, shown, told and sides in one."""

    now: NDArray[np.int16]
    auction: NDArray[np.int16]
    shown: NDArray[np.int16]
    told: NDArray[np.int16]
    sides: NDArray[np.int16]
    place: NDArray[np.int32]
    history: NDArray[np.int8]
    f: NDArray[np.int16]
    out: NDArray[np.int16]
    scratch: NDArray[np.int16]
    fits: NDArray[np.int64]


WORK = 64 + 2 * (NOTES + 4 * QUANTITIES * 2 + NUM_COLUMNS) + MAX_CALLS  # bytes of it


@njit(forceinline=True)
def _table_at(work):
    now, rest = work + 64, work + 64 + 2 * NOTES
    f = rest + 2 * 4 * QUANTITIES * 2
    return Table(
        array_at(now, (NOTES,), np.int16), array_at(now, (STATE_COLUMNS,), np.int16),
        array_at(now + 2 * SHOWN_AT, (4, QUANTITIES, 2), np.int16), array_at(now + 2 * TOLD_AT, (4, 3), np.int16),
        array_at(now + 2 * SIDES_AT, (3,), np.int16), array_at(work, (4,), np.int32),
        array_at(f + 2 * NUM_COLUMNS, (MAX_CALLS,), np.int8), array_at(f, (NUM_COLUMNS,), np.int16),
        array_at(rest, (QUANTITIES, 2), np.int16), array_at(rest + 4 * QUANTITIES, (3, QUANTITIES, 2), np.int16),
        array_at(work + 32, (4,), np.int64),
    )  # fmt: skip


_write_context = njit(forceinline=True)(write_context.py_func)
_write_mixed = njit(forceinline=True)(write_mixed.py_func)
_learn = njit(forceinline=True)(learn.py_func)


@njit(forceinline=True)
def _doubles(auction, seat):
    """0 if the seat to call may neither double nor redouble, 1 if it may double, 2 if it may redouble."""
    if auction[LAST_BID] < 0:
        return 0
    if (seat ^ auction[LAST_BIDDER]) & 1:
        return 1 if auction[DOUBLING] == 0 else 0
    return 2 if auction[DOUBLING] == 1 else 0


@njit
def _write_shape(pool, system, node, auction, f, code, counts, starts, key, room):
    """The program of a node or of a system's general rules, for wherever they are met; -1 where there is no room."""
    if room == 0 or counts[STEPS] + room > len(code):
        return -1
    start = counts[STEPS]
    counts[STEPS] += write_program(pool, system, node, auction, False, 0, f, code, start)
    starts[key] = start
    return start


@njit(forceinline=True)
def _decide(pool, read, store, room, systems, i, hands, row, seat, t):
    """``engine.decide``, where ``f`` holds the context."""
    for column in range(NUM_FEATURES):
        t.f[column] = hands[row, seat, column]
    _write_mixed(t.shown, t.auction, seat, t.f)
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
        call, rule = decide(
            pool, systems[i], hands[row, seat], t.auction, t.history, t.place, t.shown, t.told, t.sides, t.f
        )
        return np.int64(call), np.int64(rule)
    if node >= 0:
        call, rule = run_anywhere(store.code, tree, t.f)
        if rule >= 0:
            return call, rule
    return run_anywhere(store.code, general, t.f)


@njit(forceinline=True)
def _observe(pool, read, system, seat, call, t):
    """``engine.observe``, with the readings."""
    told, sides, place = t.told, t.sides, t.place
    write_level(call, t.f)
    found, flags = reads_as(pool, read, system, place[seat], t.auction[LAST_BID], call, t.f, t.out, t.scratch)
    _learn(t.shown[seat], t.out, found, call, t.shown[seat ^ 2])
    told[seat, LAST_CALL] = call
    told[seat, FORCES] = found and (flags & _FORCING) != 0
    told[seat, BIDS] += call != PASS
    if found and flags & _GAME_FORCING:
        sides[seat & 1] = 1
    unopened = t.auction[LAST_BID] < 0
    if call >= FIRST_BID and unopened:
        sides[OPENER] = seat
    for other in range(4):
        node = place[other]
        if node >= 0:
            theirs = (other ^ seat) & 1
            child = pool.children[node, theirs, call]
            if child < 0 and call == PASS and (unopened or theirs):
                child = node
            place[other] = child
    row_step(t.auction, t.history, call)


@njit(forceinline=True)
def _root(systems, row, dealer, vulnerability, root_keys):
    """Where the root of a row stands in the table, or the empty place where it belongs."""
    last = np.int32(dealer * 4 + vulnerability)
    h = np.uint32(last)
    for seat in range(4):
        h = h * np.uint32(0x9E3779B1) + np.uint32(systems[row, seat])
    h ^= h >> np.uint32(15)
    at = np.int64(h) & (len(root_keys) - 1)
    while root_keys[at, 4] >= 0:
        same = root_keys[at, 4] == last
        for seat in range(4):
            same &= root_keys[at, seat] == systems[row, seat]
        if same:
            break
        at = (at + 1) & (len(root_keys) - 1)
    return at


@njit(forceinline=True)
def _load(store, at, t):
    """A position into scratch memory."""
    for k in range(NOTES):
        t.now[k] = store.notes[at, k]
    for k in range(4):
        t.place[k] = store.links[at, PLACE_AT + k]


@njit(forceinline=True)
def _keep(store, t):
    """A new position with what scratch memory holds; -1 where there is no room."""
    new = store.counts[POSITIONS]
    if new >= len(store.links):
        store.counts[MISSED] += 1
        return np.int64(-1)
    store.counts[POSITIONS] = new + 1
    for call in range(NUM_CALLS):
        store.links[new, call] = -1
    for seat in range(4):
        store.links[new, PLACE_AT + seat] = t.place[seat]
    store.links[new, PROGRAM_AT] = NEW
    for i in range(NOTES):
        store.notes[new, i] = t.now[i]
    return new


@njit(forceinline=True)
def _unpacked(plan):
    """Pool, readings and store from ``plan`` (address and length of each of their arrays, one behind the other).

    Arrays made of addresses are not counted; tuples of those that Python hands over cost more than all the rest.
    """
    pool = Compiled(
        array_at(plan[0, 0], (plan[0, 1], 2, NUM_CALLS), np.int32), array_at(plan[1, 0], (plan[1, 1], 4), np.int32),
        array_at(plan[2, 0], (plan[2, 1], 6), np.int32), array_at(plan[3, 0], (plan[3, 1], 2), np.int32),
        array_at(plan[4, 0], (plan[4, 1], 2), np.int32), array_at(plan[5, 0], (plan[5, 1], 3), np.int16),
        array_at(plan[6, 0], (plan[6, 1],), np.int32),
        array_at(plan[7, 0], (plan[7, 1], 2), np.int32),
    )  # fmt: skip
    read = Readings(
        array_at(plan[8, 0], (plan[8, 1], 2), np.int32), array_at(plan[9, 0], (plan[9, 1], 36, 39), np.int32),
        array_at(plan[10, 0], (plan[10, 1],), np.bool_), array_at(plan[11, 0], (plan[11, 1],), np.int8),
        array_at(plan[12, 0], (plan[12, 1], QUANTITIES, 2), np.int16),
        array_at(plan[13, 0], (plan[13, 1], NUM_CALLS), np.int32),
        array_at(plan[14, 0], (plan[14, 1], QUANTITIES, 2), np.int16), array_at(plan[15, 0], (plan[15, 1],), np.int32),
    )  # fmt: skip
    store = Store(
        array_at(plan[16, 0], (plan[16, 1], LINKS), np.int32), array_at(plan[17, 0], (plan[17, 1], NOTES), np.int16),
        array_at(plan[18, 0], (plan[18, 1],), np.int64), array_at(plan[19, 0], (plan[19, 1], 5), np.int32),
        array_at(plan[20, 0], (plan[20, 1],), np.int32), array_at(plan[21, 0], (plan[21, 1], 108), np.int32),
        array_at(plan[22, 0], (plan[22, 1],), np.int32), array_at(plan[23, 0], (plan[23, 1],), np.int32),
        array_at(plan[24, 0], (plan[24, 1],), np.int64),
    )  # fmt: skip
    return pool, read, store


def plan_of(pool: Compiled, read: Readings, store: Store, work: NDArray[np.int64]) -> NDArray[np.int64]:
    """The plan for ``bid_along``: int64 (arrays, 2). Whoever holds it keeps the arrays alive."""
    return np.array([(array.ctypes.data, len(array)) for array in (*pool, *read, *store, work)], np.int64)


@njit(forceinline=True)
def _enter(pool, store, systems, i, dealer, vulnerability, t):
    """The root of a row; -1 where there is no room to keep it: then scratch memory holds it."""
    slot = _root(systems, i, dealer, vulnerability, store.root_keys)
    if store.root_keys[slot, 4] >= 0:
        return np.int64(store.roots[slot])
    for seat in range(4):
        t.place[seat] = pool.roots[systems[i, seat]]
    start_table(dealer, vulnerability, t.place, t.auction, t.history, t.place, t.shown, t.told, t.sides)
    if 2 * store.counts[ROOTS] >= len(store.roots):
        return np.int64(-1)
    at = _keep(store, t)
    if at >= 0:
        for seat in range(4):
            store.root_keys[slot, seat] = systems[i, seat]
        store.root_keys[slot, 4] = dealer * 4 + vulnerability
        store.roots[slot] = at
        store.counts[ROOTS] += 1
    return at


@njit(forceinline=True)
def _run(store, at, program, hands, row, seat, fits):
    partner = SHOWN_AT + ((seat ^ 2) * QUANTITIES + SUIT) * 2
    for suit in range(4):
        fits[suit] = store.notes[at, partner + 2 * suit]
    return run_program(store.code, program, hands, row, seat, fits)


@njit
def _write_own(pool, store, system, at, seat, t):
    """Write the program of a position."""
    start, aces = store.counts[STEPS], t.shown[seat ^ 2, ACES, 0]
    store.counts[STEPS] += write_program(pool, system, t.place[seat], t.auction, True, aces, t.f, store.code, start)
    store.links[at, PROGRAM_AT] = start


@njit(forceinline=True)
def _finish(store, at, t, length, auctions, histories, i):
    """Hand over the auction that the last pass ends."""
    for k in range(length):
        histories[i, k] = t.history[k]
    for k in range(STATE_COLUMNS):
        auctions[i, k] = store.notes[at, k] if at >= 0 else t.now[k]
    auctions[i, LENGTH] += 1
    auctions[i, PASSES] += 1
    auctions[i, DONE] = 1


@njit
def bid_along(plan, room, systems, hands, boards, calls, lengths, auctions, histories, used):
    """Bid boards to their end from the calls already made, a system in every seat.

    Args:
        plan: from ``plan_of``.
        room: steps that the longest program can have; 0: make none.
        systems: int32 (N, 4) index of each seat's system in the pool.
        hands: int16 (B, 4, NUM_FEATURES); boards: int64 (N,), whose hands a row has.
        calls: int8 (N, L), legal calls from the dealer on; lengths: int64 (N,).
        auctions, histories: fresh rows of ``bridge_env.auction`` (dealer and vulnerability set); finished here.
        used: int64 (rules of the pool,), counts how often each rule made a call.
    """
    pool, read, store = _unpacked(plan)
    t = _table_at(plan[len(plan) - 1, 0])
    links, counts = store.links, store.counts
    loaded = np.int64(-1)  # the position that scratch memory holds; -1: one that is not kept
    for i in range(len(systems)):
        dealer, row, length, passes = auctions[i, DEALER], boards[i], 0, 0
        at = _enter(pool, store, systems, i, dealer, auctions[i, VULNERABILITY], t)
        loaded = at if at < 0 else loaded
        while True:
            seat = (dealer + length) & 3
            program = np.int64(links[at, PROGRAM_AT]) if at >= 0 else np.int64(NEW)
            call, rule, aware = np.int64(0), np.int64(-1), False
            if length < lengths[i]:
                call = np.int64(calls[i, length])
            elif program >= 0:
                call, rule = _run(store, at, program, hands, row, seat, t.fits)
            else:
                if loaded != at:
                    _load(store, at, t)
                    loaded = at
                _write_context(t.auction, t.history, t.shown, t.told, t.sides, seat, t.f)
                aware = True
                call, rule = _decide(pool, read, store, room, systems, i, hands, row, seat, t)
                if at >= 0:
                    links[at, PROGRAM_AT] = max(program - 1, NEW - MEETINGS)
                    if program == NEW - MEETINGS and room > 0 and counts[STEPS] + room <= len(store.code):
                        _write_own(pool, store, systems[i, seat], at, seat, t)
            if rule >= 0:
                used[rule] += 1
            t.history[length] = call
            length += 1
            passes = passes + 1 if call == PASS else 0
            if passes == (4 if passes == length else 3):
                break
            after = np.int64(links[at, call]) if at >= 0 else np.int64(-1)
            if after < 0:
                if loaded != at:
                    _load(store, at, t)
                if not aware:
                    _write_context(t.auction, t.history, t.shown, t.told, t.sides, seat, t.f)
                _observe(pool, read, systems[i, seat], seat, call, t)
                if at >= 0:
                    after = _keep(store, t)
                    links[at, call] = after
                loaded = after
            at = after
        _finish(store, at, t, length, auctions, histories, i)
