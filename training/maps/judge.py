"""Judge maps on held-out boards: calls by map, and matches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.maps.atlas import Atlas
from agents.maps.bidder import MapBidder
from agents.maps.inputs import PUBLISHED, SITUATIONS
from training.evaluation.agreement import Share, shares
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match
from training.evaluation.recorded_calls import Calls
from training.evaluation.verdict import Row
from training.maps.examples import teacher_examples

HELD_OUT = 2000  # judging boards that a teacher bids
MATCH_SEED = 1


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
