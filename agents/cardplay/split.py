"""Combine two players: one plays declarer's and dummy's cards, the other a defender's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.table import declares
from bridge_env.play_view import PlayView
from bridge_env.protocols import CardPlayer


@dataclass(frozen=True)
class Split:
    """A ``CardPlayer`` that asks ``declarer`` where its side declares, and ``defender`` where it defends."""

    declarer: CardPlayer
    defender: CardPlayer

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        ours = declares(view)
        out = np.empty(len(view), np.int8)
        for player, rows in ((self.declarer, np.flatnonzero(ours)), (self.defender, np.flatnonzero(~ours))):
            if rows.size:
                out[rows] = player.play(view.take(rows), key[rows])
        return out
