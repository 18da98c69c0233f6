"""How often a bidder makes the recorded call: auctions of a PBN file, position by position."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.calls import FIRST_BID, PASS
from bridge_env.pbn import Board, read_boards
from bridge_env.view import view_of
from training.boards import BoardsError

ROUNDS = ("openings", "all")


@dataclass(frozen=True)
class Agreement:
    """Counts over positions.

    Attributes:
        boards: boards with an auction.
        asked, right: positions, and those with the recorded call.
        asked_bids, right_bids: the same where the record does not pass.
        problems: boards of the file that could not be read, as file:line: reason.
    """

    boards: int
    asked: int
    right: int
    asked_bids: int
    right_bids: int
    problems: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.right / self.asked

    @property
    def standard_error(self) -> float:
        """Of ``share``, positions taken as independent."""
        return float(np.sqrt(self.share * (1 - self.share) / self.asked))


def agreement(spec: str, path: str | Path, rounds: str = "openings") -> Agreement:
    """Ask ``spec`` for the call in every recorded position.

    Args:
        rounds: ``openings`` (positions before the first bid, and the call that is made there) or ``all``.

    Raises:
        ValueError: the spec is faulty, or no board of the file has an auction.
        OSError: the file cannot be read.
    """
    if rounds not in ROUNDS:
        raise ValueError(f"rounds {rounds!r} is not one of {', '.join(ROUNDS)}")
    bidder = make(spec)
    result = read_boards(path)
    boards = [b for b in result.boards if b.auction]
    if not boards:
        raise BoardsError(f"{path}: no board has both a deal and an auction")
    owner, history, dealer, vulnerability, said = _positions(boards, rounds)
    auctions = Auctions.replay(history, dealer, vulnerability)
    key = streams.key("agreement", np.arange(len(said)))
    right = bidder.bid(view_of(auctions, owner), key) == said
    bids = said != PASS
    problems = tuple(f"{p.file}:{p.line}: {p.reason}" for p in result.problems)
    return Agreement(len(boards), len(said), int(right.sum()), int(bids.sum()), int(right[bids].sum()), problems)


def _positions(boards: list[Board], rounds: str) -> tuple[NDArray[np.uint8], ...]:
    """Every position with a recorded call: owners, calls before it, dealers, vulnerabilities, the call."""
    rows = []
    for b, board in enumerate(boards):
        calls = board.auction or ()
        opening = next((i for i, call in enumerate(calls) if call >= FIRST_BID), len(calls) - 1)
        rows += [(b, i) for i in range(opening + 1 if rounds == "openings" else len(calls))]
    which, length = np.array(rows).T
    longest = max(1, int(length.max()))
    history = np.full((len(rows), longest), -1, np.int8)
    for row, (b, i) in enumerate(rows):
        history[row, :i] = (boards[b].auction or ())[:i]
    said = np.array([(boards[b].auction or ())[i] for b, i in rows], np.int8)
    owner = np.stack([b.owner for b in boards])[which]
    dealer = np.array([b.dealer for b in boards])[which]
    vulnerability = np.array([b.vulnerability for b in boards])[which]
    return owner, history, dealer, vulnerability, said
