"""Value tricks for the side to play: in tricks, points, or IMPs against the par of each deal; and find the cards,
whose values are known on sampled deals only, that are equal within the error.

Of cards that are equal in worth, those that take more tricks count: IMPs against par saturate. The error is that of
the paired difference, deal by deal, so it is 0 where one card is always as good as the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.options import IMPS, TRICKS
from agents.lookahead.valuation import estimator
from bridge_env.bidders.play_view import PlayView
from bridge_env.rules.par import par
from bridge_env.rules.scoring import SCORE_TABLE, imps

_SAME = 1e-9


class Worth:
    """Of the contract in one row of a view.

    Args:
        owner: uint8 (S, 52), the deals that results are looked at on; their par is estimated, never solved.
    """

    def __init__(self, view: PlayView, row: int, owner: NDArray[np.uint8], score: str) -> None:
        self.score = score
        self.declares = bool((view.turn[row] ^ view.declarer[row]) & 1 == 0)
        self.won, self.left = int(view.won[row]), 13 - int(view.length[row]) // 4
        self.level = int(view.bid[row]) // 5 + 1
        side = int(view.declarer[row]) & 1
        vulnerable = int(view.vulnerability[row]) >> side & 1
        self.points = SCORE_TABLE[view.bid[row], view.doubling[row], vulnerable].astype(np.int64)
        self.par = np.zeros(len(owner), np.int64)
        if score == IMPS:
            table = estimator().tricks(owner)
            north_south = par(
                table, np.full(len(owner), view.dealer[row]), np.full(len(owner), view.vulnerability[row])
            )
            self.par = north_south.astype(np.int64) * (1 - 2 * side)

    def declarers(self, tricks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return declarer's tricks at the end, where the side that plays takes ``tricks`` from here on."""
        t = tricks.astype(np.int64)
        return self.won + (t if self.declares else self.left - t)

    def of(self, tricks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Value taking ``tricks`` (S, ...) from here on, for the side to play, deal by deal."""
        if self.score == TRICKS:
            return tricks.astype(np.float64)
        points = self.points[self.declarers(tricks)]
        if self.score == IMPS:
            points = imps(points - self.par.reshape(-1, *[1] * (points.ndim - 1)))
        worth: NDArray[np.float64] = points.astype(np.float64) * (1 if self.declares else -1)
        return worth

    def between(self, tricks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Value tricks that are no integers (S, C): what lies between the values of the two next to them."""
        tricks = np.clip(tricks, 0, self.left)
        below = np.minimum(np.floor(tricks), self.left - 1).astype(np.int8)
        less, more, part = self.of(below), self.of(below + np.int8(1)), tricks - below
        return less * (1 - part) + more * part


@dataclass(frozen=True)
class Slack:
    """What a card may be worth less at most and still count as equal: in the unit of the score, and in tricks."""

    worth: float
    tricks: float


def behind(weight: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much each column of values (S, C) is behind the best on average, and the standard error: (C,) each."""
    average = weight @ values
    less = values[:, [int(average.argmax())]] - values
    mean = weight @ less
    several = 1.0 - float(np.square(weight).sum())
    if several <= 0:
        return mean, np.zeros(len(mean))
    return mean, np.sqrt(np.square(weight) @ np.square(less - mean) / several)


def equals(
    weight: NDArray[np.float64], worth: NDArray[np.float64], tricks: NDArray[np.int8], tie: float, slack: Slack
) -> NDArray[np.int64]:
    """Return the cards, by position, that count as equal to the best.

    Args:
        weight: float64 (S,), what the deals count for; they add up to 1.
        worth: float64 (S, C), what the cards are worth; tricks: int8 (S, C).
        tie: standard errors within which worth, then tricks, count as equal; 0: only the best averages do.
        slack: no card that is worth more than this less is equal.
    """
    mean, error = behind(weight, worth)
    at = np.flatnonzero(mean <= np.minimum(tie * error, slack.worth) + _SAME)
    mean, error = behind(weight, tricks[:, at].astype(np.float64))
    return at[mean <= np.minimum(tie * error, slack.tricks) + _SAME]
