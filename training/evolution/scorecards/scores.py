"""Hold the scores of all cards that a fit knows: of each situation and action, a start and points for its terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.evolution.scorecards.words import ACTIONS, SITUATIONS

NUM_CARDS = len(SITUATIONS) * len(ACTIONS)
SCALE = 8.0  # points of a card for one unit of the softmax


@dataclass(frozen=True, eq=False)
class Scores:
    """Hold the scores of all cards, in units of the softmax or, rounded, in points."""

    base: NDArray[np.float64]  # (NUM_CARDS,)
    weight: NDArray[np.float64]  # (NUM_CARDS, terms)

    @property
    def terms(self) -> int:
        """Return how many terms the cards have."""
        return int((self.weight != 0).sum())
