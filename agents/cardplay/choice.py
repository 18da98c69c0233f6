"""Choose among cards whose values are known on sampled deals only: which are equal within the error.

Of cards that are equal in worth, those that take more tricks are kept: IMPs against par saturate. The error is that of
the paired difference, deal by deal, so it is 0 where one card is always as good as the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SAME = 1e-9


@dataclass(frozen=True)
class Slack:
    """What a card may be worth less at most and still count as equal: in the unit of the score, and in tricks."""

    worth: float
    tricks: float


@dataclass(frozen=True, eq=False)
class Choice:
    """Cards on some deals.

    Attributes:
        weight: float64 (S,), what the deals count for; they add up to 1.
        worth: float64 (S, C), what the cards are worth.
        tricks: int8 (S, C).
    """

    weight: NDArray[np.float64]
    worth: NDArray[np.float64]
    tricks: NDArray[np.int8]

    @property
    def average(self) -> NDArray[np.float64]:
        """Return the mean worth of each card, float64 (C,)."""
        out: NDArray[np.float64] = self.weight @ self.worth
        return out


def behind(weight: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much each column of values (S, C) is behind the best on average, and the standard error: (C,) each."""
    average = weight @ values
    less = values[:, [int(average.argmax())]] - values
    mean = weight @ less
    several = 1.0 - float(np.square(weight).sum())
    if several <= 0:
        return mean, np.zeros(len(mean))
    return mean, np.sqrt(np.square(weight) @ np.square(less - mean) / several)


def equals(choice: Choice, tie: float, slack: Slack) -> NDArray[np.int64]:
    """The cards, by position, that count as equal to the best.

    Args:
        tie: standard errors within which worth, then tricks, count as equal; 0: only the best averages do.
        slack: no card that is worth more than this less is equal.
    """
    mean, error = behind(choice.weight, choice.worth)
    at = np.flatnonzero(mean <= np.minimum(tie * error, slack.worth) + _SAME)
    mean, error = behind(choice.weight, choice.tricks[:, at].astype(np.float64))
    return at[mean <= np.minimum(tie * error, slack.tricks) + _SAME]
