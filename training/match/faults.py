"""Bid boards with bidders that may fail: what a bidder does wrong ends the match, or leaves out its board alone.

A fault is that a bidder raises, leaves by ``SystemExit``, gives no answer in time, or gives something that is no legal
call. (One that ends its whole process is found by ``training.match.deaths``.) A program at a seat that does not answer
at all ends the match in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import Auctions
from bridge_env.bidders import player_at
from bridge_env.bidding import call_keys
from bridge_env.faults import BidderFault, BidderUnreachable, Late, answer_of, are_legal, bidder_name, said
from bridge_env.files import atomic_write
from bridge_env.protocols import Bidder
from bridge_env.view import BidView, view_of
from training.running.patience import TookTooLong, within

TOGETHER = 8  # a bidder that is asked about many boards at once has this many times as long
MOST_LATE = 3  # answers that a bidder may fail to give in time; each leaves a thread behind


@dataclass(frozen=True)
class Allowance:
    """What is done about bidders' faults."""

    patience: float | None = None  # seconds that a bidder has for a call; None: as long as it likes
    # leave out a board at which a bidder fails, and go on; otherwise the first fault ends the match
    leave: bool = False
    witness: Path | None = None  # a file that is told, before every question, who is asked and where

    def __post_init__(self) -> None:
        if self.patience is not None and not self.patience > 0:
            raise ValueError(f"--patience is {self.patience:g}; it must be more than 0 seconds")


STRICT = Allowance()


@dataclass
class Round:
    """Some auctions under way, and what went wrong at which of them."""

    auctions: Auctions  # N of them, in ``bid_on`` of this class bid to their ends
    owner: NDArray[np.uint8]  # (N, 52)
    key: NDArray[np.uint64]  # (N,)
    seats: NDArray[np.integer]  # (N, 4), the number of the bidder at N, E, S, W
    board: NDArray[np.integer]
    bidders: Sequence[Bidder]  # by number
    allowance: Allowance = STRICT
    # row -> what a bidder did wrong there; its auction stops there
    faults: dict[int, str] = field(default_factory=dict)
    _late: dict[int, int] = field(default_factory=dict)  # by bidder's number

    def bid_out(self) -> None:
        """Bid all auctions to their ends; those with a fault stay where they are.

        Raises:
            BidderFault: the first fault, if none is allowed; the message names bidder, board and auction.
        """
        while (rows := self._open()).size:
            turn = self.seats[rows, self.auctions.turn[rows]]
            for number in range(len(self.bidders)):
                mine = rows[turn == number]
                if mine.size:
                    self._call(number, mine)

    def _open(self) -> NDArray[np.intp]:
        rows = np.flatnonzero(~self.auctions.done)
        return rows[~np.isin(rows, list(self.faults))] if self.faults else rows

    def _call(self, number: int, rows: NDArray[np.intp]) -> None:
        """One call of a bidder at each of ``rows``."""
        view = view_of(self.auctions, self.owner, rows)
        mask = view.mask.copy()  # the bidder may write to its own
        calls = self._calls(number, rows, view, call_keys(self.key[rows], self.auctions.length[rows]))
        legal = are_legal(mask, calls)
        for at in np.flatnonzero(~legal & ~np.isin(rows, list(self.faults))):
            row = int(rows[at])
            text = self.auctions.fault_text(row, int(calls[at]), f"on board {self.board[row]}")
            fault = BidderFault(f"{self._name(number, row)}: {text}")
            fault.row, fault.call = row, int(calls[at])
            self._note(row, fault)
        self.auctions.step(calls[legal], rows[legal])

    def _calls(
        self, number: int, rows: NDArray[np.intp], view: BidView, key: NDArray[np.uint64]
    ) -> NDArray[np.integer]:
        """Its calls, -1 where it has given none: then a fault is noted."""
        try:
            return self._asked(number, rows, view, key)
        except BidderFault as fault:
            if len(rows) == 1:
                self._note(int(rows[0]), self._placed(fault, int(rows[0])))
                return np.array([-1])
            if not self.allowance.leave and not isinstance(fault, Late):
                raise self._placed(fault, int(rows[fault.row])) if fault.row is not None else fault from fault.__cause__
        # Which of the boards it is, and whether it is one, shows when it is asked about them one by one.
        return np.concatenate([
            self._calls(number, rows[at : at + 1], view.take(np.array([at])), key[at : at + 1])
            for at in range(len(rows))
        ])  # fmt: skip

    def _asked(
        self, number: int, rows: NDArray[np.intp], view: BidView, key: NDArray[np.uint64]
    ) -> NDArray[np.integer]:
        bidder, patience = self.bidders[number], self.allowance.patience
        self._tell_witness(number, rows, view)
        if patience is None:
            return answer_of(bidder, view, key)

        def patiently(view: BidView, key: NDArray[np.uint64]) -> object:
            try:
                return within(patience * min(len(view), TOGETHER), lambda: bidder.bid(view, key))
            except TookTooLong:
                raise self._too_late(number, int(rows[0]), view) from None

        return answer_of(bidder, view, key, patiently)

    def _too_late(self, number: int, row: int, view: BidView) -> Late:
        patience = self.allowance.patience
        late = f"{self._name(number, row)} gave no call within {patience:g} seconds after {said(view, 0)}"
        if len(view) > 1:
            return Late(late)
        self._late[number] = self._late.get(number, 0) + 1
        if self._late[number] <= MOST_LATE:
            return Late(late)
        return TooLate(f"{late}; it was late {MOST_LATE} times before, so the match ends here")

    def _placed(self, fault: BidderFault, row: int) -> BidderFault:
        """``fault`` with the board's number."""
        board = f"on board {self.board[row]}"
        if board in str(fault):
            return fault
        placed = type(fault)(f"{board}, {fault}")
        placed.row, placed.call = row, fault.call
        return placed.with_traceback(fault.__traceback__)

    def _note(self, row: int, fault: BidderFault) -> None:
        if not self.allowance.leave or isinstance(fault, (TooLate, BidderUnreachable)):
            raise fault
        self.faults[row] = str(fault)

    def _name(self, number: int, row: int) -> str:
        return bidder_name(player_at(self.bidders[number], int(self.auctions.turn[row])))

    def _tell_witness(self, number: int, rows: NDArray[np.intp], view: BidView) -> None:
        if self.allowance.witness is not None:
            row = int(rows[0])
            told = f"{self._name(number, row)}\n{self.board[row]}\n{said(view, 0)}"
            atomic_write(self.allowance.witness, told)


class TooLate(Late):
    """A bidder was late too often to go on."""
