"""Measure how often a system makes each of its calls, and on which hands, by bidding random deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
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
    all_deals: int = 0  # with those on which rare calls were looked for
    code_words_of_sides: list[NDArray[np.int64]] = field(default_factory=list, repr=False)  # by batch

    @property
    def code_words(self) -> tuple[float, float]:
        """Return code words for each 100 auctions of a side, and the standard error."""
        return per_hundred(np.concatenate(self.code_words_of_sides))


def per_hundred(each: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, float]:
    """Return a hundred times the mean of counts by auction, and its standard error."""
    return 100 * float(each.mean()), 100 * float(each.std(ddof=1) / len(each) ** 0.5)


def measure(
    graph: AuctionGraph,
    hierarchy: Hierarchy,
    deals: int,
    seed: int,
    *,
    rare: int = 0,
    enough: int = 40,
    levels: int | None = None,
    tick: Callable[[int], None] = lambda deals: None,
) -> Measurements:
    """Bid ``deals`` random deals and count; then up to ``rare`` deals in all for the calls seen less than ``enough``.

    Args:
        hierarchy: of ``graph.system``.
        levels: look for rare calls only so deep in the tree.
        tick: called with the number of deals after every batch.
    """
    walker = Walker(graph)
    points = len(graph.points)
    out = Measurements(
        graph, walker, deals, seed, [Figures() for _ in graph.entries], [0] * points, [0] * points, all_deals=deals
    )
    for batch in bid_batches(hierarchy, walker, seed, deals):
        _count(out, batch, None)
        out.code_words_of_sides += [
            count_artificial(batch.history, batch.dealer, batch.owner, np.full(len(batch), side)) for side in (0, 1)
        ]
        tick(len(batch))
    more = bid_batches(hierarchy, walker, seed, rare, deals)
    while (wanted := _rare_entries(out, enough, levels)) and (another := next(more, None)) is not None:
        _count(out, another, wanted)
        out.all_deals += len(another)
        tick(len(another))
    return out


def _rare_entries(out: Measurements, enough: int, levels: int | None) -> set[int]:
    """Return the entries of the tree that have been made less than ``enough`` times."""
    tree = [e for e in out.graph.entries if e.point is not None and (levels is None or len(e.point.path) < levels)]
    return {e.index for e in tree if out.figures[e.index].made < enough}


def _count(out: Measurements, batch: BidDeals, wanted: set[int] | None) -> None:
    """Add a batch to the figures of all entries, or of those wanted."""
    walker, entries = out.walker, out.graph.entries
    calls = batch.calls
    by_state: list[list[int]] = []  # entries that can call there
    for state in walker.states:
        here = [e.index for p, _ in state.places for e in out.graph.points[p].entries.values()]
        by_state.append(here if wanted is None else [i for i in here if i in wanted])
    if wanted is not None:
        calls = calls.take(np.array([bool(here) for here in by_state])[calls.state])
    lines = batch.lines(calls) if len(calls) else np.empty(0, np.int64)
    visits = np.bincount(calls.state, minlength=len(walker.states))
    for here, count in zip(by_state, visits.tolist(), strict=True):
        for index in here:
            out.figures[index].chances += count
    made = out.graph.entries_of(lines)
    for entry in entries if wanted is None else [entries[i] for i in sorted(wanted)]:
        _add_calls(out.figures[entry.index], entry, batch, calls.take(np.flatnonzero(made == entry.index)), walker)
    if wanted is None:
        _count_general(out, calls, made, visits)


def _add_calls(figures: Figures, entry: Entry, batch: BidDeals, calls: Calls, walker: Walker) -> None:
    """Add the calls of a batch that ``entry`` made to its figures."""
    figures.deals += len(batch)
    figures.made += len(calls)
    if not len(calls):
        return
    figures.parts.append(batch.hands(calls, walker, entry))
    for pair in np.unique(calls.state.astype(np.int64) * 64 + calls.call):
        figures.suits |= {suit for _, suit in walker.bindings(entry, int(pair) >> 6, int(pair) & 63)}
    missing = _EXAMPLES - len(figures.examples)
    figures.examples += [batch.hand(calls, row) for row in range(min(missing, len(calls)))]


def _count_general(out: Measurements, calls: Calls, made: NDArray[np.int64], visits: NDArray[np.int64]) -> None:
    """Count by point the visits, and the calls that no entry of the tree made."""
    by_rules = np.array([*(e.point is None for e in out.graph.entries), True])  # -1 is the last: no line
    general = np.bincount(calls.state[by_rules[made]], minlength=len(visits))
    for number, state in enumerate(out.walker.states):
        for point in {p for p, _ in state.places}:
            out.visits[point] += int(visits[number])
            out.general[point] += int(general[number])
    out.passes += int((made < 0).sum())
    out.calls += len(calls)
    for entry in out.graph.entries:
        if entry.point is None:
            out.figures[entry.index].chances += len(calls)
