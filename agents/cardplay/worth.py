"""Value tricks for the side to play: in tricks, points, or IMPs against the par of each deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.options import IMPS, TRICKS
from agents.reasoning.leaves import estimator
from bridge_env.par import par
from bridge_env.play_view import PlayView
from bridge_env.scoring import SCORE_TABLE, imps


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
        """Declarer's tricks at the end, where the side that plays takes ``tricks`` from here on."""
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
        """Value tricks that are no whole numbers (S, C): what lies between the values of the two next to them."""
        tricks = np.clip(tricks, 0, self.left)
        below = np.minimum(np.floor(tricks), self.left - 1).astype(np.int8)
        less, more, part = self.of(below), self.of(below + np.int8(1)), tricks - below
        worth: NDArray[np.float64] = less * (1 - part) + more * part
        return worth
