"""Bid random deals with a system in all four seats, and measure how often it makes its calls, and on which hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features
from agents.systems.engine.compiled import RULE_LINE
from bridge_env.bidders.view import BidView, views_before
from bridge_env.hands.deals import hand_text, random_deals
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rules.cards import board_dealer, board_vulnerability
from training.book.graph import AuctionGraph, Entry, Walker
from training.evaluation.boards import mean_and_error
from training.evaluation.situations import artificial_calls

#: Columns of hands: points, suits, and the suits that the call's variables stand for (-1: unknown).
COLUMNS = ("hcp", "C", "D", "H", "S", "M", "oM", "m", "om", "x", "y")
_BATCH = 20_000  # deals bid at a time
_ROWS = 50_000  # calls looked up at a time
_EXAMPLES = 2


@dataclass(frozen=True)
class Calls:
    """Calls of some auctions, one a row: the board, how many calls came before, the caller, the state."""

    board: NDArray[np.int64]
    number: NDArray[np.int64]
    seat: NDArray[np.int64]
    state: NDArray[np.int32]
    call: NDArray[np.int8]

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Calls:
        """Return some of the rows."""
        return Calls(self.board[rows], self.number[rows], self.seat[rows], self.state[rows], self.call[rows])

    def __len__(self) -> int:
        return len(self.board)


def calls_of(walker: Walker, history: NDArray[np.int8], dealer: NDArray[np.int16]) -> Calls:
    """Return all calls of auctions int8 (N, L), each in the state in which its own side finds the auction."""
    n = len(history)
    states = np.zeros((n, 2), np.int32)
    parts = []
    for number in range(history.shape[1]):
        rows = np.flatnonzero(history[:, number] >= 0)
        if not rows.size:
            break
        seat = (dealer[rows].astype(np.int64) + number) & 3
        call = history[rows, number]
        parts.append(Calls(rows, np.full(rows.size, number), seat, states[rows, seat & 1], call))
        for side in (0, 1):
            states[rows, side] = walker.step(states[rows, side], (seat & 1) != side, call)
    columns = zip(*((p.board, p.number, p.seat, p.state, p.call) for p in parts), strict=True)
    return Calls(*(np.concatenate(column) for column in columns))


def random_boards(seed: int, start: int, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.int16]]:
    """Return owner (N, 52), dealer and vulnerability (N,) of random deals ``start .. start + count - 1`` of a seed."""
    number = np.arange(start, start + count) + 1
    dealer, vulnerability = board_dealer(number), board_vulnerability(number)
    return random_deals(seed, start, count), dealer.astype(np.int16), vulnerability.astype(np.int16)


class BidDeals:
    """Deals ``start .. start + count - 1`` of a seed, bid to their end with the system in every seat."""

    def __init__(self, hierarchy: Hierarchy, walker: Walker, seed: int, start: int, count: int) -> None:
        self.bidder = HierarchyBidder(hierarchy)
        self.owner, self.dealer, self.vulnerability = random_boards(seed, start, count)
        self.features = deal_features(self.owner)
        auctions = bid_out((hierarchy,) * 4, self.features, self.dealer, self.vulnerability)
        self.history = auctions.history[:, : int(auctions.length.max())].copy()
        self.calls = calls_of(walker, self.history, self.dealer)

    def __len__(self) -> int:
        return len(self.owner)

    def lines(self, calls: Calls) -> NDArray[np.int64]:
        """Return the number of the line that made each of ``calls``; -1 where no line of the system did."""
        parts = [calls.take(slice(start, start + _ROWS)) for start in range(0, max(len(calls), 1), _ROWS)]
        rules = np.concatenate([self._rules(part) for part in parts])
        numbers: NDArray[np.int64] = self.bidder.own.compiled.rules[:, RULE_LINE].astype(np.int64)
        return np.where(rules >= 0, np.maximum(numbers[rules], -1), -1)  # rules of last resort are no lines

    def _rules(self, calls: Calls) -> NDArray[np.int32]:
        chosen, rules, _ = self.bidder.decide(self.view(calls))
        assert np.array_equal(chosen, calls.call), "the bidder and the auction disagree"
        return rules

    def view(self, calls: Calls) -> BidView:
        """Return the views in which ``calls`` were made."""
        history = self.history[:, : max(1, int(calls.number.max(initial=0)))]
        board = calls.board
        return views_before(
            self.owner[board], history[board], calls.number, self.dealer[board], self.vulnerability[board]
        )

    def hands(self, calls: Calls, walker: Walker, entry: Entry) -> NDArray[np.int8]:
        """Return the hands behind ``calls``, all made by ``entry``: int8 (N, len(COLUMNS))."""
        out = hand_columns(self.features[calls.board, calls.seat])
        pairs = calls.state.astype(np.int64) * 64 + calls.call
        for pair in np.unique(pairs):
            rows = np.flatnonzero(pairs == pair)
            for name, suit in walker.bindings(entry, int(pair) >> 6, int(pair) & 63):
                out[rows, COLUMNS.index(name)] = out[rows, 1 + suit]
        return out

    def hand(self, calls: Calls, row: int) -> str:
        """Return the hand behind one of ``calls`` as text, spades first."""
        return hand_text(self.owner[calls.board[row]] == calls.seat[row])


def hand_columns(features: NDArray[np.int16]) -> NDArray[np.int8]:
    """Return points and suits of hands int16 (N, NUM_FEATURES) as int8 (N, len(COLUMNS)), the rest unknown."""
    out = np.full((len(features), len(COLUMNS)), -1, np.int8)
    out[:, :5] = features[:, HCP_AND_LENGTHS]
    return out


def bid_batches(hierarchy: Hierarchy, walker: Walker, seed: int, end: int) -> Iterator[BidDeals]:
    """Yield deals ``0 .. end - 1`` of a seed, bid in batches."""
    for at in range(0, end, _BATCH):
        yield BidDeals(hierarchy, walker, seed, at, min(_BATCH, end - at))


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
    def hands(self) -> NDArray[np.int8]:
        """Return the hands that made the call, int8 (made, len(COLUMNS))."""
        if len(self.parts) != 1:
            self.parts = [np.concatenate(self.parts) if self.parts else np.empty((0, len(COLUMNS)), np.int8)]
        return self.parts[0]

    def usual(self, name: str) -> tuple[int, int] | None:
        """Return the range in a column of nine in ten hands; None without hands."""
        values = self.hands[:, COLUMNS.index(name)]
        values = values[values >= 0]
        if not values.size:
            return None
        low, high = np.percentile(values, [5, 95], method="inverted_cdf")  # values that some hand really had
        return int(low), int(high)

    def names(self) -> list[str]:
        """Return the suits to describe: the call's variables, and the suits that none of its variables can be."""
        known = self.hands.max(axis=0, initial=-1) >= 0
        plain = [s for i, s in ((4, "S"), (3, "H"), (2, "D"), (1, "C")) if i - 1 not in self.suits]
        return [name for i, name in enumerate(COLUMNS) if i >= 5 and known[i]] + plain


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
        mean, error = mean_and_error(np.concatenate(self.artificial_of_sides))
        return 100 * mean, 100 * error


def measure(
    graph: AuctionGraph,
    hierarchy: Hierarchy,
    deals: int,
    seed: int,
    tick: Callable[[int], None] = lambda deals: None,
) -> Measurements:
    """Bid random deals by the ``hierarchy`` of ``graph.system`` and count the calls; ``tick`` gets the deals of every
    batch.
    """
    walker, points = Walker(graph), len(graph.points)
    figures = [Figures(deals=deals) for _ in graph.entries]
    out = Measurements(graph, walker, deals, seed, figures, [0] * points, [0] * points)
    for batch in bid_batches(hierarchy, walker, seed, deals):
        _count(out, batch)
        out.artificial_of_sides += list(artificial_calls(batch.history, batch.dealer, batch.owner)[1].T)
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
        figures = out.figures[entry.index]
        figures.made += len(own)
        if entry.point is None:
            figures.chances += len(calls)
        if not len(own):
            continue
        figures.parts.append(batch.hands(own, walker, entry))
        for pair in np.unique(own.state.astype(np.int64) * 64 + own.call).tolist():
            figures.suits |= {suit for _, suit in walker.bindings(entry, pair >> 6, pair & 63)}
        missing = _EXAMPLES - len(figures.examples)
        figures.examples += [batch.hand(own, row) for row in range(min(missing, len(own)))]
        if entry.lines[0].score is not None:
            out.examples.setdefault(entry.block, batch.view(own.take(slice(1))))
    out.passes += int((made < 0).sum())
    out.calls += len(calls)
