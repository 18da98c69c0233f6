"""Search whether North-South takes at least so many tricks of a deal.

One loop goes down by playing cards and up with answers; nothing is called that calls it again. An answer rests on some
cards ("relevant"). They go up with it: of the move that decided a position, or, where all moves failed, of all of them.

Plies and seats are masked where they are read (``& 63``, ``& 3``): so the compiler sees that no index is negative, and
leaves out Python's handling of negative ones. That is a tenth of the time.
"""

from __future__ import annotations

import numpy as np

from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.solver.moves import first_card, group_of, list_cards, store_killer
from bridge_env.double_dummy.solver.quick_tricks import later_tricks_notrump, later_tricks_trump, quick_tricks
from bridge_env.double_dummy.solver.state import (
    ALL,
    BEST,
    CARD,
    COUNT,
    FIRST,
    FLOOR,
    HANDS,
    LEADER,
    LISTED,
    MOVES,
    NEED,
    NO_TRUMP,
    NODES,
    RELEVANT,
    SEAT,
    SHAPE,
    STOP,
    TRIED,
    WINNER,
    beats,
    bottom,
    card,
    ranks,
    size,
    top,
    untracked_arrays,
)
from bridge_env.double_dummy.solver.transpositions import lookup, prefetch_bucket, store

UNKNOWN, STOPPED = -1, -2
_POLLED = (1 << 14) - 1  # positions between looks at STOP: a few milliseconds


@njit
def begin(state, hands, leader):  # type: ignore[no-untyped-def]
    """Set the beginning of a trick up: ``hands`` int64 (4,), the hands, and the leader."""
    held = shape = np.int64(0)
    for seat in range(4):
        state[HANDS + seat] = hands[seat]
        held |= hands[seat]
        for suit in range(4):
            shape += size(ranks(hands[seat], suit)) << (4 * (4 * suit + seat))
    state[ALL], state[SHAPE] = held, shape
    state[LEADER] = state[SEAT] = leader


@njit(forceinline=True)
def play(state, trump, ply, played):  # type: ignore[no-untyped-def]
    """Play a card; after the fourth, set the next trick up."""
    seat = state[SEAT + ply] & 3
    state[CARD + ply] = played
    state[HANDS + seat] &= ~(np.int64(1) << played)
    if ply & 3 == 0 or beats(played, state[BEST + ply - 1], trump):
        state[BEST + ply], state[WINNER + ply] = played, seat
    else:
        state[BEST + ply], state[WINNER + ply] = state[BEST + ply - 1], state[WINNER + ply - 1]
    if ply & 3 < 3:
        state[SEAT + ply + 1] = (seat + 1) & 3
        return
    t, winner = ply >> 2, state[WINNER + ply]
    held, shape = state[ALL + t], state[SHAPE + t]
    for k in range(ply - 3, ply + 1):
        held &= ~(np.int64(1) << state[CARD + k])
        shape -= np.int64(1) << (4 * (4 * (state[CARD + k] >> 4) + state[SEAT + k]))
    state[ALL + t + 1], state[SHAPE + t + 1] = held, shape
    state[LEADER + t + 1] = state[SEAT + ply + 1] = winner
    state[NEED + t + 1] = state[NEED + t] - (1 - (winner & 1))


@njit(forceinline=True)
def _last_trick(state, trump, leader):  # type: ignore[no-untyped-def]
    """Return the winner of the last trick, and the relevant cards."""
    winner, best = leader, top(state[HANDS + leader])
    for k in range(1, 4):
        seat = (leader + k) & 3
        if beats(top(state[HANDS + seat]), best, trump):
            winner, best = seat, top(state[HANDS + seat])
    return winner, _beaten(state[HANDS] | state[HANDS + 1] | state[HANDS + 2] | state[HANDS + 3], best)


@njit(forceinline=True)
def _beaten(trick, best):  # type: ignore[no-untyped-def]
    """Return the winning card of a trick's cards if its rank was relevant: another of its suit was played."""
    if size(ranks(trick, best >> 4)) > 1:
        return np.int64(1) << best
    return np.int64(0)


@njit(forceinline=True)
def _count(state, trump, left, leader, need):  # type: ignore[no-untyped-def]
    """Answer a position without search, if its tricks can be counted: (1, 0 or UNKNOWN; the relevant cards)."""
    ours = 1 - (leader & 1)  # the answer if the leader's side takes what it wants
    wanted = need if ours else left - need + 1
    tricks, relevant = quick_tricks(state, trump, left, leader, wanted)
    if tricks >= wanted:
        return np.int64(ours), relevant
    defence = left - wanted + 1
    if trump == NO_TRUMP:
        if defence == 1:
            lost, relevant = later_tricks_notrump(state, leader)
            if lost:
                return np.int64(1 - ours), relevant
        return np.int64(UNKNOWN), np.int64(0)
    tricks, relevant = later_tricks_trump(state, trump, leader, leader, wanted)
    if tricks >= wanted:
        return np.int64(ours), relevant
    tricks, relevant = later_tricks_trump(state, trump, leader, (leader + 1) & 3, defence)
    if tricks >= defence:
        return np.int64(1 - ours), relevant
    return np.int64(UNKNOWN), np.int64(0)


@njit(forceinline=True)
def _count_in_trick(state, trump, ply, left):  # type: ignore[no-untyped-def]
    """Answer in the middle of a trick, if the side to play wins it with the highest card of its suit and cashes enough.

    The second hand counts for itself and its partner, the third for itself.
    """
    place, seat, t = ply & 3, state[SEAT + ply] & 3, ply >> 2
    suit = state[CARD + ply - place] >> 4
    held = ranks(state[ALL + t], suit)
    best = card(suit, top(held))
    taker = np.int64(-1)
    if state[HANDS + seat] & best:
        taker = seat
    elif place == 1 and state[HANDS + (seat ^ 2)] & best:
        taker = seat ^ 2
    if taker < 0:
        return np.int64(UNKNOWN), np.int64(0)
    after, before = (seat + 1) & 3, (seat + 3) & 3
    if trump < NO_TRUMP and suit != trump:
        ruffs = ranks(state[HANDS + after], suit) == 0 and ranks(state[HANDS + after], trump) != 0
        if ruffs or (place == 2 and state[BEST + ply - 1] >> 4 == trump):
            return np.int64(UNKNOWN), np.int64(0)
    if place == 2:  # a winner that partner has led falls under ours, and must not be counted again
        theirs = ranks(state[HANDS + after] | state[HANDS + before] | (np.int64(1) << state[CARD + ply - 1]), suit)
        if state[CARD + ply - 2] & 15 > top(theirs):
            return np.int64(UNKNOWN), np.int64(0)
    ours = 1 - (seat & 1)
    wanted = state[NEED + t] if ours else left - state[NEED + t] + 1
    for k in range(ply - place, ply):  # the count takes the trick for one that is still to begin
        state[HANDS + (state[SEAT + k] & 3)] |= np.int64(1) << state[CARD + k]
    tricks, relevant = quick_tricks(state, trump, left, taker, wanted)
    for k in range(ply - place, ply):
        state[HANDS + (state[SEAT + k] & 3)] &= ~(np.int64(1) << state[CARD + k])
    if tricks >= wanted:
        return np.int64(ours), relevant | best
    return np.int64(UNKNOWN), np.int64(0)


@njit(forceinline=True)
def _with_equals(state, ply, played, relevant):  # type: ignore[no-untyped-def]
    """Return the relevant cards for all cards equal to one that failed, which were not tried."""
    relevant_ranks = ranks(relevant, played >> 4)
    if relevant_ranks:
        mine = ranks(state[HANDS + (state[SEAT + ply] & 3)], played >> 4)
        equal = group_of(mine, ranks(state[ALL + (ply >> 2)], played >> 4) & ~mine, played & 15)
        if bottom(equal) < bottom(relevant_ranks) <= top(equal):
            relevant |= card(played >> 4, bottom(equal))
    return relevant


@njit(forceinline=True)
def _rule_out(state, ply, played, relevant):  # type: ignore[no-untyped-def]
    """Strike the cards that fail as ``played`` did: those of its suit below all relevant ones."""
    suit, rank = played >> 4, played & 15
    relevant_ranks = ranks(relevant, suit)
    floor = bottom(relevant_ranks) if relevant_ranks else np.int64(13)
    if rank >= floor or state[FLOOR + 4 * ply + suit] >= floor:
        return
    state[FLOOR + 4 * ply + suit] = floor
    moves, place = MOVES + LISTED * ply, state[TRIED + ply]
    for k in range(place, state[COUNT + ply]):
        other = state[moves + k]
        if other >> 4 != suit or other & 15 >= floor:
            state[moves + place] = other
            place += 1
    state[COUNT + ply] = place


@njit(forceinline=True)
def _answer(state, owners, kth, buckets, entries, marks, trump, total, ply):  # type: ignore[no-untyped-def]
    """Answer a position without playing on, if it can be done: (1, 0 or UNKNOWN; the relevant cards)."""
    t = ply >> 2
    left = total - t
    if ply & 3 == 3:
        return UNKNOWN, np.int64(0)
    if ply & 3:
        return _count_in_trick(state, trump, ply, left)
    wanted, leader = state[NEED + t], state[LEADER + t] & 3
    if wanted <= 0:
        return 1, np.int64(0)
    if wanted > left:
        return 0, np.int64(0)
    if left == 1:
        winner, relevant = _last_trick(state, trump, leader)
        return 1 - (winner & 1), relevant
    prefetch_bucket(state, buckets, t)
    answer, relevant = _count(state, trump, left, leader, wanted)
    if answer == UNKNOWN:
        return lookup(state, owners, kth, buckets, entries, marks, t)
    return answer, relevant


@njit(forceinline=True)
def _begin_ply(state, buckets, killers, trump, ply):  # type: ignore[no-untyped-def]
    """Put up the first card to try, or list all."""
    state[RELEVANT + ply] = state[TRIED + ply] = 0
    for suit in range(4):
        state[FLOOR + 4 * ply + suit] = 0
    first = first_card(state, killers, buckets, ply)
    state[FIRST + ply] = first
    if first >= 0:
        state[COUNT + ply], state[MOVES + LISTED * ply] = 1, first
    else:
        list_cards(state, trump, ply)


@njit(forceinline=True)
def _take_back(state, ply):  # type: ignore[no-untyped-def]
    """Take the card of a ply back. Returns the winner of its trick, if that is over and its rank was relevant."""
    state[HANDS + (state[SEAT + ply] & 3)] |= np.int64(1) << state[CARD + ply]
    if ply & 3 < 3:
        return np.int64(0)
    trick = np.int64(0)
    for k in range(ply - 3, ply + 1):
        trick |= np.int64(1) << state[CARD + k]
    return _beaten(trick, state[BEST + ply])


@njit
def search(arrays, trump, total, start, need):  # type: ignore[no-untyped-def]
    """Return whether North-South takes ``need`` of the ``total`` tricks left, the present one included.

    The position is the state after ``begin`` and ``play``, with the card at ply ``start`` to play next.

    Returns:
        1 yes, 0 no, STOPPED where the state's word STOP was set meanwhile.
    """
    state, owners, kth, buckets, entries, marks, killers = untracked_arrays(arrays)
    state[NEED] = need
    if start == 4:  # the present trick is over
        state[NEED + 1] = need - (1 - (state[WINNER + 3] & 1))
    ply, entering, answer, relevant = np.int64(start) & 63, True, np.int64(0), np.int64(0)
    while True:
        if entering:  # down: a position that is new here
            state[NODES] += 1
            if state[NODES] & _POLLED == 0 and state[STOP]:
                return np.int64(STOPPED)
            answer, relevant = _answer(state, owners, kth, buckets, entries, marks, trump, total, ply)
            if answer == UNKNOWN:
                _begin_ply(state, buckets, killers, trump, ply)
        else:  # up: the answer is that of the position after this ply's card
            relevant |= _take_back(state, ply)
            seat = state[SEAT + ply] & 3
            if answer == seat & 1:  # not what the seat wants
                state[RELEVANT + ply] |= _with_equals(state, ply, state[CARD + ply], relevant)
                _rule_out(state, ply, state[CARD + ply], relevant)
                answer = np.int64(UNKNOWN)
            else:
                store_killer(state, killers, buckets, ply)
        if answer == UNKNOWN:
            if state[TRIED + ply] == state[COUNT + ply] and state[FIRST + ply] >= 0:
                list_cards(state, trump, ply)
            if state[TRIED + ply] < state[COUNT + ply]:
                state[TRIED + ply] += 1
                play(state, trump, ply, state[MOVES + LISTED * ply + state[TRIED + ply] - 1])
                ply, entering = (ply + 1) & 63, True
                continue
            answer, relevant, entering = state[SEAT + ply] & 1, state[RELEVANT + ply], False  # all have failed
        if not entering and ply & 3 == 0:
            store(state, owners, buckets, entries, marks, ply >> 2, total - (ply >> 2), answer, relevant)
        if ply == start:
            return answer
        ply, entering = (ply - 1) & 63, False


@njit
def tricks_of(arrays, trump, total, start, guess):  # type: ignore[no-untyped-def]
    """Return North-South's tricks of the ``total`` that are left, found from a guess; STOPPED as ``search`` has it."""
    low, high, need = np.int64(0), np.int64(total), np.int64(guess)
    while low < high:
        need = min(max(need, low + 1), high)
        answer = search(arrays, trump, total, start, need)
        if answer == STOPPED:
            return answer
        if answer:
            low = need
            need += 1
        else:
            high = need - 1
            need -= 1
    return low
