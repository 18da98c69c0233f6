"""Record which seats may hold each card, before any constraint on the hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.rules.cards import SEATS, UNKNOWN, card_text, parse_seat

HAND = 13  # cards
Hand = str | NDArray[np.bool_]


class KnownCardsError(ValueError):
    """No deal fits the known cards; the message says why."""


@dataclass(frozen=True, eq=False)
class KnownCards:
    """The seats that may hold each card; every seat holds thirteen.

    Attributes:
        may_hold: bool (4, 52) [seat, card].
    """

    may_hold: NDArray[np.bool_]

    @classmethod
    def seen(cls, hands: Mapping[str | int, Hand]) -> KnownCards:
        """Start from the cards that were seen; the others may be anywhere else.

        Args:
            hands: seat -> its known cards: ``"AKQ2.T98.J7.A543"`` or bool (52,), all or some cards of its hand, such as
                those it has played.

        >>> KnownCards.seen({"S": "AKQ2.T98.J7.A543"}).may_hold.sum(axis=1).tolist()
        [39, 39, 13, 39]
        """
        may_hold = np.ones((4, 52), bool)
        for name, hand in hands.items():
            seat, held = parse_seat(name), parse_hand(hand) if isinstance(hand, str) else np.asarray(hand, bool)
            twice = held & ~may_hold[seat]
            if twice.any():
                raise KnownCardsError(f"two seats hold {hand_text(twice)}")
            may_hold[:, held] = False
            may_hold[seat, held] = True
        return cls(may_hold).propagated()

    @classmethod
    def of(cls, owner: ArrayLike) -> KnownCards:
        """Start from ``owner`` (52,), 255 where the holder is unknown."""
        o = np.asarray(owner)
        may_hold = (o == np.arange(4)[:, None]) | (o == UNKNOWN)
        return cls(may_hold).propagated()

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
                if own[seat].sum() == HAND:
                    may_hold[seat] = own[seat]
                elif may_hold[seat].sum() == HAND:
                    others = np.arange(4) != seat
                    may_hold[np.ix_(others, may_hold[seat])] = False
            if int(may_hold.sum()) == before:
                break
        _check(may_hold)
        return KnownCards(may_hold)


def _check(may_hold: NDArray[np.bool_]) -> None:
    nowhere = np.flatnonzero(~may_hold.any(axis=0))
    if nowhere.size:
        raise KnownCardsError(f"no seat may hold {card_text(int(nowhere[0]))}")
    for count in (1, 2, 3):  # Hall: the cards that only these seats may hold must find room there
        for seats in combinations(range(4), count):
            others = [s for s in range(4) if s not in seats]
            only = int((~may_hold[others].any(axis=0)).sum())
            if only > HAND * count:
                names = "".join(SEATS[s] for s in seats)
                raise KnownCardsError(f"{only} cards must lie with {names}, but there is room for {HAND * count} only")
