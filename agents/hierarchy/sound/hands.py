"""Draw hands of all kinds: ordinary ones, and strong, weak and long ones that chance deals too rarely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_HONOURS = (12, 11, 10, 9)  # ranks A K Q J
_BY_RANK = np.array([np.sqrt(4 - _HONOURS.index(r)) if r in _HONOURS else 0.0 for r in range(13)] * 4)


def draw_hands(count: int, seed: int) -> NDArray[np.bool_]:
    """Draw hands bool (count, 52): every other one as dealt, the rest drawn to strength, weakness or long suits."""
    rng = np.random.Generator(np.random.PCG64(seed))
    wanted = rng.random((count, 52))
    tilted = np.arange(count) % 2 == 1
    strength = np.where(tilted, rng.normal(0.08, 0.2, count), 0.0)
    suits = np.where(tilted[:, None], rng.normal(0.0, 0.22, (count, 4)), 0.0)
    wanted += strength[:, None] * _BY_RANK + np.repeat(suits, 13, axis=1)
    held = np.zeros((count, 52), np.bool_)
    np.put_along_axis(held, np.argpartition(wanted, 39, axis=1)[:, 39:], True, axis=1)
    return held


def better_suit(hands: NDArray[np.bool_], suit: int) -> NDArray[np.bool_]:
    """Move honours of side suits into ``suit``, and small cards back: the same shape and points, a better suit.

    Hands that allow no such swap come back as they are.

    Args:
        hands: bool (N, 52).
    """
    out, rows = hands.copy(), np.arange(len(hands))
    cards = out.reshape(-1, 4, 13)
    for rank in _HONOURS[:3]:
        small = cards[:, suit, :8].argmax(axis=1)  # its lowest card
        gives = cards[:, :, rank] & ~cards[rows, :, small]  # suits that hold the honour and lack that card
        gives[:, suit] = False
        other = gives.argmax(axis=1)
        swap = np.flatnonzero(gives.any(axis=1) & ~cards[:, suit, rank] & cards[:, suit, :8].any(axis=1))
        for side, low, honour in ((other[swap], True, False), (suit, False, True)):
            cards[swap, side, rank], cards[swap, side, small[swap]] = honour, low
    return out
