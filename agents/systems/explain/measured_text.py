"""Describe what calls were measured to show, in a player's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.player_terms import span
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NOTRUMP, strain_of

SUIT_SYMBOLS = "♣♦♥♠"
TAIL = 0.025  # of the hands lie below a measured range, and as many above


def measured_text(ranges: NDArray[np.uint8], named: Sequence[int] = ()) -> str:
    """Describe measured ranges, uint8 (5, 2): ``11-15 HCP, 5-6♠``. Suits of any length are left out, not ``named``."""
    (low, high), *suits = ((int(a), int(b)) for a, b in ranges.tolist())
    words = [f"{span(low, high)} HCP"]
    if min(a for a, _ in suits) >= 2 and max(b for _, b in suits) <= 5:
        words.append("balanced")
    words += [f"{span(*suits[suit])}{SUIT_SYMBOLS[suit]}" for suit in named_suits(suits, named)]
    return ", ".join(words)


def named_suits(suits: Sequence[tuple[int, int]], named: Sequence[int]) -> list[int]:
    """Return which measured lengths of C D H S say something: long, short and ``named`` ones, spades first."""

    def says_something(least: int, most: int) -> bool:
        return least >= 3 or most <= 2 or least == most - 1 == 2

    return [suit for suit in (3, 2, 1, 0) if suit in named or says_something(*suits[suit])]


def suits_of(call: int, last_bid: int) -> list[int]:
    """Return the suit, C D H S as 0..3, that a call bids, or doubles after a bid (-1: none); if any."""
    bid = last_bid if call == DOUBLE else call
    return [strain_of(bid)] if bid >= FIRST_BID and strain_of(bid) != NOTRUMP else []
