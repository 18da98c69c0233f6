"""Hold all lines of one length of a search side by side, and make their children: kernels over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.deception.bits import (
    BITS,
    distinct_cards,
    ends,
    legal,
    step,
    turned,
    without,
)
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from bridge_env.rules.cards import UNKNOWN


@dataclass(frozen=True, eq=False)
class Level:
    """N positions, each in two deals."""

    hands: NDArray[np.int64]  # (N, 4), as bits, in turn
    imagined: NDArray[np.int64]  # (N, 4), the same in the other deal
    turn: NDArray[np.int64]  # (N,), whose turn it is
    at: NDArray[np.int64]  # (N, 9), as ``agents.cardplay.deception.bits`` says; tricks are counted from the root on
    trick: NDArray[np.int64]  # (N, 3), the cards of the present trick in order, padded with -1
    parent: NDArray[np.int64]  # (N,), rows of the level above

    def __len__(self) -> int:
        return len(self.turn)

    @property
    def mine(self) -> NDArray[np.bool_]:
        """Return where my side is to play."""
        out: NDArray[np.bool_] = self.at[:, 0] == 1
        return out

    @property
    def leader(self) -> NDArray[np.int64]:
        """Return the leader of the present trick: int64 (N,)."""
        return (self.turn - self.at[:, 4]) & 3

    def ended(self, longest: int) -> NDArray[np.bool_]:
        """Return which lines are at a leaf, bool (N,)."""
        out: NDArray[np.bool_] = _ended(self.hands, self.at, longest)
        return out

    def choices(self) -> NDArray[np.int64]:
        """Return the cards to choose from as bits, touching ones once, the lowest; theirs legal and touching in both
        deals.
        """
        out: NDArray[np.int64] = _choices(self.hands, self.imagined, self.at)
        return out

    def best(self, rows: NDArray[np.int64], looks: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the legal cards at ``rows``, theirs, with the greatest of ``looks`` (R, 52), -1 for cards without one.

        Returns:
            The cards as bits, and where there was any: bool (R,); else they are all that are legal.
        """
        cards, found = _best(self.hands[rows], self.imagined[rows], self.at[rows], looks)
        return cards, found

    def children(self, cards: NDArray[np.int64], strain: int) -> Level:
        """Return the positions after each of ``cards`` int64 (N,), bits."""
        n = int(_count(cards))
        out = Level(
            np.empty((n, 4), np.int64), np.empty((n, 4), np.int64), np.empty(n, np.int64), np.empty((n, 9), np.int64),
            np.empty((n, 3), np.int64), np.empty(n, np.int64),
        )  # fmt: skip
        _children(
            self.hands, self.imagined, self.turn, self.at, self.trick, cards, strain,
            out.hands, out.imagined, out.turn, out.at, out.trick, out.parent,
        )  # fmt: skip
        return out


def seats_of(hands: NDArray[np.int64], turn: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the seat that holds each card, uint8 (N, 52), of hands in turn."""
    left = np.full((len(hands), 52), UNKNOWN, np.uint8)
    for k in range(4):
        held = (hands[:, k, None] & BITS) != 0
        left = np.where(held, ((turn + k) & 3).astype(np.uint8)[:, None], left)
    return left


@njit
def _ended(hands, at, longest):  # type: ignore[no-untyped-def]
    out = np.empty(len(hands), np.bool_)
    for i in range(len(hands)):
        out[i] = at[i, 4] == 0 and ends(hands[i], at[i], longest)
    return out


@njit
def _choices(hands, imagined, at):  # type: ignore[no-untyped-def]
    out = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        cards = legal(hands[i, 0], at[i, 1])
        others = hands[i, 1] | hands[i, 2] | hands[i, 3] | at[i, 5]
        if not at[i, 0]:
            both = cards & legal(imagined[i, 0], at[i, 1])
            cards = both if both else cards
            others |= imagined[i, 1] | imagined[i, 2] | imagined[i, 3]
        out[i] = distinct_cards(cards, others)
    return out


@njit
def _best(hands, imagined, at, looks):  # type: ignore[no-untyped-def]
    cards, found = np.empty(len(hands), np.int64), np.zeros(len(hands), np.bool_)
    for i in range(len(hands)):
        may, most, chosen = legal(hands[i, 0], at[i, 1]), -0.5, 0
        for card in range(52):
            if may & BITS[card] and looks[i, card] > most - 1e-9:
                if looks[i, card] > most + 1e-9:
                    most, chosen = looks[i, card], 0
                chosen |= BITS[card]
        found[i] = chosen != 0
        others = hands[i, 1] | hands[i, 2] | hands[i, 3] | at[i, 5]
        others |= imagined[i, 1] | imagined[i, 2] | imagined[i, 3]
        cards[i] = distinct_cards(chosen if chosen else may, others)
    return cards, found


@njit
def _count(cards):  # type: ignore[no-untyped-def]
    total = 0
    for rest in cards:
        while rest:
            rest &= rest - 1
            total += 1
    return total


@njit
def _children(hands, imagined, turn, at, trick, cards, strain, hands_to, imagined_to, turn_to, at_to, trick_to, parent):  # type: ignore[no-untyped-def]
    k = 0
    for i in range(len(hands)):
        for card in range(52):
            bit = BITS[card]
            if cards[i] & bit == 0:
                continue
            a, b, c, d = hands[i]
            believed = (imagined[i, 0], imagined[i, 1], imagined[i, 2], imagined[i, 3])
            mine, led, best, ago, place, played, won, lost, left = at[i]
            by, then = step((mine, led, best, ago, place, played, won, lost, left), bit, strain)
            hands_to[k] = turned((a ^ bit, b, c, d), by)
            imagined_to[k] = turned(without(believed, bit), by)
            at_to[k] = then
            turn_to[k] = (turn[i] + by) & 3
            trick_to[k] = -1
            if place < 3:
                copy(trick[i, :place], trick_to[k, :place])
                trick_to[k, place] = card
            parent[k] = i
            k += 1
