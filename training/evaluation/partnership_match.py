"""Play a partnership against another or a stranger on a range of boards, and measure the gain of a change.

A duel is bid once and cached: its auctions show on which boards a changed partnership can make another call, and only
those are bid again (``agents.systems.changes.equivalence``). So a rare change costs a hundredth of a match.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.networks.tables import Deals
from agents.systems.bidder import Hierarchy, Seats, bid_out, deal_features
from agents.systems.changes.equivalence import affected_auctions
from agents.systems.language.text import SystemTextError
from agents.systems.language.tree import System
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import as_wide
from bridge_env.rules.scoring import imps
from training.evaluation.boards import Boards, library_boards
from training.evaluation.network_opponents import bid_against, calls_otherwise
from training.runtime.processes import use_fast_matmul

# Cache sizes of a process. A system of 2,400 lines holds 3.4 MB, a duel on 4,096 boards 0.3 MB.
_SYSTEMS, _DUELS = 96, 256


@dataclass(frozen=True)
class Partnership:
    """Two systems that play together: the first sits N or E, the second S or W."""

    first: System
    second: System

    def player(self, which: int) -> System:
        """Return the system of the first player (0) or the second (1)."""
        return self.second if which else self.first

    def changes_to(self, other: Partnership) -> set[tuple[System, System]]:
        """Return the players' systems that differ in another partnership, each with its counterpart there."""
        return {(old, new) for old, new in ((self.first, other.first), (self.second, other.second)) if old != new}


Rival = Partnership | str
"""A partnership, or the spec of a stranger."""


@dataclass(frozen=True)
class BoardRange:
    """Boards ``start .. start + count - 1`` of the endless sequence of (seed, split)."""

    seed: int
    split: str
    start: int
    count: int

    def parts(self, size: int) -> list[BoardRange]:
        """Return the same boards in ranges of at most ``size``."""
        ends = range(0, self.count, size)
        return [BoardRange(self.seed, self.split, self.start + at, min(size, self.count - at)) for at in ends]


@dataclass(frozen=True, eq=False)
class Duel:
    """The result of a partnership against another, at the table where it sits NS and at the one where it sits EW."""

    history: NDArray[np.int8]  # (2, N, L), padded with -1
    points: NDArray[np.int64]  # (2, N), NS-positive
    imps: NDArray[np.int8]  # (N,), of the partnership


@lru_cache(maxsize=_SYSTEMS)
def hierarchy(system: System) -> Hierarchy:
    """Return the system with its compiled form, cached by the process."""
    return Hierarchy(system)


def is_system(pair: Partnership) -> bool:
    """Return whether both players' systems compile: a change to one line can make others unreachable."""
    try:
        _ = hierarchy(pair.first).compiled, hierarchy(pair.second).compiled
    except SystemTextError:
        return False
    return True


def interned(pair: Partnership) -> Partnership:
    """Return the same partnership with the cached systems of this process, which compare quickly."""
    return Partnership(hierarchy(pair.first).system, hierarchy(pair.second).system)


@lru_cache(maxsize=32)
def boards_of(board_range: BoardRange) -> tuple[Boards, NDArray[np.int16]]:
    """Return the boards with the features of their hands, int16 (N, 4, NUM_FEATURES)."""
    boards = library_boards(board_range.count, board_range.seed, board_range.split, start=board_range.start)
    return boards, deal_features(boards.owner)


@lru_cache(maxsize=32)
def _deals_of(board_range: BoardRange) -> Deals:
    """Return the boards as networks see them."""
    use_fast_matmul()
    boards, _ = boards_of(board_range)
    unknown = np.zeros((len(boards), 4, 5), np.int8)  # tricks are not read here
    return Deals.of(boards.owner, unknown, boards.dealer, boards.vulnerability)


def seats_of(us: Partnership, them: Rival, table: int) -> Seats:
    """Return the systems by which the calls of N E S W are read: ``us`` sits NS at table 0 and EW at table 1."""
    known = Partnership(us.first, us.first) if isinstance(them, str) else them
    a, b = (us, known) if table == 0 else (known, us)
    return hierarchy(a.first), hierarchy(b.first), hierarchy(a.second), hierarchy(b.second)


def bid(
    us: Partnership,
    them: Rival,
    board_range: BoardRange,
    table: int,
    board: NDArray[np.int64] | None = None,
    calls: NDArray[np.int8] | None = None,
    length: NDArray[np.int64] | None = None,
) -> Auctions:
    """Return the complete auctions of a table, of ``board`` int64 (N,) or each board once, from ``length`` int64 (N,)
    ``calls`` int8 (N, L) on, if there are such.
    """
    boards, features = boards_of(board_range)
    rows = np.arange(len(boards)) if board is None else board
    if isinstance(them, str):
        ours = hierarchy(us.first), hierarchy(us.second)
        return bid_against(ours, them, table, _deals_of(board_range), features, rows, calls, length)
    seats = seats_of(us, them, table)
    return bid_out(seats, features, boards.dealer[rows], boards.vulnerability[rows], rows, calls, length)


def duel(us: Partnership, them: Rival, board_range: BoardRange) -> Duel:
    """Return the result on both tables of every board: a pure function, cached by the process."""
    return _duel(interned(us), them if isinstance(them, str) else interned(them), board_range)


@lru_cache(maxsize=_DUELS)
def _duel(us: Partnership, them: Rival, board_range: BoardRange) -> Duel:
    boards, _ = boards_of(board_range)
    histories, points = [], []
    for table in range(2):
        auctions = bid(us, them, board_range, table)
        histories.append(auctions.history[:, : int(auctions.length.max(initial=1))])
        points.append(boards.points(auctions))
    return Duel(np.array(as_wide(histories)), np.array(points), imps(points[0] - points[1]).astype(np.int8))


def gains_and_changes(
    candidate: Partnership, us: Partnership, them: Rival, board_range: BoardRange
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Return the gain of ``candidate`` over ``us`` against ``them`` in IMPs, int16 (N,), and the boards bid otherwise,
    bool (N,).
    """
    changed, other = duel_changed(candidate, us, them, board_range)
    gain = changed.imps.astype(np.int16) - duel(us, them, board_range).imps.astype(np.int16)
    return gain, other[0] | other[1]


def duel_changed(
    candidate: Partnership, us: Partnership, them: Rival, board_range: BoardRange
) -> tuple[Duel, NDArray[np.bool_]]:
    """Return the duel of a changed partnership, bid anew where the change can be noticed, and which auctions are
    others, bool (2, N).
    """
    before = duel(us, them, board_range)
    boards, features = boards_of(board_range)
    history, points = before.history.copy(), before.points.copy()
    for table in range(2):
        rows = np.flatnonzero(_can_notice(candidate, us, them, table, boards, before.history[table]))
        if isinstance(them, str) and rows.size:
            ours = hierarchy(candidate.first), hierarchy(candidate.second)
            deals = _deals_of(board_range)
            rows = rows[calls_otherwise(ours, table, deals, features, rows, before.history[table, rows])]
        if rows.size:
            auctions = bid(candidate, them, board_range, table, rows)
            (history,) = as_wide([history], int(auctions.length.max(initial=1)))
            history[table, rows] = auctions.history[:, : history.shape[2]]
            points[table, rows] = boards.take(rows).points(auctions)
    other = (history[:, :, : before.history.shape[2]] != before.history).any(axis=2)
    return Duel(history, points, imps(points[0] - points[1]).astype(np.int8)), other


def _can_notice(
    candidate: Partnership, us: Partnership, them: Rival, table: int, boards: Boards, history: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Return the boards on which the changed partnership may make another call at a table: bool (N,).

    It reads a stranger's calls by its own system, so that it also notices those that this describes otherwise.
    """
    out = np.zeros(len(boards), np.bool_)
    for which in range(2):
        old, new = us.player(which), candidate.player(which)
        if old != new:
            seat = 2 * which + table
            for of in (seat, seat + 1, seat + 3) if isinstance(them, str) else (seat,):
                out |= affected_auctions(
                    hierarchy(old).compiled, hierarchy(new).compiled, of & 3, boards.dealer, history
                )
    return out
