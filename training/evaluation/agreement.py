"""Measure how often a bidder makes the recorded call, position by position of a PBN file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.errors import call_bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import view_of
from bridge_env.hands.canonical import is_judging
from bridge_env.records.board import Board, problem_texts
from bridge_env.records.read import read_records
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, PASS, first_calls, histories_of
from training.evaluation.boards import BoardsError


@dataclass(frozen=True)
class Agreement:
    """Counts over positions."""

    boards: int  # boards with an auction
    positions: int
    matches: int  # positions in which the bidder makes the recorded call
    bids: int  # positions whose recorded call is no pass
    matching_bids: int  # of those, positions in which the bidder makes it
    problems: tuple[str, ...]  # boards of the file that could not be read, as file:line: reason

    @property
    def share(self) -> float:
        """Return the share of positions in which the bidder makes the recorded call."""
        return self.matches / self.positions

    @property
    def standard_error(self) -> float:
        """Return the standard error of ``share``, with positions as independent."""
        return float(np.sqrt(self.share * (1 - self.share) / self.positions))


def agreement(spec: str, files: Sequence[str | Path], rounds: str = "openings", *, held_out: bool = False) -> Agreement:
    """Compare the calls of ``spec`` with the recorded calls, position by position.

    Args:
        rounds: ``openings`` (the positions up to the first bid) or ``all``.
        held_out: only boards whose deals lie in the judging part.

    Raises:
        ValueError: the spec is faulty, or no board of the files has an auction.
        OSError: a file cannot be read.
    """
    bidder = make(spec)
    results = [read_records(path) for path in files]
    boards = [b for result in results for b in result.boards if b.auction]
    if held_out and boards:
        judging = is_judging(np.stack([board.owner for board in boards]))
        boards = [board for board, judges in zip(boards, judging, strict=True) if judges]
    if not boards:
        raise BoardsError(f"{', '.join(map(str, files))}: no board has both a deal and an auction")
    owner, history, dealer, vulnerability, made = _positions(boards, rounds)
    auctions = Auctions.replay(history, dealer, vulnerability)
    key = streams.key("agreement", np.arange(len(made)))
    right = call_bidder(bidder, view_of(auctions, owner), key) == made
    bids = made != PASS
    problems = problem_texts(problem for result in results for problem in result.problems)
    return Agreement(len(boards), len(made), int(right.sum()), int(bids.sum()), int(right[bids].sum()), problems)


def _positions(boards: list[Board], rounds: str) -> tuple[NDArray[Any], ...]:
    """Return every position with a recorded call: owners, calls before it, dealers, vulnerabilities, the call."""
    rows = []
    for b, board in enumerate(boards):
        calls = board.auction or ()
        opening = next((i for i, call in enumerate(calls) if call >= FIRST_BID), len(calls) - 1)
        rows += [(b, i) for i in range(opening + 1 if rounds == "openings" else len(calls))]
    which, length = np.array(rows).T
    full = histories_of([board.auction or () for board in boards])[which]
    history, made = first_calls(full[:, : max(1, int(length.max()))], length), full[np.arange(len(rows)), length]
    owner = np.stack([b.owner for b in boards])[which]
    dealer = np.array([b.dealer for b in boards])[which]
    vulnerability = np.array([b.vulnerability for b in boards])[which]
    return owner, history, dealer, vulnerability, made
