"""Represent boards of record files and the problems found in them; check auctions and plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, PASS, Contract, call_text
from bridge_env.rules.cards import UInt8Array
from bridge_env.rules.play import Plays

BAD_PLAY, ILLEGAL_PLAY = "bad play", "illegal play"


class BadBoard(Exception):
    """Something of a board that cannot be read.

    Attributes:
        line: its number in the file.
        reason: what is wrong.
        kind: the reason in a few words, the same for all boards that suffer from the same.
    """

    def __init__(self, line: int, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.line, self.reason, self.kind = line, reason, kind


@dataclass(frozen=True, eq=False)
class Board:
    """A deal with the known part of its auction, play and result. Equal boards may come from different lines.

    Attributes:
        owner: uint8 (52,), the seat that holds each card.
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> dict[str, object]:
        return vars(self) | {"owner": self.owner.tobytes(), "line": 0}


@dataclass(frozen=True, slots=True)
class Problem:
    """A board, its play, or a piece of a file that was skipped. ``str`` returns ``file:line: reason``.

    Attributes:
        kind: the reason in a few words, the same for all that suffer from the same.
        board: whether a whole board was skipped, not just its play or a line of text.
        auction: whether the skipped board had both a deal and an auction.
    """

    file: str
    line: int
    reason: str
    kind: str = "text outside of boards"
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


def board_and_problems(
    file: str, read: Callable[[], tuple[Board, BadBoard | None]], called: bool
) -> Iterator[Board | Problem]:
    """Yield a board and the problem of its play, or the problem for which it is left out.

    Args:
        read: returns the board and the fault of its play, or raises ``BadBoard``.
        called: whether the board has both a deal and an auction.
    """
    try:
        board, bad_play = read()
    except BadBoard as bad:
        yield Problem(file, bad.line, bad.reason, bad.kind, True, called)
        return
    yield board
    if bad_play is not None:
        yield Problem(file, bad_play.line, bad_play.reason, bad_play.kind)


def by_board_number(number: int | None, rule: Callable[[int], object], line: int, what: str) -> int:
    """Return the dealer or the vulnerability (``what``) of a board's number by ``rule``.

    Raises:
        BadBoard: the board has no number.
    """
    if number is None:
        raise BadBoard(line, f"no {what}, and no board number to derive it from", what)
    return int(rule(number))  # type: ignore[call-overload,no-any-return]


def passes_missing(calls: Sequence[int]) -> int:
    """Return the number of passes that end an auction."""
    trailing = 0
    while trailing < len(calls) and calls[-1 - trailing] == PASS:
        trailing += 1
    return max(0, (3 if any(c >= FIRST_BID for c in calls) else 4) - trailing)


def check_auction(line: int, calls: Sequence[int], dealer: int, vulnerability: int) -> Contract | None:
    """Return the contract that an auction ends in, None if it is not finished.

    Raises:
        BadBoard: a call that is not legal, or one after the end.
    """
    auctions, faults = Auctions.replay_legal(np.array([calls], np.int64), dealer, vulnerability)
    if faults[0] >= 0:
        bad = calls[faults[0]]
        late = f"{call_text(bad)} comes after the end of {auctions.text(0)}"
        raise BadBoard(line, f"auction: {late if auctions.done[0] else auctions.fault_text(0, bad)}", "illegal call")
    return auctions.contracts().at(0) if auctions.done[0] else None


def check_play(
    line: int, owner: UInt8Array, contract: Contract, cards: Sequence[int]
) -> tuple[tuple[int, ...] | None, BadBoard | None]:
    """Return the cards before the first illegal one, None if there are none, and the fault of that one."""
    if not cards:
        return None, None
    if contract.passed_out:
        return None, BadBoard(line, "play: the board was passed out", ILLEGAL_PLAY)
    history = np.array([cards[:53]], np.int8)
    plays, faults = Plays.replay_legal(owner, contract.declarer, contract.strain, history)
    if faults[0] < 0:
        return tuple(cards), None
    name, _, why = plays.fault_text(0, int(history[0, faults[0]])).partition(" is not legal at table 0 ")
    return plays.cards(0) or None, BadBoard(line, f"play: {name} is not legal {why}", ILLEGAL_PLAY)
