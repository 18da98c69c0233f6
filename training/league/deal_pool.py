"""Provide the deals of a league: solved ones, and many more with tricks drawn from the trick estimator.

A network that meets the same few deals for hours learns them by heart; estimated deals are cheap, so there can be more
than it can learn so. Their tables are drawn from the estimator's distributions: on average every contract is worth what
the estimator expects. They are for training only; nothing is judged on them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy.library import builtin_library
from bridge_env.envs.deals import EstimatedDeals
from bridge_env.hands.canonical import is_judging
from bridge_env.hands.packing import pack_records
from bridge_env.rng import streams
from bridge_env.rules.cards import UInt8Array
from training.evaluation.boards import Boards, library_boards

NUM_CURVE_DEALS = 4_000  # solved training deals that no league plays: the learning curve is measured on them
_PART = 8_192  # deals estimated at a time


@lru_cache(maxsize=1)
def solved_deals() -> UInt8Array:
    """Return the solved training deals that leagues play: records uint8 (n, 23), as a library's."""
    library = builtin_library()
    return library.records[library.split("training")[NUM_CURVE_DEALS:]]


@lru_cache(maxsize=2)
def curve_boards(count: int, seed: int) -> Boards:
    """Return boards to measure a learning curve on: training deals, but none that a league plays."""
    return library_boards(count, seed, "training", among=builtin_library().split("training")[:NUM_CURVE_DEALS])


def deal_pool(estimated: int, seed: int, progress: Callable[[float], None] = lambda share: None) -> UInt8Array:
    """Return the solved deals and ``estimated`` more, none of the judging split, records uint8 (n, 23); ``progress`` is
    called with the share done, 0..1.
    """
    source, parts, found, at = EstimatedDeals(), [solved_deals()], 0, 0
    while found < estimated:
        number = np.arange(at, at + _PART)
        boards = source.draw(streams.key("league deals", seed, number), number)
        at += _PART
        rows: NDArray[np.intp] = np.flatnonzero(~is_judging(boards.owner))
        parts.append(pack_records(boards.owner[rows], boards.tricks[rows]))
        found += len(rows)
        progress(min(1.0, found / estimated))
    return np.concatenate(parts)[: len(parts[0]) + estimated]
