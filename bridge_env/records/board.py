"""Represent boards of records and the problems in them; check that auctions are legal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np

from bridge_env.auction import MAX_CALLS, Auctions
from bridge_env.calls import Contract, call_text
from bridge_env.cards import UInt8Array

TOGETHER = 256
"""Boards whose auctions step together where a file is read one by one."""
LONGEST_REASON = 2000
DIFFERS, ILLEGAL, ILLEGAL_PLAY = "contract is not the auction's", "illegal call", "illegal play"


_Draft = TypeVar("_Draft")


class BadBoard(Exception):
    """Ends the reading of one board. ``kind`` is the reason without what differs from board to board."""

    def __init__(self, line: int, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.line, self.reason, self.kind = line, reason, kind


@dataclass(frozen=True, eq=False)
class Board:
    """A deal with what is known of its auction, play and result. Equal boards may come from different lines.

    Attributes:
        owner: uint8 (52,), the seat that holds each card.
        dealer: seat 0..3.
        vulnerability: code 0..3, bit 0 NS, bit 1 EW.
        number: board number, if it is a positive number.
        auction: calls in order; not always a finished one. None if unknown.
        contract: None if unknown; of a finished auction always its contract.
        tricks: declarer's tricks, if known.
        play: rows of four words, one a trick, each a card (``"SA"``) or ``"-"`` (not played or not known).
            The columns are seats, clockwise from ``leader``, whoever leads the trick.
        leader: seat of the first column, if there is play and it is known.
        tags: all other tags with a value, as text.
        sections: all other tags with rows under them: the tag's value, then the rows, as they stand.
        notes: what was told of calls, by their place in the auction; empty text: alerted, and nothing told.
        line: first line of the board in its file; 0 if it comes from none.
    """

    owner: UInt8Array
    dealer: int
    vulnerability: int
    number: int | None = None
    auction: tuple[int, ...] | None = None
    contract: Contract | None = None
    tricks: int | None = None
    play: tuple[tuple[str, ...], ...] | None = None
    leader: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line: int = 0
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
    """A board or piece of a file that was skipped. ``str`` gives ``file:line: reason``.

    Attributes:
        kind: the reason in a few words, the same for all that suffer from the same.
        board: a board was lost, not just a line of text or its play.
        auction: the board had both a deal and an auction.
    """

    file: str
    line: int
    reason: str
    kind: str = "stray text"
    board: bool = False
    auction: bool = False

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


def check_together(
    name: str,
    drafts: Iterator[_Draft],
    faults: list[tuple[int, str]],
    checked: Callable[[str, list[_Draft]], Iterator[Board | Problem]],
) -> Iterator[Board | Problem]:
    """Boards and problems of a file, ``TOGETHER`` drafts at a time, each time with the faults met on the way."""
    while part := list(islice(drafts, TOGETHER)):
        yield from checked(name, part)
        yield from (Problem(name, *fault) for fault in faults)
        faults.clear()
    yield from (Problem(name, *fault) for fault in faults)


class _Told(Protocol):
    @property
    def dealer(self) -> int: ...
    @property
    def vulnerability(self) -> int: ...
    @property
    def auction(self) -> tuple[int, ...] | None: ...


def auction_ends(drafts: Sequence[_Told]) -> list[str | Contract | None]:
    """For each board the contract of its auction, None where that is not finished, or what is wrong with it.

    All auctions step together.
    """
    ends: list[str | Contract | None] = [None] * len(drafts)
    rows = np.array([i for i, draft in enumerate(drafts) if draft.auction], np.int64)
    if not rows.size:
        return ends
    calls = [drafts[i].auction or () for i in rows]
    auctions = Auctions([drafts[i].dealer for i in rows], [drafts[i].vulnerability for i in rows])
    length = np.array([len(c) for c in calls])
    if int(length.max()) > MAX_CALLS:
        raise ValueError(f"an auction has at most {MAX_CALLS} calls")
    for column in range(int(length.max())):
        going = np.flatnonzero(length > column)
        call = np.array([calls[j][column] for j in going], np.int64)
        legal = auctions.legal()[going, call] & ~auctions.done[going]
        for j, bad in zip(going[~legal], call[~legal], strict=True):
            length[j] = 0
            late = f"{call_text(int(bad))} comes after the end of {auctions.text(int(j))}"
            ends[rows[j]] = f"auction: {late if auctions.done[j] else auctions.fault_text(int(j), int(bad))}"
        auctions.step(call[legal], going[legal])
    contracts = auctions.contracts()
    for j in np.flatnonzero(auctions.done & (length > 0)):
        ends[rows[j]] = contracts.at(int(j))
    return ends
