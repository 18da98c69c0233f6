"""Record which seats may hold each card, before any constraint on the hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.rules.cards import SEATS, SUITS, UNKNOWN, parse_seat

Hand = str | NDArray[np.bool_] | Iterable[int]


class KnownCardsError(ValueError):
    """No deal fits the known cards; the message says why."""


@dataclass(frozen=True, eq=False)
class KnownCards:
    """Which seats may hold each card, and how many cards each seat holds.

    Attributes:
        may_hold: bool (4, 52) [seat, card]. A card that no seat may hold is out of the game.
        sizes: int64 (4,), cards of each seat: 13, or fewer late in the play.
    """

    may_hold: NDArray[np.bool_]
    sizes: NDArray[np.int64]

    @classmethod
    def seen(cls, hands: Mapping[str | int, Hand], sizes: ArrayLike = 13, removed: Hand = ()) -> KnownCards:
        """Start from the cards that were seen; the others may be anywhere else.

        Args:
            hands: seat -> its known cards: ``"AKQ2.T98.J7.A543"``, bool (52,) or card numbers. A whole hand or
                some cards of it, such as those it has played.
            sizes: cards of each seat, one number or four.
            removed: cards that no seat holds any more. Constraints from the auction are about all thirteen cards of a
                hand: where they matter, leave played cards with those who played them, and the sizes at 13.

        >>> KnownCards.seen({"S": "AKQ2.T98.J7.A543"}).may_hold.sum(axis=1).tolist()
        [39, 39, 13, 39]
        """
        may_hold = np.ones((4, 52), bool)
        for name, hand in hands.items():
            seat, held = parse_seat(name), _as_hand(hand)
            twice = held & ~may_hold[seat]
            if twice.any():
                raise KnownCardsError(f"two seats hold {hand_text(twice)}")
            may_hold[:, held] = False
            may_hold[seat, held] = True
        may_hold[:, _as_hand(removed)] = False
        return cls(may_hold, _as_sizes(sizes)).propagated()

    @classmethod
    def of(cls, owner: ArrayLike, sizes: ArrayLike = 13) -> KnownCards:
        """Start from ``owner`` (52,), 255 where the holder is unknown."""
        o = np.asarray(owner)
        may_hold = (o == np.arange(4)[:, None]) | (o == UNKNOWN)
        return cls(may_hold, _as_sizes(sizes)).propagated()

    def without(self, seat: str | int, suit: str | int) -> KnownCards:
        """Note that ``seat`` showed out of ``suit``: it holds no further card of it. Cards known to be its own stay."""
        which = SUITS.index(suit) if isinstance(suit, str) else suit
        may_hold = self.may_hold.copy()
        row = parse_seat(seat)
        elsewhere = may_hold.sum(axis=0) > may_hold[row]
        cards = np.arange(52) // 13 == which
        may_hold[row, cards & elsewhere] = False
        return KnownCards(may_hold, self.sizes).propagated()

    def propagated(self) -> KnownCards:
        """Return the same with all direct consequences: a seat whose cards are all known holds no others.

        Raises:
            KnownCardsError: no deal fits.
        """
        may_hold = self.may_hold.copy()
        while True:
            before = int(may_hold.sum())
            own = may_hold & (may_hold.sum(axis=0) == 1)
            for seat in range(4):
                if own[seat].sum() == self.sizes[seat]:
                    may_hold[seat] = own[seat]
                elif may_hold[seat].sum() == self.sizes[seat]:
                    others = np.arange(4) != seat
                    may_hold[np.ix_(others, may_hold[seat])] = False
            if int(may_hold.sum()) == before:
                break
        self._check(may_hold)
        return KnownCards(may_hold, self.sizes)

    def _check(self, may_hold: NDArray[np.bool_]) -> None:
        dealt = int(may_hold.any(axis=0).sum())
        if dealt != int(self.sizes.sum()):
            sizes = " ".join(f"{SEATS[s]} {self.sizes[s]}" for s in range(4))
            raise KnownCardsError(f"{dealt} cards are in the game, but the seats hold {sizes}")
        for count in (1, 2, 3):  # Hall: what only these seats may hold must find room there
            for seats in combinations(range(4), count):
                others = [s for s in range(4) if s not in seats]
                only = int((may_hold.any(axis=0) & ~may_hold[others].any(axis=0)).sum())
                room = int(self.sizes[list(seats)].sum())
                if only > room:
                    names = "".join(SEATS[s] for s in seats)
                    raise KnownCardsError(f"{only} cards must lie with {names}, but there is room for {room} only")


def _as_hand(hand: Hand) -> NDArray[np.bool_]:
    if isinstance(hand, str):
        return parse_hand(hand)
    cards = np.asarray(hand if isinstance(hand, np.ndarray) else list(hand))
    if cards.dtype == np.bool_:
        return cards
    held = np.zeros(52, bool)
    held[cards.astype(np.int64)] = True
    return held


def _as_sizes(sizes: ArrayLike) -> NDArray[np.int64]:
    return np.broadcast_to(np.asarray(sizes, np.int64), 4).copy()
