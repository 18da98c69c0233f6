"""Make hands of all kinds, and the probes to which they are brought.

A probe is an auction that leads to a node of the tree: the calls that the path names, and the passes between them that
go without saying. The hands that come there are those that have made their seat's own calls so far.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import PASS, call_text

_HONOURS = (12, 11, 10, 9)  # ranks A K Q J
_BY_RANK = np.array([np.sqrt(4 - _HONOURS.index(r)) if r in _HONOURS else 0.0 for r in range(13)] * 4)

Calls = tuple[int, ...]
Key = tuple[Calls, int, int]  # the calls of an auction, 0 if the dealer is ours, and the vulnerability


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
        givers = cards[:, :, rank] & ~cards[rows, :, small]  # suits that hold the honour and lack that card
        givers[:, suit] = False
        other = givers.argmax(axis=1)
        swap = np.flatnonzero(givers.any(axis=1) & ~cards[:, suit, rank] & cards[:, suit, :8].any(axis=1))
        for side, low, honour in ((other[swap], True, False), (suit, False, True)):
            cards[swap, side, rank], cards[swap, side, small[swap]] = honour, low
    return out


class Hands(NamedTuple):
    """Some hands bool (N, 52), their features int16 (N, 4, F), the same in every seat, and which chance might deal."""

    held: NDArray[np.bool_]
    features: NDArray[np.int16]
    likely: NDArray[np.bool_]

    @classmethod
    @cache
    def drawn(cls, count: int, seed: int) -> Hands:
        """Return hands of all kinds, cached in this process."""
        return cls.of(draw_hands(count, seed))._replace(likely=np.arange(count) % 2 == 0)

    @classmethod
    def of(cls, held: NDArray[np.bool_]) -> Hands:
        """Return hands that were dealt."""
        features = np.ascontiguousarray(np.repeat(hand_features(held)[:, None], 4, axis=1))
        return cls(held, features, np.ones(len(held), np.bool_))


@dataclass(eq=False)
class ProbeAuction:
    """A position of our side, reached by the calls of an auction from the dealer on."""

    calls: Calls  # the auction
    side: int  # 0 if the dealer is one of us, else 1
    vulnerability: int  # of ``bridge_env.rules.auction``
    # of the tree, that the auction leads to; none where it only lies on the way
    nodes: set[int] = field(default_factory=set)
    coming: NDArray[np.int64] | None = None  # the hands that come here, by number; None: all
    live: bool = True  # do some hands make partner's calls?

    def __str__(self) -> str:
        """Write the auction with the opponents' calls in brackets, our turn to call: ``1S-(2H)-?``."""
        begin = next((k for k, call in enumerate(self.calls) if call != PASS), len(self.calls))
        texts = []
        for k, call in enumerate(self.calls):
            ours = k % 2 == self.side
            if call != PASS or (ours and k > begin):
                text = "P" if call == PASS else call_text(call)
                texts.append(text if ours else f"({text})")
        return (f"{begin} passes, " if begin else "") + "-".join((*texts, "?"))

    @property
    def ours(self) -> bool:
        """Return whether it is our turn."""
        return len(self.calls) % 2 == self.side

    @property
    def key(self) -> Key:
        """Return what its auction is known by."""
        return self.calls, self.side, self.vulnerability

    def upto(self, turn: int, coming: NDArray[np.int64] | None = None) -> ProbeAuction:
        """Return the auction before a turn, with the hands that come there."""
        return ProbeAuction(self.calls[:turn], self.side, self.vulnerability, coming=coming)
