"""The book of a network. It has no rules that could be printed, so that its book tells what its calls were made on.

All four seats bid as the network does. A bid or double that was made often enough after one auction has a row there:
what the hands behind it have in common, and whether partner passed it. The other calls, and all passes, have rows by
their situation. Hands on other deals are held against all of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from agents.hierarchy.telling import wording
from agents.networks.book import ByBook
from agents.networks.network import Network
from training.book.measured.shows import least_first
from training.book.network.calls import calls_by
from training.book.network.rows import EXAMPLES, Fresh, Maker, NetworkCall, NetworkPoint, Situation
from training.book.printed.asking import NetworkAsker
from training.book.printed.card import Section, convention_card
from training.book.written.book import chapter, least_kept, rarest

FRESH = 20_000  # deals that the book is held against
_DEEP = 5  # calls: what follows them is the sixth or later


@dataclass(frozen=True)
class Told:
    """What a book tells of the calls on other deals."""

    calls: int  # in all
    told: int  # that have a row
    auctions: int  # of these, after their own auction
    keeping: int  # of those told, hands that keep to what the row shows
    worst: tuple[tuple[int, int, int], ...]  # rows (index, hands, keeping), the least share first


@dataclass(frozen=True)
class NetworkBook:
    """What is printed."""

    name: str
    points: list[NetworkPoint]  # with their calls, in the order in which they are printed
    situations: list[Situation]  # the same
    deals: int  # that the figures are of
    seed: int  # of the deals
    code_words: tuple[float, float]  # for each 100 auctions of a side, and the standard error of that
    card: tuple[Section, ...]
    fresh: Fresh
    levels: int | None = None  # how deep to print; None: all
    left_out: frozenset[int] = frozenset()  # calls that are not printed
    examples: int = EXAMPLES

    def calls(self, point: NetworkPoint | Situation) -> list[NetworkCall]:
        """The calls at a point, or in a situation, that the book prints."""
        if isinstance(point, NetworkPoint) and self.levels is not None and len(point.path) >= self.levels:
            return []
        return [call for call in point.calls if call.index not in self.left_out]

    @property
    def printed(self) -> list[NetworkCall]:
        """All calls that the book prints."""
        return [call for point in self._places for call in self.calls(point)]

    @property
    def _places(self) -> list[NetworkPoint | Situation]:
        return [*self.points, *self.situations]

    @cached_property
    def told(self) -> Told:
        """The calls on other deals, each by the first row that it has."""
        printed = np.zeros(len(self._by_index) + 1, np.bool_)
        printed[[call.index for call in self.printed]] = True
        has = printed[self.fresh.row]  # -1 is the last: not printed
        first = has.argmax(axis=1)[:, None]
        told = np.flatnonzero(has.any(axis=1))
        row = np.take_along_axis(self.fresh.row, first, axis=1)[told, 0]
        keeps = np.take_along_axis(self.fresh.keeps, first, axis=1)[told, 0]
        hands, keeping = (np.bincount(row, weights, len(printed)).astype(int) for weights in (None, keeps))
        auctions = int((first[told, 0] == 0).sum())
        return Told(len(has), len(row), auctions, int(keeps.sum()), least_first(hands, keeping))

    @property
    def share(self) -> float:
        """Of the hands that keep to the book."""
        return self.told.keeping / max(1, self.told.told)

    def chapters(self) -> list[tuple[str, list[NetworkPoint]]]:
        """The points by chapter; those of third and fourth seat after the others."""
        out: dict[str, list[NetworkPoint]] = {}
        for late in (False, True):
            by_title = defaultdict(list)
            for point in self.points:
                if point.late == late and self.calls(point):
                    by_title[chapter(point.path)].append(point)
            for title in sorted(by_title, key=lambda title: min(len(p.path) for p in by_title[title])):
                out[title + (", third or fourth seat opening" if late else "")] = by_title[title]
        return list(out.items())

    def general(self) -> list[tuple[str, list[Situation]]]:
        """The situations by chapter."""
        out = defaultdict(list)
        for one in self.situations:
            if self.calls(one):
                out[one.title].append(one)
        return list(out.items())

    def facts(self) -> list[str]:
        """How the figures were made and how far they can be trusted, in sentences."""
        told, rows = self.told, self.printed
        spans, made = np.array([call.span for call in rows]), np.array([call.figures.made for call in rows])
        passes = np.array([call.step.token == "P" for call in rows])
        facts = [
            f"Figures are of {self.deals:,} random deals (seed {self.seed}), dealer and vulnerability by board number, "
            "all four seats bidding as the network does. {:.1f} ± {:.1f} code words for each 100 auctions of a "
            "side.".format(*self.code_words),
            f"Of the {told.calls:,} calls on {FRESH:,} other deals (seed {self.seed + 1}), "
            f"{told.keeping / told.calls:.1%} have a row that the hand keeps to: {told.auctions / told.calls:.1%} have "
            f"a row after their own auction, {(told.told - told.auctions) / told.calls:.1%} by their situation, and "
            f"{self.share:.2%} of these hands keep to what the row shows.",
            f"In {len(rows):,} rows nine in ten hands span {np.median(spans):.0f} points in the median row "
            f"({np.median(spans[~passes]):.0f} without passes, {np.median(spans[passes]):.0f} for passes; "
            f"{np.median(np.repeat(spans, made)):.0f} where each call counts as often as it is made).",
        ]  # fmt: skip
        deep = sum(len(self.calls(point)) for point in self.points if len(point.path) >= _DEEP)
        facts.append(f"{deep:,} of these rows stand after {_DEEP} calls or more, not counting the other side's passes.")
        facts += least_kept("calls", told.worst, self.call_name)
        if self.left_out:
            facts.append(f"Left out: {len(self.left_out):,} rows that are rarest for what they tell.")
        return facts

    @cached_property
    def _by_index(self) -> dict[int, tuple[NetworkPoint | Situation, NetworkCall]]:
        return {call.index: (point, call) for point in self._places for call in point.calls}

    def call_name(self, index: int) -> str:
        """A call with the auction, or the situation, that leads to it."""
        point, call = self._by_index[index]
        if isinstance(point, Situation):
            return f"{call.name} ({point.mine}; {point.partner}; {point.last})"
        return wording.path((*point.path, call.step)) + (" (third or fourth seat)" if point.late else "")

    def worst(self, most: int) -> list[tuple[int, int, str]]:
        """The calls that hands keep to least: hands, those that do, and what the book says."""
        told = self.told.worst[:most]
        return [(n, k, f"{self.call_name(i)}: {self._by_index[i][1].said}") for i, n, k in told]

    def fit(self, most: int, text: Callable[[NetworkBook], str]) -> NetworkBook:
        """The book without the calls made seldom, or on hands that span many points, to fit on ``most`` pages."""
        order = [call.index for call in sorted(self.printed, key=lambda call: call.figures.made / (call.span + 1))]
        return replace(self, left_out=rarest(order, most, lambda out: text(replace(self, left_out=out))))


def make_network_book(
    name: str,
    network: Network | ByBook,
    deals: int,
    seed: int,
    *,
    levels: int | None = None,
    examples: int = EXAMPLES,
    tick: Callable[[int], None] = lambda deals: None,
) -> NetworkBook:
    """Measure a network, and hold hands on other deals against what its calls showed.

    Args:
        tick: told a number of deals after every batch, ``deals + FRESH`` in all.
    """
    maker = Maker(calls_by(network, seed, deals, tick), deals)
    points, found = maker.points(), maker.situations()
    card = tuple(convention_card(NetworkAsker(network)))
    fresh = maker.held_against(calls_by(network, seed + 1, FRESH, tick))
    return NetworkBook(name, points, found, deals, seed, maker.code_words(), card, fresh, levels, examples=examples)
