"""The kernel that bids boards along positions: what is known of an auction is kept, and used for every board that comes to it.

A position is an auction so far, its dealer and vulnerability, and the systems of the four seats: all that decides the scratch
memory of ``agents.hierarchy.context``, whatever the hands are. A board that comes where another has been finds it there, and
a position that is met again gets a program (``agents.hierarchy.programs``). Where there is no room left for positions, boards go on
in scratch memory. Calls and counts are those of ``engine.decide`` and ``engine.observe``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.compiled import FLAG_BITS
from agents.hierarchy.context import (
    ACES,
    BIDS,
    FORCES,
    LAST_CALL,
    LEVEL_COLUMN,
    OPENER,
    QUANTITIES,
    SUIT,
    start_table,
    write_context,
    write_mixed,
)
from agents.hierarchy.meaning import learn
from agents.hierarchy.programs import run_program, write_program
from agents.hierarchy.readings import context_holds, reads_as
from agents.hierarchy.vocabulary import NUM_COLUMNS
from bridge_env.auction import DEALER, DONE, LAST_BID, LENGTH, MAX_CALLS, PASSES, STATE_COLUMNS, VULNERABILITY, row_legal, row_step
from bridge_env.calls import FIRST_BID, NUM_CALLS, PASS
from bridge_env.features import NUM_FEATURES
from bridge_env.kernels import njit

_FORCING, _GAME_FORCING = FLAG_BITS["forcing"], FLAG_BITS["gf"]

# A row of ``notes``: auction, shown, told, sides. A row of ``links``: the 38 positions that follow, places, the program.
SHOWN_AT = STATE_COLUMNS
TOLD_AT = SHOWN_AT + 4 * QUANTITIES * 2
SIDES_AT = TOLD_AT + 12
NOTES = SIDES_AT + 3
PLACE_AT, PROGRAM_AT = NUM_CALLS, NUM_CALLS + 4
LINKS = NUM_CALLS + 6
NEW = -1  # of a program: nobody has called here; below it: somebody has
# What ``counts`` holds: positions, steps of programs and roots in use; positions for which there was no room.
POSITIONS, STEPS, ROOTS, MISSED = range(4)


class Store(NamedTuple):
    """Memory for positions, and how much of it is in use. numpy asks for it and the system gives it when it is written to."""

    links: NDArray[np.int32]  # (positions, LINKS)
    notes: NDArray[np.int16]  # (positions, NOTES)
    code: NDArray[np.int64]  # (steps,): the programs
    root_keys: NDArray[np.int32]  # (a power of two, 5): the four systems, dealer and vulnerability; -1 where empty
    roots: NDArray[np.int32]  # (the same): their positions
    counts: NDArray[np.int64]  # (4,)


_write_context = njit(forceinline=True)(write_context.py_func)
_write_mixed = njit(forceinline=True)(write_mixed.py_func)
_learn = njit(forceinline=True)(learn.py_func)


@njit(forceinline=True)
def _decide(pool, read, system, node, hands, row, seat, auction, shown, f):
    """``engine.decide``, where ``f`` holds the context; general rules are looked up by the last bid."""
    for column in range(NUM_FEATURES):
        f[column] = hands[row, seat, column]
    _write_mixed(shown, auction, seat, f)
    rules = pool.rules
    if node >= 0:
        for rule in range(pool.nodes[node, 0], pool.nodes[node, 1]):
            call = rules[rule, 1]
            if row_legal(auction, call):
                f[LEVEL_COLUMN] = (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0
                if context_holds(pool.clauses, pool.together, pool.atoms, rules[rule, 3], rules[rule, 4], f):
                    return call, rule
    for block in range(pool.spans[system, 0], pool.spans[system, 1]):
        f[LEVEL_COLUMN] = 0
        if not context_holds(pool.clauses, pool.together, pool.atoms, pool.blocks[block, 0], pool.blocks[block, 1], f):
            continue
        last = auction[LAST_BID] + 1
        for i in range(read.tried_at[last, block], read.tried_at[last, block + 1]):
            rule, call = read.tried[i, 0], read.tried[i, 1]
            if call < FIRST_BID and not row_legal(auction, call):
                continue
            f[LEVEL_COLUMN] = (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0
            if context_holds(pool.clauses, pool.together, pool.atoms, rules[rule, 3], rules[rule, 4], f):
                return call, rule
    return np.int32(PASS), np.int32(-1)


@njit(forceinline=True)
def _observe(pool, read, system, seat, call, auction, history, place, shown, told, sides, f, out, scratch):
    """``engine.observe``, with the readings."""
    f[LEVEL_COLUMN] = (call - FIRST_BID) // 5 + 1 if call >= FIRST_BID else 0
    found, flags = reads_as(pool, read, system, place[seat], auction[LAST_BID], call, f, out, scratch)
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
        if node >= 0:
            theirs = (other ^ seat) & 1
            child = pool.children[node, theirs, call]
            if child < 0 and call == PASS and (unopened or theirs):
                child = node
            place[other] = child
    row_step(auction, history, call)


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
def _keep(store, now, place):
    """A new position with what scratch memory holds; -1 where there is no room."""
    new = store.counts[POSITIONS]
    if new >= len(store.links):
        store.counts[MISSED] += 1
        return np.int64(-1)
    store.counts[POSITIONS] = new + 1
    for call in range(NUM_CALLS):
        store.links[new, call] = -1
    for seat in range(4):
        store.links[new, PLACE_AT + seat] = place[seat]
    store.links[new, PROGRAM_AT] = NEW
    for i in range(NOTES):
        store.notes[new, i] = now[i]
    return new


@njit
def bid_along(pool, read, store, room, systems, hands, boards, calls, lengths, auctions, histories, used):
    """Bid boards to their end from the calls already made, a system in every seat.

    Args:
        room: steps that the longest program can have; 0: make none.
        systems: int32 (N, 4) index of each seat's system in the pool.
        hands: int16 (B, 4, NUM_FEATURES); boards: int64 (N,), whose hands a row has.
        calls: int8 (N, L), legal calls from the dealer on; lengths: int64 (N,).
        auctions, histories: fresh rows of ``bridge_env.auction`` (dealer and vulnerability set); finished here.
        used: int64 (rules of the pool,), counts how often each rule made a call.
    """
    links, notes, code, counts = store.links, store.notes, store.code, store.counts
    now, place, history = np.zeros(NOTES, np.int16), np.empty(4, np.int32), np.empty(MAX_CALLS, np.int8)
    auction, shown = now[:STATE_COLUMNS], now[SHOWN_AT:TOLD_AT].reshape(4, QUANTITIES, 2)
    told, sides = now[TOLD_AT:SIDES_AT].reshape(4, 3), now[SIDES_AT:]
    f, roots, fits = np.zeros(NUM_COLUMNS, np.int16), np.empty(4, np.int32), np.zeros(4, np.int64)
    out, scratch = np.empty((QUANTITIES, 2), np.int16), np.empty((3, QUANTITIES, 2), np.int16)
    loaded = np.int64(-1)  # the position that scratch memory holds
    for i in range(len(systems)):
        dealer, vulnerability = auctions[i, DEALER], auctions[i, VULNERABILITY]
        slot = _root(systems, i, dealer, vulnerability, store.root_keys)
        if store.root_keys[slot, 4] >= 0:
            at = np.int64(store.roots[slot])
        else:
            for seat in range(4):
                roots[seat] = pool.roots[systems[i, seat]]
            start_table(dealer, vulnerability, roots, auction, history, place, shown, told, sides)
            at = np.int64(-1)
            if 2 * counts[ROOTS] < len(store.roots):
                at = _keep(store, now, place)
            if at >= 0:
                for seat in range(4):
                    store.root_keys[slot, seat] = systems[i, seat]
                store.root_keys[slot, 4] = dealer * 4 + vulnerability
                store.roots[slot] = at
                counts[ROOTS] += 1
            loaded = at
        row, length, passes = boards[i], 0, 0
        while True:
            seat = (dealer + length) & 3
            system = systems[i, seat]
            program = np.int64(links[at, PROGRAM_AT]) if at >= 0 else np.int64(NEW)
            asks = length >= lengths[i]
            call, rule = np.int64(0), np.int64(-1)
            aware = False
            if not asks:
                call = np.int64(calls[i, length])
            elif program < 0:
                if loaded != at:
                    for k in range(NOTES):
                        now[k] = notes[at, k]
                    for k in range(4):
                        place[k] = links[at, PLACE_AT + k]
                    loaded = at
                _write_context(auction, history, shown, told, sides, seat, f)
                aware = True
                if at >= 0 and program < NEW and room > 0 and counts[STEPS] + room <= len(code):
                    program = counts[STEPS]
                    counts[STEPS] += write_program(
                        pool, read, system, place[seat], auction, shown[seat ^ 2, ACES, 0], f, code, program
                    )
                    links[at, PROGRAM_AT] = program
                else:
                    c, r = _decide(pool, read, system, place[seat], hands, row, seat, auction, shown, f)
                    call, rule = np.int64(c), np.int64(r)
                    if at >= 0:
                        links[at, PROGRAM_AT] = NEW - 1
            if asks and program >= 0:
                partner = SHOWN_AT + ((seat ^ 2) * QUANTITIES + SUIT) * 2
                for suit in range(4):
                    fits[suit] = notes[at, partner + 2 * suit]
                call, rule = run_program(code, program, hands, row, seat, fits)
            if rule >= 0:
                used[rule] += 1
            history[length] = call
            length += 1
            if call == PASS:
                passes += 1
                if passes == (4 if passes == length else 3):
                    break
            else:
                passes = 0
            after = np.int64(links[at, call]) if at >= 0 else np.int64(-1)
            if after < 0:
                if loaded != at:
                    for k in range(NOTES):
                        now[k] = notes[at, k]
                    for k in range(4):
                        place[k] = links[at, PLACE_AT + k]
                    loaded = at
                if not aware:
                    _write_context(auction, history, shown, told, sides, seat, f)
                _observe(pool, read, system, seat, call, auction, history, place, shown, told, sides, f, out, scratch)
                if at >= 0:
                    after = _keep(store, now, place)
                    links[at, call] = after
                loaded = after
            at = after
        for k in range(length):
            histories[i, k] = history[k]
        for k in range(STATE_COLUMNS):
            auctions[i, k] = notes[at, k] if at >= 0 else now[k]
        auctions[i, LENGTH] += 1
        auctions[i, PASSES] += 1
        auctions[i, DONE] = 1
