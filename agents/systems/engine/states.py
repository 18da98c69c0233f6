"""The trie of auction states: what was found for an auction serves every board that comes to it.

A state is an auction so far, its dealer and vulnerability, and the systems of the four seats: all that decides an
``auction_state.AuctionState``, whatever the hands are. ``enter`` finds its root, ``follow`` the state after a call, and
``choose`` the call of a hand there. A state that is met often gets a program (``programs``): the rules that are left
once the auction is known. It also holds which block of scorecards (``sums``) counts there, if one does. States that do
not find room, or are met for the first time, lie in scratch memory and have the number -1.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import (
    ASKING_BID,
    BIDS,
    FORCES,
    LAST_CALL,
    OPENER,
    PASSED,
    SIDES,
    STATUS_COLUMNS,
    SUIT,
    AuctionState,
    is_theirs,
    new_state,
    start_state,
    write_context,
    write_mixed,
)
from agents.systems.engine.call_index import CallIndex, call_shows
from agents.systems.engine.compiled import ASKS, FIRST_RULE, FLAG_BITS, FOUR_NOTRUMP, Compiled
from agents.systems.engine.programs import THEIRS, run_anywhere, run_program, write_program
from agents.systems.engine.rule_order import NOWHERE, cards_that_count, first_cards, write_level
from agents.systems.engine.shown_ranges import narrow_shown
from agents.systems.engine.sums import run_sums, write_sums
from agents.systems.language.columns import QUANTITIES
from bridge_env.compiled.array_structs import Schema
from bridge_env.compiled.jit import njit
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.auction import (
    DONE,
    DOUBLING,
    LAST_BID,
    LAST_BIDDER,
    STATE_COLUMNS,
    row_step,
    row_turn,
)
from bridge_env.rules.calls import FIRST_BID, NUM_BIDS, NUM_CALLS, PASS

_FORCING, _GAME_FORCING = FLAG_BITS["forcing"], FLAG_BITS["gf"]

# A row of ``notes``: auction, seat_status, sides, then of each seat the least and most of each quantity.
STATUS_AT = STATE_COLUMNS
SIDES_AT = STATUS_AT + 4 * STATUS_COLUMNS
SHOWN_AT = SIDES_AT + SIDES
BASE = 2 * QUANTITIES  # of a seat
NOTES = SHOWN_AT + 4 * BASE
# A row of ``links``: program, what others have shown in C D H S (a byte each, as ``programs.run_program`` takes it),
# block of scorecards that counts (-1 none), the 38 states that follow, places.
# What most boards need lies in the first 64 bytes, which memory hands over at once; rows are thrice as long.
PROGRAM_AT, SHOWN_BYTES_AT, CARDS_AT, LINK_AT, PLACE_AT, LINKS = 0, 1, 2, 3, 3 + NUM_CALLS, 48
SHAPES = (NUM_BIDS + 1) * 3  # of an auction, as far as programs that serve many states differ by them
ROOT_TABLE, ROOT_COLUMNS = 4, 5  # the key of a root: the four systems; dealer and vulnerability in one
NEVER, ONCE = -1, -2  # of a state that follows: how often auctions have come there, while it is not cached
NEW = -1  # of a program: nobody has called here; below it: somebody has
MEETINGS = 16  # with programs that serve many states, before a state gets its own
# What ``counts`` holds: states, steps of programs and roots in use; states for which there was no room; and the steps
# that the longest program can have.
STATES, STEPS, ROOTS, MISSED, LONGEST, COUNTS = range(6)


class Store(NamedTuple):
    """Memory for states, and how much of it is in use. It takes pages when it is first written to."""

    links: Annotated[NDArray[np.int32], "states", LINKS]  # of a state, as above
    notes: Annotated[NDArray[np.int16], "states", NOTES]  # the same
    code: Annotated[NDArray[np.int64], "steps"]  # the programs
    # the keys of roots, -1 where empty; as many as a power of two
    root_keys: Annotated[NDArray[np.int32], "roots", ROOT_COLUMNS]
    roots: Annotated[NDArray[np.int32], "roots"]  # of a key: the state
    # of a system and a shape: the program of its general rules there, -1 none
    general: Annotated[NDArray[np.int32], "systems", SHAPES]
    sums: Annotated[NDArray[np.int32], "systems", SHAPES]  # of a system and a shape: the program of its scorecards
    trees: Annotated[NDArray[np.int32], "nodes"]  # of a node: its program, -1 none
    tree_shapes: Annotated[NDArray[np.int32], "nodes"]  # of a node: the shape that its program was made for
    counts: Annotated[NDArray[np.int64], COUNTS]


class Work(NamedTuple):
    """Room to work beside a table: ``now`` is the table's auction, status of seats and sides in one."""

    now: Annotated[NDArray[np.int16], SHOWN_AT]
    loaded: Annotated[NDArray[np.int64], 1]  # the state that the table holds, with its context; -1: one not cached


class Engine(NamedTuple):
    """All that kernels work with."""

    pool: Compiled
    call_index: CallIndex
    store: Store
    work: Work
    t: AuctionState


def room_to_work() -> tuple[Work, AuctionState]:
    """Make a table and what goes with it."""
    work = Work(np.zeros(SHOWN_AT, np.int16), np.zeros(1, np.int64))
    auction, seat_status, sides = np.split(work.now, [STATUS_AT, SIDES_AT])
    t = new_state()._replace(auction=auction, seat_status=seat_status.reshape(4, STATUS_COLUMNS), sides=sides)
    return work, t


#: What kernels take: the addresses of a ``PointerTable`` of this schema. Arrays in tuples that Python passes would be
#: counted each time that they are passed on: the same work took 30 ms with them, 17 without.
SCHEMA = Schema(Compiled, CallIndex, Store, Work, AuctionState)
_pool_at, _index_at, _store_at = SCHEMA.reader(Compiled), SCHEMA.reader(CallIndex), SCHEMA.reader(Store)
_work_at, _table_at = SCHEMA.reader(Work), SCHEMA.reader(AuctionState)


@njit(forceinline=True)
def engine_at(plan):
    """Return the engine at the addresses ``plan``, its table empty."""
    e = Engine(_pool_at(plan), _index_at(plan), _store_at(plan), _work_at(plan), _table_at(plan))
    e.work.loaded[0] = -1
    return e


@njit(forceinline=True)
def load(e, at):
    """Load a state into scratch memory, with the context of the seat to call there, unless it is there already."""
    if e.work.loaded[0] == at:
        return
    for k in range(SHOWN_AT):
        e.work.now[k] = e.store.notes[at, k]
    for seat in range(4):
        for k in range(BASE):
            e.t.shown[seat, k >> 1, k & 1] = e.store.notes[at, SHOWN_AT + seat * BASE + k]
        e.t.place[seat] = e.store.links[at, PLACE_AT + seat]
    e.work.loaded[0] = at
    write_context(e.t, row_turn(e.t.auction))


@njit(forceinline=True)
def _cache_state(e, systems, i):
    """Store what scratch memory holds as a new state; return it, -1 where there is no room."""
    store, t = e.store, e.t
    new = store.counts[STATES]
    if new >= len(store.links):
        store.counts[MISSED] += 1
        return np.int64(-1)
    store.counts[STATES] = new + 1
    for call in range(NUM_CALLS):
        store.links[new, LINK_AT + call] = NEVER
    store.links[new, PROGRAM_AT] = NEW
    seat, shown = row_turn(t.auction), np.int64(0)
    partner = seat ^ 2
    store.links[new, CARDS_AT] = -1 if t.auction[DONE] else cards_that_count(e.pool, systems[i, seat], t.f)
    for suit in range(4):
        shown |= (np.int64(t.shown[partner, SUIT + suit, 0]) + THEIRS * is_theirs(suit, t.f)) << (8 * suit)
    store.links[new, SHOWN_BYTES_AT] = shown
    for k in range(SHOWN_AT):
        store.notes[new, k] = e.work.now[k]
    for seat in range(4):
        store.links[new, PLACE_AT + seat] = t.place[seat]
        for k in range(BASE):
            store.notes[new, SHOWN_AT + seat * BASE + k] = t.shown[seat, k >> 1, k & 1]
    e.work.loaded[0] = new
    return new


# --- roots ---------------------------------------------------------------------------------------------------------


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
def enter(e, systems, i, dealer, vulnerability):
    """Return the root of an auction among the four systems in row ``i`` of ``systems``."""
    store = e.store
    slot = _root(systems, i, dealer, vulnerability, store.root_keys)
    if store.root_keys[slot, ROOT_TABLE] >= 0:
        return np.int64(store.roots[slot])
    start_state(e.pool, systems[i], dealer, vulnerability, e.t)
    e.work.loaded[0] = -1
    write_context(e.t, dealer)
    if 2 * store.counts[ROOTS] >= len(store.roots):
        return np.int64(-1)
    at = _cache_state(e, systems, i)
    if at >= 0:
        for seat in range(4):
            store.root_keys[slot, seat] = systems[i, seat]
        store.root_keys[slot, ROOT_TABLE] = dealer * 4 + vulnerability
        store.roots[slot] = at
        store.counts[ROOTS] += 1
    return at


@njit(forceinline=True)
def turned_sides(vulnerability, dealer):
    """Return the code of vulnerability where the dealer's seat is called N."""
    return ((vulnerability & 1) << 1 | vulnerability >> 1) if dealer & 1 else vulnerability


# --- calls made ----------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def record_call(pool, seat, call, found, flags, t):
    """Record a call at the table once ``t.out`` holds what it shows, and follow it in every seat's system."""
    narrow_shown(t.shown[seat], t.out, found, call, t.shown[seat ^ 2])
    if t.seat_status[seat, LAST_CALL] < 0:
        t.seat_status[seat, PASSED] = call == PASS
    t.seat_status[seat, LAST_CALL] = call
    t.seat_status[seat, FORCES] = found and (flags & _FORCING) != 0
    t.seat_status[seat, ASKING_BID] = call == FOUR_NOTRUMP or (found and (flags & ASKS) != 0)
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


@njit(forceinline=True)
def follow(e, systems, i, at, call, at_once):
    """Return the state after a call.

    It is cached when an auction comes there for the second time: most never see another.

    Args:
        systems, i: row ``i`` names the four seats' systems.
        at_once: cache it when it is first met.
    """
    if at >= 0:
        after = np.int64(e.store.links[at, LINK_AT + call])
        if after >= 0:
            return after
    load(e, at)
    t = e.t
    seat = row_turn(t.auction)
    write_level(call, t.f)
    found, flags = call_shows(
        e.pool, e.call_index, systems[i, seat], t.place[seat], t.auction[LAST_BID], call, t.f, t.out, t.scratch
    )
    record_call(e.pool, seat, call, found, flags, t)
    e.work.loaded[0] = -1
    if not t.auction[DONE]:
        write_context(t, row_turn(t.auction))
    if at < 0:
        return np.int64(-1)
    if e.store.links[at, LINK_AT + call] == NEVER and not at_once:
        e.store.links[at, LINK_AT + call] = ONCE
        return np.int64(-1)
    new = _cache_state(e, systems, i)
    if new >= 0:
        e.store.links[at, LINK_AT + call] = new
    return new


# --- calls to make -------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def _doubles(auction, seat):
    """Return 0 if the seat to call may neither double nor redouble, 1 if it may double, 2 if it may redouble."""
    if auction[LAST_BID] < 0:
        return 0
    if (seat ^ auction[LAST_BIDDER]) & 1:
        return 1 if auction[DOUBLING] == 0 else 0
    return 2 if auction[DOUBLING] == 1 else 0


@njit(forceinline=True)
def _start_of_program(store):
    """Return where the next program begins. Without room all others are forgotten."""
    counts = store.counts
    if counts[STEPS] + counts[LONGEST] > len(store.code):
        counts[STEPS] = 0
        store.links[: counts[STATES], PROGRAM_AT] = NEW
        store.general[:] = store.sums[:] = store.trees[:] = -1
    return counts[STEPS]


@njit
def _new_program(pool, system, node, auction, known, f, store):
    """Write a program (``programs.write_program``) and return its start."""
    start = _start_of_program(store)
    store.counts[STEPS] += write_program(pool, np.int64(system), np.int64(node), auction, known, f, store.code, start)
    return start


@njit
def _new_sums(pool, system, auction, f, store):
    """Write the program of a system's scorecards (``sums.write_sums``) and return its start."""
    start = _start_of_program(store)
    store.counts[STEPS] += write_sums(pool, np.int64(system), auction, f, store.code, start)
    return start


@njit(forceinline=True)
def _shape(auction, seat):
    """Return the shape of an auction: its last bid, and whether the seat to call may double or redouble."""
    return (auction[LAST_BID] + 1) * 3 + _doubles(auction, seat)


@njit(forceinline=True)
def write_hand(e, hand):
    """Write the columns of a hand int16 (NUM_FEATURES,) in the state that scratch memory holds; return its seat."""
    seat = np.int64(row_turn(e.t.auction))
    for column in range(NUM_FEATURES):
        e.t.f[column] = hand[column]
    write_level(PASS, e.t.f)
    write_mixed(e.t, seat)
    return seat


@njit(forceinline=True)
def _choose_by_shape(e, system, seat):
    """Return call and rule of the hand in scratch memory by programs that serve many states."""
    store, t = e.store, e.t
    node, shape = t.place[seat], _shape(t.auction, seat)
    if node >= 0:
        if store.trees[node] < 0 or store.tree_shapes[node] != shape:
            store.trees[node] = _new_program(e.pool, NOWHERE, node, t.auction, False, t.f, store)
            store.tree_shapes[node] = shape
        call, rule = run_anywhere(store.code, np.int64(store.trees[node]), t.f)
        if rule >= 0:
            return call, rule
    if store.general[system, shape] < 0:
        store.general[system, shape] = _new_program(e.pool, system, NOWHERE, t.auction, False, t.f, store)
    return run_anywhere(store.code, np.int64(store.general[system, shape]), t.f)


@njit(forceinline=True)
def _weigh(e, system, call, rule):
    """Return the call and the rule of the hand in scratch memory by scorecards, after the rules' own."""
    t = e.t
    shape = _shape(t.auction, row_turn(t.auction))
    if e.store.sums[system, shape] < 0:
        e.store.sums[system, shape] = _new_sums(e.pool, system, t.auction, t.f, e.store)
    return run_sums(e.store.code, np.int64(e.store.sums[system, shape]), t.f, call, rule)


@njit(forceinline=True)
def choose(e, systems, i, at, hands, row, holder):
    """Return the call of the hand at ``hands[row, holder]`` in a state whose auction is not over, and its rule.

    Args:
        systems, i: row ``i`` names the four seats' systems.
        at: the state; -1: the one that scratch memory holds.
        hands: int16 (B, seats, NUM_FEATURES).
    """
    store, program = e.store, np.int64(NEW)
    if at >= 0:
        program = np.int64(store.links[at, PROGRAM_AT])
    if program >= 0:
        call, rule = run_program(store.code, program, hands, row, holder, np.int64(store.links[at, SHOWN_BYTES_AT]))
        if _is_weighed(e.pool, store.links[at, CARDS_AT], rule):
            load(e, at)
            return _weigh(e, systems[i, write_hand(e, hands[row, holder])], call, rule)
        return call, rule
    load(e, at)
    seat = write_hand(e, hands[row, holder])
    system = systems[i, seat]
    call, rule = _choose_by_shape(e, system, seat)
    cards = np.int64(store.links[at, CARDS_AT]) if at >= 0 else first_cards(e.pool, system)
    if _is_weighed(e.pool, cards, rule):
        call, rule = _weigh(e, system, call, rule)
    if at >= 0:
        store.links[at, PROGRAM_AT] = max(program - 1, NEW - MEETINGS)
        if program == NEW - MEETINGS:
            store.links[at, PROGRAM_AT] = _new_program(e.pool, system, e.t.place[seat], e.t.auction, True, e.t.f, store)
    return call, rule


@njit(forceinline=True)
def _is_weighed(pool, cards, rule):
    """Return whether a block of scorecards (-1: none) weighs the call of a rule (-1: none), never one of the tree."""
    return cards >= 0 and not 0 <= rule < pool.groups[cards, FIRST_RULE]
