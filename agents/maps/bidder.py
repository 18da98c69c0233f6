"""Define ``som:FILE``, which makes the most frequent call of the best-matching unit.

A state belongs to one of the maps (``inputs``). Of the calls that the unit's training hands made, the most
frequent legal one is made. In a tie, where none of them is legal, or where the unit has no hands, the eight units
around it decide; where these have no legal call either, it passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidder_files import cached_by_mtime
from agents.maps.atlas import Atlas, Map, load, points
from agents.maps.inputs import SITUATIONS, rows_of, situation
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import PASS, call_text

AMBIGUOUS = 0.8  # of a unit's hands, if fewer made its call
_MOST_CALLS = 4  # calls of a unit that are named
_ROWS = 8192  # states described at a time, to bound memory


@dataclass(frozen=True)
class Consulted:
    """The units and calls that the maps give for N states."""

    call: NDArray[np.int8]  # (N,), the calls made
    situation: NDArray[np.int64]  # (N,), the map
    unit: NDArray[np.int64]  # (N,), its best-matching unit; -1 where there is no map
    # (N,), of the unit's hands those that made this call; NaN where none did or there is no map
    share: NDArray[np.float64]


class MapBidder:
    """Bids as the best-matching units say, reading the opponents' calls by their spec if it is that of a system."""

    def __init__(self, atlas: Atlas, opponents: str | None = None) -> None:
        self.atlas = atlas
        self._reader: Any = make(atlas.reader, opponents=opponents)
        self._fallback: Any = make(atlas.fallback, opponents=opponents) if atlas.fallback else None

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the most frequent legal call of each row's best-matching unit."""
        return self.consult(view, key).call

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view`` by its unit."""
        found = self.consult(view, key)
        call, name, best = int(found.call[0]), SITUATIONS[found.situation[0]], int(found.unit[0])
        if best < 0:
            fallback = f"{self.atlas.fallback} decides" if self.atlas.fallback else "a pass"
            return f"{call_text(call)}\n  because   there is no map of {name}: {fallback}"
        one, share = self.atlas.maps[int(found.situation[0])], float(found.share[0])
        if np.isnan(share):
            sure = "none of its hands made a call that is legal here; the units around it were asked"
        else:
            sure = f"{'ambiguous' if share < AMBIGUOUS else 'clear'}: {100 * share:.0f}% of its hands"
        row, column = divmod(best, one.columns)
        return "\n".join([
            call_text(call),
            f"  because   the map of {name}, {one.rows} by {one.columns} units: row {row}, column {column}",
            f"  its hands {hands_text(one, best)}",
            f"  how sure  {sure}",
        ])  # fmt: skip

    def consult(self, view: BidView, key: NDArray[np.uint64] | None = None) -> Consulted:
        """Return the map, the unit and the call of every row; ``key`` as of ``bid``, for a fallback that draws."""
        n = len(view)
        key = np.zeros(n, np.uint64) if key is None else key
        out = Consulted(
            np.full(n, PASS, np.int8), np.zeros(n, np.int64), np.full(n, -1, np.int64), np.full(n, np.nan)
        )  # fmt: skip
        for start in range(0, n, _ROWS):
            rows = np.arange(start, min(start + _ROWS, n))
            self._consult(view.take(rows), key, rows, out)
        return out

    def _consult(self, view: BidView, key: NDArray[np.uint64], at: NDArray[np.int64], out: Consulted) -> None:
        seen = rows_of(view, self._reader.meaning(view), self.atlas.inputs)
        kind = situation(view)
        out.situation[at] = kind
        for k in np.unique(kind):
            some = np.flatnonzero(kind == k)
            one = self.atlas.maps.get(int(k))
            if one is None:
                if self._fallback is not None:
                    out.call[at[some]] = self._fallback.bid(view.take(some), key[at[some]])
                continue
            unit = one.best(points(seen[some], one.metric))
            votes = one.votes[unit] * view.mask[some]
            call = np.where(votes.any(axis=1), votes.argmax(axis=1), PASS)
            own, total = one.calls[unit, call], one.calls[unit].sum(axis=1)
            out.call[at[some]], out.unit[at[some]] = call, unit
            out.share[at[some]] = np.where(own > 0, own / np.maximum(total, 1), np.nan)


def hands_text(one: Map, unit: int) -> str:
    """Return the training hands of a unit in words: how many, their mean, and their most frequent calls."""
    count = one.calls[unit].astype(np.int64)
    total = int(count.sum())
    if not total:
        return "none"
    clubs, diamonds, hearts, spades, high = one.hand[unit].tolist()
    calls = [int(c) for c in np.argsort(-count, kind="stable")[:_MOST_CALLS] if count[c]]
    shares = ", ".join(f"{call_text(c)} {100 * (count[c] / total):.0f}%" for c in calls)
    mean = f"{spades:.1f}-{hearts:.1f}-{diamonds:.1f}-{clubs:.1f} (S-H-D-C), {high:.1f} points"
    return f"{total:,}, on average {mean}; calls: {shares}"


read_atlas = cached_by_mtime(load, 4)
"""The maps of a file."""
