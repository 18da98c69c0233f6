"""Follow lines of play side by side, each in two deals: the real one, and one that an opponent imagines.

All lines of a batch have the same number of cards played, so that the trick in progress has the same length in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.table import distinct_cards
from bridge_env.rules.cards import UNKNOWN

Cards = NDArray[np.bool_]
"""Some cards of each line, bool (N, 52)."""

_CARD = np.arange(52)
_SUIT, _RANK = _CARD // 13, _CARD % 13
# [wanted card, held card]: a hand that should play the wanted card and does not hold it plays the held card of the
# least distance: the nearest of the suit (of two the lower one), else the lowest, clubs first.
_DISTANCE = np.where(
    _SUIT[:, None] == _SUIT, 2 * np.abs(_CARD[:, None] - _CARD) + (_CARD[:, None] < _CARD), 100 + 4 * _RANK + _SUIT
)
_NEVER = 1000


@dataclass(frozen=True, eq=False)
class Lines:
    """N positions, each in two deals."""

    left: NDArray[np.uint8]  # (N, 52), the seat that still holds each card, 255 once it is played
    imagined: NDArray[np.uint8]  # (N, 52), the same in the other deal
    leader: NDArray[np.int64]  # (N,), of the trick in progress
    trick: NDArray[np.int8]  # (N, 3), its cards, padded with -1
    length: int  # how many it has
    won: NDArray[np.int64]  # (N,), tricks of my side since the root
    tricks: int  # that may still be begun before the depth is reached
    parent: NDArray[np.int64]  # (N,), rows of the lines one card before
    side: int  # mine
    strain: int

    @classmethod
    def of(
        cls, left: NDArray[np.uint8], imagined: NDArray[np.uint8], leader: int, trick: tuple[int, ...], side: int,
        strain: int, depth: int,
    ) -> Lines:  # fmt: skip
        """Return the lines to begin with, all in the same trick: ``depth`` more may be completed."""
        n, cards = len(left), np.array([*trick, -1, -1, -1][:3], np.int8)
        zeros = np.zeros(n, np.int64)
        return cls(
            left, imagined, zeros + leader, np.tile(cards, (n, 1)), len(trick), zeros, depth, zeros, side, strain
        )

    def __len__(self) -> int:
        return len(self.leader)

    @cached_property
    def turn(self) -> NDArray[np.int64]:
        """Return the hand to play: int64 (N,)."""
        return (self.leader + self.length) & 3

    @cached_property
    def mine(self) -> NDArray[np.bool_]:
        """Return where my side is to play: bool (N,)."""
        return (self.turn ^ self.side) & 1 == 0

    @cached_property
    def cards_left(self) -> NDArray[np.int64]:
        """Return how many cards the hand to play has: int64 (N,)."""
        return (self.left == self.turn[:, None]).sum(axis=1)

    def ended(self, longest: int) -> NDArray[np.bool_]:
        """Return which lines end here, bool (N,): without cards, or at the depth (``longest`` more if they lead)."""
        if self.length:
            return np.zeros(len(self), np.bool_)
        out: NDArray[np.bool_] = self.cards_left == 0
        return out | (self.tricks <= 0) & (self.mine | (self.tricks <= -longest))

    def choices(self) -> Cards:
        """Return the cards to choose from, touching ones once, the lowest; theirs legal and touching in both deals."""
        legal = self._legal(self.left)
        both = legal & self._legal(self.imagined)
        return self._distinct(np.where((both.any(axis=1) & ~self.mine)[:, None], both, legal))

    def best(self, rows: NDArray[np.int64], values: NDArray[np.float64]) -> tuple[Cards, NDArray[np.bool_]]:
        """Return their legal cards of the greatest value at ``rows``; ``values`` is (R, 52), -1 for cards without one.

        Returns:
            The cards, touching ones once; and where there was any: bool (R,); else they are all that are legal.
        """
        part = self.take(rows)
        legal = part._legal(part.left)
        values = np.where(legal, values, -1.0)
        most = values.max(axis=1)
        found = most > -0.5
        return part._distinct(legal & (~found[:, None] | (values >= most[:, None] - 1e-9))), found

    def children(self, cards: Cards) -> Lines:
        """Return the lines after each of ``cards``."""
        parent, card = np.nonzero(cards)
        rows, turn, leader, won = np.arange(len(parent)), self.turn[parent], self.leader[parent], self.won[parent]
        left, imagined, trick = self.left[parent], self.imagined[parent], self.trick[parent]
        left[rows, card] = UNKNOWN
        # Where another hand holds the card in the imagined deal, the two hands swap it for the nearest one.
        given = np.where(imagined == turn[:, None], _DISTANCE[card], _NEVER).argmin(axis=1)
        imagined[rows, given] = imagined[rows, card]
        imagined[rows, card] = UNKNOWN
        length, tricks = self.length + 1, self.tricks
        if length < 4:
            trick[:, self.length] = card
        else:
            leader = (leader + _winner(np.column_stack([trick, card]), self.strain)) & 3
            won = won + ((leader ^ self.side) & 1 == 0)
            trick[:], length, tricks = -1, 0, tricks - 1
        return Lines(left, imagined, leader, trick, length, won, tricks, parent, self.side, self.strain)

    def take(self, rows: NDArray[np.int64]) -> Lines:
        """Return some of the lines."""
        return Lines(
            self.left[rows], self.imagined[rows], self.leader[rows], self.trick[rows], self.length, self.won[rows],
            self.tricks, self.parent[rows], self.side, self.strain,
        )  # fmt: skip

    def _legal(self, holder: NDArray[np.uint8]) -> Cards:
        held: Cards = holder == self.turn[:, None]
        if not self.length:
            return held
        following = held & (self.trick[:, :1] // 13 == _SUIT)
        return np.where(following.any(axis=1, keepdims=True), following, held)

    def _distinct(self, cards: Cards) -> Cards:
        """Return the lowest of touching cards; what lies elsewhere in the imagined deal separates only theirs."""
        turn = self.turn[:, None]
        elsewhere = (self.left != turn) & (self.left != UNKNOWN)
        elsewhere |= (self.imagined != turn) & (self.imagined != UNKNOWN) & ~self.mine[:, None]
        for k in range(self.length):
            elsewhere[np.arange(len(self)), self.trick[:, k]] = True
        return distinct_cards(cards, elsewhere)


def _winner(trick: NDArray[np.int8], strain: int) -> NDArray[np.intp]:
    """Return which of the four cards of each trick (N, 4) wins: 0..3."""
    suit = trick // 13
    strength = np.where(suit == strain, trick + 52, np.where(suit == suit[:, :1], trick, -1))
    return strength.argmax(axis=1)
