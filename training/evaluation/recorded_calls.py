"""Convert recorded calls to states, the hand, the auction so far and the call; measure how often calls are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agents.cases.bidder import opened
from bridge_env.bidders.errors import call_bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView, view_of
from bridge_env.hands.canonical import is_judging
from bridge_env.records.board import Board, problem_texts
from bridge_env.records.read import read_records
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, PASS, call_indices, first_calls, histories_of
from training.evaluation.boards import BoardsError
from training.runtime.pages import table

LAST_ROUND = 5  # this one and all later ones are one row


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
    """Return every state of auctions of the deals ``owner``, uint8 (N, 52), on ``sides``, bool (N, 2), with the row of
    its auction and the number of its call.
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
    """Return every call of the boards in PBN files that have a deal and an auction; raise ``BoardsError`` where no
    board has both, ``OSError`` where a file cannot be read.
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


@dataclass(frozen=True)
class Share:
    """Count the calls of a kind that are as recorded."""

    name: str
    calls: int
    right: int
    bids: int  # recorded calls that are not passes
    right_bids: int


def percent(part: int, total: int) -> str:
    """Return a percentage with its standard error, observations taken as independent; empty of no observation."""
    if not total:
        return ""
    share = part / total
    return f"{100 * share:.1f} ± {100 * float(np.sqrt(share * (1 - share) / total)):.1f}"


def shares(
    kinds: Mapping[str, NDArray[np.bool_]], made: NDArray[np.integer[Any]], called: NDArray[np.int8]
) -> list[Share]:
    """Return a row for each kind, a mask of states, that occurs; ``made`` are compared with the calls recorded."""
    right, bids = made == called, called != PASS
    return [
        Share(name, *(int(rows.sum()) for rows in (kind, kind & right, kind & bids, kind & right & bids)))
        for name, kind in kinds.items()
        if kind.any()
    ]


def share_table(rows: Sequence[Share]) -> list[str]:
    """Return the lines of a table of shares."""
    cells = (
        (row.name, f"{row.calls:,}", percent(row.right, row.calls), f"{row.bids:,}", percent(row.right_bids, row.bids))
        for row in rows
    )
    return table(("", "calls", "right %", "not passes", "right %"), cells)


def rounds_and_sides(view: BidView) -> dict[str, NDArray[np.bool_]]:
    """Return kinds of states by name, bool (N,): all calls, openings, every round, and both sides in it."""
    bid = view.history >= FIRST_BID
    opener = (view.dealer + bid.argmax(axis=1)) & 1
    side = np.where(bid.any(axis=1), np.where(opener == (view.seat & 1), 1, 2), 0)
    number = np.minimum(view.length // 4 + 1, LAST_ROUND)
    of_side = {"opener's side": side == 1, "other side": side == 2}
    kinds = {"all calls": np.ones(len(view), np.bool_), "openings": side == 0}
    for n in range(1, LAST_ROUND + 1):
        name = f"round {n}" + (" and later" if n == LAST_ROUND else "")
        kinds[name] = number == n
        kinds |= {f"{name}, {words}": kinds[name] & rows for words, rows in of_side.items()}
    return kinds | of_side


def agreement(
    spec: str, files: Sequence[str | Path], rounds: str = "openings", *, held_out: bool = False
) -> tuple[list[Share], tuple[str, ...]]:
    """Compare the calls of a bidder with those of recorded auctions.

    Args:
        rounds: ``openings`` (the calls up to the first bid) or ``all``, by round and side.
        held_out: only boards whose deals lie in the judging part.

    Returns:
        How often the calls are the same; and the boards that could not be read, as file:line: reason.

    Raises:
        ValueError: the spec is faulty, or no board of the files has an auction.
        OSError: a file cannot be read.
    """
    bidder, states = make(spec), read_states(files)
    if held_out:
        states = states.take(is_judging(states.owner)[states.board])
    if rounds == "openings":
        states = states.take(~states.opened)
    kinds = rounds_and_sides(states.view) if rounds == "all" else {rounds: np.ones(len(states), np.bool_)}
    made = call_bidder(bidder, states.view, streams.key("agreement", np.arange(len(states))))
    return shares(kinds, made, states.called), states.problems
