"""Represent boards of records and the problems in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bridge_env.calls import Contract
from bridge_env.cards import UInt8Array

LONGEST_REASON = 2000
DIFFERS, ILLEGAL, ILLEGAL_PLAY = "contract is not the auction's", "illegal call", "illegal play"


class BadBoard(Exception):
    """Ends the reading of one board. ``kind`` is the reason without what differs from board to board."""

    def __init__(self, line: int, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.line, self.reason, self.kind = line, reason, kind


@dataclass(frozen=True, eq=False)
class Board:
    """A deal with what is known of its auction, play and result. Equal boards may come from different lines."""

    owner: UInt8Array  # (52,), the seat that holds each card
    dealer: int  # seat 0..3
    vulnerability: int  # code 0..3, bit 0 NS, bit 1 EW
    number: int | None = None  # if it is a positive number
    auction: tuple[int, ...] | None = None  # calls in order; not always a finished one. None if unknown
    contract: Contract | None = None  # None if unknown; of a finished auction always its contract
    tricks: int | None = None  # declarer's tricks, if known
    # rows of four words, one a trick, each a card (``"SA"``) or ``"-"`` (not played or not known). The columns are
    # seats, clockwise from ``leader``, whoever leads the trick
    play: tuple[tuple[str, ...], ...] | None = None
    leader: int | None = None  # seat of the first column, if there is play and it is known
    tags: Mapping[str, str] = field(default_factory=dict)  # all other tags with a value, as text
    # all other tags with rows under them: the tag's value, then the rows, as they stand
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line: int = 0  # first line of the board in its file; 0 if it comes from none
    # what was told of calls, by their place in the auction; empty text: alerted, and nothing told
    notes: Mapping[int, str] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from bridge_env.render import board_text

        return board_text(
            self.owner, self.dealer, self.vulnerability, self.number, self.auction, self.contract, self.tricks
        )

    def _repr_html_(self) -> str:
        """Draw the board, for notebooks."""
        from bridge_env import html

        return html.framed(html.board_html([self]))

    def _content(self) -> tuple[object, ...]:
        known = (self.dealer, self.vulnerability, self.number, self.auction, self.contract, self.tricks)
        mappings = (dict(self.tags), dict(self.sections), dict(self.notes))
        return (self.owner.tobytes(), *known, self.play, self.leader, *mappings)


@dataclass(frozen=True, slots=True)
class Problem:
    """A board or piece of a file that was skipped. ``str`` gives ``file:line: reason``."""

    file: str
    line: int
    reason: str
    kind: str = "stray text"  # the reason in a few words, the same for all that suffer from the same
    board: bool = False  # a board was lost, not just a line of text or its play
    auction: bool = False  # the board had both a deal and an auction

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Boards in the order of the file, and the problems in the order of the lines."""

    boards: list[Board]
    problems: list[Problem]

    @classmethod
    def of(cls, items: Iterable[Board | Problem]) -> ReadResult:
        """Sort a stream of boards and problems into the two lists."""
        result = cls([], [])
        for item in items:
            (result.boards if isinstance(item, Board) else result.problems).append(item)  # type: ignore[arg-type]
        result.problems.sort(key=lambda problem: problem.line)
        return result
