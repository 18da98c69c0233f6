"""Find where a player by a book departs from it, and what that is worth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided, departs
from agents.networks.tables import Deals, Player, branch, play_on
from agents.systems.engine.compiled import RULE_LINE
from agents.systems.engine.state_cache import Queries
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import Line, walk
from bridge_env.double_dummy.boards import Boards
from bridge_env.rules.auction import Auctions
from bridge_env.rules.scoring import imps
from training.league.decision_log import DecisionLog, Decisions

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
    fired: Counter[int]  # decisions in which a line of the book, by number, calls
    followed: Counter[int]  # those in which the player made its call
    decisions: int  # of the player in all


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
    fired, followed = _count_lines(player, deals, auctions, made)
    departed = np.flatnonzero(departs(made.guidance[np.arange(len(made.call)), made.call]))
    board, length, call, _, guidance = made.take(departed)
    book = guidance.argmax(axis=1).astype(np.int8)
    other = branch(auctions, board, length, book)
    play_on(other, deals, board, [player, opponent], seated[board], nobody[board], key[board])
    doubled = np.zeros(n, np.bool_)
    gained = deals.points(auctions, everyone, doubled)[board] - deals.points(other, board, doubled[board])
    worth = imps(np.where(side[board] == 0, gained, -gained)).astype(np.int64)
    hands = deals.features[board, (deals.dealer[board] + length) & 3]
    return Departures(board, length, book, call, worth, hands, auctions, boards, fired, followed, len(made.call))


def _count_lines(
    player: SystemGuided, deals: Deals, auctions: Auctions, made: Decisions
) -> tuple[Counter[int], Counter[int]]:
    """Count in which decisions each line of the tree, by number, calls, and in which of them the player does so."""
    known = Queries.of_auctions(auctions.take(made.row), deals.features, made.row)._replace(length=made.length)
    look = player.book.look(known)
    numbers = np.where(look.rule >= 0, player.book.hierarchy.compiled.rules[look.rule, RULE_LINE], -1)
    return Counter(numbers.tolist()), Counter(numbers[look.call == made.call].tolist())


def unused_lines(found: Departures, player: SystemGuided) -> tuple[list[Line], list[tuple[Line, int, int]]]:
    """Return lines of the tree that came up on no board, and those seldom followed, with their counts."""
    system = player.book.hierarchy.system
    never, seldom = [], []
    for line in walk(system.lines):
        fired = found.fired[line.number]
        if line.after or (line.path and line.path[-1].theirs):
            continue
        if not fired:
            never.append(line)
        elif fired >= 2 * FEWEST and found.followed[line.number] <= 0.2 * fired:
            seldom.append((line, fired, found.followed[line.number]))
    return never, sorted(seldom, key=lambda row: row[2] / row[1])


def line_text(line: Line) -> str:
    """Return ``line 512: 2S  5-10 hcp, 6+ S``."""
    return f"line {line.number}: {line.name}  {constraint_text(line.constraint)}".rstrip()
