"""Represent boards of record files and the problems found in them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.calls import Contract
from bridge_env.rules.cards import SEATS, UNKNOWN, UInt8Array

BAD_PLAY, ILLEGAL_PLAY = "bad play", "illegal play"
Draft = TypeVar("Draft")
_EVENT_TAGS = ("Event", "Site", "Date", "Stage", "Round", "Session", "Section", "Table", "HomeTeam", "VisitTeam")
_FEW = 3  # problems of a kind that a command prints


class BadBoard(Exception):
    """Something of a file that cannot be read.

    Attributes:
        line: its number in the file.
        reason: what is wrong.
        kind: the reason in a few words, the same for all boards that suffer from the same.
    """

    def __init__(self, line: int, reason: str, kind: str = "text outside of boards") -> None:
        super().__init__(reason)
        self.line, self.reason, self.kind = line, reason, kind


@dataclass(frozen=True, eq=False)
class Board:
    """A deal with the known part of its auction, play and result. Equal boards may come from different lines.

    Attributes:
        owner: uint8 (52,), the seat that holds each card; 255 for the cards of hands that a partial deal leaves out.
        dealer: seat 0..3.
        vulnerability: code 0..3, bit 0 NS, bit 1 EW.
        number: the board's number, if it has one.
        auction: the calls in order, which need not be a finished auction; None if unknown.
        contract: None if unknown; of a finished auction always its contract.
        tricks: declarer's tricks, if known.
        play: the cards 0..51 in the order of play, as far as they are known; None if none is.
        tags: all other tags that have a value.
        sections: all other tags with rows under them: the tag's value, then the rows.
        line: the first line of the board in its file; 0 if it comes from none.
        notes: explanations of calls, by their index in the auction; empty text: alerted without explanation.
        table: int8 (4, 5), the double-dummy tricks [declarer seat, strain] of the file, -1 where it has none; None
            without any. Nothing checks them (``bridge_env.records.tables.check_tables`` does).
    """

    owner: UInt8Array
    dealer: int
    vulnerability: int
    number: int | None = None
    auction: tuple[int, ...] | None = None
    contract: Contract | None = None
    tricks: int | None = None
    play: tuple[int, ...] | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line: int = 0
    notes: Mapping[int, str] = field(default_factory=dict)
    table: NDArray[np.int8] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> dict[str, object]:
        table = None if self.table is None else self.table.tobytes()
        return vars(self) | {"owner": self.owner.tobytes(), "table": table, "line": 0}

    @property
    def unknown_seats(self) -> str:
        """Return the seats whose hands a partial deal leaves out, such as ``"ESW"``; empty for a complete deal."""
        return "".join(name for seat, name in enumerate(SEATS) if not (self.owner == seat).any())


@dataclass(frozen=True, slots=True)
class Problem:
    """A board or a piece of a file that was skipped, or a fact that was mended. ``str`` returns ``file:line: reason``.

    Attributes:
        kind: the reason in a few words, the same for all that suffer from the same.
        board: whether a whole board was skipped, not just its play, a mark or a line of text.
    """

    file: str
    line: int
    reason: str
    kind: str
    board: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Boards in the order of the file, and the problems in the order of the lines.

    Attributes:
        boards: complete deals.
        partial: boards of which one to three hands are known.
    """

    boards: list[Board]
    problems: list[Problem]
    partial: list[Board] = field(default_factory=list)


def merge_results(one: ReadResult, other: ReadResult) -> ReadResult:
    """Return the boards and problems of two parts of a file, in the order of its lines."""
    boards = sorted([*one.boards, *other.boards], key=lambda board: board.line)
    partial = sorted([*one.partial, *other.partial], key=lambda board: board.line)
    return ReadResult(boards, sorted([*one.problems, *other.problems], key=lambda problem: problem.line), partial)


def problem_texts(problems: Iterable[Problem]) -> tuple[str, ...]:
    """Return problems as ``file:line: reason``, boards that were skipped first, then at most three of each kind."""
    by_kind = Counter[str]()
    texts, further = list[str](), dict[str, int]()
    for problem in sorted(problems, key=lambda problem: not problem.board):
        by_kind[problem.kind] += 1
        if problem.board or by_kind[problem.kind] <= _FEW:
            texts.append(str(problem))
        else:
            further[problem.kind] = further.get(problem.kind, 0) + 1
    return (*texts, *(f"{count:,} more: {kind}" for kind, count in further.items()))


def _rooms_that_differ(boards: Iterable[Board]) -> Iterator[BadBoard]:
    """Yield each board of a closed room whose deal, dealer or vulnerability is not that of an open room before."""
    open_rooms: dict[tuple[object, ...], Board] = {}
    facts = set[tuple[object, ...]]()
    for board in boards:
        room = board.tags.get("Room")
        if board.number is None or room not in ("Open", "Closed"):
            continue
        key = board.number, *map(board.tags.get, _EVENT_TAGS)
        own = *key, board.owner.tobytes(), board.dealer, board.vulnerability
        if room == "Open":
            open_rooms[key] = board
            facts.add(own)
        elif key in open_rooms and own not in facts:
            other = open_rooms[key]
            differ = " and ".join(_differences(board, other))
            reason = f"the closed room has another {differ} than the open room in line {other.line}"
            yield BadBoard(board.line, reason, "contradiction")


def _differences(board: Board, other: Board) -> list[str]:
    fields = {"deal": "owner", "dealer": "dealer", "vulnerability": "vulnerability"}
    return [name for name, field in fields.items() if np.any(getattr(board, field) != getattr(other, field))]


def read_drafts(
    source: object, drafts: Iterable[Draft], read: Callable[[Draft, list[BadBoard]], Board], faults: list[BadBoard]
) -> ReadResult:
    """Make boards of the texts of boards.

    Args:
        source: a path or a stream, which names the file in problems.
        drafts: the texts, in order.
        read: makes a board and adds the faults of its parts to the list, or raises ``BadBoard``.
        faults: those of the file outside of boards.
    """
    boards, partial, bad = list[Board](), list[Board](), list[BadBoard]()
    for draft in drafts:
        try:
            board = read(draft, faults)
        except BadBoard as fault:
            bad.append(fault)
            continue
        board.owner.flags.writeable = False
        if (board.owner == UNKNOWN).any():
            partial.append(board)
            hands = " and ".join(board.unknown_seats)
            faults.append(BadBoard(board.line, f"a partial deal: the hands of {hands} are not known", "partial deal"))
        else:
            boards.append(board)
    faults += _rooms_that_differ(boards)
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else getattr(source, "name", "<stream>")
    problems = [Problem(name, fault.line, fault.reason, fault.kind, board=True) for fault in bad]
    problems += [Problem(name, fault.line, fault.reason, fault.kind, board=False) for fault in faults]
    return ReadResult(boards, sorted(problems, key=lambda problem: problem.line), partial)
