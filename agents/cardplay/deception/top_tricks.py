"""The published leaf of a line of play: 0 if the contract fails, else top tricks (Kobayashi and Uehara, 2002).

The paper says no more than that. Here it means, for the side whose card is thought about, at the start of a trick:

- The side on lead cashes what it can from the top, suit by suit, both of its hands seen together; how it gets from one
  hand to the other is not looked at. In a suit that is as many rounds as it holds cards above all cards of the other
  side, and no more than its longer holding; if the other side has none left after those, all of the longer holding.
  With trumps it draws rounds of them so first; in the other suits it then cashes only as long as each opponent who has
  trumps left follows. It cannot cash more tricks than are left.
- What it cashes is added to the tricks that it has won. Where the other side has then reached its goal, the value is 0:
  declarer's is the contract, the defenders' to beat it. Else it is the tricks of one's own side.

So a defender's leaf is declarer's, mirrored. Hands are bits (``agents.cardplay.deception.bits``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.deception.bits import SUIT, below, count, hand_bits
from bridge_env.calls import NOTRUMP
from bridge_env.kernels import njit


@njit
def cashed(leader, second, partner, fourth, strain):  # type: ignore[no-untyped-def]
    """Tricks that the leader's side can cash from the top; the hands in turn, as bits."""
    second_trumps, fourth_trumps, total = 0, 0, 0
    for place in range(5):
        suit = strain if place == 0 else place - 1
        if suit == NOTRUMP or (place > 0 and suit == strain):
            continue
        shift = 16 * suit
        a, b = leader >> shift & SUIT, second >> shift & SUIT
        c, d = partner >> shift & SUIT, fourth >> shift & SUIT
        longest = max(count(a), count(c))
        rounds = min(count((a | c) & ~below(b | d)), longest)
        second_length, fourth_length = count(b), count(d)
        if place > 0 and second_trumps > 0:
            rounds = min(rounds, second_length)
        if place > 0 and fourth_trumps > 0:
            rounds = min(rounds, fourth_length)
        if rounds >= second_length and rounds >= fourth_length and not (second_trumps > 0 or fourth_trumps > 0):
            rounds = longest
        if place == 0:
            second_trumps, fourth_trumps = second_length - rounds, fourth_length - rounds
        total += rounds
    return min(total, count(leader))


@njit(forceinline=True)
def leaf_value(leader, second, partner, fourth, strain, mine, won, lost, fatal):  # type: ignore[no-untyped-def]
    """Return what a leaf is worth to my side: tricks, 0 where the other side has reached its goal.

    Args:
        leader, second, partner, fourth: the hands in turn.
        mine: is it my side that leads?
        won, lost: tricks of my side and of theirs so far.
        fatal: tricks that theirs need for their goal.
    """
    more = cashed(leader, second, partner, fourth, strain)
    if mine:
        return won + more if lost < fatal else 0
    return won if lost + more < fatal else 0


def published_leaf(left: NDArray[np.uint8], leader: int, strain: int, side: int, won: int, lost: int, goal: int) -> int:
    """``leaf_value`` of a position, uint8 (52,), the seat that holds each card; ``goal``: tricks my ``side`` needs."""
    hands = np.roll(hand_bits(left), -leader).tolist()
    return int(leaf_value(*hands, strain, (leader ^ side) & 1 == 0, won, lost, 14 - goal))
