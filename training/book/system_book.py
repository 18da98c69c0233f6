"""The book of a system: its calls with what they promise, show and are worth, and how far to trust that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
from agents.systems.engine.compiled import LAST_RESORT
from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import System, atoms_of
from agents.systems.language.vocabulary import AUCTION_WORDS
from bridge_env.hands.features import MEANINGS
from training.book import model
from training.book.card import convention_card
from training.book.graph import AuctionGraph, Entry
from training.book.measure import Figures, Measurements, measure
from training.book.shows import Check, Coverage, Shows, check, shown_by_entries
from training.book.surprises import CallTable, surprises
from training.book.survey import SystemSurvey
from training.book.worth import Judge, Worth

_SURPRISES = 36  # so many are listed
#: Ways to count that a line may ask for, by their names in the text.
_TERMS = {
    "points": "points", "support": "points in support", "rule20": "the rule of 20", "balanced": "balanced",
    "semibalanced": "semi-balanced", "controls": "controls", "losers": "losers", "quick": "half quick tricks",
    "playing": "half playing tricks", "zar": "Zar points", "stopper": "stopper", "keycards": "key cards",
}  # fmt: skip


@dataclass
class Book:
    """The measured calls of a system, and which of them to print."""

    measured: Measurements
    shows: list[Shows | None]  # by entry, what the call shows; None where the book does not say
    check: Check  # of that on other deals
    levels: int | None = None  # how deep to print: 1 openings, 2 responses and overcalls ...; None all of it
    once_in: int = 0  # leave out calls of the tree made less often than once in so many deals; 0: none
    examples: int = 2  # hands for each call
    worth: dict[int, Worth] = field(default_factory=dict)  # by entry, where it came up often enough
    judged: str = ""  # the sentence on what the worth was judged on

    @property
    def graph(self) -> AuctionGraph:
        """Return the system's points and entries."""
        return self.measured.graph

    def figures(self, entry: Entry) -> Figures:
        """Return the figures of an entry."""
        return self.measured.figures[entry.index]

    def printed(self, entry: Entry) -> bool:
        """Return whether the book prints a call."""
        return entry.point is None or (self._is_within_levels(entry) and self._is_frequent(entry))

    def _is_within_levels(self, entry: Entry) -> bool:
        return entry.point is None or self.levels is None or len(entry.point.path) < self.levels

    def _is_frequent(self, entry: Entry) -> bool:
        return not self.once_in or self.figures(entry).per_deal * self.once_in >= 1

    @cached_property
    def coverage(self) -> Coverage:
        """Return the coverage of the printed calls on other deals."""
        mask: NDArray[np.bool_] = np.array([self.printed(entry) for entry in self.graph.entries])
        return self.check.coverage(mask)

    def name(self, index: int) -> str:
        """Return an entry with the auction that leads to it."""
        entry = self.graph.entries[index]
        if entry.point is None:
            return f"{player_terms.call(entry.step)} (general rules)"
        return player_terms.path((*entry.point.path, entry.step))

    def worst(self, most: int) -> list[tuple[int, int, str]]:
        """Return the calls whose hands fit least: hands, those that fit, and what the book says."""
        return [(n, k, symbols(f"{self.name(i)}: {self.shows[i]}")) for i, n, k in self.coverage.worst[:most]]

    def facts(self) -> list[str]:
        """Return sentences on how the figures were made and how far to trust them."""
        m, c, cover = self.measured, self.check, self.coverage
        more = f", calls seen seldom on up to {m.all_deals:,}" if m.all_deals > m.deals else ""
        read = c.read[1] / c.read[0] if c.read[0] else 0.0
        facts = [
            f"Figures are of {m.deals:,} random deals (seed {m.seed}){more}, dealer and vulnerability by board number, "
            "all four seats playing the system.",
            f"On {c.deals:,} other deals (seed {c.seed}), rows of this book make {cover.covered / cover.calls:.2%} of "
            f"the {cover.calls:,} calls; {cover.share:.2%} of the {cover.hands:,} hands behind a call fit what the "
            "book says it shows. (The other calls were seen too seldom for ranges, or made on hands of all kinds.) "
            f"What the system itself reads from a call at the table holds for {read:.2%} of {c.read[0]:,}.",
            "{:.1f} ± {:.1f} code words for each 100 auctions of a side.".format(*m.code_words),
        ]
        facts += model.least_fitting_fact("calls", cover.worst, self.name)
        left_out = [e for e in self.graph.entries if self._is_within_levels(e) and not self.printed(e)]
        facts += model.left_out_fact(self.once_in, len(left_out))
        return [*facts, self.judged] if self.judged else facts

    def entry_figures(self, entry: Entry) -> dict[str, Any]:
        """Return the figures of an entry as ``model`` has them."""
        statement = "" if self.shows[entry.index] is None else str(self.shows[entry.index])
        return model.figures_model(self.figures(entry), statement, self.examples, self.worth.get(entry.index))

    def model(self, base: System | None = None, tick: Callable[[int], object] = lambda steps: None) -> dict[str, Any]:
        """Return the JSON model of the book, as ``training.book.model`` describes it.

        Args:
            base: the system from which surprises are measured.
            tick: called with 1 after the convention card, and after the surprises.
        """
        graph, measured = self.graph, self.measured
        out = model.system_tree(graph, self.printed)
        for entry, record in zip(graph.entries, out["entries"], strict=True):
            record["figures"] = self.entry_figures(entry)
        for record, visits, general in zip(out["points"], measured.visits, measured.general, strict=True):
            record["others"] = model.others_text(visits, general) if record["entries"] else ""
        hierarchy = Hierarchy(graph.system)
        out["card"] = model.card_model(convention_card(SystemSurvey(hierarchy)))
        tick(1)
        out["surprises"] = None
        if base is not None and (base.lines, base.blocks) != (graph.system.lines, graph.system.blocks):
            table = CallTable(hierarchy, measured.walker, measured.seed, measured.deals)
            out["surprises"] = model.surprises_model(surprises(table, base)[:_SURPRISES], base.name)
        tick(1)
        return out | {
            "code_words": list(measured.code_words),
            "facts": [symbols(fact) for fact in self.facts()],
            "legend": model.LEGEND,
            "terms": self._terms(),
            "forcing": _last_resort(),
        }

    def _terms(self) -> list[list[str]]:
        """Return name and meaning of the ways to count that the printed lines ask for."""
        lines = [line for entry in self.graph.entries if self.printed(entry) for line in entry.lines]
        words = {atom.word.partition(":")[0] for line in lines for atom in atoms_of(line.constraint)}
        words |= {word.hand for word in AUCTION_WORDS if word.name in words}
        return [
            [name, MEANINGS[word].removeprefix("1 for ").replace("hcp", "HCP")]
            for word, name in _TERMS.items()
            if word in words
        ]


def _last_resort() -> list[list[str]]:
    """Return the rules of last resort: the situation, and its calls in order."""
    return [
        [
            block.note,
            symbols(
                " · ".join(f"{player_terms.call(n.path[-1])} {player_terms.promise(n.constraint)}" for n in block.lines)
            ),
        ]
        for block in LAST_RESORT
    ]


def make_book(
    system: System,
    deals: int,
    seed: int,
    *,
    rare: int = 0,
    levels: int | None = None,
    once_in: int = 0,
    examples: int = 2,
    tick: Callable[[int], None] = lambda deals: None,
) -> Book:
    """Measure a system as ``measure`` does, and check what its calls show on as many other deals.

    Args:
        deals, seed: random deals to measure on; the check uses the next seed.
        rare: deals in all on which to look for calls that came up seldom.
        levels, once_in, examples: what to print, as in ``Book``.
        tick: called with the number of deals measured after every batch.
    """
    graph = AuctionGraph(system)
    hierarchy = Hierarchy(graph.system)
    measured = measure(graph, hierarchy, deals, seed, rare=rare, levels=levels, tick=tick)
    statements = shown_by_entries(measured)
    return Book(
        measured, statements, check(measured, statements, hierarchy, deals, seed + 1), levels, once_in, examples
    )


def add_worth(book: Book, control: System, boards: int, seed: int, tick: Callable[[int], None]) -> None:
    """Judge the worth of every printed call, in duplicate matches against a control pair.

    Args:
        tick: called with 1 after each entry of the system.
    """
    judge = Judge(book.graph, control, boards, seed)
    book.judged = (
        f"Worth: IMPs by which the system does better with a call than without it (the next line that fits decides) "
        f"against {control.name}, on a board where the call comes up ± standard error, and on 1,000 boards of all "
        f"kinds; {judge.boards.source}. The system as it is: {judge.mean:+.3f} ± {judge.error:.3f} IMPs a board. With "
        f"fewer than 30 boards no figure is given."
    )
    for entry in book.graph.entries:
        if book.printed(entry):
            worth = judge.worth_of(entry)
            if worth.mean is not None:
                book.worth[entry.index] = worth
        tick(1)
