"""Notes by auction: every call with its points and suits as numbers, the most frequent first, until the pages are full.

A note does not tell again what its player has shown before. Where room is short, those calls go first that are made
least often for the room that telling them takes: a rule that needs three lines for a call of one deal in a thousand.

There are three kinds. Calls of the system's own tree stand at the auctions that its text names (``1M-(x)-?``). Calls of
its general rules are told at real auctions (``1!h-(2!c)-?``), where what they ask of both hands together becomes what
they ask of this one. Those of all other auctions come last, with the situations that the rules describe.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.language.tree import Atom, Line, Step
from agents.hierarchy.language.vocabulary import AUCTION_WORDS, FLAG_WORDS
from agents.hierarchy.telling.phrases import Ranges, hull, unite
from agents.hierarchy.telling.position import Position
from bridge_env.auction import Auctions
from bridge_env.calls import PASS
from bridge_env.cards import UNKNOWN
from bridge_env.view import view_of
from training.book import wording
from training.book.auctions import Group, Spoken, name
from training.book.book import Book, frequency, made
from training.book.measure import entry_of
from training.book.points import Entry, Point
from training.book.shows import EACH, Shows, shown

_APART = 4  # lines with names of their own that are told one by one
_OTHER = "any other hand"
_ANY_SEAT = ("position", 1, 4)
_SELDOM = 1 / 1_000  # a call by general rules after one auction is told of if it is made in so many deals
_MINOR_RULE = 0.1  # a rule that makes fewer of the calls of a group is left out of what the call asks
#: Words whose ranges are told by the figures: what is shown of points and suits.
_BY_FIGURES = frozenset(("hcp", *"CDHS", "M", "oM", "m", "om", "x", "y"))
#: What depends on partner's hand: its effect on this hand is in the figures.
_RELATIVE = frozenset(
    ("combined", "combined-max", "combined-points", "likely", "fit", "total", "total-max", "likely-total", "fit-best",
     "fit-major", "rule20")
)  # fmt: skip
#: How a general rule chooses its suit: where that is known, the figures of the suit tell it.
_CHOOSES = ("best", "long")


_TOLD = ("i-passed", "position", "vul", "they-vul")  # words of the auction that the title of a note does not say
_DECIDED = frozenset(word.name for word in AUCTION_WORDS if not word.mixed and word.name not in _TOLD)


@dataclass
class NoteCall:
    """A call of a note.

    Attributes:
        name: of the call.
        words: what it shows.
        how_often: of the times at this auction (of general rules: of all calls).
        per_deal: how often a deal has it.
        entry: of the book, -1 where the call of an entry is told of at one auction.
        group: where it is told of at one auction: which group.
    """

    name: str
    words: str
    how_often: str
    per_deal: float
    entry: int = -1
    group: int = -1

    def __str__(self) -> str:
        return " ".join(part for part in (f"**{self.name}**", self.words, f"({self.how_often})") if part)


@dataclass
class Note:
    """The calls at an auction, or in a situation."""

    title: str
    general: bool = False
    calls: list[NoteCall] = field(default_factory=list)

    @property
    def per_deal(self) -> float:
        """How often a deal has one of the calls."""
        return sum(call.per_deal for call in self.calls)

    @property
    def worth(self) -> list[tuple[float, NoteCall]]:
        """The calls, the most frequent first, with how often each is made for a character that it takes to tell it.

        The first one takes the title with it, and none is worth more than those before it.
        """
        out, worth, title = list[tuple[float, NoteCall]](), math.inf, len(self.title)
        for call in sorted(self.calls, key=lambda call: -call.per_deal):
            worth = min(worth, call.per_deal / (len(str(call)) + (0 if out else title)))
            out.append((worth, call))
        return out

    @property
    def told(self) -> str:
        """The calls, the most frequent first."""
        return " · ".join(map(str, sorted(self.calls, key=lambda call: -call.per_deal)))

    def __str__(self) -> str:
        return f"- **{self.title}** {self.told}"


@dataclass
class Notes:
    """All notes of a book, and what shares of the calls they hold.

    Attributes:
        shares: of all calls, by entry of the book.
        group_shares: by group: which entries its calls come from, with their shares.
    """

    notes: list[Note]
    shares: dict[int, float]
    group_shares: list[dict[int, float]]

    @cached_property
    def levels(self) -> list[float]:
        """The worths of all calls, the greatest first."""
        return sorted({worth for note in self.notes for worth, _ in note.worth}, reverse=True)

    def kept(self, least: float) -> list[Note]:
        """The notes with the calls that are worth at least ``least``, the most frequent notes first."""
        out = []
        for note in self.notes:
            calls = [call for worth, call in note.worth if worth >= least]
            if calls:
                out.append(Note(note.title, note.general, calls))
        return sorted(out, key=lambda note: (note.general, -note.per_deal))

    def held(self, notes: list[Note]) -> float:
        """The share of all calls that some of the notes tell of."""
        entries = {call.entry for note in notes for call in note.calls if call.entry >= 0}
        groups = [call.group for note in notes for call in note.calls if call.group >= 0]
        share = sum(self.shares.get(entry, 0.0) for entry in entries)
        for group in groups:
            share += sum(part for entry, part in self.group_shares[group].items() if entry not in entries)
        return share


def make_notes(book: Book, spoken: Spoken) -> Notes:
    """The notes of all calls of a book that were ever made.

    Args:
        spoken: the calls of the same system.
    """
    lines = spoken.table.lines(spoken.table.calls)
    entries = np.array([-1, *entry_of(book.points)])[lines + 1]
    counts = np.bincount(entries + 1, minlength=len(book.points.entries) + 1)
    shares = {index - 1: count / len(spoken) for index, count in enumerate(counts.tolist()) if count}
    notes = _tree(book) + _general(book)
    groups, group_shares = _auctions(book, spoken, entries)
    return Notes(notes + groups, shares, group_shares)


# --- the tree, and general rules everywhere ----------------------------------------------------------------


def _tree(book: Book) -> list[Note]:
    out, by_path = [], {point.path: point for point in book.points.points}
    for point in book.points.points:
        note = Note(
            f"{wording.path(point.path).replace(' - ', '-').replace('Pass', 'P')}-?" if point.path else "Opening"
        )
        entries = [entry for entry in book.calls(point) if book.figures(entry).made]
        note.calls = [_of_entry(book, entry, _before(book, entry, by_path)) for entry in entries]
        if any(call.name != "Pass" for call in note.calls):
            out.append(note)
    return out


def _general(book: Book) -> list[Note]:
    out = []
    for block, entries in zip(book.system.blocks, book.general(), strict=True):
        note = Note(f"Elsewhere, when {wording.promise(block.when)}:", general=True)
        note.calls = [_of_entry(book, entry) for entry in entries if book.figures(entry).made]
        if note.calls:
            out.append(note)
    return out


def _of_entry(book: Book, entry: Entry, before: Shows | None = None) -> NoteCall:
    figures = book.figures(entry)
    asked = unite(hull(line.constraint) for line in entry.lines)
    text = words(asked, book.said[entry.index], entry.lines, before)
    worth = book.worth.get(entry.index)
    gain = f", {worth} IMPs" if worth is not None and worth.mean is not None else ""
    return NoteCall(wording.call(entry.step), text, made(figures) + gain, frequency(figures), entry=entry.index)


def _before(book: Book, entry: Entry, by_path: Mapping[tuple[Step, ...], Point]) -> Shows | None:
    """What the book says of the call that the same player made before, where the text has it on the same path."""
    path = entry.point.path if entry.point is not None else ()
    ours = [i for i, step in enumerate(path) if not step.theirs]
    if len(ours) < 2:
        return None
    before, token = by_path.get(path[: ours[-2]]), path[ours[-2]].token
    return book.said[before.entries[token].index] if before is not None and token in before.entries else None


def _new(said: Shows, before: Shows | None) -> Shows:
    """What a call shows that the player has not shown before: other ranges, or none."""
    known = {name: (low, high) for name, low, high in before.ranges} if before is not None else {}
    told = ((name, low, high) for name, low, high in said.ranges if known.get(name) != (low, high))
    return Shows(tuple(told))


def words(
    asked: Ranges, said: Shows | None, lines: list[Line], before: Shows | None = None, *, each: bool = True
) -> str:
    """What a call shows: the measured points and suits, what its lines ask besides, its name and its force.

    Args:
        asked: by the lines, as ranges of words.
        said: measured; None where it says nothing or was made too seldom. Then the lines speak for themselves.
        before: what the player has shown before, which is not told again.
        each: tell several lines with names of their own one by one.
    """
    if said is not None and asked.get("balanced", (0, 1))[0] == 1:
        said = Shows(tuple(part for part in said.ranges if part[0] == "hcp" or part[1] >= 3))
    shows = str(_new(said, before)) if said is not None else "nothing"
    parts = [shows] if shows != "nothing" else []
    measured = {name for name, _, _ in said.ranges} if said is not None else set()
    for word, (low, high) in sorted(asked.items(), key=lambda item: item[0] != "hcp"):
        stem = word.partition(":")[0]
        if word in _BY_FIGURES:
            told = word in measured or (said is not None and word != "hcp" and EACH in measured)
            if told or said is not None:
                continue
        elif stem in _RELATIVE and said is not None:
            continue
        if _of_auction(stem) or (word in FLAG_WORDS and (low, high) == (0, 1)) or (word, low, high) == _ANY_SEAT:
            continue
        text = wording.condition(Atom(word, low, high))
        if text not in parts:
            parts.append(text)
    text = ", ".join(parts)
    if each and len({wording.remark(line) for line in lines}) > 1 and len(lines) <= _APART:
        several = wording.lines_promise(_apart(lines) if parts else lines)
        return several if said is None else f"{text}: {several}" if text else several
    remark = wording.lines_remark(lines)
    if not text and (said is None or not said.ranges):
        text = _OTHER
    return "; ".join(part for part in (text, f"*{remark}*" if remark else "") if part)


def _apart(lines: list[Line]) -> list[Line]:
    """The lines without the conditions that all of them share, which have been told."""
    shared = [clause for clause in lines[0].constraint if all(clause in line.constraint for line in lines)]
    return [replace(line, constraint=tuple(c for c in line.constraint if c not in shared)) for line in lines]


def _of_auction(stem: str) -> bool:
    """Does the auction alone decide it, so that the title of the note says it?"""
    return stem in _DECIDED


# --- general rules at real auctions ------------------------------------------------------------------------


def _auctions(book: Book, spoken: Spoken, entries: NDArray[np.int64]) -> tuple[list[Note], list[dict[int, float]]]:
    general = np.array([*(e.point is None for e in book.points.entries), True])[entries]
    by_title: dict[str, Note] = {}
    shares: list[dict[int, float]] = []
    least = max(20, int(len(spoken.table) * _SELDOM))
    for group in spoken.groups(least, general):
        deep = book.levels is not None and len(group.before) >= book.levels
        if deep or group.call == PASS:
            continue
        call = _of_group(book, spoken, group, entries)
        call.group = len(shares)
        made_by, counts = np.unique(entries[group.rows], return_counts=True)
        shares.append({int(e): int(n) / len(spoken) for e, n in zip(made_by, counts, strict=True)})
        by_title.setdefault(group.title, Note(group.title)).calls.append(call)
    return list(by_title.values()), shares


def _of_group(book: Book, spoken: Spoken, group: Group, entries: NDArray[np.int64]) -> NoteCall:
    """A call of general rules after one auction, with what these ask of this hand."""
    rules, counts = np.unique(spoken.rules(group.rows), return_counts=True)
    often = {int(rule) for rule, count in zip(rules, counts, strict=True) if count >= _MINOR_RULE * len(group.rows)}
    asked: list[Ranges] = []
    row = int(group.rows[0])
    for rule in _position(spoken, row).rules:
        if rule.number in often and rule.call == group.call:
            asked.append(hull(rule.needs))
    ranges = unite(asked) if asked and len(asked) == len(often) else {}
    ranges = {word: span for word, span in ranges.items() if word.partition(":")[0] not in _CHOOSES}
    figures = spoken.figures(group)
    said = shown(figures, lambda word, top: [_range(ranges, word, top)])
    lines = [line for e in np.unique(entries[group.rows]).tolist() if e >= 0 for line in book.points.entries[e].lines]
    text = words(ranges, said, lines, each=False)
    return NoteCall(name(group.call), text, made(figures), figures.made / figures.deals)


def _range(ranges: Ranges, word: str, top: int) -> tuple[int, int]:
    low, high = ranges.get(word, (0, top))
    return low, min(high, top)


def _position(spoken: Spoken, row: int) -> Position:
    table, calls = spoken.table, spoken.table.calls
    board, number = int(calls.board[row]), int(calls.number[row])
    auctions = Auctions.replay(
        table.history[None, board, :number], table.dealer[[board]], table.vulnerability[[board]]
    )  # fmt: skip
    return Position(table.bidder, view_of(auctions, np.full((1, 52), UNKNOWN, np.uint8)))
