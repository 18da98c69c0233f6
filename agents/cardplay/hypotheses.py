"""Infer hands from the cards played: conventions of opening leads, and the plays of third and last hand.

A hypothesis is a statement about the thirteen cards that a seat was dealt. It may be wrong; facts and the auction go
before it. Sources: Kobayashi and Uehara (2002) for the kind of hypotheses; the leads are the standard ones (king from
ace-king and king-queen, top of a sequence, fourth best, low from an honour, top of a doubleton).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView
from bridge_env.rules.calls import NOTRUMP
from bridge_env.rules.play import beats
from bridge_env.sampling import KnownCards

TEN, JACK, _, KING, ACE = range(8, 13)

Count = tuple[tuple[int, ...], int, int]
"""Some cards, and the least and most of them that the hand holds."""


@dataclass(frozen=True)
class Hypothesis:
    """A statement about a hand: in one of the alternatives all counts hold."""

    seat: int
    alternatives: tuple[tuple[Count, ...], ...]

    def violation(self, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Count the cards by which each hand, bool (M, 52), misses the nearest alternative: float32 (M,)."""
        least = np.full(len(hands), np.inf, np.float32)
        for counts in self.alternatives:
            off = np.zeros(len(hands), np.float32)
            for cards, lo, hi in counts:
                held = hands[:, list(cards)].sum(axis=1)
                off += np.maximum(lo - held, 0) + np.maximum(held - hi, 0)
            least = np.minimum(least, off)
        return least

    def possible(self, places: KnownCards) -> bool:
        """Return whether the places of the cards allow it."""
        may, alone = places.may_hold[self.seat], places.may_hold.sum(axis=0) == 1
        return any(
            all(
                sum(may[c] for c in cards) >= lo and sum(may[c] and alone[c] for c in cards) <= hi
                for cards, lo, hi in counts
            )
            for counts in self.alternatives
        )

    def lacking(self) -> list[int] | None:
        """Return the cards that the hand lacks, if the hypothesis says nothing else; otherwise None."""
        if len(self.alternatives) != 1 or any(hi > 0 for _, _, hi in self.alternatives[0]):
            return None
        return [card for cards, _, _ in self.alternatives[0] for card in cards]


def hypotheses(view: PlayView, row: int, seats: list[int]) -> list[Hypothesis]:
    """Infer hypotheses about the hands of ``seats`` from the cards played: conventions first, then in order of play."""
    length, strain = int(view.length[row]), int(view.strain[row])
    cards, players = view.cards[row, :length].tolist(), view.players[row, :length].tolist()
    found = []
    if length and players[0] in seats:
        lead = opening_lead(players[0], cards[0], strain)
        found += [lead] if lead is not None else []
    for start in range(0, length, 4):
        trick = cards[start : start + 4]
        if len(trick) >= 3 and players[start + 2] in seats:
            found += _third_hand(players[start + 2], trick, strain)
            if players[start + 1] == int(view.declarer[row]) ^ 2:
                found += _third_high(players[start + 2], trick, set(cards[:start]), view.dummy[row])
        if len(trick) == 4 and players[start + 3] in seats:
            own = {c for c, p in zip(cards[:start], players[:start], strict=True) if p == players[start + 3]}
            found += _last_hand(players[start + 3], trick, strain, own)
    return found


def opening_lead(seat: int, card: int, strain: int) -> Hypothesis | None:
    """Return what the opening lead of ``card`` suggests; None if any hand might lead it."""
    suit, rank = divmod(card, 13)
    if suit == strain or rank == ACE:
        return None
    if rank == KING:  # from ace-king or king-queen
        return Hypothesis(seat, ((((card + 1,), 1, 1),), (((card - 1,), 1, 1),)))
    if rank >= TEN:  # the top of a sequence, or short where there are trumps
        sequence = (((card - 1,), 1, 1), ((card + 1,), 0, 0))
        short = ((_between(suit, rank + 1, ACE), 0, 0), (_between(suit, 0, ACE), 1, 2))
        return Hypothesis(seat, (sequence,) if strain == NOTRUMP else (sequence, short))
    return _low_lead(seat, suit, rank, strain)


def _low_lead(seat: int, suit: int, rank: int, strain: int) -> Hypothesis:
    """Return what a low lead suggests: fourth best, low from an honour third, top of nothing, or short."""
    higher, lower = _between(suit, rank + 1, ACE), _between(suit, 0, rank - 1)
    honours = _between(suit, JACK, ACE)
    fourth: tuple[Count, ...] = ((higher, 3, 3),)
    honour_third: tuple[Count, ...] = ((higher, 2, 2), (lower, 0, 0), (honours, 1, 2))
    top_of_nothing: tuple[Count, ...] = ((higher, 0, 0), (lower, 1 if strain == NOTRUMP else 0, 2))
    return Hypothesis(seat, (fourth, honour_third, top_of_nothing))


def _third_hand(seat: int, trick: list[int], strain: int) -> list[Hypothesis]:
    """Infer from a high card in third hand that it is the lowest of touching cards."""
    led, second, third = trick[:3]
    if third // 13 != led // 13 or not (beats(third, led, strain) and third % 13 >= TEN):
        return []
    below = [c for c in range(third - 1, 13 * (third // 13) - 1, -1) if c not in (led, second)]
    return [Hypothesis(seat, ((((below[0],), 0, 0),),))] if below else []


def _third_high(seat: int, trick: list[int], earlier: set[int], dummy: NDArray[np.bool_]) -> list[Hypothesis]:
    """Infer from third hand's card over low ones (dummy has no honour there) that what it holds above touches it."""
    led, second, third = trick[:3]
    suit = led // 13
    if third // 13 != suit or led % 13 >= TEN or third % 13 < TEN or dummy[list(_between(suit, TEN, ACE))].any():
        return []
    higher = [card for card in _between(suit, third % 13 + 1, ACE) if card not in earlier and card != second]
    if not higher:
        return []
    shown = tuple(
        tuple(count for count in ((tuple(higher[:k]), k, k), (tuple(higher[k:]), 0, 0)) if count[0])
        for k in range(len(higher) + 1)
    )
    return [Hypothesis(seat, shown)]


def _last_hand(seat: int, trick: list[int], strain: int, before: set[int]) -> list[Hypothesis]:
    """Infer from last hand's card, beside those it played ``before``: the weakest that wins, else the weakest."""
    best, taker = trick[0], 0
    for place in (1, 2):
        if beats(trick[place], best, strain):
            best, taker = trick[place], place
    card, suit = trick[3], trick[3] // 13
    follows = suit == trick[0] // 13
    wins = beats(card, best, strain)
    if (not follows and suit != strain) or (wins and taker == 1):
        return []  # a discard says little, and why partner's trick was overtaken is not known
    lacking: set[int]
    if wins:
        floor = best + 1 if best // 13 == suit else 13 * suit
        lacking = set(range(floor, card))
    else:
        lacking = set(range(13 * suit, card))
        if taker != 1 and best // 13 == suit:  # the opponents' trick: it would have been won
            lacking |= set(range(best + 1, 13 * suit + 13))
    lacking -= before | set(trick)
    return [Hypothesis(seat, (((tuple(sorted(lacking)), 0, 0),),))] if lacking else []


def _between(suit: int, low: int, high: int) -> tuple[int, ...]:
    return tuple(range(13 * suit + low, 13 * suit + high + 1))
