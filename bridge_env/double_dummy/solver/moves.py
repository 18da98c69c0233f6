"""Choose the card to try first, and list the others with the best first.

Which order is best was found by trying: the numbers below are those with which 60 deals needed the fewest positions.
They change how long a search takes, never its answer.
"""

from __future__ import annotations

import numpy as np

from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.solver.state import (
    ALL,
    BEST,
    BUCKET,
    CARD,
    COUNT,
    FIRST,
    FLOOR,
    HANDS,
    KEY,
    KILLER_BITS,
    LISTED,
    MOVES,
    NO_TRUMP,
    SCRATCH,
    SEAT,
    TRIED,
    WINNER,
    above,
    beats,
    bottom,
    ranks,
    size,
    top,
)
from bridge_env.double_dummy.solver.transpositions import mix_bits

# What a suit is worth to lead.
_TRUMP, _OURS, _PARTNER_RUFFS, _THEY_RUFF = -20, 22, 41, -189
_THROUGH, _INTO, _LONG, _PARTNER_LONG = 13, -14, -8, 12
_LAST_VOID, _NEXT_VOID, _TO_PARTNER = -156, -99, 60
_CASH, _CASH_UNDER_PARTNER = 31, -60
# What it is worth to discard from, and a trump that does not win.
_DISCARD_LONG, _DISCARD_FROM_TOP, _DISCARD_GUARD, _TRUMP_FOR_NOTHING = 5, -24, -35, -145
# What a card is worth to follow with, less its rank: one that wins for good, and so on. A low card is worth _LOW.
_WINS, _LOW, _LAST_LOW = 200, 100, 50
_OVER_PARTNER_LAST, _OVER_PARTNER_THIRD, _THIRD_FORCES = 10, -82, 170
_SECOND_LOW, _SECOND_WINS, _SECOND_COVERS, _SECOND_FORCES, _BY_RANK = 150, 127, 31, 180, 40
_NEVER = -1


@njit
def group_of(held, others, rank):  # type: ignore[no-untyped-def]
    """Return the cards of a suit held that are equal to one: no card of another hand lies between."""
    below = others & ((np.int64(1) << rank) - 1)
    equal = above(held, top(below))
    higher = above(others, rank)
    if higher:
        equal &= (higher & (0 - higher)) - 1
    return equal


@njit(forceinline=True)
def first_card(state, killers, buckets, ply):  # type: ignore[no-untyped-def]
    """Return the card to try before any are listed; -1 if there is none.

    The fourth hand wins as cheaply as it can, or plays low. Else it is the card that last refuted what was played to
    a hand like this, or, on lead, that was best in a position of this shape.
    """
    place, seat = ply & 3, state[SEAT + ply] & 3
    hand = state[HANDS + seat]
    led = state[CARD + ply - place] >> 4 if place else np.int64(-1)
    follows = ranks(hand, led) if place else np.int64(0)
    state[KEY + ply] = 0
    if place == 3 and follows:
        best = state[BEST + ply - 1]
        if (state[WINNER + ply - 1] ^ seat) & 1 and best >> 4 == led:
            over = above(follows, best & 15)
            if over:
                equal = group_of(follows, ranks(state[ALL + (ply >> 2)], led) & ~follows, bottom(over))
                return (led << 4) + top(equal)
        return (led << 4) + bottom(follows)
    # What a hand leaves free of its word, three bits above each suit, takes the rest of the question.
    rest = seat | place << 2
    if place:
        rest |= led << 4 | state[BEST + ply - 1] << 6
    key = hand | (rest & 7) << 13 | (rest >> 3 & 7) << 29 | (rest >> 6 & 7) << 45 | (rest >> 9) << 61
    state[KEY + ply] = key
    at = mix_bits(key) & ((1 << KILLER_BITS) - 1)
    if killers[at, 0] == key:
        found = killers[at, 1]
        if (hand >> found) & 1 and (not follows or found >> 4 == led):
            return found
    if place == 0:
        found = (buckets[state[BUCKET + (ply >> 2)], 3] & 63) - 1
        if found >= 0 and (hand >> found) & 1:
            return found
    return np.int64(-1)


@njit(forceinline=True)
def store_killer(state, killers, buckets, ply):  # type: ignore[no-untyped-def]
    """Store the card that decided a ply, to be tried first in similar positions."""
    key, played = state[KEY + ply], state[CARD + ply]
    if key:
        at = mix_bits(key) & ((1 << KILLER_BITS) - 1)
        killers[at, 0], killers[at, 1] = key, played
    if ply & 3 == 0:
        bucket = state[BUCKET + (ply >> 2)]
        buckets[bucket, 3] = (buckets[bucket, 3] & ~63) | (played + 1)


@njit(forceinline=True)
def _highest_to_play(state, seat, led, trump):  # type: ignore[no-untyped-def]
    """Return the card that wins if any can: the highest of the suit, else of trumps; -1 if it has neither."""
    hand = state[HANDS + seat]
    if ranks(hand, led):
        return (led << 4) + top(ranks(hand, led))
    if trump < NO_TRUMP and ranks(hand, trump):
        return (trump << 4) + top(ranks(hand, trump))
    return np.int64(_NEVER)


@njit(forceinline=True)
def _lead_worth(state, trump, seat, suit):  # type: ignore[no-untyped-def]
    """Return the value of leading a suit."""
    partner, after, before = seat ^ 2, (seat + 1) & 3, (seat + 3) & 3
    mine, his = ranks(state[HANDS + seat], suit), ranks(state[HANDS + partner], suit)
    x, y = ranks(state[HANDS + after], suit), ranks(state[HANDS + before], suit)
    ours, next_ruffs, last_ruffs, partner_ruffs = max(top(mine), top(his)), False, False, False
    if trump < NO_TRUMP and suit != trump:
        next_ruffs = x == 0 and ranks(state[HANDS + after], trump) != 0
        last_ruffs = y == 0 and ranks(state[HANDS + before], trump) != 0
        partner_ruffs = his == 0 and ranks(state[HANDS + partner], trump) != 0
    worth = _LONG * size(mine) + _PARTNER_LONG * size(his)
    if suit == trump:
        worth += _TRUMP
    if next_ruffs or last_ruffs:
        worth += _THEY_RUFF
    elif ours > max(top(x), top(y)):
        worth += _OURS
    elif partner_ruffs:
        worth += _PARTNER_RUFFS
    if top(x) > top(y) and top(x) > top(his) and his:
        worth += _THROUGH
    if top(y) > top(x) and top(y) > ours:
        worth += _INTO
    if y == 0 and not last_ruffs:
        worth += _LAST_VOID
    if x == 0 and not next_ruffs:
        worth += _NEXT_VOID
    if top(his) > top(mine) and top(his) > max(top(x), top(y)):
        worth += _TO_PARTNER
    return worth


@njit(forceinline=True)
def _card_to_lead(rank, partner_top, their_top):  # type: ignore[no-untyped-def]
    """Return the value of leading a rank of the chosen suit."""
    worth = 0
    if rank > their_top:
        worth = _CASH if rank > partner_top else _CASH_UNDER_PARTNER
    else:
        worth = -rank
    if partner_top > their_top and partner_top > rank:
        worth += 12 - rank
    return worth


@njit(forceinline=True)
def _card_to_follow(state, trump, ply, led, played):  # type: ignore[no-untyped-def]
    """Return the value of a card as the second to fourth of a trick."""
    place, seat, rank = ply & 3, state[SEAT + ply] & 3, played & 15
    best = state[BEST + ply - 1]
    wins = beats(played, best, trump)
    partner_wins = (state[WINNER + ply - 1] ^ seat) & 1 == 0
    if place == 3:
        if wins:
            return (_OVER_PARTNER_LAST if partner_wins else _WINS) - rank
        return (_LOW if partner_wins else _LAST_LOW) - rank
    theirs = _highest_to_play(state, (seat + 1) & 3, led, trump)
    holds = wins and (theirs < 0 or not beats(theirs, played, trump))
    if place == 2:
        if partner_wins and (theirs < 0 or not beats(theirs, best, trump)):
            return (_OVER_PARTNER_THIRD if wins else _LOW) - rank
        if holds:
            return _WINS - rank
        return _THIRD_FORCES if wins else _LOW - rank
    his = _highest_to_play(state, seat ^ 2, led, trump)
    to_beat = theirs if theirs >= 0 and beats(theirs, best, trump) else best
    if his >= 0 and beats(his, to_beat, trump):
        if wins:
            return (_SECOND_WINS if holds else _SECOND_COVERS) - rank
        return _SECOND_LOW - rank
    if holds:
        return _WINS - rank
    return _SECOND_FORCES - _BY_RANK * rank if wins else _LOW - rank


@njit
def list_cards(state, trump, ply):  # type: ignore[no-untyped-def]
    """List the cards to try, the best first: one of each group of equals, none that an earlier failure rules out."""
    ply &= 63
    place, seat = ply & 3, state[SEAT + ply] & 3
    hand, held = state[HANDS + seat], state[ALL + (ply >> 2)]
    partner, after, before = seat ^ 2, (seat + 1) & 3, (seat + 3) & 3
    led = state[CARD + ply - place] >> 4 if place else np.int64(-1)
    follows = place != 0 and ranks(hand, led) != 0
    tried, count = state[FIRST + ply], 0
    moves = MOVES + LISTED * ply
    for number in range(4):
        suit = np.int64(number)
        mine = ranks(hand, suit)
        if mine == 0 or (follows and suit != led):
            continue
        others = ranks(held, suit) & ~mine
        partner_top = top(ranks(state[HANDS + partner], suit))
        their_top = max(top(ranks(state[HANDS + after], suit)), top(ranks(state[HANDS + before], suit)))
        base = 0
        if place == 0:
            base = _lead_worth(state, trump, seat, suit)
        elif not follows and suit != trump:
            base = _DISCARD_LONG * size(mine)
            if top(mine) > max(partner_top, their_top):
                base += _DISCARD_FROM_TOP
            elif size(mine) == 2 and top(mine) < their_top:
                base += _DISCARD_GUARD
        rest, floor = mine, state[FLOOR + 4 * ply + suit]
        while rest:
            rank = top(rest)
            if rank < floor:
                break
            below = top(others & ((np.int64(1) << rank) - 1))
            rest = rest & ((np.int64(1) << below) - 1) if below >= 0 else np.int64(0)
            played = (suit << 4) + rank
            if tried >= 0 and tried >> 4 == suit and tried <= played and (tried & 15) > below:
                continue
            if place == 0:
                worth = base + _card_to_lead(rank, partner_top, their_top)
            else:
                worth = base + _card_to_follow(state, trump, ply, led, played)
                if not follows and suit == trump and not beats(played, state[BEST + ply - 1], trump):
                    worth += _TRUMP_FOR_NOTHING
            at = count
            while at > 0 and state[SCRATCH + at - 1] < worth:
                state[SCRATCH + at], state[moves + at] = state[SCRATCH + at - 1], state[moves + at - 1]
                at -= 1
            state[SCRATCH + at], state[moves + at] = worth, played
            count += 1
    state[COUNT + ply], state[TRIED + ply], state[FIRST + ply] = count, 0, -2
