"""Say what a network may learn to foresee beside its calls: the hidden hands, and what every contract would make.

A reward is one noisy number. What lies behind it is many that are certain: so a head on the last hidden layer learns to
tell them, for training only, and the layers below learn to see what decides.

=========  ====  =====================================================================
offset     size  what it says
=========  ====  =====================================================================
0            20  double-dummy tricks: ``who * 5 + strain``; mine, left, partner, right
20           15  of left, partner and right: the four lengths, and high-card points
=========  ====  =====================================================================

All are scaled to a deviation of about 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.tables import Deals

FORESEEN = 35
_POINTS = np.tile(np.maximum(np.arange(13) - 8, 0), 4).astype(np.int16)  # of each card: ace 4, king 3 ...


def foreseen(deals: Deals, board: NDArray[np.int64], seat: NDArray[np.int64]) -> NDArray[np.float32]:
    """The targets, float32 (N, FORESEEN), of those who call at ``seat`` (N,) on ``board`` (N,) of the deals."""
    around = (seat[:, None] + np.arange(4)) & 3
    tricks = deals.tricks[board[:, None], around].reshape(len(board), 20)
    held = deals.owner[board][:, None, :] == around[:, 1:, None]  # (N, 3, 52)
    lengths = held.reshape(len(board), 3, 4, 13).sum(axis=3)
    points = held.astype(np.int16) @ _POINTS
    hands = np.concatenate([(lengths - 3.25) / 1.5, (points[:, :, None] - 10.0) / 4.5], axis=2)
    out = np.concatenate([(tricks - 6.5) / 3.5, hands.reshape(len(board), 15)], axis=1)
    return out.astype(np.float32)
