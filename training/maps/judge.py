"""Make examples, states with the calls of a system, and judge maps on held-out boards: calls by map, and matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import Atlas
from agents.maps.bidder import MapBidder
from agents.maps.inputs import PUBLISHED, SITUATIONS
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView
from bridge_env.rng import streams
from bridge_env.rules.calls import as_wide
from training.evaluation.boards import Boards, library_boards
from training.evaluation.duplicate import bid_out, match
from training.evaluation.recorded_calls import Calls, Share, positions, shares
from training.evaluation.verdict import Row

_BOARDS = 4096  # bid at a time
HELD_OUT = 2000  # judging boards that a teacher bids
MATCH_SEED = 1


def teacher_examples(
    teacher: str, first: str | Bidder, second: str | Bidder, boards: Boards, seed: int,
    progress: Callable[[int], object] = lambda boards: None,
) -> Calls:  # fmt: skip
    """Return every state of a duplicate match of two bidders, with the teacher's call; ``progress`` gets the boards
    bid.
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


def held_out_examples(teacher: str, seed: int) -> Calls:
    """Return the teacher's calls against itself on judging boards."""
    return teacher_examples(teacher, teacher, teacher, library_boards(HELD_OUT, seed, "judging"), seed)


def calls_by_map(atlas: Atlas, examples: Calls) -> list[Share]:
    """Return how often the maps make the examples' calls: all calls, the six maps of 2007, every map."""
    found = MapBidder(atlas).consult(examples.view)
    kinds = {"all calls": np.ones(len(examples), np.bool_), "the six maps of 2007": found.situation < PUBLISHED}
    kinds |= {name: found.situation == k for k, name in enumerate(SITUATIONS)}
    return shares(kinds, found.call, examples.called)


def play_matches(atlas: Atlas, boards: int, name: str = "the maps", opponents: Sequence[str] = ()) -> list[Row]:
    """Return matches on judging boards, by default against ``pass``, ``system:sayc`` and the maps' reader."""
    played, out = library_boards(boards, MATCH_SEED), []
    for other in opponents or dict.fromkeys(("pass", "system:sayc", atlas.reader)):
        result = match(MapBidder(atlas, other), other, played, MATCH_SEED)
        out.append(Row(f"{name} against {other}", result.mean_imps, result.standard_error, boards, other))
    return out
