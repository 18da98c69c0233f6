"""State in ranges what a call shows, and count how many hands on other deals fit.

Ranges come from the hands that made the call on the measured deals. The most extreme ones on either side, one in 250,
are left out; with few hands a range is one wider than the hands, because the next hand may well lie outside, but
only as far as the player's lines allow. A call made too seldom gets no ranges: there the book has only what the lines
promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
from agents.systems.explain.player_terms import span, suit
from agents.systems.language.tree import Clause, Line
from training.book.graph import Entry
from training.book.measure import COLUMNS, Figures, Measurements, bid_batches

FEWEST = 20  # hands that ranges are drawn from
_FEW = 400  # below, a range is widened
_OUTSIDE = 250  # one of so many hands is left out on either side
_MOST_HCP = 37
EACH = "each suit"
_SHAPES = {"balanced": (2, 5), "semibalanced": (2, 6)}  # cards of each suit


@dataclass(frozen=True)
class Shows:
    """The ranges that a call shows, for names of ``COLUMNS`` or ``EACH``; a column without a range is open."""

    ranges: tuple[tuple[str, int, int], ...]

    def fit(self, hands: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return which hands int8 (N, len(COLUMNS)) fit."""
        out = np.ones(len(hands), np.bool_)
        for name, low, high in self.ranges:
            values = hands[:, 1:5] if name == EACH else hands[:, [COLUMNS.index(name)]]
            out &= ((values < 0) | ((values >= low) & (values <= high))).all(axis=1)
        return out

    def __str__(self) -> str:
        parts = []
        for name, low, high in self.ranges:
            if name == "hcp":
                parts.append(f"{span(low, high, 25)} HCP" if low or high < 25 else "")
            elif name == EACH:
                parts.append(f"{span(low, high)} in each suit")
            else:
                parts.append(f"{span(low, high, 8)}{'' if len(suit(name)) > len(name) else ' '}{suit(name)}")
        return ", ".join(part for part in parts if part) or "nothing"


def shown_by_entries(measured: Measurements) -> list[Shows | None]:
    """Return what every entry shows; None if too few hands, or hands of all kinds, made it."""

    def shown_by(entry: Entry) -> Shows | None:
        made = [entry, *measured.graph.earlier(entry)]
        return shown(measured.figures[entry.index], lambda name, top: [_allowed(one.lines, name, top) for one in made])

    return [shown_by(entry) for entry in measured.graph.entries]


def shown(
    figures: Figures, allowed: Callable[[str, int], list[tuple[int, int]]] = lambda name, top: [(0, top)]
) -> Shows | None:
    """Return what the hands behind a call show, None where they are too few or of all kinds; ``allowed`` returns the
    ranges within which ``hcp`` or a suit may be widened, given its largest number.
    """
    if figures.made < FEWEST:
        return None

    def bounds(name: str, top: int) -> tuple[int, int]:
        return _range(figures.hands[:, COLUMNS.index(name)], allowed(name, top))

    low, high = bounds("hcp", _MOST_HCP)
    some = low > 1 or high < 20  # else any hand makes the call, as far as points go
    ranges = [("hcp", low, _MOST_HCP if high >= 25 else high)] if some else []
    suits = [bounds(name, 13) for name in "CDHS"]
    if min(low for low, _ in suits) >= 2:
        ranges.append((EACH, 2, max(high for _, high in suits)))
    for name in figures.names():
        low, high = bounds(name, 13)
        if low >= 3 or high <= 4:
            ranges.append((name, low, 13 if high >= 8 else high))
    return Shows(tuple(ranges)) if ranges else None


def _range(values: NDArray[np.int8], allowed: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the range of the hands; where they are few, one wider, but only as far as is allowed."""
    values = np.sort(values[values >= 0])
    left_out = len(values) // _OUTSIDE
    low, high = int(values[left_out]), int(values[-1 - left_out])
    if len(values) >= _FEW:
        return low, high
    least, most = max(a for a, _ in allowed), min(b for _, b in allowed)
    return min(low, max(low - 1, least)), max(high, min(high + 1, most))


def _allowed(lines: list[Line], name: str, top: int) -> tuple[int, int]:
    """Return the range of ``hcp`` or of a suit outside which none of the lines of a call can be."""
    return _hull(
        _intersection((_clause_allows(clause, name, top) for clause in line.constraint), top) for line in lines
    )


def _clause_allows(clause: Clause, name: str, top: int) -> tuple[int, int]:
    def limits(word: str, low: int, high: int) -> tuple[int, int]:
        if word == name:
            return low, high
        return _SHAPES[word] if name != "hcp" and word in _SHAPES and low == 1 else (0, top)

    return _hull(_intersection((limits(a.word, a.lo, a.hi) for a in alternative), top) for alternative in clause)


def _intersection(ranges: Iterable[tuple[int, int]], top: int) -> tuple[int, int]:
    every = [(0, top), *ranges]
    return max(a for a, _ in every), min(b for _, b in every)


def _hull(ranges: Iterable[tuple[int, int]]) -> tuple[int, int]:
    every = list(ranges)
    return min(a for a, _ in every), max(b for _, b in every)


@dataclass(frozen=True)
class Coverage:
    """How many calls on other deals a book covers, and how many of their hands fit what it says of them."""

    calls: int  # in all
    covered: int  # calls that a printed row makes
    hands: int  # calls of which a printed row says what they show
    fitting: int  # of these, hands that fit

    @property
    def share(self) -> float:
        """Return the share of the hands that fit."""
        return self.fitting / self.hands if self.hands else 0.0


def coverage(
    measured: Measurements, statements: list[Shows | None], printed: NDArray[np.bool_], deals: int, seed: int
) -> Coverage:
    """Bid ``deals`` other deals of ``seed`` and compare the hands with what the book says of their calls:
    ``statements`` of each entry, and ``printed``, bool (entries,).
    """
    graph, walker = measured.graph, measured.walker
    calls = covered = hands = fitting = 0
    for batch in bid_batches(Hierarchy(graph.system), walker, seed, deals):
        by = graph.entries_of(batch.lines(batch.calls))
        calls, covered = calls + len(by), covered + int(printed[by[by >= 0]].sum())
        for index in np.flatnonzero(printed).tolist():
            rows, statement = np.flatnonzero(by == index), statements[index]
            if statement is not None and rows.size:
                behind = batch.hands(batch.calls.take(rows), walker, graph.entries[index])
                hands, fitting = hands + rows.size, fitting + int(statement.fit(behind).sum())
    return Coverage(calls, covered, hands, fitting)
