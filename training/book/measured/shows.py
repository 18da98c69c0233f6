"""State in ranges what a call shows, and check that hands on other deals fit.

Ranges come from the hands that made the call on the measured deals. The most extreme ones on either side, one in 250,
are left out; with few hands a range is one wider than what was seen, because the next hand may well lie outside, but
only as far as the player's lines allow. A call made too seldom gets no ranges: there the book says what the lines
promise and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.engine.context import STRENGTH, SUIT
from agents.hierarchy.language.tree import Clause, Line
from agents.hierarchy.telling.wording import span, suit
from bridge_env.features import FEATURES
from training.book.measured.measure import HELD, Figures, Measured, Table, entries_of, tables
from training.book.measured.points import Entry, Points

FEWEST = 20  # hands that ranges are drawn from
_FEW = 400  # below, a range is widened
_OUTSIDE = 250  # one of so many hands is left out on either side
_MOST_HCP = 37
EACH = "each suit"
_STRENGTHS = [FEATURES["hcp"], FEATURES["points"], *(FEATURES[f"support:{s}"] for s in "CDHS")]
_LENGTHS = [FEATURES[f"length:{s}"] for s in "CDHS"]


@dataclass(frozen=True)
class Shows:
    """The ranges that a call shows, for names of ``HELD`` or suits; what it does not name is open."""

    ranges: tuple[tuple[str, int, int], ...]

    def fit(self, held: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return which hands int8 (N, len(HELD)) fit."""
        out = np.ones(len(held), np.bool_)
        for name, low, high in self.ranges:
            values = held[:, 1:5] if name == EACH else held[:, [HELD.index(name)]]
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


def statements(measured: Measured) -> list[Shows | None]:
    """State what every call shows; None if too few hands, or hands of all kinds, made it."""
    points = measured.points
    return [_shows(points, entry, figures) for entry, figures in zip(points.entries, measured.figures, strict=True)]


def _shows(points: Points, entry: Entry, figures: Figures) -> Shows | None:
    made = [entry, *(before for _, before in points.earlier(entry) if before is not None)]
    return shown(figures, lambda name, top: [_allowed(one.lines, name, top) for one in made])


def shown(figures: Figures, allowed: Callable[[str, int], list[tuple[int, int]]]) -> Shows | None:
    """Return what the hands behind a call show; None where they are too few, or of all kinds.

    Args:
        allowed: the ranges within which ``hcp`` or a suit may be widened, given its largest number.
    """
    if figures.made < FEWEST:
        return None

    def bounds(name: str, top: int) -> tuple[int, int]:
        return _range(figures.held[:, HELD.index(name)], allowed(name, top))

    low, high = bounds("hcp", _MOST_HCP)
    told = low > 1 or high < 20  # else any hand makes the call, as far as points go
    ranges = [("hcp", low, _MOST_HCP if high >= 25 else high)] if told else []
    suits = [bounds(name, 13) for name in "CDHS"]
    if min(low for low, _ in suits) >= 2:
        ranges.append((EACH, 2, max(high for _, high in suits)))
    for name in figures.names():
        low, high = bounds(name, 13)
        if low >= 3 or high <= 4:
            ranges.append((name, low, 13 if high >= 8 else high))
    return Shows(tuple(ranges)) if ranges else None


def _range(values: NDArray[np.int8], allowed: list[tuple[int, int]]) -> tuple[int, int]:
    """The range of what hands held; where they are few, one wider, but only as far as is allowed."""
    values = np.sort(values[values >= 0])
    left_out = len(values) // _OUTSIDE
    low, high = int(values[left_out]), int(values[-1 - left_out])
    if len(values) >= _FEW:
        return low, high
    least, most = max(a for a, _ in allowed), min(b for _, b in allowed)
    return min(low, max(low - 1, least)), max(high, min(high + 1, most))


def _allowed(lines: list[Line], name: str, top: int) -> tuple[int, int]:
    """Return what the lines of a call, one or the other, require of ``hcp`` or of a suit outright."""
    ranges = [_line_allows(line, name, top) for line in lines]
    return min(a for a, _ in ranges), max(b for _, b in ranges)


def _line_allows(line: Line, name: str, top: int) -> tuple[int, int]:
    low, high = 0, top
    for clause in line.constraint:
        a, b = _clause_allows(clause, name, top)
        low, high = max(low, a), min(high, b)
    return low, high


def _clause_allows(clause: Clause, name: str, top: int) -> tuple[int, int]:
    ranges = []
    for together in clause:
        low, high = 0, top
        for atom in together:
            if atom.word == name:
                low, high = max(low, atom.lo), min(high, atom.hi)
            elif name != "hcp" and atom.word == "balanced" and atom.lo == 1:
                low, high = max(low, 2), min(high, 5)
            elif name != "hcp" and atom.word == "semibalanced" and atom.lo == 1:
                low, high = max(low, 2), min(high, 6)
        ranges.append((low, high))
    return min(a for a, _ in ranges), max(b for _, b in ranges)


# --- the check ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """The share of hands on fresh deals that fit the book."""

    deals: int  # that are fresh
    seed: int  # of these deals
    hands: int  # calls of which the book says what they show
    fitting: int  # of these, hands that do
    bids: tuple[int, int]  # hands and fitting hands of the tables' calls other than pass, which say more
    calls: int  # calls in all
    worst: tuple[tuple[int, int, int], ...]  # (entry, hands, fitting), the least share first
    # calls, and of these the hands that keep to what the system itself reads from the call at the table
    read: tuple[int, int]

    @property
    def share(self) -> float:
        """Of the hands that keep to the book."""
        return self.fitting / self.hands if self.hands else 0.0


def check(measured: Measured, said: list[Shows | None], hierarchy: Hierarchy, deals: int, seed: int) -> Check:
    """Bid ``deals`` fresh deals of ``seed`` and compare the hands with what the book says of their calls.

    Args:
        said: for every entry.
        seed: another than that of ``measured``.
    """
    points, walker = measured.points, measured.walker
    made, fitting = np.zeros(len(points.entries), np.int64), np.zeros(len(points.entries), np.int64)
    calls, read = 0, np.zeros(2, np.int64)
    for table in tables(hierarchy, walker, seed, deals):
        calls += len(table.calls)
        by = entries_of(points, table.lines(table.calls))
        for index, statement in enumerate(said):
            rows = np.flatnonzero(by == index)
            if statement is not None and rows.size:
                held = table.held(table.calls.take(rows), walker, points.entries[index])
                made[index] += rows.size
                fitting[index] += int(statement.fit(held).sum())
        read += _read(table)
    telling = np.array([e.point is not None and e.step.token != "P" for e in points.entries], np.bool_)
    return Check(
        deals, seed, int(made.sum()), int(fitting.sum()), (int(made[telling].sum()), int(fitting[telling].sum())),
        calls, least_first(made, fitting), (int(read[0]), int(read[1])),
    )  # fmt: skip


def least_first(hands: NDArray[np.int64], fitting: NDArray[np.int64]) -> tuple[tuple[int, int, int], ...]:
    """Index, hands and fitting hands of the calls that were made, the least share first."""
    order = sorted(np.flatnonzero(hands).tolist(), key=lambda i: (fitting[i] / hands[i], -hands[i]))
    return tuple((i, int(hands[i]), int(fitting[i])) for i in order)


def _read(table: Table) -> NDArray[np.int64]:
    """Calls after which the auction went on, and how many of their hands keep to what the system reads from them.

    Strength is read on the scale of the rule that made the call: it holds if it holds on one of the scales.
    """
    calls = table.calls
    again = calls.take(calls.number > 0)
    seat = (again.seat + 3) & 3  # who called just before
    shown = table.shown(again)[np.arange(len(again)), seat]
    hand = table.features[again.board, seat]
    strengths, lengths = hand[:, _STRENGTHS], hand[:, _LENGTHS]
    fits = (strengths.max(axis=1) >= shown[:, STRENGTH, 0]) & (strengths.min(axis=1) <= shown[:, STRENGTH, 1])
    suits = shown[:, SUIT : SUIT + 4]
    fits &= ((lengths >= suits[:, :, 0]) & (lengths <= suits[:, :, 1])).all(axis=1)
    return np.array([len(again), int(fits.sum())])
