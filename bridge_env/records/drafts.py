"""Check drafts of boards, many at a time: auctions step together, then each is a ``Board`` or a ``Problem``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

import numpy as np

from bridge_env.auction import Auctions
from bridge_env.calls import Contract, call_text
from bridge_env.records.board import ILLEGAL_PLAY, LONGEST_REASON, BadBoard, Board, Problem
from bridge_env.records.play_record import play_faults

TOGETHER = 256
"""Boards whose auctions step together where a file is read one by one."""

S = TypeVar("S")  # what a file says of a board, as its form is read


@dataclass(frozen=True, slots=True)
class Draft(Generic[S]):
    """A board as far as it is known before its auction has been checked; ``source`` is what it was read from."""

    source: S
    board: Board


@dataclass(frozen=True)
class Form(Generic[S]):
    """How boards of a form are read."""

    draft: Callable[[S], Draft[S]]  # reads what must be known first; raises ``BadBoard``
    # the board, once the end of its auction is known, and what is wrong with its play; raises ``BadBoard``
    board: Callable[[Draft[S], str | Contract | None], tuple[Board, BadBoard | None]]
    whole: Callable[[S], bool]  # does it say both a deal and an auction?
    play_line: Callable[[S], int]

    def read(self, name: str, sources: Iterator[S], faults: list[tuple[int, str]]) -> Iterator[Board | Problem]:
        """Boards and problems of a file, ``TOGETHER`` at a time, each time with the faults met on the way."""
        while part := list(islice(sources, TOGETHER)):
            yield from self.checked(name, part)
            yield from (Problem(name, *fault) for fault in faults)
            faults.clear()
        yield from (Problem(name, *fault) for fault in faults)

    def checked(self, name: str, sources: Sequence[S]) -> Iterator[Board | Problem]:
        """Check some boards together."""
        drafts: list[Draft[S] | Problem] = []
        for source in sources:
            try:
                drafts.append(self.draft(source))
            except BadBoard as bad:
                drafts.append(self._lost(name, source, bad))
        ends = iter(auction_ends([draft.board for draft in drafts if isinstance(draft, Draft)]))
        played: list[tuple[Board, S]] = []
        for draft in drafts:
            if isinstance(draft, Problem):
                yield draft
                continue
            try:
                board, fault = self.board(draft, next(ends))
            except BadBoard as bad:
                yield self._lost(name, draft.source, bad)
                continue
            yield board
            if fault is not None:
                yield Problem(name, fault.line, fault.reason[:LONGEST_REASON], "bad play")
            if board.play:
                played.append((board, draft.source))
        for (_, source), reason in zip(played, play_faults([board for board, _ in played]), strict=True):
            if reason is not None:
                yield Problem(name, self.play_line(source), reason[:LONGEST_REASON], ILLEGAL_PLAY)

    def _lost(self, name: str, source: S, bad: BadBoard) -> Problem:
        return Problem(name, bad.line, bad.reason[:LONGEST_REASON], bad.kind, True, self.whole(source))


def auction_ends(boards: Sequence[Board]) -> list[str | Contract | None]:
    """For each board the contract of its auction, None where that is not finished, or what is wrong with it.

    All auctions step together.
    """
    ends: list[str | Contract | None] = [None] * len(boards)
    rows = np.array([i for i, board in enumerate(boards) if board.auction], np.int64)
    if not rows.size:
        return ends
    calls = [boards[i].auction or () for i in rows]
    auctions = Auctions([boards[i].dealer for i in rows], [boards[i].vulnerability for i in rows])
    length = np.array([len(c) for c in calls])
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
