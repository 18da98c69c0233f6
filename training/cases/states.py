"""Convert recorded calls to states: the hand, the auction so far, and the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.view import BidView, view_of
from bridge_env.records.board import Board
from bridge_env.records.read import read_records
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, call_indices, first_calls, histories_of
from training.evaluation.boards import BoardsError

Rows = NDArray[np.int64] | NDArray[np.bool_]


@dataclass(frozen=True)
class States:
    """Recorded calls, board by board."""

    view: BidView  # the views of the seats that call
    called: NDArray[np.int8]  # (N,), the recorded calls
    board: NDArray[np.int64]  # (N,), the number of the board
    owner: NDArray[np.uint8]  # (B, 52), the boards' deals
    # (B, 4): contract's bid 0..34 (-1 passed out, -2 not known), doubling, declarer, tricks (-1: not known)
    result: NDArray[np.int16]
    opened: NDArray[np.bool_]  # (N,), whether there was a bid before
    problems: tuple[str, ...]  # boards that could not be read, as file:line: reason

    def __len__(self) -> int:
        return len(self.called)

    def take(self, rows: Rows) -> States:
        """Return some of the calls, with all boards."""
        return replace(
            self, view=self.view.take(rows), called=self.called[rows], board=self.board[rows], opened=self.opened[rows]
        )


def read_states(paths: Sequence[str | Path]) -> States:
    """Return every call of the boards in PBN files that have a deal and an auction.

    Raises:
        BoardsError: no board has both.
        OSError: a file cannot be read.
    """
    boards: list[Board] = []
    problems: list[str] = []
    for path in paths:
        read = read_records(path)
        problems += map(str, read.problems)
        boards += [board for board in read.boards if board.auction]
    if not boards:
        raise BoardsError(f"{', '.join(map(str, paths))}: no board has both a deal and an auction")
    histories = histories_of([board.auction or () for board in boards])
    which, number = call_indices((histories >= 0).sum(axis=1))
    history = first_calls(histories[which], number)
    owner = np.stack([board.owner for board in boards])
    dealer = np.array([board.dealer for board in boards])[which]
    auctions = Auctions.replay(history, dealer, np.array([board.vulnerability for board in boards])[which])
    return States(
        view_of(auctions, owner[which]),
        histories[which, number],
        which,
        owner,
        np.array([_result(board) for board in boards], np.int16),
        np.asarray((history >= FIRST_BID).any(axis=1)),
        tuple(problems),
    )


def _result(board: Board) -> tuple[int, int, int, int]:
    contract, tricks = board.contract, -1 if board.tricks is None else board.tricks
    if contract is None:
        return -2, 0, 0, -1
    if contract.passed_out:
        return -1, 0, 0, -1
    return contract.bid, contract.doubling, contract.declarer, tricks
