"""Notes by auction: every call with what it asks, in the order in which the system asks, until the pages are full.

A row is a line of the system in words, with the figures of the hands that made the call. Where room is short, those
rows go first that are made least often for the room that telling them takes. The general rules stand behind the
auctions, all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby

import numpy as np

from agents.hierarchy.engine.compiled import END_RULE, FIRST_RULE, RULE_LINE, Compiled
from agents.hierarchy.language.tree import Line, Step
from agents.hierarchy.telling import pages as written
from agents.hierarchy.telling.ranges import Ranges, hull, unite
from agents.hierarchy.telling.wording import span
from training.book.measured.auctions import Spoken
from training.book.measured.measure import Figures, add_calls
from training.book.measured.points import Entry
from training.book.measured.shows import EACH, FEWEST, Shows, shown
from training.book.written.book import Book, made

_MOST_HCP = 37
_NARROW, _NEWS = 4, 2  # HCP: a band so narrow is not told more narrowly, nor one by so little
_MANY = 0.0995  # a share that is told without tenths
_LONG, _SHORT = 4, 2  # cards that are worth telling: so many at least, or at most
_REBID = 6  # cards of a suit that was bid before, from which on they are worth telling
_OPEN = 6  # cards: a range that ends there or above is told without an end


@dataclass(eq=False)
class Row:
    """A line of the system on the pages."""

    line: Line
    step: Step  # of its call
    figures: Figures  # of the hands that made the call by it
    before: Shows | None = None  # what its player is known to have shown before
    bid: frozenset[str] = frozenset()  # the suits that he has bid
    gain: str = ""  # what the call is worth, where that was asked for
    general: bool = False  # it is a general rule

    def __str__(self) -> str:
        return _text((self,))


@dataclass(eq=False)
class Note:
    """The rows at an auction, or in a situation."""

    head: str  # the title as printed
    rows: list[Row] = field(default_factory=list)
    nodes: frozenset[int] = frozenset()  # of the compiled tree, at which the rows may call
    text: str = ""  # the rows, where they are no lines of a system

    @property
    def per_deal(self) -> float:
        """How often a deal has one of the calls."""
        return sum(row.figures.per_deal for row in self.rows)

    @cached_property
    def worth(self) -> dict[Row, float]:
        """How often each row's call is made for a character that it takes to tell it.

        The most frequent one takes the title with it, and none is worth more than those before it.
        """
        out, worth, title = dict[Row, float](), math.inf, len(self.head)
        for row in sorted(self.rows, key=lambda row: -row.figures.per_deal):
            worth = min(worth, row.figures.per_deal / (len(str(row)) + (0 if out else title)))
            out[row] = worth
        return out

    def __str__(self) -> str:
        runs = (tuple(run) for _, run in groupby(self.rows, key=lambda row: (row.step, row.gain)))
        told = written.NEXT_ROW.join(_text(run) for run in runs)
        return f"{self.head} {told or self.text}"


@dataclass
class Notes:
    """All notes of a book."""

    auctions: list[Note]  # calls of the tree; a note stands before those that are asked after it
    general: list[Note]

    @cached_property
    def levels(self) -> list[float]:
        """The worths of all rows of the tree, the greatest first."""
        return sorted({worth for note in self.auctions for worth in note.worth.values()}, reverse=True)

    def kept(self, least: float) -> list[Note]:
        """The notes by auction with the rows that are worth at least ``least``."""
        out = []
        for note in self.auctions:
            rows = [row for row in note.rows if note.worth[row] >= least]
            if rows:
                out.append(Note(note.head, rows, note.nodes))
        return out


def make_notes(book: Book, spoken: Spoken) -> Notes:
    """The notes of all calls of a book; ``spoken`` are calls of its system."""
    rows = _rows(book, spoken)
    nodes = _nodes(spoken.table.bidder.own.compiled)
    notes: list[Note] = []
    lines = ((point, line) for point in book.points.points for entry in book.calls(point) for line in entry.lines)
    for point, line in sorted(lines, key=lambda part: part[1].number):  # as the text has them
        here = frozenset(nodes.get(line.number, ()))
        place = next((n for n in reversed(notes) if n.nodes & here), None)
        head = written.auction_head(point.path)
        if place is None or place.head != head:
            place = Note(head)
            notes.append(place)
        place.nodes |= here
        place.rows.append(rows[line.number])
    general = [
        Note(written.general_head(block), [rows[e.lines[0].number] for e in entries])
        for block, entries in book.general()
    ]
    return Notes(_in_groups(notes), general)


def _nodes(compiled: Compiled) -> dict[int, set[int]]:
    """By the number of a line: the nodes at which it may call."""
    out: dict[int, set[int]] = {}
    for node in range(len(compiled.children)):
        for rule in range(compiled.parts[node, FIRST_RULE], compiled.parts[node, END_RULE]):
            out.setdefault(int(compiled.rules[rule, RULE_LINE]), set()).add(node)
    return out


def _in_groups(notes: list[Note]) -> list[Note]:
    """The most frequent first: groups of notes that can meet at an auction, such as responses to one of a suit.

    In a group no note goes before one that is asked earlier at the same node.
    """
    group = list(range(len(notes)))
    urgent = [note.per_deal for note in notes]
    for i in reversed(range(len(notes))):
        for j in range(i + 1, len(notes)):
            if notes[i].nodes & notes[j].nodes:
                urgent[i] = max(urgent[i], urgent[j])  # what holds up a frequent note goes as early as that
                if group[j] != group[i]:
                    group = [group[i] if of == group[j] else of for of in group]
    often = np.bincount(group, [note.per_deal for note in notes], len(notes))
    order = sorted(range(len(notes)), key=lambda i: (-often[group[i]], group[i], -urgent[i], i))
    return [notes[i] for i in order]


def _rows(book: Book, spoken: Spoken) -> dict[int, Row]:
    """By its number, every line as a row."""
    lines = spoken.table.lines(spoken.table.calls)
    order = np.argsort(lines, kind="stable")
    bounds = np.searchsorted(lines[order], np.arange(max(book.points.of_line, default=0) + 2))
    out = {}
    for number, entry in book.points.of_line.items():
        chances = len(spoken) if entry.point is None else book.measured.visits[entry.point.index]
        figures = Figures(chances=chances)
        made_by = order[bounds[number] : bounds[number + 1]]
        add_calls(figures, entry, spoken.table, spoken.table.calls, made_by, book.measured.walker)
        gain = str(book.worth.get(entry.index, ""))
        line = next(line for line in entry.lines if line.number == number)
        before, bid = _before(book, entry)
        out[number] = Row(line, entry.step, figures, before, bid, gain, entry.point is None)
    return out


def _before(book: Book, entry: Entry) -> tuple[Shows | None, frozenset[str]]:
    """What the book says of the call that the same player made before, where the text has it; and suits that he bid."""
    earlier = book.points.earlier(entry)
    last = earlier[0][1] if earlier else None
    bid = frozenset(token.lstrip("1234567") for token, _ in earlier)
    return None if last is None else book.said[last.index], bid


# --- words -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 13)
def _text(rows: tuple[Row, ...]) -> str:
    """Rows of one call as one."""
    first, lines = rows[0], [row.line for row in rows]
    figures = _together([row.figures for row in rows])
    tail = often(figures) + (f", {first.gain} IMPs" if first.gain else "")
    told = (
        ""
        if first.general
        else measured(unite(hull(line.constraint) for line in lines), figures, first.before, first.bid)
    )
    return written.row(first.step, lines, f"{tail}: {told}" if told else tail)


def often(figures: Figures) -> str:
    """How often: ``24%``, ``3.1%``, ``<0.1%``."""
    return f"{figures.share:.0%}" if figures.share >= _MANY else made(figures)


def _together(several: list[Figures]) -> Figures:
    """The figures of several lines at one point."""
    first, *others = several
    if not others:
        return first
    return Figures(
        sum(f.made for f in several), first.chances, first.deals,
        parts=[part for f in several for part in f.parts], suits=set().union(*(f.suits for f in several)),
    )  # fmt: skip


def measured(
    asked: Ranges, figures: Figures, before: Shows | None = None, bid: frozenset[str] = frozenset()
) -> str:  # fmt: skip
    """What the hands held that the conditions do not say: the points of nine in ten, and suits.

    Args:
        before: what the player has shown before, which is not told again.
        bid: suits that he has bid before, of which a few cards are no news.
    """
    if figures.made < FEWEST:
        return ""
    known = {name: (low, high) for name, low, high in before.ranges} if before is not None else {}
    low, high = figures.usual("hcp") or (0, _MOST_HCP)
    (least, most), (least_known, most_known) = asked.get("hcp", (0, _MOST_HCP)), known.get("hcp", (0, _MOST_HCP))
    wide = min(most, most_known) - max(least, least_known)
    news = wide > _NARROW and wide - (high - low) >= _NEWS
    parts = [f"{span(low, high)} HCP"] if news else []
    said = shown(figures, lambda name, top: [(asked.get(name, (0, top))[0], min(top, asked.get(name, (0, top))[1]))])
    told = []
    for name, low, high in said.ranges if said is not None else ():
        least, most = asked.get(name, (0, 13))
        least, most = max(least, known.get(name, (0, 13))[0]), min(most, known.get(name, (0, 13))[1])
        long = _REBID if name in bid else _LONG
        if name not in ("hcp", EACH) and ((low >= long and low > least) or (high <= _SHORT and high < most)):
            told.append((name, low, high if high < _OPEN else 13))
    suits = str(Shows(tuple(told)))
    return ", ".join([*parts, *([suits] if told else [])])


def share(rows: Iterable[Row], calls: int) -> float:
    """The share of all calls that some rows make."""
    return sum(row.figures.made for row in rows) / calls if calls else 0.0
