"""The book of a network, which has no rules to print: what its calls were made on.

All four seats bid as the network does. A bid or double that was made often enough after one auction has a row there:
what the hands behind it have in common, and whether partner passed it. The other calls, and all passes, have rows by
their situation. The book gives the share of hands on other deals that fit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from agents.networks.book import SystemGuided
from agents.networks.network import Network
from agents.networks.sampled_meanings import NEVER_PASSED
from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import Step
from training.book import model
from training.book.card import Section, convention_card
from training.book.network_calls import calls_by
from training.book.network_rows import (
    EXAMPLES,
    RARELY,
    SLACK,
    HoldoutCalls,
    NetworkCall,
    NetworkPoint,
    RowBuilder,
    Situation,
)
from training.book.shows import Coverage, least_fitting
from training.book.survey import NetworkSurvey

HOLDOUT = 20_000  # deals on which coverage is counted
_DEEP = 5  # calls: what follows them is the sixth or later
_LATE = ", third or fourth seat opening"
LEGEND = (
    "Calls in brackets are theirs; their passes in between are left out. A call is forcing if partner passes it once "
    f"in {1 / NEVER_PASSED:.0f} times at most when the next player passes, forcing to game if then, where they let us, "
    f"we come to game, and rarely passed if once in {1 / RARELY:.0f} times at most. A bid is artificial if half or "
    "more of its hands have no four cards in the suit. Nine in ten hold: HCP or, where these span less, points: "
    f"HCP and one for each card beyond the fourth of a suit; the tenth hand lies within {SLACK} points of that. A call "
    "shows the cards of all but one hand in 250 on either side, and what is *mostly* so of nine in ten."
)
SITUATIONS = (
    "Where no auction has the call: by what the player and partner have done first and last, and over which bid he "
    "calls (my own, partner's, or in brackets theirs). The most detailed situation comes first, *else* and *any other* "
    "last. x is any suit, y any suit or no trump; shares are of calls there that have no row above, or of doubles of "
    "that level."
)


@dataclass(frozen=True)
class NetworkBook:
    """The measured calls of a network, and which of them to print."""

    name: str
    points: list[NetworkPoint]  # with their calls, in the order in which they are printed
    situations: list[Situation]  # the same
    deals: int  # that the figures are of
    seed: int  # of the deals
    code_words: tuple[float, float]  # for each 100 auctions of a side, and the standard error of that
    card: tuple[Section, ...]
    holdout: HoldoutCalls
    levels: int | None = None  # how deep to print; None: all
    once_in: int = 0  # leave out calls after an auction made less often than once in so many deals; 0: none
    examples: int = EXAMPLES

    def calls(self, point: NetworkPoint | Situation) -> list[NetworkCall]:
        """Return the calls at a point, or in a situation, that the book prints."""
        if isinstance(point, Situation):
            return point.calls
        return [call for call in point.calls if self._is_within_levels(point) and self._is_frequent(call)]

    def _is_within_levels(self, point: NetworkPoint) -> bool:
        return self.levels is None or len(point.path) < self.levels

    def _is_frequent(self, call: NetworkCall) -> bool:
        return not self.once_in or call.figures.per_deal * self.once_in >= 1

    @cached_property
    def printed(self) -> list[NetworkCall]:
        """Return all calls that the book prints."""
        return [call for point in self._places for call in self.calls(point)]

    @property
    def _places(self) -> list[NetworkPoint | Situation]:
        return [*self.points, *self.situations]

    @cached_property
    def _first_rows(self) -> tuple[Any, Any, Any]:
        """Return of calls on other deals with a printed row: its column, the row, and whether the hand fits."""
        printed = np.zeros(len(self._by_index) + 1, np.bool_)
        printed[[call.index for call in self.printed]] = True
        has = printed[self.holdout.row]  # -1 is the last: not printed
        column = has.argmax(axis=1)[:, None]
        covered = np.flatnonzero(has.any(axis=1))
        row, fits = (np.take_along_axis(each, column, 1)[covered, 0] for each in (self.holdout.row, self.holdout.fits))
        return column[covered, 0], row, fits

    @cached_property
    def coverage(self) -> Coverage:
        """Return the coverage of the calls on other deals, each by the first row that it has."""
        _, row, fits = self._first_rows
        size = len(self._by_index)
        hands, fitting = (np.bincount(row, weights, size).astype(np.int64) for weights in (None, fits))
        return Coverage(len(self.holdout.row), len(row), len(row), int(fits.sum()), least_fitting(hands, fitting))

    @property
    def by_auction(self) -> int:
        """Return how many calls on other deals have a row after their own auction."""
        return int((self._first_rows[0] == 0).sum())

    def facts(self) -> list[str]:
        """Return sentences on how the figures were made and how far to trust them."""
        cover, rows = self.coverage, self.printed
        spans, made = np.array([call.span for call in rows]), np.array([call.figures.made for call in rows])
        passes = np.array([call.step.token == "P" for call in rows], np.bool_)
        deep = sum(len(self.calls(point)) for point in self.points if len(point.path) >= _DEEP)
        facts = [
            f"Figures are of {self.deals:,} random deals (seed {self.seed}), dealer and vulnerability by board number, "
            "all four seats bidding as the network does. {:.1f} ± {:.1f} code words for each 100 auctions of a "
            "side.".format(*self.code_words),
            f"Of the {cover.calls:,} calls on {HOLDOUT:,} other deals (seed {self.seed + 1}), "
            f"{cover.fitting / cover.calls:.1%} have a row that the hand fits: {self.by_auction / cover.calls:.1%} "
            f"have a row after their own auction, {(cover.covered - self.by_auction) / cover.calls:.1%} by their "
            f"situation, and {cover.share:.2%} of these hands fit what the row shows.",
            f"In {len(rows):,} rows nine in ten hands span {np.median(spans):.0f} points in the median row "
            f"({np.median(spans[~passes]):.0f} without passes, {np.median(spans[passes]):.0f} for passes; "
            f"{np.median(np.repeat(spans, made)):.0f} where each call counts as often as it is made).",
            f"{deep:,} of these rows stand after {_DEEP} calls or more, not counting the other side's passes.",
        ]  # fmt: skip
        facts += model.least_fitting_fact("calls", cover.worst, self.call_name)
        rare = [c for p in self.points if self._is_within_levels(p) for c in p.calls if not self._is_frequent(c)]
        return facts + model.left_out_fact(self.once_in, len(rare))

    @cached_property
    def _by_index(self) -> dict[int, tuple[NetworkPoint | Situation, NetworkCall]]:
        return {call.index: (point, call) for point in self._places for call in point.calls}

    def call_name(self, index: int) -> str:
        """Return a call with the auction, or the situation, that leads to it."""
        point, call = self._by_index[index]
        if isinstance(point, Situation):
            return f"{call.name} ({point.name})"
        return player_terms.path((*point.path, call.step)) + (" (third or fourth seat)" if point.late else "")

    def worst(self, most: int) -> list[tuple[int, int, str]]:
        """Return the calls whose hands fit least: hands, those that fit, and what the book says."""
        rows = self.coverage.worst[:most]
        return [(n, k, symbols(f"{self.call_name(i)}: {self._by_index[i][1].shows}")) for i, n, k in rows]

    def model(self) -> dict[str, Any]:
        """Return the JSON model of the book, as ``training.book.model`` describes it."""
        entries: list[dict[str, Any]] = []
        points, roots, chapters = self._tree(entries)
        general = []
        for one in self.situations:
            record = {"title": one.title, "when": symbols(one.name), "note": ""}
            general.append(record | {"entries": [self._add_entry(entries, call, None) for call in self.calls(one)]})
        return {
            "name": self.name,
            "comments": [],
            "code_words": list(self.code_words),
            "card": model.card_model(self.card),
            "surprises": None,
            "legend": LEGEND,
            "entries": entries,
            "points": points,
            "roots": roots,
            "chapters": chapters,
            "situations": SITUATIONS,
            "general": general,
            "facts": [symbols(fact) for fact in self.facts()],
            "terms": [],
            "forcing": [],
        }

    def _add_entry(self, entries: list[dict[str, Any]], call: NetworkCall, point: int | None) -> int:
        figures = model.figures_model(call.figures, call.cards, self.examples)
        figures |= {"usual": call.usual, "passed": call.passed}
        record = {"call": symbols(call.name), "what": "", "remark": call.remark, "note": "", "point": point}
        entries.append(record | {"flags": call.remark.split(", ") if call.remark else [], "figures": figures})
        return len(entries) - 1

    def _tree(self, entries: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Any], list[dict[str, Any]]]:
        """Return points, roots and chapters; openings in third and fourth seat have a root of their own."""
        points: list[dict[str, Any]] = []
        number: dict[tuple[bool, tuple[Step, ...]], int] = {}

        def place(late: bool, path: tuple[Step, ...]) -> int:
            """Return the number of a point, adding it and those that lead there."""
            if (late, path) not in number:
                number[late, path] = len(points)
                points.append({"path": symbols(player_terms.path(path)), "entries": [], "steps": [], "others": ""})
                if path:
                    points[place(late, path[:-1])]["steps"].append([path[-1], number[late, path]])
            return number[late, path]

        for point in self.points:
            if self.calls(point):
                place(point.late, point.path)
        titles: dict[tuple[bool, str], list[tuple[int, int]]] = defaultdict(list)
        for point in self.points:
            calls = self.calls(point)
            if not calls:
                continue
            here = number[point.late, point.path]
            below = dict(points[here]["steps"])
            points[here]["entries"] = [
                [self._add_entry(entries, call, here), below.pop(call.step, None)] for call in calls
            ]
            points[here]["steps"] = list(below.items())
            titles[point.late, model.chapter(point.path)].append((len(point.path), here))
        for record in points:
            record["steps"] = [[symbols(player_terms.call(step)), child] for step, child in record["steps"]]
        chapters = [
            {"title": title + _LATE * late, "points": [here for _, here in found]}
            for (late, title), found in sorted(titles.items(), key=lambda item: (item[0][0], min(item[1])[0]))
        ]
        roots = [[_LATE * late, number[late, ()]] for late in (False, True) if (late, ()) in number]
        return points, roots, chapters


def make_network_book(
    name: str,
    network: Network | SystemGuided,
    deals: int,
    seed: int,
    *,
    levels: int | None = None,
    once_in: int = 0,
    examples: int = EXAMPLES,
    tick: Callable[[int], None] = lambda deals: None,
) -> NetworkBook:
    """Measure a network, and count how many hands on other deals fit what its calls showed.

    Args:
        deals, seed: random deals to measure on; other deals have the next seed.
        levels, once_in, examples: what to print, as in ``NetworkBook``.
        tick: called with a number of deals after every batch, ``deals + HOLDOUT`` in all.
    """
    builder = RowBuilder(calls_by(network, seed, deals, tick), deals)
    points, found = builder.points(), builder.situations()
    card = tuple(convention_card(NetworkSurvey(network)))
    holdout = builder.holdout(calls_by(network, seed + 1, HOLDOUT, tick))
    return NetworkBook(
        name, points, found, deals, seed, builder.code_words(), card, holdout, levels, once_in, examples
    )  # fmt: skip
