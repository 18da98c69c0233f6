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
    out = hands.copy()
    own = slice(13 * suit, 13 * suit + 13)
    for row in out:
        held = row[own]
        for rank in _HONOURS[:3]:
            sides = [s for s in range(4) if s != suit and row[13 * s + rank]]
            small = np.flatnonzero(held[:8])
            if held[rank] or not sides or not len(small):
                continue
            other = next((s for s in sides if not row[13 * s + small[0]]), None)
            if other is None:
                continue
            row[13 * other + rank], row[13 * other + small[0]] = False, True
            held[rank], held[small[0]] = True, False
    return out
