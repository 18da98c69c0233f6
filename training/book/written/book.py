"""Collect a system's calls with their figures into chapters."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.language.tree import Block, Step, System
from agents.hierarchy.telling import wording
from training.book.measured.measure import Figures, Measured, measure
from training.book.measured.points import Entry, Point, Points
from training.book.measured.shows import Check, Shows, check, statements
from training.book.measured.worth import Judge, Worth

PAGE_LINES, PAGE_WIDTH = 55, 132  # of a printed page, in small print across
GOAL = 0.98  # of the hands keep to what the book says

LEGEND = (
    "M is a major, m a minor, oM and om the other one, x and y two different suits; figures are of all suits they can "
    "be. Calls in brackets are theirs; their passes in between go without saying. Of several calls that fit a hand the "
    "first in the system's text counts. What a call shows is left out where it is what the call promises, where "
    f"fewer than 20 hands made it, or where hands of all kinds did. {wording.TERMS}"
)


@dataclass
class Book:
    """What is printed."""

    measured: Measured
    said: list[Shows | None]  # for every entry what the book says that the call shows; None where it says nothing
    check: Check  # of that on fresh deals
    # how deep into the tree to print: 1 openings, 2 responses and overcalls ...; None all of it
    levels: int | None = None
    # by entry, where asked for, and where it came up often enough; ``judged`` says on what
    worth: dict[int, Worth] = field(default_factory=dict)
    judged: str = ""
    examples: int = 2  # hands a call
    left_out: frozenset[int] = frozenset()  # entries that are too rare for the pages allowed

    @property
    def points(self) -> Points:
        return self.measured.points

    @property
    def system(self) -> System:
        return self.points.system

    def figures(self, entry: Entry) -> Figures:
        return self.measured.figures[entry.index]

    def calls(self, point: Point) -> list[Entry]:
        """The calls at a point that the book prints."""
        deep = self.levels is not None and len(point.path) >= self.levels
        return [] if deep else [e for e in point.entries.values() if e.index not in self.left_out]

    def printed(self, point: Point) -> bool:
        """Return whether the point has a call that the book prints."""
        return bool(self.calls(point))

    def leads_on(self, point: Point) -> bool:
        """Return whether it is, or leads to, a point that is printed."""
        return self.printed(point) or any(self.leads_on(child) for child in point.children.values())

    def chapters(self) -> list[tuple[str, list[Point]]]:
        """The points by chapter, in the order of the text."""
        printed = [point for point in self.points.points if self.printed(point)]
        by_title = [(title, [p for p in printed if chapter(p.path) == title]) for title in _CHAPTERS]
        return [(title, points) for title, points in by_title if points]

    def general(self) -> list[tuple[Block, list[Entry]]]:
        """The general rules that the book prints, block by block."""
        rules = [e for e in self.points.entries if e.point is None and e.index not in self.left_out]
        blocks = [(block, [e for e in rules if e.block == b]) for b, block in enumerate(self.system.blocks)]
        return [(block, entries) for block, entries in blocks if entries]

    def facts(self) -> list[str]:
        """State, in sentences, how the figures were made and how far to trust them."""
        m, c = self.measured, self.check
        more = f", calls seen seldom on up to {m.all_deals:,}" if m.all_deals > m.deals else ""
        seen, bids = (k / n if n else 0.0 for n, k in (c.read, c.bids[:2]))
        facts = [
            f"Figures are of {m.deals:,} random deals (seed {m.seed}){more}, dealer and vulnerability by board number, "
            "all four seats playing the system.",
            f"On {c.deals:,} other deals (seed {c.seed}), {c.share:.2%} of the {c.hands:,} hands behind a call keep to "
            f"what the book says it shows; without passes and general rules {bids:.2%} of {c.bids[0]:,}. (There were "
            f"{c.calls:,} calls in all; the rest were seen too seldom for ranges, or made on hands of all kinds.) "
            f"What the system itself reads from a call at the table holds for {seen:.2%} of {c.read[0]:,}.",
        ]
        facts.append("{:.1f} ± {:.1f} code words for each 100 auctions of a side.".format(*m.code_words))
        facts += least_kept("lines", c.worst, self.name)
        if self.left_out:
            often = max(self.measured.figures[i].per_deal for i in self.left_out)
            how = f"come up no more than once in {1 / often:,.0f} deals" if often else "never came up"
            facts.append(f"Left out: {len(self.left_out)} calls that {how}.")
        return [*facts, self.judged] if self.judged else facts

    def name(self, index: int) -> str:
        """An entry with the auction that leads to it."""
        entry = self.points.entries[index]
        if entry.point is None:
            return f"{wording.call(entry.step)} (general rules)"
        return wording.path((*entry.point.path, entry.step))

    @property
    def share(self) -> float:
        """Of the hands on fresh deals that keep to the book."""
        return self.check.share

    def worst(self, most: int) -> list[tuple[int, int, str]]:
        """The calls that hands keep to least: hands, those that do, and what the book says."""
        return [(n, k, f"{self.name(i)}: {self.said[i]}") for i, n, k in self.check.worst[:most]]

    def fit(self, most: int, text: Callable[[Book], str]) -> Book:
        """The book without the rarest of its calls, as many as must go to print ``text`` of it on ``most`` pages."""
        shown = [e.index for e in self.points.entries if e.point is None or e in self.calls(e.point)]
        order = sorted(shown, key=lambda i: self.measured.figures[i].per_deal)
        return replace(self, left_out=rarest(order, most, lambda out: text(replace(self, left_out=out))))


def least_kept(what: str, worst: Iterable[tuple[int, int, int]], name: Callable[[int], str]) -> list[str]:
    """The sentence on the calls that hands keep to least; none where all hands do.

    Args:
        worst: (index, hands, keeping), the least share first.
    """
    few = [(name(i), n, k) for i, n, k in worst if n >= 30 and k < n][:3]
    if not few:
        return []
    listed = "; ".join(f"{called} {k / n:.1%} of {n:,}" for called, n, k in few)
    return [f"The {what} that keep to it least, of those with 30 hands or more: {listed}."]


_CHAPTERS = (
    "Opening bids",
    "Responses",
    "Opener's second bid",
    "Responder's second bid",
    "Later bids",
    "They compete after our opening",
    "They open",
)


def chapter(path: tuple[Step, ...]) -> str:
    """The title of the chapter that the point at the end of a path belongs to."""
    if path and path[0].theirs:
        return _CHAPTERS[6]
    if any(step.theirs for step in path):
        return _CHAPTERS[5]
    return _CHAPTERS[min(len(path), 4)]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"|{'|'.join(row)}|" for row in (heads, ["---"] * len(heads), *rows))


def made(figures: Figures) -> str:
    """How often: ``12.3%``."""
    if not figures.made:
        return "never seen"
    return f"{figures.share:.1%}" if figures.share >= 0.0005 else "<0.1%"


def usual(figures: Figures, *, brief: bool = False) -> str:
    """Return what nine hands in ten held: ``15-17 HCP !s2-4 ...``; in brief without suits that may be short or long."""
    if not figures.made:
        return ""
    low, high = figures.usual("hcp") or (0, 0)
    parts = [f"{wording.span(low, high)} HCP"]
    for name in figures.names():
        least, most = figures.usual(name) or (0, 0)
        if not (brief and least <= 1 and most >= 5):
            parts.append(f"{wording.suit(name)}{wording.span(least, most)}")
    return " ".join(parts)


def make_book(
    system: System,
    deals: int,
    seed: int,
    *,
    rare: int = 0,
    levels: int | None = None,
    examples: int = 2,
    tick: Callable[[int], None] = lambda deals: None,
) -> Book:
    """Measure a system as ``measure`` does, and check what is said of it on as many fresh deals."""
    points = Points(system)
    hierarchy = Hierarchy(points.system)
    measured = measure(points, hierarchy, deals, seed, rare=rare, levels=levels, tick=tick)
    said = statements(measured)
    return Book(measured, said, check(measured, said, hierarchy, deals, seed + 1), levels, examples=examples)


def add_worth(book: Book, control: System, boards: int, seed: int, tick: Callable[[int], None]) -> None:
    """Judge every printed treatment of the tree, and the general rules."""
    judge = Judge(book.points, control, boards, seed)
    book.judged = (
        f"Worth: IMPs by which the system does better with a call than without it (the next line that fits decides) "
        f"against {control.name}, on a board where the call comes up ± standard error, and on 1,000 boards of all "
        f"kinds; {judge.boards.source}. The system as it is: {judge.mean:+.3f} ± {judge.error:.3f} IMPs a board. With "
        f"fewer than 30 boards no figure is given."
    )
    for entry in book.points.entries:
        if entry.point is None or book.printed(entry.point):
            worth = judge.worth_of(entry)
            if worth.mean is not None:
                book.worth[entry.index] = worth
        tick(1)


def rarest(order: list[int], most: int, text: Callable[[frozenset[int]], str]) -> frozenset[int]:
    """The first of ``order``, as many as must be left out to print ``text`` on ``most`` pages."""
    fewest = bisect_left(range(len(order)), True, key=lambda n: pages(text(frozenset(order[:n]))) <= most)
    return frozenset(order[:fewest])


def pages(text: str) -> int:
    """Printed pages of Markdown: lines that are too long run on; signs of the markup are not printed."""
    lines = [printed(line) for line in text.splitlines() if not line.startswith("|---")]
    return math.ceil(sum(max(1, math.ceil(len(line) / PAGE_WIDTH)) for line in lines) / PAGE_LINES)


def printed(line: str) -> str:
    """A line of Markdown as it is printed, without the signs of the markup."""
    return line.replace("*", "").replace("`", "")
