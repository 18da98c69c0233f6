"""Revise a call by experience: what other calls would have gained in similar states of self-play.

The file holds states of the base's own boards with the IMPs that other calls would have gained over the one that it
made. Among the nearest states in which it made the call that the votes make now, a call that gained clearly takes its
place. Only calls were tried for which some of the retrieved cases spoke, and only such calls can be taken: of the
others nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import UNTRIED, CaseBase
from agents.cases.leaf_index import NO_CASE
from bridge_env.rules.calls import NUM_CALLS

STATES = 200  # of self-play, the nearest, count
ENOUGH = 25  # of them must have tried a call
CLEARLY = 1.0  # standard errors above nothing
_LEAST = 0.2  # IMPs
VOICES = 15  # of the nearest cases may speak for another call, also where fewer vote
VOTES = 2  # a call that so many cases speak for is tried
OTHERS = 2  # such calls a state
_BLOCK = 512


def spoken_for(vote: NDArray[np.int8], made: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark alternatives to calls ``made`` int8 (N,), by most other votes int8 (N, k), -1 none: bool (N, 38)."""
    votes = (vote[:, :, None] == np.arange(NUM_CALLS)).sum(axis=1)
    votes[np.arange(len(vote)), made] = 0
    least = np.sort(votes, axis=1)[:, -OTHERS][:, None]
    return (votes >= np.maximum(least, VOTES)) & legal


@dataclass(frozen=True)
class Revision:
    """The revision of N calls by experience."""

    call: NDArray[np.int8]  # (N,), the call made instead; the same one where none is clearly better
    tried: NDArray[np.int64]  # (N,), in how many near states that call was tried
    gain: NDArray[np.float64]  # (N,), IMPs that it gained on average; 0 where nothing changes
    error: NDArray[np.float64]  # (N,), the standard error of that; 0 where nothing changes


def revise(
    base: CaseBase, place: NDArray[np.int16], opened: NDArray[np.bool_], call: NDArray[np.int8],
    spoken: NDArray[np.bool_],
) -> Revision:  # fmt: skip
    """Return better calls than those that the votes make.

    Args:
        place: int16 (N, D), where the states lie.
        opened: bool (N,), somebody has bid.
        call: int8 (N,), what the votes make.
        spoken: bool (N, 38), the calls that may be taken: ``spoken_for``.
    """
    n = len(call)
    out = Revision(call.copy(), np.zeros(n, np.int64), np.zeros(n), np.zeros(n))
    if not len(base.retained):
        return out
    for made, kind in base.tried:
        rows = np.flatnonzero((call == made) & (opened == kind))
        index = base.tried[made, kind]
        if len(index) < ENOUGH:
            continue
        for at in range(0, len(rows), _BLOCK):
            some = rows[at : at + _BLOCK]
            found, differing = index.nearest(place[some], STATES)
            _improve(out, some, base.retained.worth[found], differing < NO_CASE, spoken[some])
    return out


def _improve(
    out: Revision, rows: NDArray[np.int64], worth: NDArray[np.int8], there: NDArray[np.bool_], spoken: NDArray[np.bool_]
) -> None:
    """Write into ``out`` where a call of ``worth``, int8 (Q, STATES, 38), gained clearly."""
    known = (worth != UNTRIED) & there[:, :, None]
    tried = known.sum(axis=1)
    value = np.where(known, worth, 0).astype(np.int64)
    total, squares = value.sum(axis=1), (value * value).sum(axis=1)
    count = np.maximum(tried, 1)
    mean = total / count
    error = np.sqrt(np.maximum(squares / count - mean**2, 0.25) / count)
    sure = np.where((tried >= ENOUGH) & spoken, mean - CLEARLY * error, -np.inf)
    best = sure.argmax(axis=1)
    q = np.arange(len(rows))
    better = (sure[q, best] > 0) & (mean[q, best] > _LEAST)
    chosen, call = rows[better], best[better]
    out.call[chosen], out.tried[chosen] = call, tried[q, best][better]
    out.gain[chosen], out.error[chosen] = mean[q, best][better], error[q, best][better]
