"""Make examples: states with the calls of a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView
from bridge_env.rng import streams
from bridge_env.rules.calls import as_wide
from training.evaluation.boards import Boards
from training.evaluation.duplicate import bid_out
from training.evaluation.recorded_calls import Calls, positions

_BOARDS = 4096  # bid at a time


def teacher_examples(
    teacher: str, first: str | Bidder, second: str | Bidder, boards: Boards, seed: int,
    progress: Callable[[int], object] = lambda boards: None,
) -> Calls:  # fmt: skip
    """Return every state of a duplicate match of two bidders, with the teacher's call in it.

    ``progress`` gets the numbers of boards that were bid.
    """
    bidder: Any = make(teacher)
    specs = [each if isinstance(each, str) else None for each in (first, second)]
    a, b = make(first, opponents=specs[1]), make(second, opponents=specs[0])
    parts = []
    for start in range(0, len(boards), _BOARDS):
        some = boards.take(slice(start, start + _BOARDS))
        auctions = bid_out(a, b, some, seed)
        if first == second:  # both tables are the same
            auctions = auctions.take(np.arange(len(some)))
        view, board, _ = positions(auctions, np.tile(some.owner, (2, 1))[: len(auctions)])
        parts.append(Calls(view, bidder.call(view), board % len(some) + start))
        progress(len(some))
    return concatenate(parts)


def concatenate(parts: Sequence[Calls]) -> Calls:
    """Return several sets as one, with the numbers of their boards."""
    history = as_wide([part.view.history for part in parts])
    rest = [np.concatenate([getattr(part.view, name) for part in parts])
            for name in ("hand", "length", "dealer", "vulnerability", "seat", "mask")]  # fmt: skip
    view = BidView(rest[0], np.concatenate(history), *rest[1:])
    return Calls(view, np.concatenate([p.called for p in parts]), np.concatenate([p.board for p in parts]))


def sample_rows(count: int, most: int, key: int) -> NDArray[np.int64]:
    """Return ``most`` random numbers of 0 .. count - 1, ascending; all of them if there are no more."""
    order = np.argsort(streams.key("maps", "sample", key, np.arange(count)), kind="stable")
    return np.sort(order[:most])
