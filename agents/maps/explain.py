"""Explain a call by the best-matching unit: the calls of its hands and of its neighbours', and how far they agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agents.maps.atlas import UNIT, Map
from agents.maps.situations import SITUATIONS
from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import call_text

if TYPE_CHECKING:  # it imports this module to explain itself
    from agents.maps.bidder import MapBidder

AMBIGUOUS = 0.8  # of a unit's hands, if fewer made its call
_MOST_CALLS = 4  # calls of a unit that are named


@dataclass(frozen=True)
class Unit:
    """A unit in words."""

    where: str  # "row 3, column 7"
    hands: int  # how many training hands were its
    mean: str  # their average hand; empty for none
    # the most frequent calls, each with its share of the hands, and all others together
    calls: tuple[tuple[str, float], ...]
    distance: float  # from the state's point, in cards (published inputs) or deviations (learned)

    def __str__(self) -> str:
        counts = ", ".join(f"{call} {100 * share:.0f}%" for call, share in self.calls) or "no hands"
        return f"{self.where:<18} {self.distance:5.1f}  {self.hands:>6,}  {self.mean:<38}  {counts}"


def explain(bidder: MapBidder, view: BidView) -> str:
    """Explain the call of ``bidder`` for the one row of ``view``: its unit, then those around it, the nearest first."""
    found = bidder.consult(view)
    call, name, best = int(found.call[0]), SITUATIONS[found.situation[0]], int(found.unit[0])
    if best < 0:
        fallback = f"{bidder.atlas.fallback} decides" if bidder.atlas.fallback else "a pass"
        return f"{call_text(call)}\n  because   there is no map of {name}: {fallback}"
    one = bidder.atlas.maps[int(found.situation[0])]
    place, around, share = bidder.place(view, one), neighbours(one, best), float(found.share[0])
    own, units = unit_of(one, best, place), [unit_of(one, unit, place) for unit in around]
    if np.isnan(share):
        sure = "none of its hands made a call that is legal here; the units around it were asked"
    else:
        differ = sum(one.calls[u].any() and int(one.calls[u].argmax()) != call for u in around)
        word = "ambiguous" if share < AMBIGUOUS else "clear"
        sure = f"{word}: {100 * share:.0f}% of its hands; of {len(around)} units around it {differ} call otherwise"
    return "\n".join(
        [
            call_text(call),
            f"  because   the map of {name}, {one.rows} by {one.columns} units: {own.where}",
            f"  how sure  {sure}",
            f"  {'unit':<18} {'dist.':>5}  {'hands':>6}  {'mean hand (S-H-D-C, points)':<38}  calls",
            *(f"  {unit}" for unit in (own, *sorted(units, key=lambda unit: unit.distance))),
        ]
    )


def neighbours(one: Map, unit: int) -> list[int]:
    """Return the units beside one on the grid, eight or fewer."""
    row, column = divmod(unit, one.columns)
    rows = range(max(row - 1, 0), min(row + 2, one.rows))
    columns = range(max(column - 1, 0), min(column + 2, one.columns))
    return [r * one.columns + c for r in rows for c in columns if (r, c) != (row, column)]


def unit_of(one: Map, unit: int, place: np.ndarray | None = None) -> Unit:
    """Return a unit in words; ``place`` (E,) is where distances are counted from."""
    count = one.calls[unit].astype(np.int64)
    total = int(count.sum())
    first = [int(c) for c in np.argsort(-count, kind="stable")[:_MOST_CALLS] if count[c]]
    calls = [(call_text(c), count[c] / total) for c in first]
    if first and total > count[first].sum():
        calls.append(("others", 1 - float(count[first].sum()) / total))
    row, column = divmod(unit, one.columns)
    away = 0.0 if place is None else float(np.sqrt(((one.unit[unit].astype(np.float64) - place) ** 2).sum())) / UNIT
    clubs, diamonds, hearts, spades, points = one.hand[unit].tolist()
    mean = f"{spades:.1f}-{hearts:.1f}-{diamonds:.1f}-{clubs:.1f}, {points:.1f} points" if total else ""
    return Unit(f"row {row}, column {column}", total, mean, tuple(calls), away)
