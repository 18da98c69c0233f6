"""Read an auction: the hands of deals on which all seats make their calls, and what each seat has shown by that."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.seat_shown import SeatShown, seat_shown
from agents.systems.inference.hand_classes import NATURAL
from agents.systems.inference.shown import CallsShow, Memory, shown_by_calls
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import hand_features
from bridge_env.rng import streams
from bridge_env.rules.calls import FIRST_BID, level_of, strain_of
from bridge_env.sampling import KnownCards, sample_deals

_DEALS, _TRIES = 200, 20_000  # that are drawn, of so many at most
_FEW = 20  # deals: where fewer fit, a call is left out of account
_LONGEST, _LONGEST_LATER, _LONGEST_RAISE = 8, 6, 5  # cards of a bid in the first suit, in another, and in partner's
_NATURAL_LEVEL = 3  # higher, a bid may ask or show a control
_NATURAL, _RAISE = 4, 3  # cards that a bid shows which is meant otherwise; the same in partner's suit


@dataclass
class _Auction:
    """The calls of one row of a view, as the systems that ``bidder`` knows make them."""

    bidder: HierarchyBidder  # the seat to call
    view: BidView
    memory: Memory = field(default_factory=Memory)

    @cached_property
    def calls(self) -> list[int]:
        return self.view.history[0, : int(self.view.length[0])].tolist()

    def seat(self, number: int) -> int:
        return (int(self.view.dealer[0]) + number) & 3

    def of_seat(self, numbers: Collection[int], seat: int) -> list[int]:
        return [number for number in numbers if self.seat(number) == seat]

    def read(self, numbers: Collection[int]) -> dict[int, CallsShow]:
        """Return what some calls show, seat by seat."""
        return shown_by_calls(self.bidder, self.view, me=True, memory=self.memory, numbers=numbers)

    def draw(self, numbers: Collection[int], count: int) -> NDArray[np.uint8]:
        """Return up to ``count`` deals on which some calls are made, uint8 (N, 52)."""
        key = streams.key("shown")
        return sample_deals(KnownCards.seen({}), self.read(numbers), count, key, limit=_TRIES, nearest=False).owner

    def cue_bids(self) -> Iterator[int]:
        """Yield the numbers of bids that no line makes, in suits that an opponent of the caller has bid."""
        for number, call in enumerate(self.calls):
            theirs = {strain_of(each) for each in self.calls[:number][::-2] if each >= FIRST_BID}
            natural = call >= FIRST_BID and self.read([number])[self.seat(number)].readings[0] == NATURAL
            if natural and strain_of(call) in theirs:
                yield number

    def misfits(self, numbers: Collection[int], hand: NDArray[np.bool_]) -> list[int]:
        """Return the numbers of calls that a seat does not make on its hand bool (52,)."""
        return [number for number in numbers if not self.read([number])[self.seat(number)].fits(hand[None])[0]]

    def too_long(self, numbers: Collection[int]) -> int | None:
        """Return a bid that is read as more cards than anyone shows so."""
        for seat, shown in self.read(numbers).items():
            first = self.of_seat(range(len(self.calls)), seat)[0]
            for suit, least in enumerate(shown.lengths[:, 0].tolist()):
                mine, partners = (self._bids(suit, self.of_seat(numbers, each)) for each in (seat, seat ^ 2))
                most = _LONGEST if first in mine else _LONGEST_LATER
                if mine and least > (_LONGEST_RAISE if partners and partners[0] < mine[-1] else most):
                    return mine[-1]
        return None

    def _bids(self, strain: int, numbers: Collection[int]) -> list[int]:
        return [n for n in numbers if self.calls[n] >= FIRST_BID and strain_of(self.calls[n]) == strain]

    def contradiction(self, numbers: list[int]) -> int:
        """Return the first of some calls that hardly any deal fits together with those before it."""

        def contradicts(last: int) -> bool:
            return len(self.draw(numbers[: last + 1], _FEW)) < _FEW

        return numbers[bisect_left(range(len(numbers)), True, key=contradicts)]


def shown_by_seats(
    bidder: HierarchyBidder,
    view: BidView,
    seats: Container[int] = range(4),
    hand: tuple[int, NDArray[np.bool_]] | None = None,
) -> dict[int, SeatShown]:
    """Return what ``seats`` have shown in the one row of ``view``, those that have called: by deals on which they all
    make their calls by the systems that ``bidder`` knows.

    Left out of account is a call that hardly any deal fits together with those before it, and one that no line makes in
    a suit of the opponents. A bid that is read as more cards than anyone shows so is taken for natural.

    Args:
        bidder: the seat to call.
        hand: a seat and its cards bool (52,). What the seat has shown holds them; calls that it does not make on these
            are left out.
    """
    auction = _Auction(bidder, view)
    numbers = [number for number in range(len(auction.calls)) if auction.seat(number) in seats]
    out = {seat: SeatShown() for seat in dict.fromkeys(map(auction.seat, numbers))}
    misfits = [] if hand is None else auction.misfits(auction.of_seat(numbers, hand[0]), hand[1])
    numbers = [number for number in numbers if number not in {*misfits, *auction.cue_bids()}]
    natural = list[int]()
    while (number := auction.too_long(numbers)) is not None or len(owner := auction.draw(numbers, _DEALS)) < _FEW:
        if number is not None and level_of(auction.calls[number]) <= _NATURAL_LEVEL:
            natural.append(number)
        numbers.remove(auction.contradiction(numbers) if number is None else number)
    out |= {seat: seat_shown(hand_features(owner == seat), calls) for seat, calls in auction.read(numbers).items()}
    for number in natural:
        _add_natural(out, auction.seat(number), strain_of(auction.calls[number]))
    if hand is not None:
        seat, cards = hand
        left_out = tuple(auction.calls[number] for number in misfits)
        out[seat] = replace(out[seat].widened(hand_features(cards[None])[0]), left_out=left_out)
    return out


def _add_natural(shown: dict[int, SeatShown], seat: int, suit: int) -> None:
    """Let a seat show the suit that it has bid."""
    partner = shown.get(seat ^ 2, SeatShown()).lengths[suit][0]
    lengths = list(shown[seat].lengths)
    least = max(lengths[suit][0], _NATURAL if partner < _NATURAL else _RAISE)
    lengths[suit] = (least, max(least, lengths[suit][1], 13))
    shown[seat] = replace(shown[seat], lengths=tuple(lengths))
