"""The deals that were imagined for an answer, in BEN's fields: ``quality``, ``hcp``, ``shape`` and ``samples``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import hand_text
from bridge_env.features import HCP_AND_LENGTHS, hand_features

_TOLD = 20  # deals, those that count the most first


@dataclass(frozen=True, eq=False)
class Imagined:
    """Deals that somebody imagined who sees one hand.

    Attributes:
        seat: 0..3, who imagined them.
        owner: uint8 (S, 52), the thirteen cards that each seat was dealt.
        weight: float64 (S,), what each counts for; they add up to 1.
        fitting: the share of them that fits all that calls and cards were taken to show.
        first: whose hand each sample begins with; the others follow clockwise.
        gone: cards that are played and left out of the samples.
    """

    seat: int
    owner: NDArray[np.uint8]
    weight: NDArray[np.float64]
    fitting: float
    first: int = 0
    gone: tuple[int, ...] = ()

    def fields(self, details: bool) -> dict[str, Any]:
        """The fields of an answer; without ``details`` the quality alone."""
        told: dict[str, Any] = {"quality": f"{self.fitting:.2f}"}
        if not details:
            return told
        hands = self.owner[None] == ((self.seat + np.arange(1, 4)) & 3)[:, None, None]  # left, partner, right
        features = np.array([self.weight @ hand_features(held)[:, HCP_AND_LENGTHS] for held in hands])
        told["hcp"] = [round(float(points), 1) for points in features[:, 0]]
        told["shape"] = [round(float(length), 1) for length in features[:, :0:-1].ravel()]  # S H D C of each
        told["samples"] = [self._text(at) for at in np.argsort(-self.weight, kind="stable")[:_TOLD]]
        return told

    def _text(self, at: int) -> str:
        left = self.owner[at].copy()
        left[list(self.gone)] = 255
        hands = " ".join(hand_text(left == (self.first + i) & 3) for i in range(4))
        return f"{hands} - {self.weight[at]:.5f}"
