"""Bid random deals with a system in all four seats, and record the hands behind each of its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features
from agents.hierarchy.engine.compiled import RULE_LINE
from bridge_env.cards import board_dealer, board_vulnerability, hand_text, random_deals
from bridge_env.features import HCP_AND_LENGTHS
from bridge_env.view import BidView, views_before
from training.book.measured.points import Entry, Points, Walker
from training.match.artificial_calls import count_artificial

#: What is kept of a hand: its points, its suits, and the suits that the call's variables stand for (-1: unknown).
#: Those after them are of networks: the suit that partner, the opponents, or the player named last; length points too.
HELD = ("hcp", "C", "D", "H", "S", "M", "oM", "m", "om", "x", "y", "in partner's", "in theirs", "in mine", "points")
BATCH = 20_000  # deals bid at a time
_ROWS = 50_000  # calls looked up at a time
_EXAMPLES = 2


@dataclass(frozen=True)
class Calls:
    """Calls of some auctions, one a row: the board, how many calls came before, who made it, in which state."""

    board: NDArray[np.int64]
    number: NDArray[np.int64]
    seat: NDArray[np.int64]
    state: NDArray[np.int32]
    call: NDArray[np.int8]

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Calls:
        return Calls(self.board[rows], self.number[rows], self.seat[rows], self.state[rows], self.call[rows])

    def __len__(self) -> int:
        return len(self.board)


def calls_of(walker: Walker, history: NDArray[np.int8], dealer: NDArray[np.int16]) -> Calls:
    """All calls of auctions int8 (N, L), each in the state in which its own side finds the auction."""
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


class Table:
    """Deals ``start .. start + count - 1`` of a seed, bid to their end with the system in every seat."""

    def __init__(self, hierarchy: Hierarchy, walker: Walker, seed: int, start: int, count: int) -> None:
        self.seed = seed
        number = np.arange(start, start + count) + 1
        self.bidder = HierarchyBidder(hierarchy)
        self.owner = random_deals(seed, start, count)
        self.dealer = board_dealer(number).astype(np.int16)
        self.vulnerability = board_vulnerability(number).astype(np.int16)
        self.features = deal_features(self.owner)
        auctions = bid_out((hierarchy,) * 4, self.features, self.dealer, self.vulnerability)
        self.history = auctions.history[:, : int(auctions.length.max())].copy()
        self.calls = calls_of(walker, self.history, self.dealer)

    def __len__(self) -> int:
        return len(self.owner)

    def lines(self, calls: Calls) -> NDArray[np.int64]:
        """The number of the line that made each of ``calls``; -1 where no line of the system did."""
        rules = self.rules(calls)
        numbers: NDArray[np.int64] = self.bidder.own.compiled.rules[:, RULE_LINE].astype(np.int64)
        return np.where(rules >= 0, np.maximum(numbers[rules], -1), -1)  # rules of last resort are no lines

    def rules(self, calls: Calls) -> NDArray[np.int32]:
        """The rule of the pool that made each of ``calls``: int32 (N,); -1 where none fitted."""
        return np.concatenate([self._decide(calls.take(rows))[1] for rows in _parts(len(calls))])

    def shown(self, calls: Calls) -> NDArray[np.int16]:
        """Return what the seats have shown before each of ``calls``, as ``HierarchyBidder.meaning``."""
        return np.concatenate([self._decide(calls.take(rows))[2] for rows in _parts(len(calls))])

    def _decide(self, calls: Calls) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int16]]:
        chosen, rules, shown = self.bidder.decide(self.view(calls))
        assert np.array_equal(chosen, calls.call), "the bidder and the whole auction disagree"
        return chosen, rules, shown

    def view(self, calls: Calls) -> BidView:
        """What those who made ``calls`` saw."""
        history = self.history[:, : max(1, int(calls.number.max(initial=0)))]
        board = calls.board
        return views_before(
            self.owner[board], history[board], calls.number, self.dealer[board], self.vulnerability[board]
        )

    def held(self, calls: Calls, walker: Walker, entry: Entry) -> NDArray[np.int8]:
        """Return features of the hands behind ``calls``, all made by ``entry``: int8 (N, len(HELD))."""
        out = held_of(self.features[calls.board, calls.seat])
        pairs = calls.state.astype(np.int64) * 64 + calls.call
        for pair in np.unique(pairs):
            rows = np.flatnonzero(pairs == pair)
            for name, suit in walker.bindings(entry, int(pair) >> 6, int(pair) & 63):
                out[rows, HELD.index(name)] = out[rows, 1 + suit]
        return out

    def hand(self, calls: Calls, row: int) -> str:
        """The hand behind one of ``calls``, spades first."""
        return hand_text(self.owner[calls.board[row]] == calls.seat[row])


def held_of(features: NDArray[np.int16]) -> NDArray[np.int8]:
    """The points and suits of hands int16 (N, NUM_FEATURES) as int8 (N, len(HELD)), the rest unknown."""
    out = np.full((len(features), len(HELD)), -1, np.int8)
    out[:, :5] = features[:, HCP_AND_LENGTHS]
    return out


def tables(hierarchy: Hierarchy, walker: Walker, seed: int, end: int, start: int = 0) -> Iterator[Table]:
    """Deals ``start .. end - 1`` of a seed, bid some at a time."""
    for at in range(start, end, BATCH):
        yield Table(hierarchy, walker, seed, at, min(BATCH, end - at))


def _parts(count: int) -> list[slice]:
    return [slice(i, i + _ROWS) for i in range(0, max(count, 1), _ROWS)]


# --- figures -----------------------------------------------------------------------------------------------


@dataclass
class Figures:
    """How often a call is made, and on what."""

    made: int = 0  # times the call was made by the entry's lines
    chances: int = 0  # times a seat had to call at the entry's point (of a general rule: calls in all)
    deals: int = 0  # deals that these two were counted on
    examples: list[str] = field(default_factory=list)  # hands
    parts: list[NDArray[np.int8]] = field(default_factory=list, repr=False)
    suits: set[int] = field(default_factory=set)  # that the variables have stood for

    @property
    def share(self) -> float:
        """Of the calls at that point."""
        return self.made / self.chances if self.chances else 0.0

    @property
    def per_deal(self) -> float:
        """How often a deal has the call."""
        return self.made / self.deals if self.deals else 0.0

    @property
    def held(self) -> NDArray[np.int8]:
        """int8 (made, len(HELD))."""
        if len(self.parts) != 1:
            self.parts = [np.concatenate(self.parts) if self.parts else np.empty((0, len(HELD)), np.int8)]
        return self.parts[0]

    def usual(self, name: str) -> tuple[int, int] | None:
        """What nine in ten of the hands held; None without hands."""
        values = self.held[:, HELD.index(name)]
        values = values[values >= 0]
        return nine_in_ten(values) if values.size else None

    def names(self) -> list[str]:
        """The suits to speak of: the call's variables, and those that none of its variables can be."""
        known = self.held.max(axis=0, initial=-1) >= 0
        plain = [s for i, s in ((4, "S"), (3, "H"), (2, "D"), (1, "C")) if i - 1 not in self.suits]
        return [name for i, name in enumerate(HELD) if i >= 5 and known[i]] + plain


def nine_in_ten(values: NDArray[np.int8]) -> tuple[int, int]:
    """The 5th to 95th percentile: values that some hand really had."""
    low, high = np.percentile(values, [5, 95], method="inverted_cdf")
    return int(low), int(high)


@dataclass
class Measured:
    """Figures of every entry, and of every point the calls that general rules make there."""

    points: Points
    walker: Walker
    figures: list[Figures]
    visits: list[int]
    general: list[int]
    passes: int  # calls that no line made
    calls: int
    deals: int
    all_deals: int
    seed: int
    coded: list[NDArray[np.int64]] = field(default_factory=list, repr=False)  # code words of each side, by batch

    @property
    def code_words(self) -> tuple[float, float]:
        """Code words for each 100 auctions of a side, and the standard error of that."""
        return per_hundred(np.concatenate(self.coded))


def per_hundred(each: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, float]:
    """What each auction of a side has, for 100 of them, and the standard error of that."""
    return 100 * float(each.mean()), 100 * float(each.std(ddof=1) / len(each) ** 0.5)


def measure(
    points: Points,
    hierarchy: Hierarchy,
    deals: int,
    seed: int,
    *,
    rare: int = 0,
    enough: int = 40,
    levels: int | None = None,
    tick: Callable[[int], None] = lambda deals: None,
) -> Measured:
    """Bid ``deals`` random deals and count; then up to ``rare`` deals in all for the calls seen less than ``enough``.

    Args:
        hierarchy: of ``points.system``.
        levels: look for rare calls only so deep in the tree.
        tick: told the number of deals after every batch.
    """
    walker = Walker(points)
    out = Measured(
        points, walker, [Figures() for _ in points.entries], [0] * len(points.points), [0] * len(points.points),
        0, 0, deals, deals, seed,
    )  # fmt: skip
    for table in tables(hierarchy, walker, seed, deals):
        _count(out, table, None)
        out.coded += [
            count_artificial(table.history, table.dealer, table.owner, np.full(len(table), side)) for side in (0, 1)
        ]
        tick(len(table))
    more = tables(hierarchy, walker, seed, rare, deals)
    while (wanted := _rare(out, enough, levels)) and (another := next(more, None)) is not None:
        _count(out, another, wanted)
        out.all_deals += len(another)
        tick(len(another))
    return out


def _rare(out: Measured, enough: int, levels: int | None) -> set[int]:
    """The entries of the tree that have been made too seldom."""
    return {
        e.index
        for e in out.points.entries
        if e.point is not None
        and out.figures[e.index].made < enough
        and (levels is None or len(e.point.path) < levels)
    }  # fmt: skip


def _count(out: Measured, table: Table, wanted: set[int] | None) -> None:
    """Add a table to the figures, of all entries or of those wanted."""
    walker, entries = out.walker, out.points.entries
    calls = table.calls
    here: dict[int, list[int]] = {}  # state -> entries that can call there
    for number, state in enumerate(walker.states):
        at = [e.index for p, _ in state.places for e in out.points.points[p].entries.values()]
        here[number] = at if wanted is None else [i for i in at if i in wanted]
    if wanted is not None:
        asked = np.array([bool(here[number]) for number in range(len(walker.states))])
        calls = calls.take(asked[calls.state])
    lines = table.lines(calls) if len(calls) else np.empty(0, np.int64)
    visits = np.bincount(calls.state, minlength=len(walker.states))
    for number, count in enumerate(visits):
        for index in here[number]:
            out.figures[index].chances += int(count)
    made = entries_of(out.points, lines)
    for entry in entries if wanted is None else [entries[i] for i in sorted(wanted)]:
        add_calls(out.figures[entry.index], entry, table, calls, np.flatnonzero(made == entry.index), walker)
    if wanted is None:
        _count_all(out, calls, made, visits)


def entries_of(points: Points, lines: NDArray[np.int64]) -> NDArray[np.int64]:
    """The entries of calls that some lines made, by their numbers; -1 for none."""
    every = range(max(points.of_line, default=0) + 1)
    return np.array([-1, *(points.of_line[n].index if n in points.of_line else -1 for n in every)])[lines + 1]


def add_calls(
    figures: Figures, entry: Entry, table: Table, calls: Calls, rows: NDArray[np.int64], walker: Walker
) -> None:  # fmt: skip
    """Add some calls of a table, all made by ``entry``, to figures."""
    figures.deals += len(table)
    figures.made += rows.size
    if not rows.size:
        return
    mine = calls.take(rows)
    figures.parts.append(table.held(mine, walker, entry))
    for pair in np.unique(mine.state.astype(np.int64) * 64 + mine.call):
        figures.suits |= {suit for _, suit in walker.bindings(entry, int(pair) >> 6, int(pair) & 63)}
    missing = _EXAMPLES - len(figures.examples)
    figures.examples += [table.hand(mine, row) for row in range(min(missing, rows.size))]


def _count_all(out: Measured, calls: Calls, made: NDArray[np.int64], visits: NDArray[np.int64]) -> None:
    by_rules = np.array([*(e.point is None for e in out.points.entries), True])
    general = by_rules[made]  # -1 is the last: no line
    aside = np.bincount(calls.state[general], minlength=len(visits))
    for number, state in enumerate(out.walker.states):
        for point in {p for p, _ in state.places}:
            out.visits[point] += int(visits[number])
            out.general[point] += int(aside[number])
    out.passes += int((made < 0).sum())
    out.calls += len(calls)
    for entry in out.points.entries:
        if entry.point is None:
            out.figures[entry.index].chances += len(calls)
