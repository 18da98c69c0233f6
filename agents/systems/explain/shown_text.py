"""Describe what a seat has shown, and what calls were measured to show, in a player's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import STRENGTH, SUIT
from agents.systems.explain.player_terms import SUIT_NAMES, span
from agents.systems.language.columns import QUANTITY, TOP
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NOTRUMP, strain_of

_SUIT_SYMBOLS = "♣♦♥♠"


def shown_text(shown: NDArray[np.int16], symbols: bool = False) -> str:
    """Describe what one seat has shown, int16 (QUANTITIES, 2): ``strength 12-21, 5+ spades``, or ``12-21 points, 5+♠``.

    Args:
        symbols: for pages: suits as symbols, strength as points.
    """
    parts = []
    low, high = (int(n) for n in shown[STRENGTH])
    if strength := _range(low, high, int(TOP[STRENGTH])):
        parts.append(f"{strength} points" if symbols else f"strength {strength}")
    least = shown[SUIT : SUIT + 4, 0]
    for suit in (3, 2, 1, 0):
        others = int(least.sum()) - int(least[suit])  # the room that they leave needs no words
        if cards := _range(int(least[suit]), int(shown[SUIT + suit, 1]), 13 - others):
            parts.append(f"{cards}{_SUIT_SYMBOLS[suit]}" if symbols else f"{cards} {SUIT_NAMES['CDHS'[suit]]}")
    low, high = (int(n) for n in shown[QUANTITY["aces"]])
    if count := _range(low, high, int(TOP[QUANTITY["aces"]])):
        parts.append(f"{count} {'ace' if count == '1' else 'aces'}")
    return ", ".join(parts) or ("nothing particular" if symbols else "nothing")


def measured_text(ranges: NDArray[np.uint8], named: Sequence[int] = ()) -> str:
    """Describe measured ranges, uint8 (5, 2): ``11-15 HCP, 5-6♠``. Suits of any length are left out, not ``named``."""
    (low, high), *suits = ((int(a), int(b)) for a, b in ranges.tolist())
    words = [f"{span(low, high)} HCP"]
    if min(a for a, _ in suits) >= 2 and max(b for _, b in suits) <= 5:
        words.append("balanced")
    words += [f"{span(*suits[suit])}{_SUIT_SYMBOLS[suit]}" for suit in named_suits(suits, named)]
    return ", ".join(words)


def named_suits(suits: Sequence[tuple[int, int]], named: Sequence[int]) -> list[int]:
    """Return which measured lengths of C D H S say something: short, long, narrow and ``named`` ones, spades first."""

    def says_something(least: int, most: int) -> bool:
        return least >= 4 or most <= 2 or (least >= 3 and most <= 5) or (least >= 2 and most <= 3)

    return [suit for suit in (3, 2, 1, 0) if suit in named or says_something(*suits[suit])]


def suits_of(call: int, last_bid: int) -> list[int]:
    """Return the suit, C D H S as 0..3, that a call bids, or doubles after a bid (-1: none); if any."""
    bid = last_bid if call == DOUBLE else call
    return [strain_of(bid)] if bid >= FIRST_BID and strain_of(bid) != NOTRUMP else []


def _range(low: int, high: int, top: int) -> str:
    """Write ``12-21``, ``5+`` or ``4``; nothing for a range that excludes none."""
    return "" if low <= 0 and high >= top else span(low, high, top)
