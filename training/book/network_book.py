"""The book of a network, which has no rules to print: what its calls were made on.

All four seats bid as the network does. A call that was made often enough after one auction has a row: what the hands
behind it have in common, and whether partner passed it. The book counts the hands on other deals that fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided
from agents.networks.network import Network
from agents.networks.sampled_meanings import NEVER_PASSED
from agents.systems.explain.player_terms import call as call_name
from agents.systems.explain.player_terms import symbols
from agents.systems.language.paths import step_of
from agents.systems.language.tree import Step
from bridge_env.rules.calls import FIRST_BID, PASS
from training.book.call_table import NetworkCalls, calls_by, group_rows, steps_of
from training.book.card import convention_card
from training.book.graph import Entry, Point
from training.book.measure import EXAMPLES, Figures, per_hundred
from training.book.model import HOLDOUT, Book, figures_model, points_model
from training.book.shows import FEWEST, Coverage, Shows, count_fitting, shown
from training.book.survey import NetworkSurvey

_RARE = 8_000  # a call has a row that came up once in so many deals
RARELY, _ARTIFICIAL = 0.1, 0.5
LEGEND = (
    "Calls in brackets are theirs; their passes in between are left out. A call is forcing if partner passes it once "
    f"in {1 / NEVER_PASSED:.0f} times at most when the next player passes, and rarely passed if once in "
    f"{1 / RARELY:.0f} times at most. A bid is artificial if half or more of its hands have no four cards in the suit, "
    "or three to raise partner's. What a call shows holds for all but one hand in 250 on either side; it is left out "
    "where hands of all kinds made the call."
)
_ORDER = [*(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"), "X", "XX", "P"]


@dataclass(eq=False)
class NetworkCall(Entry):
    """A call after one auction."""

    figures: Figures  # how often it is made, and on which hands
    artificial: bool  # at half of its times or more
    # of the times that the next player passed, the share at which partner passed too; None of a pass, and where that
    # was too seldom
    passed: float | None

    @property
    def flags(self) -> list[str]:
        """Return in words whether the call forces, and whether it is artificial."""
        passed = 1.0 if self.passed is None else self.passed
        force = ["forcing"] if passed <= NEVER_PASSED else ["rarely passed"] if passed <= RARELY else []
        return [*force, *(["artificial"] if self.artificial else [])]


@dataclass
class NetworkBook(Book):
    """The measured calls of a network, and which of them to print."""

    entries: Sequence[NetworkCall]
    name: str
    points: list[Point]  # with their calls, in the order in which they are printed
    card: list[dict[str, Any]]  # the convention card

    def model(self) -> dict[str, Any]:
        """Return the JSON model of the book, as ``training.book.model`` describes it."""
        return {
            "name": self.name,
            "comments": [],
            "artificial": list(self.artificial),
            "card": self.card,
            "surprises": None,
            "legend": LEGEND,
            "entries": [self._entry(call) for call in self.entries],
            **points_model(self.points, self.is_printed),
            "general": [],
            "facts": self.facts(),
            "terms": [],
            "forcing": [],
        }

    def _entry(self, call: NetworkCall) -> dict[str, Any]:
        return {
            "call": symbols(call_name(call.step)),
            "what": "",
            "remark": ", ".join(call.flags),
            "note": "",
            "flags": call.flags,
            "point": None if call.point is None else call.point.index,
            "figures": figures_model(call.figures, self.shown_by(call)) | {"passed": call.passed},
        }


def make_network_book(
    name: str,
    network: Network | SystemGuided,
    deals: int,
    seed: int,
    *,
    levels: int | None = None,
    once_in: int = 0,
    tick: Callable[[int], None] = lambda deals: None,
) -> NetworkBook:
    """Measure a network, and count how many hands on other deals fit what its calls showed.

    Args:
        deals, seed: random deals to measure on; other deals have the next seed.
        tick: called with a number of deals after every batch, ``deals + HOLDOUT`` in all.
        levels, once_in: what to print, as in ``Book``.
    """
    calls = calls_by(network, seed, deals, tick)
    points, rows, keys = _rows(calls, deals)
    figures = [row.figures for row in rows]
    shows = [shown(one) for one in figures]
    check = _check(shows, keys, calls_by(network, seed + 1, HOLDOUT, tick), seed + 1)
    artificial = np.bincount(2 * calls.board + (calls.seat & 1), calls.artificial, 2 * deals)
    return NetworkBook(
        rows, figures, shows, check, deals, seed, per_hundred(artificial), name, points,
        convention_card(NetworkSurvey(network)), levels=levels, once_in=once_in,
    )  # fmt: skip


def _rows(calls: NetworkCalls, deals: int) -> tuple[list[Point], list[NetworkCall], NDArray[np.uint64]]:
    """Return every point that has calls that are not too rare, or leads to them; these calls, and their keys."""
    visited, visits = np.unique(calls.before, return_counts=True)
    groups = []
    for rows in group_rows(calls.key, np.arange(len(calls)), max(FEWEST, deals / _RARE)):
        path, step = steps_of(calls.calls_before(rows[0])), step_of(int(calls.call[rows[0]]))
        groups.append((path, step, rows))
    groups.sort(key=lambda group: [(step.theirs, _ORDER.index(step.token)) for step in (*group[0], group[1])])
    points: dict[tuple[Step, ...], Point] = {(): Point(0, ())}

    def place(path: tuple[Step, ...]) -> Point:
        if path not in points:
            before = place(path[:-1])
            points[path] = before.children[path[-1]] = Point(len(points), path)
        return points[path]

    found = list[NetworkCall]()
    for path, step, rows in groups:
        point = place(path)
        chances = int(visits[np.searchsorted(visited, calls.before[rows[0]])])
        examples = [calls.hand(row) for row in rows[:EXAMPLES].tolist()]
        figures = Figures(len(rows), chances, deals, examples, [calls.hands[rows]])
        answers = calls.answer[rows][calls.answer[rows] >= 0]
        seldom = step.token == "P" or len(answers) < FEWEST
        artificial = calls.call[rows[0]] >= FIRST_BID and bool(calls.artificial[rows].mean() >= _ARTIFICIAL)
        passed = None if seldom else float(np.mean(answers == PASS))
        found.append(NetworkCall(len(found), step, [], point, -1, figures, artificial, passed))
        point.entries[step.token] = found[-1]
    return list(points.values()), found, calls.key[np.array([rows[0] for _, _, rows in groups], np.int64)]


def _check(shows: list[Shows | None], keys: NDArray[np.uint64], other: NetworkCalls, seed: int) -> Coverage:
    """Count calls on other deals by their row, and those whose hands fit it."""
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys[order], other.key), len(keys) - 1)
    by = np.where(keys[order][at] == other.key, order[at], -1)
    counts = count_fitting(shows, by, lambda row, places: other.hands[places])
    return Coverage(len(other.owner), seed, len(other), *counts)
