"""Compute a network's belief about the other hands, and draw deals from it.

The belief has 156 outputs: for each of the 52 cards, three numbers whose ``softmax`` is the chance that left, partner
or right holds it; of my own cards they say nothing. Deals are drawn from the product of these chances, given that
everybody holds thirteen cards: exactly, by counting from the last card back. How likely each deal was to be drawn is
known, so a caller that weighs deals by something else can divide the belief out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.inputs import inputs_of
from agents.networks.network import Network
from bridge_env.bidders.view import BidView
from bridge_env.compiled.jit import njit
from bridge_env.rng.streams import draws

OUTPUTS = 52 * 3


def chances(belief: Network, view: BidView) -> NDArray[np.float64]:
    """Return the chances that left, partner and right hold each card: float64 (N, 52, 3), 0 for my own cards."""
    outputs = belief.outputs(*inputs_of(view)).astype(np.float64).reshape(-1, 52, 3)
    powers = np.exp(outputs - outputs.max(axis=2, keepdims=True))
    out: NDArray[np.float64] = powers / powers.sum(axis=2, keepdims=True)
    out[view.hand] = 0.0
    return out


@njit
def _draw(hand, odds, numbers, table, owner, log_odds):  # type: ignore[no-untyped-def]
    """Fill ``owner`` (S, 52) and ``log_odds`` (S,); ``table`` (40, 14, 14) holds zeros."""
    cards = np.empty(39, np.int64)
    n = 0
    for card in range(52):
        if not hand[card]:
            cards[n] = card
            n += 1
    # table[i, a, b]: the sum over all ways to deal cards i .. 38 with room for a left, b partner, the rest right.
    table[39, 0, 0] = 1.0
    for i in range(38, -1, -1):
        left = 39 - i
        for a in range(14):
            for b in range(14):
                c = left - a - b
                if c < 0 or c > 13:
                    continue
                total = 0.0
                if a > 0:
                    total += odds[cards[i], 0] * table[i + 1, a - 1, b]
                if b > 0:
                    total += odds[cards[i], 1] * table[i + 1, a, b - 1]
                if c > 0:
                    total += odds[cards[i], 2] * table[i + 1, a, b]
                table[i, a, b] = total
    for s in range(len(owner)):
        a, b, c = 13, 13, 13
        log = 0.0
        for card in range(52):
            owner[s, card] = 0
        for i in range(39):
            card = cards[i]
            one = odds[card, 0] * table[i + 1, a - 1, b] if a > 0 else 0.0
            two = odds[card, 1] * table[i + 1, a, b - 1] if b > 0 else 0.0
            three = odds[card, 2] * table[i + 1, a, b] if c > 0 else 0.0
            at = (numbers[s, i] >> np.uint64(11)) * 2.0**-53 * (one + two + three)
            if at < one:
                owner[s, card] = 1
                a -= 1
                log += np.log(odds[card, 0])
            elif at < one + two or three == 0.0:
                owner[s, card] = 2
                b -= 1
                log += np.log(odds[card, 1])
            else:
                owner[s, card] = 3
                c -= 1
                log += np.log(odds[card, 2])
        log_odds[s] = log


def draw_deals(
    hand: NDArray[np.bool_], odds: NDArray[np.float64], count: int, key: np.uint64
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Draw deals from the product of ``odds``, conditioned on thirteen cards for each seat.

    Args:
        hand: bool (52,), my cards.
        odds: float64 (52, 3), above 0 for cards that are not mine: those of left, partner and right for each.

    Returns:
        owner uint8 (count, 52), counted clockwise from me (0), and float64 (count,), the logarithm of each deal's odds.
        Weighed by ``exp(-log)``, the deals are as if dealt at random.
    """
    owner, log_odds = np.empty((count, 52), np.uint8), np.empty(count)
    numbers = draws(draws(np.array([key], np.uint64), count)[0], 39)
    _draw(hand, odds, numbers, np.zeros((40, 14, 14)), owner, log_odds)
    return owner, log_odds
