"""Convert recorded calls to states: the hand, the auction so far, and the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agents.cases.bidder import opened
from bridge_env.bidders.view import BidView, view_of
from bridge_env.records.board import Board, problem_texts
from bridge_env.records.read import read_records
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_indices, first_calls, histories_of
from training.evaluation.boards import BoardsError


@dataclass(frozen=True)
class Calls:
    """Hold N calls, recorded or a teacher's."""

    view: BidView  # of the seats that call
    called: NDArray[np.int8]  # (N,)
    board: NDArray[np.int64]  # (N,), the number of the board

    def __len__(self) -> int:
        return len(self.called)

    @property
    def opened(self) -> NDArray[np.bool_]:
        """Return whether there was a bid before, (N,)."""
        return opened(self.view)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Return some of the calls."""
        return replace(self, view=self.view.take(rows), called=self.called[rows], board=self.board[rows])


@dataclass(frozen=True)
class States(Calls):
    """Hold recorded calls, board by board, with all boards."""

    owner: NDArray[np.uint8]  # (B, 52), the boards' deals
    # (B, 4): contract's bid 0..34 (-1 passed out, -2 not known), doubling, declarer, tricks (-1: not known)
    result: NDArray[np.int16]
    problems: tuple[str, ...]  # boards that could not be read, as file:line: reason


def positions(
    auctions: Auctions, owner: NDArray[np.uint8], sides: NDArray[np.bool_] | None = None
) -> tuple[BidView, NDArray[np.int64], NDArray[np.int64]]:
    """Return every state of auctions, with the row of its auction and the number of its call.

    Args:
        owner: uint8 (N, 52), the deals.
        sides: bool (N, 2), whether to return those of North-South and of East-West (default: all).
    """
    count = auctions.length.astype(np.int64)
    row, number = call_indices(count)
    if sides is not None:
        wanted = sides[row, (auctions.dealer[row] + number) & 1]
        row, number = row[wanted], number[wanted]
    history = first_calls(auctions.history[row, : int(count.max(initial=1))], number)
    before = Auctions.replay(history, auctions.dealer[row], auctions.vulnerability[row])
    return view_of(before, owner[row]), row, number


def read_states(paths: Sequence[str | Path]) -> States:
    """Return every call of the boards in PBN files that have a deal and an auction.

    Raises:
        BoardsError: no board has both.
        OSError: a file cannot be read.
    """
    read = [read_records(path) for path in paths]
    boards = [board for records in read for board in records.boards if board.auction]
    if not boards:
        raise BoardsError(f"{', '.join(map(str, paths))}: no board has both a deal and an auction")
    histories = histories_of([board.auction or () for board in boards])
    dealer, vulnerability = (np.array([getattr(b, name) for b in boards]) for name in ("dealer", "vulnerability"))
    owner = np.stack([board.owner for board in boards])
    view, board, number = positions(Auctions.replay(histories, dealer, vulnerability), owner)
    return States(
        view, histories[board, number], board, owner, np.array([_result(board) for board in boards], np.int16),
        problem_texts(problem for records in read for problem in records.problems),
    )  # fmt: skip


def _result(board: Board) -> tuple[int, int, int, int]:
    """Return the row of ``States.result``."""
    contract, tricks = board.contract, -1 if board.tricks is None else board.tricks
    if contract is None:
        return -2, 0, 0, -1
    if contract.passed_out:
        return -1, 0, 0, -1
    return contract.bid, contract.doubling, contract.declarer, tricks
