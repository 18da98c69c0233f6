"""Describe what a seat has shown by its calls: the ranges of hands that make them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.measured_text import SUIT_SYMBOLS, TAIL
from agents.systems.explain.player_terms import SUIT_NAMES, of_call, span, symbols
from agents.systems.explain.ranges import Ranges
from agents.systems.inference.shown import CallsShow
from agents.systems.language.tree import INFINITE
from bridge_env.hands.features import FEATURES, HCP, HCP_AND_LENGTHS, LENGTH
from bridge_env.rules.calls import PASS
from bridge_env.rules.cards import SUITS

NOTHING = "nothing particular"
_MOST = 0.98  # of the hands are balanced where a seat is called so
_NEAR_LOW, _NEAR_HIGH = 1, 2  # HCP by which drawn hands may miss an end that is possible
_UNLIMITED = 30  # HCP: calls on which a seat may hold so many set no upper limit
_TO_SPARE = 17  # HCP: fewer that others leave to a seat that only passed are named
_SUIT, _SHORT = 3, 3  # cards: the least that a suit is named with, and the most that are called short
_NARROW = 2  # cards between the least and the most: of a wider range only the least is named
_ACES = 8  # HCP: a seat that holds fewer shows nothing by its aces
_ANSWERS = ((0, 3), (1, 4), (0, 4), (2, 5))  # numbers of aces or key cards that one answer leaves open


@dataclass(frozen=True)
class SeatShown:
    """What the calls of a seat show: ranges of 19 in 20 hands."""

    hcp: tuple[int, int] = (0, INFINITE)  # the most is INFINITE where calls set none
    lengths: tuple[tuple[int, int], ...] = ((0, 13),) * 4  # of C D H S
    shape: str = ""  # "balanced", "balanced or nearly so", or nothing
    aces: tuple[int, ...] = ()  # how many they may be
    keycards: tuple[tuple[int, ...], ...] = ()  # the same with C D H S as trumps
    foreign: tuple[int, ...] = ()  # calls of the seat that its system does not make; they say nothing here

    def __str__(self) -> str:
        return self._written("{} {}".format, list(SUIT_NAMES.values()))

    @property
    def short(self) -> str:
        """Return it as pages have it: ``12-21 HCP, 5+♠``."""
        return self._written("{}{}".format, SUIT_SYMBOLS)

    def __bool__(self) -> bool:
        """Return whether the calls say anything at all of the hand."""
        return not str(self).startswith(NOTHING)

    @property
    def ranges(self) -> Ranges:
        """Return the ranges of HCP and of C D H S by their words."""
        return dict(zip(("hcp", *SUITS), (self.hcp, *self.lengths), strict=True))

    def widened(self, hand: NDArray[np.int16]) -> SeatShown:
        """Return ranges that hold a hand, too, int16 (NUM_FEATURES,)."""
        points, *lengths = (
            (min(low, int(value)), max(high, int(value)))
            for value, (low, high) in zip(hand[HCP_AND_LENGTHS], (self.hcp, *self.lengths), strict=True)
        )
        return replace(self, hcp=points, lengths=tuple(lengths))

    def _written(self, of: Callable[[str, str], str], names: Sequence[str]) -> str:
        parts = [f"{span(*self.hcp)} HCP"] if self.hcp != (0, INFINITE) else []
        parts += [self.shape] if self.shape else []
        parts += [of(cards, names[suit]) for suit in (3, 2, 1, 0) if (cards := _cards(*self.lengths[suit]))]
        if self.hcp[1] >= _ACES:
            answers = [_answer(self.aces, "ace", "aces")]
            for name, numbers in zip(names, self.keycards, strict=False):
                answers.append(_answer(numbers, f"key card for {name}", f"key cards for {name}"))
            parts += list(filter(None, answers))[:1]
        others = " and ".join(dict.fromkeys(symbols(of_call(call)) for call in self.foreign))
        return (", ".join(parts) or NOTHING) + (f" (without {others})" if others else "")


def seat_shown(hands: NDArray[np.int16], calls: CallsShow) -> SeatShown:
    """Return what a seat shows by some calls, of which hands int16 (N, NUM_FEATURES) are a sample."""
    low, high = np.quantile(hands[:, HCP], [TAIL, 1 - TAIL], method="closest_observation").tolist()
    least, most = calls.points
    passed = not (calls.calls != PASS).any()
    low = least if passed or low - least <= _NEAR_LOW else low
    if most >= _UNLIMITED and not (passed and high <= _TO_SPARE):
        high = INFINITE
    elif most - high <= _NEAR_HIGH:
        high = most
    lengths = []
    for suit, (fewest, longest) in enumerate(calls.lengths.tolist()):
        cards = hands[:, LENGTH + suit]
        few, many = np.quantile(cards, [TAIL, 1 - TAIL], method="closest_observation").tolist()
        lengths.append((fewest if few - fewest <= 1 else few, many if many <= _SHORT else longest))
    shapes = {"balanced": "balanced", "semibalanced": "balanced or nearly so"}
    return SeatShown(
        (low, high),
        tuple(lengths),
        next((text for word, text in shapes.items() if hands[:, FEATURES[word]].mean() >= _MOST), ""),
        _numbers(hands, "aces"),
        tuple(_numbers(hands, f"keycards:{suit}") for suit in SUITS),
    )


def _numbers(hands: NDArray[np.int16], feature: str) -> tuple[int, ...]:
    return tuple(np.unique(hands[:, FEATURES[feature]]).tolist())


def _cards(low: int, high: int) -> str:
    """Write a length that says something, ``5+``, ``4`` or ``0-3``; nothing for another."""
    if low < _SUIT:
        return span(0 if low == 1 < high else low, high) if high <= _SHORT else ""
    return span(low, high if high - low <= _NARROW else INFINITE)


def _answer(numbers: Sequence[int], one: str, more: str) -> str:
    """Write one number of cards, or two that an answer to an asking bid leaves open; nothing for others."""
    if len(numbers) != 1 and numbers not in _ANSWERS:
        return ""
    return f"{' or '.join(map(str, numbers))} {one if numbers == (1,) else more}"
