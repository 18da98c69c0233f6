"""The book of a system: its calls with what they promise, show and are worth, and how far to trust that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.engine.compiler import LAST_RESORT
from agents.systems.explain import player_terms
from agents.systems.explain.explain import explain
from agents.systems.explain.player_terms import of_call, symbols
from agents.systems.language.tree import Line, System, atoms_of
from agents.systems.language.vocabulary import AUCTION_WORDS
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import MEANINGS
from training.book import model
from training.book.card import convention_card
from training.book.graph import AuctionGraph, Entry
from training.book.measure import Measurements, measure
from training.book.model import HOLDOUT, Worth
from training.book.shows import Coverage, Shows, coverage, shown_by_entries
from training.book.survey import SystemSurvey
from training.evaluation.boards import standard_error
from training.evaluation.partnership_match import BoardRange, Partnership, boards_of, duel, gains_and_changes

FEWEST = 30  # boards that a figure is drawn from
_SUMS = 3  # of an example
_OTHERS = 0.005  # a share of calls by general rules that is given
#: Ways to count that a line may ask for, by their names in the text.
_TERMS = {
    "points": "points", "support": "points in support", "rule20": "the rule of 20", "balanced": "balanced",
    "semibalanced": "semi-balanced", "controls": "controls", "losers": "losers", "quick": "half quick tricks",
    "playing": "half playing tricks", "zar": "Zar points", "stopper": "stopper", "keycards": "key cards",
}  # fmt: skip


class Judge:
    """A system's duplicate match against a control pair on judging boards, and again without some lines."""

    def __init__(self, system: System, control: System, boards: int, seed: int) -> None:
        self._us, self._control = Partnership(system, system), Partnership(control, control)
        self._board_range = BoardRange(seed, "judging", 0, boards)
        self.boards, _ = boards_of(self._board_range)
        imps = duel(self._us, self._control, self._board_range).imps.astype(np.int64)
        self.mean, self.error = float(imps.mean()), standard_error(imps, self.boards.base)

    def worth_of(self, numbers: frozenset[int]) -> Worth | None:
        """Measure the gain by some lines, given by number; None where too few boards show it."""
        other = without(self._us.first, numbers)
        gains, changed = gains_and_changes(Partnership(other, other), self._us, self._control, self._board_range)
        rows = np.flatnonzero(changed)
        if len(rows) < FEWEST:
            return None
        lost = -gains[rows].astype(np.int64)
        error = standard_error(lost, self.boards.base[rows])
        return Worth(len(rows), float(lost.mean()), error, 1000.0 * int(lost.sum()) / len(gains))


def without(system: System, numbers: frozenset[int]) -> System:
    """Return the system without some lines, given by number: the next line that fits decides. Their answers stay."""

    def remaining(line: Line) -> list[Line]:
        if line.number not in numbers:
            return [line]
        return [replace(line, after=True, constraint=(), flags=(), note="")] if line.lines else []

    return system.rebuilt(remaining)


@dataclass
class SystemBook:
    """The measured calls of a system, and which of them to print."""

    measured: Measurements
    shows: list[Shows | None]  # by entry, what the call shows; None where the book does not say
    _: KW_ONLY
    levels: int | None = None  # how deep to print: 1 openings, 2 responses and overcalls ...; None: all
    once_in: int = 0  # leave out calls after an auction made less often than once in so many deals; 0: none
    worth: dict[int, Worth] = field(default_factory=dict)  # by entry, where it came up often enough
    judged: str = ""  # the sentence on what the worth was judged on

    @property
    def graph(self) -> AuctionGraph:
        """Return the system's points and entries."""
        return self.measured.graph

    @cached_property
    def coverage(self) -> Coverage:
        """Return the coverage of the printed calls on other deals."""
        printed = np.array([self.is_printed(entry) for entry in self.graph.entries])
        return coverage(self.measured, self.shows, printed, min(self.measured.deals, HOLDOUT), self.measured.seed + 1)

    def is_printed(self, entry: Entry) -> bool:
        """Return whether the book prints a call."""
        figures = self.measured.figures[entry.index]
        rare = self.once_in and figures.made * self.once_in < figures.deals
        return entry.point is None or (self._is_within_levels(entry) and not rare)

    def _is_within_levels(self, entry: Entry) -> bool:
        return entry.point is None or self.levels is None or len(entry.point.path) < self.levels

    def facts(self) -> list[str]:
        """Return sentences on how the figures were made and how far to trust them."""
        m, cover = self.measured, self.coverage
        rare = sum(map(self._is_within_levels, self.graph.entries)) - sum(map(self.is_printed, self.graph.entries))
        return [
            f"Figures are of {m.deals:,} random deals (seed {m.seed}), dealer and vulnerability by board number, "
            "all four seats playing the system.",
            f"On {min(m.deals, HOLDOUT):,} other deals (seed {m.seed + 1}), rows of this book cover "
            f"{cover.covered / cover.calls:.2%} of the {cover.calls:,} calls; {cover.share:.2%} of the {cover.hands:,} "
            "hands behind a call fit what the book says it shows. (The other calls were seen too seldom for ranges, or "
            "made on hands of all kinds.)",
            "{:.1f} ± {:.1f} artificial calls in 100 auctions of a side.".format(*m.artificial),
            *([f"Left out: {rare:,} calls made less often than once in {self.once_in:,} deals."] if rare else []),
            *([self.judged] if self.judged else []),
        ]

    def entry_figures(self, entry: Entry) -> dict[str, Any]:
        """Return the figures of an entry as ``model`` has them."""
        figures, shows = self.measured.figures[entry.index], self.shows[entry.index]
        return model.figures_model(figures, str(shows or ""), self.worth.get(entry.index))

    def model(self) -> dict[str, Any]:
        """Return the JSON model of the book, as ``training.book.model`` describes it."""
        graph, measured = self.graph, self.measured
        out = model.system_tree(graph, self.is_printed)
        for entry, record in zip(graph.entries, out["entries"], strict=True):
            record["figures"] = self.entry_figures(entry)
        for record, visits, general in zip(out["points"], measured.visits, measured.general, strict=True):
            share = general / visits if visits and record["entries"] else 0.0
            record["others"] = f"{share:.1%}" if share >= _OTHERS else ""
        hierarchy = Hierarchy(graph.system)
        for block in out["general"]:
            if block["block"] in measured.examples:
                block["example"] = _example(hierarchy, measured.examples[block["block"]])
        out["card"] = convention_card(SystemSurvey(hierarchy))
        return out | {
            "artificial": list(measured.artificial),
            "facts": [symbols(fact) for fact in self.facts()],
            "legend": model.LEGEND,
            "terms": self._terms(),
            "forcing": _last_resort(),
        }

    def _terms(self) -> list[list[str]]:
        """Return name and meaning of the ways to count that the printed lines ask for."""
        lines = [line for entry in self.graph.entries if self.is_printed(entry) for line in entry.lines]
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
    levels: int | None = None,
    once_in: int = 0,
    tick: Callable[[int], None] = lambda deals: None,
) -> SystemBook:
    """Measure a system on random ``deals``, and check it on others; ``tick`` gets the deals of every batch, and
    ``levels`` and ``once_in`` choose what to print, as in ``SystemBook``.
    """
    graph = AuctionGraph(system)
    measured = measure(graph, Hierarchy(graph.system), deals, seed, tick)
    return SystemBook(measured, shown_by_entries(measured), levels=levels, once_in=once_in)


def add_worth(book: SystemBook, control: System, boards: int, seed: int, tick: Callable[[int], None]) -> None:
    """Judge the worth of every printed call in duplicate matches against a control pair; ``tick`` gets 1 after each
    entry.
    """
    judge = Judge(book.graph.system, control, boards, seed)
    book.judged = (
        f"Worth: IMPs by which the system does better with a call than without it (the next line that fits decides) "
        f"against {control.name}, on a board whose auction that alters ± standard error, and on 1,000 boards of all "
        f"kinds; {judge.boards.source}. The system as it is: {judge.mean:+.3f} ± {judge.error:.3f} IMPs a board. With "
        f"fewer than {FEWEST} boards no figure is given."
    )
    for entry in book.graph.entries:
        if book.is_printed(entry) and (worth := judge.worth_of(entry.numbers)) is not None:
            book.worth[entry.index] = worth
        tick(1)


def _example(hierarchy: Hierarchy, view: BidView) -> str:
    """Return a hand in an auction with the sums of its calls: ``1H 1S 2H: AKQ865.K4.Q32.86: 2S 25 (...), Pass 11``."""
    found = explain(HierarchyBidder(hierarchy), view)
    calls = [of_call(call) for call in view.history[0, : view.length[0]].tolist()]
    sums = "; ".join(map(str, found.sums[:_SUMS]))
    return symbols(f"{' '.join(calls)}: {hand_text(view.hand[0])}: ") + sums
