"""A book as pages for players: the convention card, what would surprise them, and notes by auction."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.engine.compiled import LAST_RESORT
from agents.hierarchy.engine.context import ENOUGH
from agents.hierarchy.language.tree import System, atoms_of
from agents.hierarchy.language.vocabulary import AUCTION_WORDS
from agents.hierarchy.telling import wording
from agents.hierarchy.telling.pages import GENERAL, NEXT_NOTE, NOTES
from bridge_env.features import MEANINGS
from training.book.measured.auctions import Spoken
from training.book.printed.asking import Asker
from training.book.printed.card import Section, card_text, convention_card
from training.book.printed.notes import Note, Notes, make_notes, share
from training.book.printed.surprise import Surprise, surprises
from training.book.written.book import PAGE_LINES, PAGE_WIDTH, Book, pages, printed, table

PAGES = 10
_SURPRISES = 36  # so many fill a page
_BACK = 12  # so many lines back a note may go
#: Ways to count that a row may ask for, as rows call them.
_TERMS = {
    "points": "points", "support": "points in support", "rule20": "the rule of 20", "balanced": "balanced",
    "semibalanced": "semi-balanced", "controls": "controls", "losers": "losers", "quick": "half quick tricks",
    "playing": "half playing tricks", "zar": "Zar points", "stopper": "stopper", "keycards": "key cards",
}  # fmt: skip
_LEGEND = (
    "An auction is written as the player sees it who calls next: calls in brackets are theirs, their passes go without "
    "saying. M is a major, m a minor, oM and om the other one, x and y two different suits. Ask the calls of a note in "
    "turn, and of several notes that fit an auction the first one first: the first call whose conditions hold is made. "
    "Where none holds, the general notes have one. A comma or semicolon means *and*; what stands between two slashes "
    "is one way to hold the call, *else* takes any hand. In brackets stand how often the call is made there, the HCP "
    "of nine in ten hands that made it where the conditions leave more than five points, and suits that it showed: "
    "measured, no condition. A bid without a name is natural: it shows its suit, or goes to one that partner has "
    "shown. A call that is not called forcing may be passed."
)
_GENERAL = "Ask these in turn as well. In brackets: of all calls."
_FORCING = (
    "A *forcing* call asks partner to speak, unless the next player does; *forcing to game* binds both partners up to "
    f"game. A side that is forced to game, or has shown {ENOUGH} points in both hands, lets no contract of theirs be "
    "played undoubled: who calls before partner may pass, and then partner bids or doubles. A doubled contract of "
    "theirs may always be passed. Where a player may not pass, and no note has a call, these are tried in turn:"
)


@dataclass(frozen=True)
class Printed:
    """What the pages hold."""

    book: Book
    card: list[Section]  # sections of the convention card
    surprises: list[Surprise]  # against ``base``, the greatest first
    base: str  # the name of the system that surprises are measured from; empty where it is the system itself
    notes: Notes
    most: int = PAGES  # pages

    def text(self) -> str:
        """Markdown: ``most`` pages, and the general rules behind them."""
        return f"{self._body()}\n\n{self._facts()}\n"

    def _body(self) -> str:
        return f"{self._main(self.kept)}\n\n{self._more()}"

    @cached_property
    def kept(self) -> list[Note]:
        """The notes by auction with the rows that are worth most, as many as fit."""
        levels = self.notes.levels

        def too_long(level: int) -> bool:
            return pages(self._main(self.notes.kept(levels[level]))) > self.most

        fitting = bisect_left(range(len(levels)), True, key=too_long)
        return self.notes.kept(levels[fitting - 1]) if fitting else []

    @property
    def share(self) -> float:
        """The share of all calls that the notes by auction make."""
        return share((row for note in self.kept for row in note.rows), self.book.measured.calls)

    def _main(self, kept: list[Note]) -> str:
        """The pages of a convention card, what would surprise, and notes by auction."""
        system, measured = self.book.system, self.book.measured
        words, error = measured.code_words
        parts = [f"# {system.name}", *system.comments]
        parts.append(f"{words:.1f} ± {error:.1f} code words for each 100 auctions of a side.")
        parts += ["## Convention card", card_text(self.card), "## What would surprise you", *self._surprises()]
        parts += [NOTES, f"{_LEGEND} {wording.TERMS}", "\n".join(side_by_side(kept))]
        return wording.symbols("\n\n".join(parts))

    def _more(self) -> str:
        """The general rules, and who must speak: behind the pages, however many they need."""
        parts = [GENERAL, _GENERAL, "\n".join(f"- {note}" for note in self.notes.general)] if self.notes.general else []
        parts += ["## How hands are counted", "\n".join(terms)] if (terms := self._terms()) else []
        parts += ["## Who must speak", _FORCING, "\n".join(_last_resort())]
        return wording.symbols("\n\n".join(parts))

    def _terms(self) -> list[str]:
        """What the ways to count mean that the rows ask for."""
        rows = [row for note in (*self.kept, *self.notes.general) for row in note.rows]
        asked = {atom.word.partition(":")[0] for r in rows for atom in atoms_of(r.line.constraint)}
        asked |= {word.hand for word in AUCTION_WORDS if word.name in asked}
        return [
            f"- *{name}*: {MEANINGS[word].removeprefix('1 for ').replace('hcp', 'HCP')}"
            for word, name in _TERMS.items()
            if word in asked
        ]

    def size(self) -> str:
        """How many pages there are, and the share of all calls that their notes make."""
        return (
            f"{pages(self._main(self.kept))} pages of {PAGE_LINES} lines of {PAGE_WIDTH} characters, and "
            f"{pages(self._more())} of general rules; the notes by auction make {self.share:.2%} of the calls"
        )

    def _facts(self) -> str:
        measured = self.book.measured
        kept, told = (sum(len(n.rows) for n in notes) for notes in (self.kept, self.notes.auctions))
        left = f"Left out are {told - kept:,} lines of the system that are made least often. " if told > kept else ""
        return (
            f"Measured on {measured.deals:,} deals (seed {measured.seed}) with the system in all four seats. The notes "
            f"by auction make {self.share:.2%} of the {measured.calls:,} calls, the general notes and who may not pass "
            f"the rest. {left}".rstrip()
        )

    def _surprises(self) -> list[str]:
        if not self.base:
            return ["Nothing: this is the system that others are compared with (`--base` names another)."]
        if not self.surprises:
            return [f"Nothing: no call that comes up often means something else than in `{self.base}`."]
        rows = [
            (f"**{one.auction}**", f"{1000 * one.per_deal:.1f}", one.shows, one.instead)
            for one in self.surprises[:_SURPRISES]
        ]
        intro = (
            f"Calls that show something else than in `{self.base}`: the most frequent and most different first, "
            "measured on the hands that make them. What follows from a call named here is left out."
        )
        return [intro, table(("Call", "Made in 1,000 deals", "Shows", f"In `{self.base}`"), rows)]


def _last_resort() -> list[str]:
    """The rules of last resort as lines of a list."""
    lines = []
    for block in LAST_RESORT:
        calls = [f"**{wording.call(line.path[-1])}** {wording.promise(line.constraint)}" for line in block.lines]
        lines.append(f"- *{block.note}*: {' · '.join(calls)}")
    return lines


def side_by_side(notes: list[Note]) -> list[str]:
    """The notes as lines of a list: one that fits into what an earlier one leaves of its last printed line goes there.

    So notes keep nearly their order, and a page holds more of them. None goes before one that is asked earlier at the
    same auction.
    """
    lines, room, nodes = list[str](), list[int](), list[set[int]]()
    for note in notes:
        text = str(note)
        length = len(printed(wording.symbols(text)))
        asked = [i for i, there in enumerate(nodes) if there & note.nodes]
        near = range(max(0, len(lines) - _BACK, *asked[-1:]), len(lines))
        place = next((i for i in near if length + len(NEXT_NOTE) <= room[i]), None)
        if place is None:
            lines.append(f"- {text}")
            room.append(-(length + len("- ")) % PAGE_WIDTH)
            nodes.append(set(note.nodes))
        else:
            lines[place] += NEXT_NOTE + text
            room[place] -= length + len(NEXT_NOTE)
            nodes[place] |= note.nodes
    return lines


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
