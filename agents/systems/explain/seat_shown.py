"""Describe what each seat has shown, by hands on which all seats make their calls."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.measured_text import SUIT_SYMBOLS
from agents.systems.explain.player_terms import SUIT_NAMES, span
from agents.systems.inference.hand_classes import NATURAL
from agents.systems.inference.shown import CallsShow, Memory, shown_by_calls
from agents.systems.language.tree import INFINITE
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import FEATURES, HCP, HCP_AND_LENGTHS, LENGTH, hand_features
from bridge_env.rng import streams
from bridge_env.rules.calls import FIRST_BID, PASS, strain_of
from bridge_env.rules.cards import SUITS
from bridge_env.sampling import KnownCards, sample_deals

NOTHING = "nothing particular"
_DEALS, _TRIES = 400, 20_000  # that are drawn, of so many at most
_FEW = 20  # deals: where fewer fit, a call is left out of account
_TAIL = 0.01  # of the hands lie below a range, and as many above
_NEAR_POINTS, _NEAR_CARDS = 3, 1  # how far a drawn end may be from one that is possible, to be taken for it
_UNLIMITED = 30  # HCP: who may hold so many has no upper limit
_SUIT, _SHORT = 3, 3  # cards: the least that a suit is named with, and the most that are called short
_NARROW = 2  # cards between the least and the most: of a wider range only the least is named
_LONGEST_BALANCED = 6  # cards: 1NT may hold a minor so long
_ACES = 8  # HCP: a seat that holds fewer shows nothing by its aces
_ANSWERS = ((0, 3), (1, 4), (0, 4))  # numbers of aces or key cards that one answer leaves open


@dataclass(frozen=True)
class SeatShown:
    """What the calls of a seat show: the ranges of hands that make them."""

    hcp: tuple[int, int]  # the most is INFINITE where calls set none
    lengths: tuple[tuple[int, int], ...]  # of C D H S
    aces: tuple[int, ...]  # how many they may be
    keycards: tuple[tuple[int, ...], ...]  # the same with C D H S as trumps
    left_out: tuple[int, ...] = ()  # calls of the seat that its hand does not make by its system

    def __str__(self) -> str:
        return self._written("{} {}".format, list(SUIT_NAMES.values()))

    @property
    def short(self) -> str:
        """Return it as pages have it: ``12-21 HCP, 5+♠``."""
        return self._written("{}{}".format, SUIT_SYMBOLS)

    def __bool__(self) -> bool:
        """Return whether the calls say anything at all of the hand."""
        return str(self) != NOTHING

    def widened(self, hand: NDArray[np.int16]) -> SeatShown:
        """Return ranges that hold a hand, too, int16 (NUM_FEATURES,)."""
        points, *lengths = (
            (min(low, int(value)), max(high, int(value)))
            for value, (low, high) in zip(hand[HCP_AND_LENGTHS], (self.hcp, *self.lengths), strict=True)
        )
        return replace(self, hcp=points, lengths=tuple(lengths))

    def _written(self, of: Callable[[str, str], str], names: Sequence[str]) -> str:
        parts = [f"{span(*self.hcp)} HCP"] if self.hcp != (0, INFINITE) else []
        if min(low for low, _ in self.lengths) >= 2 and max(high for _, high in self.lengths) <= _LONGEST_BALANCED:
            parts.append("balanced")
        parts += [of(cards, names[suit]) for suit in (3, 2, 1, 0) if (cards := _cards(*self.lengths[suit]))]
        if self.hcp[1] >= _ACES:
            answers = [_answer(self.aces, "ace", "aces")]
            for name, numbers in zip(names, self.keycards, strict=False):
                answers.append(_answer(numbers, f"key card for {name}", f"key cards for {name}"))
            parts += list(filter(None, answers))[:1]
        return ", ".join(parts) or NOTHING


_UNKNOWN = SeatShown((0, INFINITE), ((0, 13),) * 4, (), ())


def shown_by_seats(
    bidder: HierarchyBidder,
    view: BidView,
    seats: Container[int] = range(4),
    hand: tuple[int, NDArray[np.bool_]] | None = None,
) -> dict[int, SeatShown]:
    """Return what ``seats`` have shown in the one row of ``view``, those that have called: by deals on which they all
    make their calls by the systems that ``bidder`` knows.

    A call that no line makes in a suit of the opponents, or that no deal fits together with those before it, is left
    out of account.

    Args:
        bidder: the seat to call.
        hand: a seat and its cards bool (52,). What the seat has shown holds them; calls that it does not make on these
            are left out.
    """
    dealer, memory = int(view.dealer[0]), Memory()

    def draw(numbers: Collection[int]) -> tuple[dict[int, CallsShow], NDArray[np.uint8]]:
        shown = shown_by_calls(bidder, view, me=True, memory=memory, numbers=numbers)
        sample = sample_deals(KnownCards.seen({}), shown, _DEALS, streams.key("shown"), limit=_TRIES)
        return shown, sample.owner[sample.violation == 0]

    every = shown_by_calls(bidder, view, me=True, memory=memory)
    ignored = set(_natural_in_their_suit(view, every))
    numbers = [number for number in range(int(view.length[0])) if (dealer + number) & 3 in seats]
    misfits = []
    if hand is not None:
        own = [number for number in numbers if (dealer + number) & 3 == hand[0]]
        read = {number: shown_by_calls(bidder, view, me=True, memory=memory, numbers=[number]) for number in own}
        misfits = [number for number in own if not read[number][hand[0]].fits(hand[1][None])[0]]
        ignored |= set(misfits)
    numbers = [number for number in numbers if number not in ignored]
    shown, owner = draw(numbers)
    while len(owner) < _FEW:
        numbers.pop(bisect_left(range(len(numbers)), True, key=lambda last: len(draw(numbers[: last + 1])[1]) < _FEW))
        shown, owner = draw(numbers)
    out = {seat: _UNKNOWN for seat in every if seat in seats}
    out |= {seat: _summary(hand_features(owner == seat), calls) for seat, calls in shown.items()}
    if hand is not None:
        seat, cards = hand
        left_out = tuple(view.history[0, misfits].tolist())
        out[seat] = replace(out[seat].widened(hand_features(cards[None])[0]), left_out=left_out)
    return out


def _natural_in_their_suit(view: BidView, read: Mapping[int, CallsShow]) -> Iterator[int]:
    """Yield the numbers of calls that no line makes, in suits that an opponent of the caller has bid."""
    calls, dealer = view.history[0, : int(view.length[0])].tolist(), int(view.dealer[0])
    for seat, own in read.items():
        for number, reading in zip(range((seat - dealer) & 3, len(calls), 4), own.readings.tolist(), strict=True):
            theirs = {strain_of(call) for call in calls[number - 1 :: -2] if call >= FIRST_BID} if number else set()
            if reading == NATURAL and calls[number] >= FIRST_BID and strain_of(calls[number]) in theirs:
                yield number


def _summary(hands: NDArray[np.int16], calls: CallsShow) -> SeatShown:
    low, high = _ends(hands[:, HCP], calls.points, _NEAR_POINTS)
    lengths = []
    for suit, (least, most) in enumerate(calls.lengths.tolist()):
        fewest, longest = _ends(hands[:, LENGTH + suit], (least, most), _NEAR_CARDS)
        lengths.append((fewest, longest if longest <= _SHORT else most))
    return SeatShown(
        (low if (calls.calls != PASS).any() else 0, high if calls.points[1] < _UNLIMITED else INFINITE),
        tuple(lengths),
        _numbers(hands, "aces"),
        tuple(_numbers(hands, f"keycards:{suit}") for suit in SUITS),
    )


def _numbers(hands: NDArray[np.int16], feature: str) -> tuple[int, ...]:
    return tuple(np.unique(hands[:, FEATURES[feature]]).tolist())


def _ends(values: NDArray[np.int16], possible: Sequence[int], near: int) -> tuple[int, int]:
    """Return the range of 98 in 100 values; where an end of what is possible is ``near``, that one."""
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL], method="closest_observation").tolist()
    least, most = possible
    return (least if low - least <= near else low), (most if most - high <= near else high)


def _cards(low: int, high: int) -> str:
    """Write a length that says something, ``5+``, ``4`` or ``0-3``; nothing for another."""
    if low < _SUIT:
        return span(0 if low == 1 < high else low, high) if high <= _SHORT else ""
    return span(low, high if high - low <= _NARROW else INFINITE)


def _answer(numbers: Sequence[int], one: str, more: str) -> str:
    """Write one number of cards, or two that an answer to an asking bid leaves open; nothing for others."""
    if len(numbers) > 1 and numbers not in _ANSWERS:
        return ""
    return f"{' or '.join(map(str, numbers))} {one if numbers == (1,) else more}"
