"""A book as pages for players: the convention card, what would surprise them, and notes by auction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.engine.context import ENOUGH
from agents.hierarchy.language.last_resort import LAST_RESORT
from agents.hierarchy.language.tree import System
from training.book import wording
from training.book.asking import Asker
from training.book.auctions import Spoken
from training.book.book import PAGE_WIDTH, Book, pages, printed
from training.book.card import Section, convention_card
from training.book.notes import Note, Notes, make_notes
from training.book.surprise import Surprise, surprises

PAGES = 10
_SURPRISES = 36  # so many fill a page
_ASIDE, _BACK = " — ", 12  # between notes in one line; so many lines back a note may go
_LEGEND = (
    "An auction is written as the player sees it who calls next: calls in brackets are theirs, their passes go without "
    "saying. M is a major, m a minor, oM and om the other one, x and y two different suits. HCP and cards are measured "
    "on the hands that made the call; what its player has shown before is not told again. How often it is made there "
    "stands in brackets; after *elsewhere*, of all calls."
)
_FORCING = (
    "A *forcing* call asks partner to speak, unless the next player does; *forcing to game* binds both partners up to "
    f"game. A side that is forced to game, or has shown {ENOUGH} points in both hands, lets no contract of theirs be "
    "played undoubled: who calls before partner may pass, and then partner bids or doubles. A doubled contract of "
    "theirs may always be passed. Where a player may not pass, and no note has a call, these are tried in turn:"
)


@dataclass(frozen=True)
class Printed:
    """What the pages hold.

    Attributes:
        book: the figures.
        card: sections of the convention card.
        surprises: against ``base``, the greatest first.
        base: the name of the system that surprises are measured from; empty where it is the system itself.
        notes: all of them.
        most: pages.
    """

    book: Book
    card: list[Section]
    surprises: list[Surprise]
    base: str
    notes: Notes
    most: int = PAGES

    def text(self) -> str:
        """Markdown on ``most`` pages."""
        return self._pages(self.kept)

    @cached_property
    def kept(self) -> list[Note]:
        """The notes with the calls that are worth most, as many as fit."""
        levels = self.notes.levels
        fewest, enough = 0, len(levels)
        while fewest < enough:
            middle = (fewest + enough + 1) // 2
            if pages(self._pages(self.notes.kept(levels[middle - 1]))) <= self.most:
                fewest = middle
            else:
                enough = middle - 1
        return self.notes.kept(levels[fewest - 1]) if fewest else []

    @property
    def share(self) -> float:
        """The share of all calls that the notes on these pages tell of."""
        return self.notes.held(self.kept)

    def _pages(self, kept: list[Note]) -> str:
        system = self.book.system
        measured, check = self.book.measured, self.book.check
        words, error = measured.code_words
        parts = [f"# {system.name}", *system.comments]
        parts.append(f"{words:.1f} ± {error:.1f} code words for each 100 auctions of a side.")
        parts += ["## Convention card", _card(self.card), "## What would surprise you", *self._surprises()]
        parts += ["## Notes by auction", _LEGEND]
        parts += ["\n".join(_side_by_side(notes)) for general in (False, True) if (notes := _of_kind(kept, general))]
        parts += ["## Who must speak", _FORCING, "\n".join(_last_resort())]
        parts.append(
            f"Measured on {measured.deals:,} deals (seed {measured.seed}) with the system in all four seats. On "
            f"{check.deals:,} other deals, {check.share:.2%} of {check.hands:,} hands keep to what the book says of "
            f"their calls. These notes hold {self.notes.held(kept):.2%} of the {measured.calls:,} calls made."
        )
        return wording.symbols("\n\n".join(parts)) + "\n"

    def _surprises(self) -> list[str]:
        if not self.base:
            return ["Nothing: this is the system that others are compared with (`--base` names another)."]
        if not self.surprises:
            return [f"Nothing: no call that comes up often means something else than in `{self.base}`."]
        lines = [f"|Call|Made in 1,000 deals|Shows|In `{self.base}`|", "|---|---|---|---|"]
        for one in self.surprises[:_SURPRISES]:
            lines.append(f"|**{one.auction}**|{1000 * one.per_deal:.1f}|{one.shows}|{one.instead}|")
        intro = (
            f"Calls that show something else than in `{self.base}`: the most frequent and most different first, "
            "measured on the hands that make them. What follows from a call named here is left out."
        )
        return [intro, "\n".join(lines)]


def _last_resort() -> list[str]:
    """The rules of last resort as lines of a list."""
    lines = []
    for block in LAST_RESORT:
        calls = [f"**{wording.call(line.path[-1])}** {wording.promise(line.constraint)}" for line in block.lines]
        lines.append(f"- *{block.note}*: {' · '.join(calls)}")
    return lines


def _side_by_side(notes: list[Note]) -> list[str]:
    """The notes as lines of a list: one that fits into what an earlier one leaves of its last printed line goes there.

    So notes keep nearly their order, and a page holds more of them.
    """
    lines, room = list[str](), list[int]()
    for note in notes:
        text = f"**{note.title}** {note.told}"
        length = len(printed(wording.symbols(text)))
        near = range(max(0, len(lines) - _BACK), len(lines))
        place = next((i for i in near if length + len(_ASIDE) <= room[i]), None)
        if place is None:
            lines.append(f"- {text}")
            room.append(-(length + len("- ")) % PAGE_WIDTH)
        else:
            lines[place] += _ASIDE + text
            room[place] -= length + len(_ASIDE)
    return lines


def _of_kind(notes: list[Note], general: bool) -> list[Note]:
    return [note for note in notes if note.general == general]


def _card(sections: list[Section]) -> str:
    lines = ["|Call|What it is|", "|---|---|"]
    for section in sections:
        lines.append(f"|**{section.title}**||")
        for labels, text in _merged(section.rows):
            lines.append(f"|{labels}|{text}|")
    return "\n".join(lines)


def _merged(rows: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Rows that say the same, one after the other, as one."""
    out: list[tuple[str, str]] = []
    for label, text in rows:
        if out and out[-1][1] == text:
            out[-1] = (f"{out[-1][0]}, {label}", text)
        else:
            out.append((label, text))
    return out


def make_printed(
    book: Book, base: System, most: int = PAGES, tick: Callable[[int], object] = lambda steps: None
) -> Printed:
    """Fill the pages of a book.

    Args:
        base: what surprises are measured from.
        tick: told 1 after each of four steps.
    """
    hierarchy = Hierarchy(book.points.system)
    card = convention_card(Asker(hierarchy))
    tick(1)
    ours = Spoken(hierarchy, book.measured.walker, book.measured.seed, book.measured.deals)
    tick(1)
    same = (base.lines, base.blocks) == (book.system.lines, book.system.blocks)
    found = [] if same else surprises(ours, base)
    tick(1)
    notes = make_notes(book, ours)
    tick(1)
    return Printed(book, card, found, "" if same else base.name, notes, most)
