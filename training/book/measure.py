"""Measure how often a system makes each of its calls, and on which hands, by bidding random deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
from bridge_env.bidders.view import BidView
from training.book.deals import COLUMNS, BidDeals, Calls, bid_batches
from training.book.graph import AuctionGraph, Entry, Walker
from training.evaluation.artificial_calls import count_artificial

_EXAMPLES = 2


@dataclass
class Figures:
    """How often a call is made, and on which hands."""

    made: int = 0  # times the call was made by the entry's lines
    chances: int = 0  # times a seat had to call at the entry's point (of a general rule: calls in all)
    deals: int = 0  # deals that these two were counted on
    examples: list[str] = field(default_factory=list)  # hands
    parts: list[NDArray[np.int8]] = field(default_factory=list, repr=False)
    suits: set[int] = field(default_factory=set)  # that the variables have stood for

    @property
    def share(self) -> float:
        """Return the share of the calls at that point."""
        return self.made / self.chances if self.chances else 0.0

    @property
    def per_deal(self) -> float:
        """Return how often a deal has the call."""
        return self.made / self.deals if self.deals else 0.0

    @property
    def hands(self) -> NDArray[np.int8]:
        """Return the hands that made the call, int8 (made, len(COLUMNS))."""
        if len(self.parts) != 1:
            self.parts = [np.concatenate(self.parts) if self.parts else np.empty((0, len(COLUMNS)), np.int8)]
        return self.parts[0]

    def usual(self, name: str) -> tuple[int, int] | None:
        """Return the range in a column of nine in ten hands; None without hands."""
        values = self.hands[:, COLUMNS.index(name)]
        values = values[values >= 0]
        return nine_in_ten(values) if values.size else None

    def names(self) -> list[str]:
        """Return the suits to describe: the call's variables, and the suits that none of its variables can be."""
        known = self.hands.max(axis=0, initial=-1) >= 0
        plain = [s for i, s in ((4, "S"), (3, "H"), (2, "D"), (1, "C")) if i - 1 not in self.suits]
        return [name for i, name in enumerate(COLUMNS) if i >= 5 and known[i]] + plain


def nine_in_ten(values: NDArray[np.int8]) -> tuple[int, int]:
    """Return the 5th to 95th percentile, as values that some hand really had."""
    low, high = np.percentile(values, [5, 95], method="inverted_cdf")
    return int(low), int(high)


@dataclass
class Measurements:
    """Figures of every entry, and of every point the calls that general rules make there."""

    graph: AuctionGraph
    walker: Walker
    deals: int
    seed: int
    figures: list[Figures]
    visits: list[int]  # by point
    general: list[int]  # by point: calls there that general rules made
    calls: int = 0
    passes: int = 0  # calls that no line made
    # by block of scorecards: an auction and a hand in which they made the call
    examples: dict[int, BidView] = field(default_factory=dict, repr=False)
    artificial_of_sides: list[NDArray[np.int64]] = field(default_factory=list, repr=False)  # by batch

    @property
    def artificial(self) -> tuple[float, float]:
        """Return artificial calls in 100 auctions of a side, and the standard error."""
        return per_hundred(np.concatenate(self.artificial_of_sides))


def per_hundred(each: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, float]:
    """Return a hundred times the mean of counts by auction, and its standard error."""
    return 100 * float(each.mean()), 100 * float(each.std(ddof=1) / len(each) ** 0.5)


def measure(
    graph: AuctionGraph,
    hierarchy: Hierarchy,
    deals: int,
    seed: int,
    tick: Callable[[int], None] = lambda deals: None,
) -> Measurements:
    """Bid random deals and count the calls.

    Args:
        hierarchy: of ``graph.system``.
        tick: called with the number of deals after every batch.
    """
    walker, points = Walker(graph), len(graph.points)
    figures = [Figures(deals=deals) for _ in graph.entries]
    out = Measurements(graph, walker, deals, seed, figures, [0] * points, [0] * points)
    for batch in bid_batches(hierarchy, walker, seed, deals):
        _count(out, batch)
        out.artificial_of_sides += [
            count_artificial(batch.history, batch.dealer, batch.owner, np.full(len(batch), side)) for side in (0, 1)
        ]
        tick(len(batch))
    return out


def _count(out: Measurements, batch: BidDeals) -> None:
    """Add the calls of a batch to the figures of entries and points."""
    walker, entries, calls = out.walker, out.graph.entries, batch.calls
    made = out.graph.entries_of(batch.lines(calls))
    by_rules = np.array([*(entry.point is None for entry in entries), True])  # -1 is the last: no line
    visits = np.bincount(calls.state, minlength=len(walker.states)).tolist()
    general = np.bincount(calls.state[by_rules[made]], minlength=len(visits)).tolist()
    for number, state in enumerate(walker.states):
        for point, _ in state.places:
            for entry in out.graph.points[point].entries.values():
                out.figures[entry.index].chances += visits[number]
        for point in {point for point, _ in state.places}:
            out.visits[point] += visits[number]
            out.general[point] += general[number]
    for entry in entries:
        own = calls.take(np.flatnonzero(made == entry.index))
        _add_calls(out.figures[entry.index], entry, batch, own, walker)
        if entry.lines[0].score is not None and len(own):
            out.examples.setdefault(entry.block, batch.view(own.take(slice(1))))
        if entry.point is None:
            out.figures[entry.index].chances += len(calls)
    out.passes += int((made < 0).sum())
    out.calls += len(calls)


def _add_calls(figures: Figures, entry: Entry, batch: BidDeals, calls: Calls, walker: Walker) -> None:
    """Add the calls of a batch that ``entry`` made to its figures."""
    figures.made += len(calls)
    if not len(calls):
        return
    figures.parts.append(batch.hands(calls, walker, entry))
    for pair in np.unique(calls.state.astype(np.int64) * 64 + calls.call):
        figures.suits |= {suit for _, suit in walker.bindings(entry, int(pair) >> 6, int(pair) & 63)}
    missing = _EXAMPLES - len(figures.examples)
    figures.examples += [batch.hand(calls, row) for row in range(min(missing, len(calls)))]
