"""Find where a player by a book departs from it, and what that is worth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

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

FEWEST = 12  # departures in an auction that is reported, in each half of the boards
MOST = 25  # auctions that are reported


@dataclass(frozen=True, eq=False)
class Departures:
    """Hold the N calls of a player that are not its book's."""

    board: NDArray[np.int64]  # (N,)
    length: NDArray[np.int64]  # (N,), calls before
    book: NDArray[np.int8]  # (N,), the book's call
    call: NDArray[np.int8]  # (N,), the player's
    # (N,), IMPs of the player's over the book's on the board, everyone going on as they do
    worth: NDArray[np.int64]
    hcp: NDArray[np.int16]  # (N,), of the hand
    auctions: Auctions
    boards: Boards
    # decisions in which a line of the book, by number, calls
    fired: Counter[int] = field(default_factory=Counter)
    followed: Counter[int] = field(default_factory=Counter)  # those in which the player made its call
    decisions: int = 0  # of the player in all


@dataclass(frozen=True)
class DepartureGroup:
    """One kind of auction in which the player departs from the book."""

    path: str  # the auction, as lines of a system have it; empty before the opening
    often: float  # departures on 1,000 boards
    worth: float  # IMPs each time, on boards that did not choose this auction
    error: float  # the standard error
    # the commonest pairs of calls, the book's and the player's, with the share of each
    changes: tuple[tuple[str, str, float], ...]
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
    seated = np.ones((n, 2), np.int8)
    seated[np.arange(n), side] = 0
    auctions, everyone = Auctions(deals.dealer, deals.vulnerability), np.arange(n)
    noted: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]] = []

    def note(
        rows: NDArray[np.int64], chances: NDArray[np.float32], calls: NDArray[np.int8],
        system_logits: NDArray[np.float32] | None,
    ) -> None:  # fmt: skip
        assert system_logits is not None
        noted.append((rows, auctions.length[rows].astype(np.int64), calls, system_logits))

    nobody = np.full(n, -1, np.int8)
    play_on(auctions, deals, everyone, [player, opponent], seated, nobody, key, note)
    board, length, call = (np.concatenate([one[k] for one in noted]) for k in range(3))
    system_logits = np.concatenate([one[3] for one in noted])
    book = system_logits.argmax(axis=1).astype(np.int8)
    fired, followed = _count_lines(player, deals, auctions, board, length, call)
    departed, decisions = departs(system_logits[np.arange(len(call)), call]), len(call)
    board, length, book, call = board[departed], length[departed], book[departed], call[departed]
    other = branch(auctions, board, length, book)
    play_on(other, deals, board, [player, opponent], seated[board], np.full(len(board), -1, np.int8), key[board])
    doubled = np.zeros(n, np.bool_)
    gained = deals.points(auctions, everyone, doubled)[board] - deals.points(other, board, doubled[board])
    worth = imps(np.where(side[board] == 0, gained, -gained)).astype(np.int64)
    hcp = deals.features[board, (deals.dealer[board] + length) & 3, HCP]
    return Departures(board, length, book, call, worth, hcp, auctions, boards, fired, followed, decisions)


def _count_lines(
    player: SystemGuided, deals: Deals, auctions: Auctions, board: NDArray[np.int64], length: NDArray[np.int64],
    call: NDArray[np.int8],
) -> tuple[Counter[int], Counter[int]]:  # fmt: skip
    """Count in which decisions each line of the tree, by number, calls, and in which of them the player does so."""
    asked = Queries.of_auctions(auctions.take(board), deals.features, board)._replace(length=length)
    look = player.book.look(asked)
    numbers = np.where(look.rule >= 0, player.book.positions.pool.rules[look.rule, RULE_LINE], -1)
    return Counter(numbers.tolist()), Counter(numbers[look.call == call].tolist())


@lru_cache(maxsize=1 << 15)
def _path(calls: tuple[int, ...], dealer: int, side: int) -> str:
    return readings(calls, dealer, side)[-1].text


def departure_groups(found: Departures) -> list[DepartureGroup]:
    """Return the kinds of auctions in which the player gains most by departing, the most valuable first.

    They are chosen on half of the boards, and their worth is measured on the others.
    """
    n = len(found.boards)
    groups: dict[str, list[int]] = {}
    for i, (board, length) in enumerate(zip(found.board.tolist(), found.length.tolist(), strict=True)):
        calls = tuple(found.auctions.history[board, :length].tolist())
        dealer = int(found.boards.dealer[board])
        groups.setdefault(_path(calls, dealer, (dealer + length) & 1), []).append(i)
    half = (found.board // 4) % 2
    rows = {path: np.array(members) for path, members in groups.items()}
    gains = {path: float(found.worth[at[half[at] == 0]].sum()) for path, at in rows.items()}
    out = []
    for path in sorted(gains, key=lambda p: -gains[p]):
        at = rows[path]
        chosen, others = at[half[at] == 0], at[half[at] == 1]
        if min(len(chosen), len(others)) < FEWEST or gains[path] <= 0:
            continue
        worth = found.worth[others]
        low, high = np.quantile(found.hcp[at], [0.1, 0.9])
        out.append(
            DepartureGroup(path, 1000 * len(at) / n, float(worth.mean()), float(worth.std(ddof=1) / len(worth) ** 0.5),
                 _changes(found, at), (int(low), int(high)))
        )  # fmt: skip
        if len(out) == MOST:
            break
    return out


def _changes(found: Departures, at: NDArray[np.int64]) -> tuple[tuple[str, str, float], ...]:
    pairs = Counter(zip(found.book[at].tolist(), found.call[at].tolist(), strict=True))
    return tuple(
        (call_text(mine), call_text(theirs), count / len(at)) for (mine, theirs), count in pairs.most_common(3)
    )


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
