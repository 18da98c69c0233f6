"""Define ``som:FILE``, which makes the most frequent call of the best-matching unit.

A state belongs to one of the maps (``situations``). Of the calls that the unit's training hands made, the most
frequent legal one is made. In a tie, where none of them is legal, or where the unit has no hands, the eight units
around it decide; where these have no legal call either, it passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidder_files import cached_by_mtime
from agents.maps.atlas import UNIT, Atlas, Map, load, points
from agents.maps.inputs import rows_of
from agents.maps.situations import SITUATIONS, situation
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
    """Bids as the best-matching units say.

    Args:
        opponents: the spec of their bidder, by which their calls are read if it is a system (default: the reader).
    """

    def __init__(self, atlas: Atlas, opponents: str | None = None) -> None:
        self.atlas = atlas
        self._reader: Any = make(atlas.reader, opponents=opponents)
        self._fallback: Any = make(atlas.fallback, opponents=opponents) if atlas.fallback else None

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the most frequent legal call of each row's best-matching unit."""
        return self.consult(view).call

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``: its unit, then those around it, the nearest first."""
        found = self.consult(view)
        call, name, best = int(found.call[0]), SITUATIONS[found.situation[0]], int(found.unit[0])
        if best < 0:
            fallback = f"{self.atlas.fallback} decides" if self.atlas.fallback else "a pass"
            return f"{call_text(call)}\n  because   there is no map of {name}: {fallback}"
        one = self.atlas.maps[int(found.situation[0])]
        around, share = neighbours(one, best), float(found.share[0])
        point = points(rows_of(view, self._reader.meaning(view), self.atlas.inputs), one.metric)[0]
        away = np.sqrt(((one.unit.astype(np.float64) - point) ** 2).sum(axis=1)) / UNIT
        near = [best, *sorted(around, key=lambda unit: away[unit])]
        if np.isnan(share):
            sure = "none of its hands made a call that is legal here; the units around it were asked"
        else:
            differ = sum(one.calls[u].any() and int(one.calls[u].argmax()) != call for u in around)
            word = "ambiguous" if share < AMBIGUOUS else "clear"
            sure = f"{word}: {100 * share:.0f}% of its hands; of {len(around)} units around it {differ} call otherwise"
        return "\n".join(
            [
                call_text(call),
                f"  because   the map of {name}, {one.rows} by {one.columns} units: {unit_place(one, best)}",
                f"  how sure  {sure}",
                f"  {'unit':<18} {'dist.':>5}  {'hands':>6}  {'mean hand (S-H-D-C, points)':<38}  calls",
                *(f"  {unit_text(one, unit, float(away[unit]))}" for unit in near),
            ]
        )

    def consult(self, view: BidView) -> Consulted:
        """Return the map, the unit and the call of every row."""
        n = len(view)
        out = Consulted(
            np.full(n, PASS, np.int8), np.zeros(n, np.int64), np.full(n, -1, np.int64), np.full(n, np.nan)
        )  # fmt: skip
        for start in range(0, n, _ROWS):
            rows = np.arange(start, min(start + _ROWS, n))
            self._consult(view.take(rows), rows, out)
        return out

    def _consult(self, view: BidView, at: NDArray[np.int64], out: Consulted) -> None:
        seen = rows_of(view, self._reader.meaning(view), self.atlas.inputs)
        kind = situation(view)
        out.situation[at] = kind
        for k in np.unique(kind):
            some = np.flatnonzero(kind == k)
            one = self.atlas.maps.get(int(k))
            if one is None:
                if self._fallback is not None:
                    out.call[at[some]] = self._fallback.call(view.take(some))
                continue
            unit = one.best(points(seen[some], one.metric))
            votes = one.votes[unit] * view.mask[some]
            call = np.where(votes.any(axis=1), votes.argmax(axis=1), PASS)
            own, total = one.calls[unit, call], one.calls[unit].sum(axis=1)
            out.call[at[some]], out.unit[at[some]] = call, unit
            out.share[at[some]] = np.where(own > 0, own / np.maximum(total, 1), np.nan)


# --- units in words --------------------------------------------------------------------------------------------


def neighbours(one: Map, unit: int) -> list[int]:
    """Return the units beside one on the grid, eight or fewer."""
    row, column = divmod(unit, one.columns)
    rows = range(max(row - 1, 0), min(row + 2, one.rows))
    columns = range(max(column - 1, 0), min(column + 2, one.columns))
    return [r * one.columns + c for r in rows for c in columns if (r, c) != (row, column)]


def unit_place(one: Map, unit: int) -> str:
    """Return ``row 3, column 7``."""
    row, column = divmod(unit, one.columns)
    return f"row {row}, column {column}"


def unit_text(one: Map, unit: int, away: float) -> str:
    """Return a unit in words: its place, distance, hands, their mean, and the most frequent calls with their shares.

    Args:
        away: its distance from the state's point, in cards (published inputs) or deviations (learned).
    """
    count = one.calls[unit].astype(np.int64)
    total = int(count.sum())
    first = [int(c) for c in np.argsort(-count, kind="stable")[:_MOST_CALLS] if count[c]]
    shares = [f"{call_text(c)} {100 * (count[c] / total):.0f}%" for c in first]
    if first and total > count[first].sum():
        shares.append(f"others {100 * (1 - float(count[first].sum()) / total):.0f}%")
    clubs, diamonds, hearts, spades, high = one.hand[unit].tolist()
    mean = f"{spades:.1f}-{hearts:.1f}-{diamonds:.1f}-{clubs:.1f}, {high:.1f} points" if total else ""
    return f"{unit_place(one, unit):<18} {away:5.1f}  {total:>6,}  {mean:<38}  {', '.join(shares) or 'no hands'}"


read_atlas = cached_by_mtime(load, 4)
"""The maps of a file."""
