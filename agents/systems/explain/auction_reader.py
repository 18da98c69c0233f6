"""Read an auction: the hands of deals on which all seats make their calls, and what each seat has shown by that."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.seat_shown import SeatShown, seat_shown
from agents.systems.inference.hand_classes import NATURAL
from agents.systems.inference.shown import CallsShow, Memory, shown_by_calls
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import LENGTH, hand_features
from bridge_env.rng import streams
from bridge_env.rules.calls import FIRST_BID, NOTRUMP, level_of, strain_of
from bridge_env.sampling import KnownCards, sample_deals

_DEALS, _TRIES = 200, 20_000  # that are drawn, of so many at most
_FEW = 20  # deals: where fewer fit, a call is left out of account
# of a game that is opened, of the first suit, of another, and of partner's
_MOST_OPENED, _MOST_FIRST, _MOST_LATER, _MOST_RAISED = 8, 7, 6, 5  # cards
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
            if call >= FIRST_BID and strain_of(call) in theirs and self.is_natural(number):
                yield number

    def is_natural(self, number: int) -> bool:
        """Return whether no line makes a call."""
        return bool(self.read([number])[self.seat(number)].readings[0] == NATURAL)

    def names_a_suit(self, number: int) -> bool:
        """Return whether a call may be taken for a natural bid of a suit."""
        call = self.calls[number]
        return call >= FIRST_BID and strain_of(call) != NOTRUMP and level_of(call) <= _NATURAL_LEVEL

    def misfits(self, numbers: Collection[int], hand: NDArray[np.bool_]) -> list[int]:
        """Return the numbers of calls that a seat does not make on its hand bool (52,)."""
        return [number for number in numbers if not self.read([number])[self.seat(number)].fits(hand[None])[0]]

    def too_long(self, numbers: Collection[int], least: Mapping[int, Sequence[int]]) -> int | None:
        """Return a call by which a seat is read as longer than anyone is in a suit that it bids.

        Args:
            least: the cards of C D H S that are read, by seat.
        """
        for seat, cards in least.items():
            own, partner = self.of_seat(numbers, seat), least.get(seat ^ 2, [0] * 4)
            first = self.of_seat(range(len(self.calls)), seat)[0]
            for suit in range(4):
                mine = self._bids(suit, own)
                opened = first in mine and len(mine) == 1 and level_of(self.calls[first]) > _NATURAL_LEVEL
                most = _MOST_LATER if first not in mine else _MOST_OPENED if opened else _MOST_FIRST
                before = self._bids(suit, self.of_seat(range(mine[0] if mine else 0), seat ^ 2))
                most = _MOST_RAISED if before and partner[suit] >= _NATURAL else most
                if mine and cards[suit] > most:
                    upto = [self.read(own[: k + 1])[seat].lengths[suit, 0] > most for k in range(len(own))]
                    return own[upto.index(True)] if True in upto else mine[-1]
        return None

    def _bids(self, strain: int, numbers: Collection[int]) -> list[int]:
        return [n for n in numbers if self.calls[n] >= FIRST_BID and strain_of(self.calls[n]) == strain]

    def contradiction(self, numbers: Collection[int], own: int | None) -> int:
        """Return the first of some calls that hardly any deal fits together with those before it; those of the seat
        ``own``, which its hand makes, come first.
        """
        order = sorted(numbers, key=lambda number: (self.seat(number) != own, number))

        def contradicts(last: int) -> bool:
            return len(self.draw(order[: last + 1], _FEW)) < _FEW

        return order[bisect_left(range(len(order)), True, key=contradicts)]

    def consistent(self, numbers: list[int], own: int | None) -> tuple[list[int], list[int], NDArray[np.uint8]]:
        """Return those of some calls that fit together, others that are taken for natural bids of their suit, and deals
        on which the first are made, uint8 (N, 52).
        """
        natural = list[int]()
        while True:
            read = self.read(numbers)
            misread = self.too_long(numbers, {seat: shown.lengths[:, 0].tolist() for seat, shown in read.items()})
            if misread is None:
                owner = self.draw(numbers, _DEALS)
                misread = self.too_long(numbers, {seat: _least_cards(owner == seat) for seat in read if len(owner)})
                if misread is None and len(owner) >= _FEW:
                    return numbers, natural, owner
            contradicts = misread is None
            if misread is None:
                misread = self.contradiction(numbers, own)
            if self.names_a_suit(misread) and (not contradicts or self.is_natural(misread)):
                natural.append(misread)
            numbers = [number for number in numbers if number != misread]


def _least_cards(hands: NDArray[np.bool_]) -> list[int]:
    return hand_features(hands)[:, LENGTH : LENGTH + 4].min(axis=0).tolist()


def shown_by_seats(
    bidder: HierarchyBidder,
    view: BidView,
    seats: Container[int] = range(4),
    hand: tuple[int, NDArray[np.bool_]] | None = None,
) -> dict[int, SeatShown]:
    """Return what ``seats`` have shown in the one row of ``view``, those that have called: by deals on which they all
    make their calls by the systems that ``bidder`` knows.

    Left out is a call that hardly any deal fits together with those before it, and one that no line makes in a suit of
    the opponents. A bid that is read as more cards than anyone shows so is taken for natural.

    Args:
        bidder: the seat to call.
        hand: a seat and its cards bool (52,). What the seat has shown holds them; calls that it does not make on these
            are left out.
    """
    auction = _Auction(bidder, view)
    numbers = [number for number in range(len(auction.calls)) if auction.seat(number) in seats]
    out = {seat: SeatShown() for seat in dict.fromkeys(map(auction.seat, numbers))}
    ignored = set(auction.cue_bids())
    if hand is not None:
        ignored |= set(auction.misfits(auction.of_seat(numbers, hand[0]), hand[1]))
    own = None if hand is None else hand[0]
    fitting, natural, owner = auction.consistent([number for number in numbers if number not in ignored], own)
    out |= {seat: seat_shown(hand_features(owner == seat), calls) for seat, calls in auction.read(fitting).items()}
    for number in natural:
        _add_natural(out, auction.seat(number), strain_of(auction.calls[number]))
    if hand is not None:
        seat, cards = hand
        out[seat] = out[seat].widened(hand_features(cards[None])[0])
    foreign = [number for number in numbers if number not in {*fitting, *natural}]
    return {
        seat: replace(one, foreign=tuple(auction.calls[number] for number in auction.of_seat(foreign, seat)))
        for seat, one in out.items()
    }


def _add_natural(shown: dict[int, SeatShown], seat: int, suit: int) -> None:
    """Let a seat show the suit that it has bid."""
    partner = shown.get(seat ^ 2, SeatShown()).lengths[suit][0]
    lengths = list(shown[seat].lengths)
    lengths[suit] = (max(lengths[suit][0], _NATURAL if partner < _NATURAL else _RAISE), 13)
    shown[seat] = replace(shown[seat], lengths=tuple(lengths))
