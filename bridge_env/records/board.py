"""Represent boards of record files and the problems found in them; check auctions and plays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from bridge_env.rules.auction import IllegalCall, one_auction
from bridge_env.rules.calls import FIRST_BID, PASS, Contract
from bridge_env.rules.cards import UInt8Array
from bridge_env.rules.play import IllegalCard, Plays

BAD_PLAY, ILLEGAL_PLAY = "bad play", "illegal play"
Draft = TypeVar("Draft")


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
    """Boards in the order of the file, and the problems in the order of the lines."""

    boards: list[Board]
    problems: list[Problem]


def read_drafts(
    source: object, drafts: Iterable[Draft], read: Callable[[Draft, list[BadBoard]], Board], faults: list[BadBoard]
) -> ReadResult:
    """Make boards of the texts of boards.

    Args:
        source: a path or a stream, which names the file in problems.
        drafts: the texts, in order.
        read: makes a board and adds the fault of its play to the list, or raises ``BadBoard``.
        faults: those of the file outside of boards.
    """
    boards, bad = list[Board](), list[BadBoard]()
    for draft in drafts:
        try:
            boards.append(read(draft, faults))
        except BadBoard as fault:
            bad.append(fault)
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else getattr(source, "name", "<stream>")
    problems = [Problem(name, fault.line, fault.reason, fault.kind, board=True) for fault in bad]
    problems += [Problem(name, fault.line, fault.reason, fault.kind, board=False) for fault in faults]
    return ReadResult(boards, sorted(problems, key=lambda problem: problem.line))


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


def auction_end(line: int, calls: Sequence[int], dealer: int) -> Contract | None:
    """Return the contract that an auction ends in, None if it is not finished.

    Raises:
        BadBoard: a call that is not legal, or one after the end.
    """
    try:
        auctions = one_auction(calls, dealer)
    except IllegalCall as error:
        reason = str(error).replace(" at table 0", "").replace("auction 0 ", "it ")
        raise BadBoard(line, f"auction: {reason}", "illegal call") from None
    return auctions.contracts().at(0) if auctions.done[0] else None


def check_play(line: int, owner: UInt8Array, contract: Contract, cards: Sequence[int]) -> tuple[int, ...] | None:
    """Return the cards of a play, None if there are none.

    Raises:
        BadBoard: a card that is not legal.
    """
    try:
        Plays.replay(owner, contract.declarer, contract.strain, np.array([cards[:53]], np.int8))
    except IllegalCard as error:
        raise BadBoard(line, f"play: {str(error).replace(' at table 0', '')}", ILLEGAL_PLAY) from None
    return tuple(cards) or None
