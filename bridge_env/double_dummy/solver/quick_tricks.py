"""Count tricks without a search: those that a side can cash at once, and those that nobody can take from it."""

from __future__ import annotations

import numpy as np

from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.solver.state import HANDS, NO_TRUMP, SCRATCH, above, card, ranks, size, top


@njit(forceinline=True)
def _without_top(bits, n):  # type: ignore[no-untyped-def]
    """Return the cards below the n highest."""
    for _ in range(n):
        bits ^= np.int64(1) << top(bits)
    return bits


@njit
def _nth_highest(bits, n):  # type: ignore[no-untyped-def]
    """Return the rank of the n-th highest card, 1 = the highest."""
    return top(_without_top(bits, n - 1))


@njit(forceinline=True)
def _suit_at(place, trump):  # type: ignore[no-untyped-def]
    """Return the suit that is cashed at a place: trumps first."""
    if trump == NO_TRUMP or place > trump:
        return place
    return trump if place == 0 else place - 1


@njit(forceinline=True)
def _note_partners(state, suit, mine, his, theirs, their_length, rounds, safe):  # type: ignore[no-untyped-def]
    """Note in SCRATCH what partner can cash of a suit after ``rounds`` of mine: tricks, and the relevant cards.

    Returns:
        whether partner can be reached in it: I have a card left, and he wins the trick.
    """
    still_his, rest = size(his) - rounds, _without_top(mine, rounds)
    if still_his <= 0:
        return False
    winners = above(his, top(theirs | rest))
    run = min(size(winners), still_his)
    tricks = run
    if run > 0 and rounds + run >= their_length and size(rest) <= run:
        tricks = still_his  # nobody else has any left
    tricks = min(tricks, safe - rounds)
    if tricks <= 0:
        return False
    needed = min(tricks, run, max(their_length - rounds, size(rest)))
    state[SCRATCH + suit] = tricks
    state[SCRATCH + 4 + suit] = card(suit, _nth_highest(winners, needed)) if needed > 0 else 0
    return rest != 0


@njit(forceinline=True)
def _over_to_partner(state, trump, link, count, wanted, relevant, room):  # type: ignore[no-untyped-def]
    """Add what partner cashes, beginning with the suit of the link, until ``wanted`` tricks are found."""
    for place in range(-1, 4):
        suit = link if place < 0 else place
        tricks = state[SCRATCH + suit]
        if (place >= 0 and suit == link) or tricks == 0:
            continue
        if suit != trump:
            tricks = min(tricks, room)
            room -= tricks
        if tricks > 0:
            count += tricks
            relevant |= state[SCRATCH + 4 + suit]
        if count >= wanted or (tricks <= 0 and place < 0):
            break
    return count, relevant


@njit
def quick_tricks(state, trump, left, leader, wanted):  # type: ignore[no-untyped-def]
    """Count tricks that the leader's side takes one after the other from the lead, until ``wanted`` are found.

    The leader cashes winners, trumps first; then, over one suit in which partner has the highest card, partner does.
    Nobody ruffs: a side suit is led only while every defender who has trumps must follow, and only while partner can
    follow or discard without having to ruff, or to give up a winner that is counted.

    Returns:
        (tricks, the relevant cards).
    """
    mine, his = state[HANDS + leader], state[HANDS + (leader ^ 2)]
    next_hand, last_hand = state[HANDS + ((leader + 1) & 3)], state[HANDS + ((leader + 3) & 3)]
    next_trumps = last_trumps = 0
    room = 13  # rounds of side suits in which partner has a card to spare
    if trump < NO_TRUMP:
        next_trumps, last_trumps = size(ranks(next_hand, trump)), size(ranks(last_hand, trump))
        if ranks(his, trump):
            room = left - size(ranks(his, trump))
    count, relevant, link = 0, np.int64(0), -1
    for place in range(4):
        suit = _suit_at(place, trump)
        state[SCRATCH + suit] = 0
        a, b = ranks(mine, suit), ranks(his, suit)
        if (a | b) == 0:
            continue
        x, y = ranks(next_hand, suit), ranks(last_hand, suit)
        safe, their_length = 13, max(size(x), size(y))
        if suit != trump:
            if next_trumps > 0:
                safe = size(x)
            if last_trumps > 0:
                safe = min(safe, size(y))
        run = size(above(a, top(x | y | b)))
        rounds = run
        if run > 0 and run >= their_length and run >= size(b):
            rounds = size(a)  # nobody else has any left
        rounds = min(rounds, safe)
        if suit != trump:
            rounds = min(rounds, room)
        used = min(rounds, wanted - count)
        if used > 0:
            count += used
            if x | y | b:
                relevant |= card(suit, _nth_highest(a, min(used, run, max(their_length, size(b)))))
            if count >= wanted:
                return count, relevant
        if suit != trump:
            room -= rounds
        else:
            room -= max(rounds - size(b), 0)
            next_trumps, last_trumps = max(next_trumps - rounds, 0), max(last_trumps - rounds, 0)
        if _note_partners(state, suit, a, b, x | y, their_length, rounds, safe) and link < 0:
            link = suit
    if link >= 0:
        count, relevant = _over_to_partner(state, trump, link, count, wanted, relevant, room)
    return min(count, left), relevant


@njit(forceinline=True)
def later_tricks_trump(state, trump, leader, seat, wanted):  # type: ignore[no-untyped-def]
    """Count the trump tricks that nobody can take from the side of ``seat``.

    Returns:
        (tricks, the cards that ``wanted`` of them need).
    """
    a, b = ranks(state[HANDS + seat], trump), ranks(state[HANDS + (seat ^ 2)], trump)
    theirs = ranks(state[HANDS + ((seat + 1) & 3)] | state[HANDS + ((seat + 3) & 3)], trump)
    run = above(a | b, top(theirs))
    tricks = min(size(run), max(size(a), size(b)))
    if tricks >= wanted:
        return tricks, card(trump, _nth_highest(run, wanted)) if theirs else np.int64(0)
    rest = (a | b) ^ run
    if tricks + 1 == wanted and theirs and rest:
        relevant = _one_trump_more(state, trump, leader, seat if (a >> top(rest)) & 1 else seat ^ 2, run, rest, theirs)
        if relevant:
            return wanted, relevant
    return tricks, np.int64(0)


@njit(forceinline=True)
def _one_trump_more(state, trump, leader, holder, run, rest, theirs):  # type: ignore[no-untyped-def]
    """Return the relevant cards of a sure trump trick beyond the run, 0 if there is none.

    One card is higher than the holder's next, and lies before him, as the king before ace and queen; or he has the next
    two, as king and queen under the ace. He must hold all of the run, and not have to lead trumps into it now.
    """
    hand = state[HANDS + holder]
    own, best = ranks(hand, trump), top(rest)
    higher, second = above(theirs, best), top(rest ^ (np.int64(1) << best))
    if run & ~own or size(higher) != 1 or size(own) < max(size(run) + 1, 2):
        return np.int64(0)
    before = ranks(state[HANDS + ((holder + 3) & 3)], trump)
    if higher & before and (holder != leader or size(own) < size(hand)):
        return card(trump, best)
    if second > top(theirs ^ higher) and (own >> second) & 1 and size(own) > size(run) + 1:
        return card(trump, second)
    return np.int64(0)


@njit(forceinline=True)
def later_tricks_notrump(state, leader):  # type: ignore[no-untyped-def]
    """Return whether at no trump the defenders have the highest card of every suit that can be led.

    Returns:
        (1 or 0, the relevant cards).
    """
    mine = state[HANDS + leader]
    ours = mine | state[HANDS + (leader ^ 2)]
    theirs = state[HANDS + ((leader + 1) & 3)] | state[HANDS + ((leader + 3) & 3)]
    relevant = np.int64(0)
    for suit in range(4):
        if ranks(mine, suit):
            if ranks(theirs, suit) < ranks(ours, suit):
                return np.int64(0), np.int64(0)
            relevant |= card(suit, top(ranks(theirs, suit)))
    return np.int64(1), relevant
