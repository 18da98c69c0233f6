"""Find where a player by a book departs from it, and what that is worth."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided, departs
from agents.networks.tables import Deals, Player, branch, play_on
from agents.systems.engine.compiled import RULE_LINE
from agents.systems.engine.state_cache import Queries
from agents.systems.language.paths import readings
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import Line, walk
from bridge_env.double_dummy.boards import Boards
from bridge_env.hands.features import HCP
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text
from bridge_env.rules.scoring import imps
from training.league.decision_log import DecisionLog, Decisions

FEWEST = 12  # departures in an auction that is reported, in each half of the boards
MOST = 25  # auctions that are reported


@dataclass(frozen=True, eq=False)
class Departures:
    """Hold the N calls of a player that are not its book's."""

    board: NDArray[np.int64]  # (N,)
    length: NDArray[np.int64]  # (N,), calls before
    book: NDArray[np.int8]  # (N,), the book's call
    call: NDArray[np.int8]  # (N,), the player's
    worth: NDArray[np.int64]  # (N,), IMPs of the player's over the book's on the board, everyone going on as they do
    hcp: NDArray[np.int16]  # (N,), of the hand
    auctions: Auctions
    boards: Boards
    fired: Counter[int]  # decisions in which a line of the book, by number, calls
    followed: Counter[int]  # those in which the player made its call
    decisions: int  # of the player in all


@dataclass(frozen=True)
class DepartureGroup:
    """Hold a kind of auction in which the player departs from the book."""

    path: str  # the auction, as lines of a system have it; empty before the opening
    often: float  # departures on 1,000 boards
    worth: float  # IMPs each time, on boards that did not choose this auction
    error: float  # the standard error
    changes: tuple[tuple[str, str, float], ...]  # the commonest calls of the book, of the player, and their share
    hcp: tuple[int, int]  # the high-card points of eight in ten of these hands

    def __str__(self) -> str:
        """Return ``after 1M-(2x): X for P (61%), ...; 8-12 hcp``."""
        where = f"after {self.path}" if self.path else "opening"
        changes = ", ".join(f"{theirs} for {mine} ({share:.0%})" for mine, theirs, share in self.changes)
        return f"{where}: {changes}; {self.hcp[0]}-{self.hcp[1]} hcp"


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
    hcp = deals.features[board, (deals.dealer[board] + length) & 3, HCP]
    return Departures(board, length, book, call, worth, hcp, auctions, boards, fired, followed, len(made.call))


def _count_lines(
    player: SystemGuided, deals: Deals, auctions: Auctions, made: Decisions
) -> tuple[Counter[int], Counter[int]]:
    """Count in which decisions each line of the tree, by number, calls, and in which of them the player does so."""
    known = Queries.of_auctions(auctions.take(made.row), deals.features, made.row)._replace(length=made.length)
    look = player.book.look(known)
    numbers = np.where(look.rule >= 0, player.book.hierarchy.compiled.rules[look.rule, RULE_LINE], -1)
    return Counter(numbers.tolist()), Counter(numbers[look.call == made.call].tolist())


def departure_groups(found: Departures) -> list[DepartureGroup]:
    """Return the kinds of auctions in which the player gains most by departing, the most valuable first.

    They are chosen on half of the boards, and their worth is measured on the others.
    """
    rows: dict[str, list[int]] = defaultdict(list)
    for i, (board, length) in enumerate(zip(found.board.tolist(), found.length.tolist(), strict=True)):
        dealer = int(found.boards.dealer[board])
        calls = found.auctions.history[board, :length].tolist()
        rows[readings(calls, dealer, (dealer + length) & 1)[-1].text].append(i)
    chooses, groups = (found.board // 4) % 2 == 0, []
    for path, members in rows.items():
        at = np.array(members)
        gain, others = found.worth[at[chooses[at]]].sum(), at[~chooses[at]]
        if min(len(others), len(at) - len(others)) < FEWEST or gain <= 0:
            continue
        worth = found.worth[others]
        low, high = np.quantile(found.hcp[at], [0.1, 0.9])
        pairs = Counter(zip(found.book[at].tolist(), found.call[at].tolist(), strict=True)).most_common(3)
        changes = tuple((call_text(mine), call_text(theirs), count / len(at)) for (mine, theirs), count in pairs)
        often, error = 1000 * len(at) / len(found.boards), float(worth.std(ddof=1) / len(worth) ** 0.5)
        groups.append((gain, DepartureGroup(path, often, float(worth.mean()), error, changes, (int(low), int(high)))))
    return [group for _, group in sorted(groups, key=lambda pair: -pair[0])[:MOST]]


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
