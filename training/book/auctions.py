"""Auctions from the opening on, and rows of calls grouped by keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.meaning import auction_keys
from agents.systems.language.paths import readings
from agents.systems.language.tree import Step
from bridge_env.rng.streams import key as hashed
from bridge_env.rules.calls import PASS


def group_rows(keys: NDArray[np.generic], rows: NDArray[np.int64], fewest: float) -> list[NDArray[np.int64]]:
    """Return rows with the same key together, in groups of at least ``fewest``."""
    order = rows[np.argsort(keys[rows], kind="stable")]
    found = np.split(order, np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1)
    return [group for group in found if len(group) >= fewest]


def since_opening(
    history: NDArray[np.int8], board: NDArray[np.int64], number: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.uint64]]:
    """Return auctions int8 (N, L), padded with -1, from the opening on: passes before it all stand at one point.

    Args:
        board, number: of some calls: which auction, and how many calls came before in it.

    Returns:
        The auctions; and of each call, how many came before since the opening, and a hash of those.
    """
    passes = np.minimum((history == PASS).cumprod(axis=1).sum(axis=1), 4)
    at = np.arange(history.shape[1]) + passes[:, None]
    opened = np.take_along_axis(history, np.minimum(at, history.shape[1] - 1), axis=1)
    opened[at >= history.shape[1]] = -1
    since = np.maximum(number - passes[board], 0)
    begin = np.broadcast_to(hashed("to open"), len(board))
    return opened, since, np.where(since > 0, auction_keys(opened)[board, np.maximum(since - 1, 0)], begin)


def steps_of(before: tuple[int, ...]) -> tuple[Step, ...]:
    """Return calls from the opening on as steps of the next caller; passes of the other side are left out."""
    return readings(before, 0, len(before) & 1)[0].steps
