"""Find where a player by a book departs from it, and what that is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided, departs
from agents.networks.tables import Deals, Player, branch, play_on
from bridge_env.double_dummy.boards import Boards
from bridge_env.rules.auction import Auctions
from bridge_env.rules.scoring import imps
from training.league.decision_log import DecisionLog

FEWEST = 12  # departures of a kind that is reported, in each half of the boards


@dataclass(frozen=True, eq=False)
class Departures:
    """Hold the N calls of a player that are not its book's."""

    board: NDArray[np.int64]  # (N,)
    length: NDArray[np.int64]  # (N,), calls before
    book: NDArray[np.int8]  # (N,), the book's call
    call: NDArray[np.int8]  # (N,), the player's
    worth: NDArray[np.int64]  # (N,), IMPs of the player's over the book's on the board, everyone going on as they do
    features: NDArray[np.int16]  # (N, NUM_FEATURES), of the hand
    auctions: Auctions
    boards: Boards


def find_departures(player: SystemGuided, opponent: Player, boards: Boards, key: NDArray[np.uint64]) -> Departures:
    """Bid ``boards`` against ``opponent`` and value every departure by the board bid on from the book's call instead.

    The player sits North-South on every other board.
    """
    n = len(boards)
    assert boards.tricks is not None
    deals = Deals.of(boards.owner, boards.tricks, boards.dealer, boards.vulnerability)
    side = (np.arange(n) % 2).astype(np.int64)
    seated, nobody = np.ones((n, 2), np.int8), np.full(n, -1, np.int8)
    seated[np.arange(n), side] = 0
    auctions, everyone = Auctions(deals.dealer, deals.vulnerability), np.arange(n)
    log = DecisionLog(auctions)
    play_on(auctions, deals, everyone, [player, opponent], seated, nobody, key, log.note)
    made = log.decisions()
    departed = np.flatnonzero(departs(made.guidance[np.arange(len(made.call)), made.call]))
    board, length, call, _, guidance = made.take(departed)
    book = guidance.argmax(axis=1).astype(np.int8)
    other = branch(auctions, board, length, book)
    play_on(other, deals, board, [player, opponent], seated[board], nobody[board], key[board])
    doubled = np.zeros(n, np.bool_)
    gained = deals.points(auctions, everyone, doubled)[board] - deals.points(other, board, doubled[board])
    worth = imps(np.where(side[board] == 0, gained, -gained)).astype(np.int64)
    hands = deals.features[board, (deals.dealer[board] + length) & 3]
    return Departures(board, length, book, call, worth, hands, auctions, boards)
