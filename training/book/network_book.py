"""The book of a network, which has no rules to print: what its calls were made on.

All four seats bid as the network does. A bid or double that was made often enough after one auction has a row there:
what the hands behind it have in common, and whether partner passed it. The other calls, and all passes, have rows by
their situation. The book counts the hands on other deals that fit.
"""

from __future__ import annotations

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
from training.book.call_table import calls_by
from training.book.card import convention_card
from training.book.graph import Entry, Point
from training.book.measure import Figures
from training.book.model import HOLDOUT, Book, figures_model, points_model
from training.book.network_rows import RARELY, SLACK, HoldoutCalls, NetworkCall, RowBuilder
from training.book.shows import Coverage
from training.book.situations import Situation
from training.book.survey import NetworkSurvey

_DEEP = 5  # calls: what follows them is the sixth or later
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


@dataclass
class NetworkBook(Book):
    """The measured calls of a network, and which of them to print."""

    name: str
    points: list[Point]  # with their calls, in the order in which they are printed
    situations: dict[Situation, list[NetworkCall]]  # the same
    rows: list[NetworkCall]  # all calls
    deals: int  # that the figures are of
    seed: int  # of the deals
    artificial: tuple[float, float]  # artificial calls in 100 auctions of a side, and the standard error
    card: list[dict[str, Any]]  # the convention card
    holdout: HoldoutCalls

    @property
    def entries(self) -> list[NetworkCall]:
        """Return all calls, each at the place that its index names."""
        return self.rows

    def figures(self, entry: Entry) -> Figures:
        """Return the figures of a call."""
        return self.rows[entry.index].figures

    @property
    def printed(self) -> list[NetworkCall]:
        """Return all calls that the book prints."""
        return [call for call in self.rows if self.is_printed(call)]

    @cached_property
    def _first_rows(self) -> tuple[Any, Any, Any]:
        """Return of calls on other deals with a printed row: its column, the row, and whether the hand fits."""
        printed = np.array([*map(self.is_printed, self.rows), False])
        has = printed[self.holdout.row]  # -1 is the last: not printed
        column = has.argmax(axis=1)[:, None]
        covered = np.flatnonzero(has.any(axis=1))
        row, fits = (np.take_along_axis(each, column, 1)[covered, 0] for each in (self.holdout.row, self.holdout.fits))
        return column[covered, 0], row, fits

    @cached_property
    def coverage(self) -> Coverage:
        """Return the coverage of the calls on other deals, each by the first row that it has."""
        _, row, fits = self._first_rows
        hands, fitting = (np.bincount(row, weights, len(self.rows)).astype(np.int64) for weights in (None, fits))
        return Coverage.of(len(self.holdout.row), hands, hands, fitting)

    @property
    def by_auction(self) -> int:
        """Return how many calls on other deals have a row after their own auction."""
        return int((self._first_rows[0] == 0).sum())

    def facts(self) -> list[str]:
        """Return sentences on how the figures were made and how far to trust them."""
        cover, rows = self.coverage, self.printed
        spans, made = np.array([call.span for call in rows]), np.array([call.figures.made for call in rows])
        passes = np.array([call.step.token == "P" for call in rows], np.bool_)
        deep = sum(call.point is not None and len(call.point.path) >= _DEEP for call in rows)
        return [
            f"Figures are of {self.deals:,} random deals (seed {self.seed}), dealer and vulnerability by board number, "
            "all four seats bidding as the network does. {:.1f} ± {:.1f} artificial calls in 100 auctions of a "
            "side.".format(*self.artificial),
            f"Of the {cover.calls:,} calls on {HOLDOUT:,} other deals (seed {self.seed + 1}), "
            f"{cover.fitting / cover.calls:.1%} have a row that the hand fits: {self.by_auction / cover.calls:.1%} "
            f"have a row after their own auction, {(cover.covered - self.by_auction) / cover.calls:.1%} by their "
            f"situation, and {cover.share:.2%} of these hands fit what the row shows.",
            f"In {len(rows):,} rows nine in ten hands span {np.median(spans):.0f} points in the median row "
            f"({np.median(spans[~passes]):.0f} without passes, {np.median(spans[passes]):.0f} for passes; "
            f"{np.median(np.repeat(spans, made)):.0f} where each call counts as often as it is made).",
            f"{deep:,} of these rows stand after {_DEEP} calls or more, not counting the other side's passes.",
            *self.facts_on_calls(),
        ]  # fmt: skip

    def name_of(self, entry: Entry) -> str:
        """Return a call with the auction, or the situation, that leads to it."""
        if entry.point is None:
            place = next(place for place, calls in self.situations.items() if entry in calls)
            return f"{self.rows[entry.index].name} ({place})"
        late = " (third or fourth seat)" if entry.point.late else ""
        return player_terms.path((*entry.point.path, entry.step)) + late

    def shown_by(self, entry: Entry) -> str:
        """Return what a call shows."""
        return str(self.rows[entry.index].shows)

    def model(self) -> dict[str, Any]:
        """Return the JSON model of the book, as ``training.book.model`` describes it."""
        general = [
            {"title": place.title, "when": symbols(str(place)), "note": "", "entries": [call.index for call in calls]}
            for place, calls in self.situations.items()
        ]
        return {
            "name": self.name,
            "comments": [],
            "artificial": list(self.artificial),
            "card": self.card,
            "surprises": None,
            "legend": LEGEND,
            "entries": [self._entry(call) for call in self.rows],
            **points_model(self.points, self.is_printed),
            "situations": SITUATIONS,
            "general": general,
            "facts": [symbols(fact) for fact in self.facts()],
            "terms": [],
            "forcing": [],
        }

    def _entry(self, call: NetworkCall) -> dict[str, Any]:
        figures = figures_model(call.figures, call.cards, self.examples)
        return {
            "call": symbols(call.name),
            "what": "",
            "remark": call.remark,
            "note": "",
            "flags": call.remark.split(", ") if call.remark else [],
            "point": None if call.point is None else call.point.index,
            "figures": figures | {"usual": call.usual, "passed": call.passed},
        }


def make_network_book(
    name: str,
    network: Network | SystemGuided,
    deals: int,
    seed: int,
    *,
    levels: int | None = None,
    once_in: int = 0,
    examples: int = 2,
    tick: Callable[[int], None] = lambda deals: None,
) -> NetworkBook:
    """Measure a network, and count how many hands on other deals fit what its calls showed.

    Args:
        deals, seed: random deals to measure on; other deals have the next seed.
        tick: called with a number of deals after every batch, ``deals + HOLDOUT`` in all.
        levels, once_in, examples: what to print, as in ``Book``.
    """
    builder = RowBuilder(calls_by(network, seed, deals, tick), deals)
    points, found = builder.points(), builder.situations()
    card = convention_card(NetworkSurvey(network))
    holdout = builder.holdout(calls_by(network, seed + 1, HOLDOUT, tick))
    return NetworkBook(
        name, points, found, builder.rows, deals, seed, builder.artificial(), card, holdout,
        levels=levels, once_in=once_in, examples=examples,
    )  # fmt: skip
