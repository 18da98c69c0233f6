"""Collect the decisions of a partnership in its duels, and value the alternative calls.

Played out, a call is worth what it scores when it is made once and everyone goes on by the current systems, on solved
deals: IMPs against the call that was made. That is one deal, so such labels are mostly luck. The preferences of a
network that learned by the system's book depend little on it: a label by judgement is the average of play-outs of
calls that it prefers as much, and a share of the play-out itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import NetworkBidder
from agents.systems.language.tree import Constraint
from bridge_env.bidders.registry import SpecError, make
from bridge_env.bidders.view import view_of
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import first_calls
from bridge_env.rules.scoring import imps
from training.evaluation.partnership_match import BoardRange, Duel, Partnership, Rival, bid, boards_of, duel
from training.runtime.processes import use_fast_matmul

UNTRIED = -128
BATCH = 32768  # play-outs at a time

Worth = NDArray[np.int8] | NDArray[np.float32]
Index = NDArray[np.int64]
SHARE = 0.8  # of a label that is the player's judgement
LEAST, MOST = -8.0, 12.0  # preferences (log odds) are clipped to these
UNIT = 64  # labels are multiples of 1/64 IMP: so that sums of them are exact in any order


@dataclass(frozen=True, eq=False)
class Examples:
    """Hold N decisions of one reading of a position."""

    path: str  # as lines write it, or the context of general rules
    words: tuple[str, ...]  # of the columns of ``features``
    calls: tuple[str, ...]  # the calls tried, as lines write them
    features: NDArray[np.int16]  # (N, len(words))
    # (N, len(calls)), IMPs against the call made; ``UNTRIED`` where no legal call fits. int8 where calls were
    # played out, float32 where they were looked ahead from
    worth: Worth
    board: NDArray[np.int64]  # (N,), the number of the board in the endless sequence
    given: Constraint = ()  # the first condition of every rule, such as ``best:x``

    def __len__(self) -> int:
        return len(self.board)


def joined(parts: Sequence[Examples]) -> Examples:
    """Return the examples of one reading from several duels."""
    return replace(
        parts[0], features=np.concatenate([p.features for p in parts]),
        worth=np.concatenate([p.worth for p in parts]), board=np.concatenate([p.board for p in parts]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Decisions:
    """Hold all decisions of a partnership at one table: row, number of the call, and index of the position."""

    row: NDArray[np.int64]
    number: NDArray[np.int64]
    position: NDArray[np.int64]
    positions: list[tuple[int, tuple[int, ...]]]  # (dealer, calls so far)


class DuelTable:
    """Hold one table of a duel; ``us`` sits NS at table 0 and EW at table 1."""

    def __init__(self, us: Partnership, them: Rival, board_range: BoardRange, duel: Duel, number: int) -> None:
        self.us, self.them, self.board_range, self.duel, self.number = us, them, board_range, duel, number
        self.boards, self.features = boards_of(board_range)  # features of the hands, int16 (N, 4, NUM_FEATURES)
        self.history: NDArray[np.int8] = duel.history[number]  # (N, L)

    def decisions(self, on: NDArray[np.bool_] | None = None) -> Decisions:
        """Return the decisions of ``us``, call by call; on the boards ``on``, bool (N,)."""
        history, dealer = self.history, self.boards.dealer
        ours = (dealer[:, None] + np.arange(history.shape[1]) + self.number) & 1 == 0
        made = (history >= 0) & ours if on is None else (history >= 0) & ours & on[:, None]
        number, row = np.nonzero(made.T)
        before = np.column_stack([number, dealer[row], first_calls(history[row], number)]).astype(np.int16)
        distinct, position = np.unique(before, axis=0, return_inverse=True)
        positions = [(seat, tuple(calls[:count])) for count, seat, *calls in distinct.tolist()]
        return Decisions(row, number, position.reshape(-1), positions)

    def legal_calls(self, board: Index, number: Index) -> tuple[NDArray[np.bool_], NDArray[np.int8]]:
        """Return the legal calls at decisions, bool (M, 38), and the calls before, int8 (M, L)."""
        before, dealer = first_calls(self.history[board], number), self.boards.dealer[board]
        return Auctions.replay(before, dealer, np.zeros_like(dealer)).legal(), before


def tables_of(us: Partnership, them: Rival, board_range: BoardRange, before: Duel | None = None) -> list[DuelTable]:
    """Return both tables of ``us`` against ``them``; ``before`` is the duel, if it has been bid."""
    before = duel(us, them, board_range) if before is None else before
    return [DuelTable(us, them, board_range, before, number) for number in range(2)]


def play_out(at: DuelTable, board: Index, number: Index, tried: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Play out the legal calls ``tried``, bool (N, 38), at calls ``number`` of boards ``board``, int64 (N,): return the
    IMPs that they gain over those made, if everyone goes on as now, int8 (N, 38), ``UNTRIED`` elsewhere.
    """
    history = at.history
    made = history[board, number].astype(np.int64)
    out, tried = np.full(tried.shape, UNTRIED, np.int8), tried.copy()
    out[np.arange(len(board)), made] = 0
    tried[np.arange(len(board)), made] = False
    which, call = np.nonzero(tried)
    for start in range(0, len(which), BATCH):
        w, c = which[start : start + BATCH], call[start : start + BATCH]
        b, k = board[w], number[w]
        calls = history[b, : int(k.max()) + 1].copy()
        calls[np.arange(len(b)), k] = c
        ended = bid(at.us, at.them, at.board_range, at.number, b, calls, k + 1)
        points = at.duel.points[:, b].copy()
        points[at.number] = at.boards.take(b).points(ended)
        out[w, c] = imps(points[0] - points[1]).astype(np.int16) - at.duel.imps[b]
    return out


Selector = Callable[[DuelTable, Index, Index], NDArray[np.bool_]]
"""Select decisions at a table, of boards (N,) and numbers of calls (N,): bool (N,)."""

Labeller = Callable[[DuelTable, Index, Index, NDArray[np.bool_]], Worth]
"""Label decisions: ``play_out``, or ``judgement.by_judgement`` of some player."""


def network_by_book(spec: str) -> NetworkBidder:
    """Return the network of ``policy:NAME`` or ``policy:FILE``, which bids by a book; raise ``SpecError`` where it does
    not.
    """
    bidder = make(spec)
    if not isinstance(bidder, NetworkBidder) or bidder.networks.book is None:
        raise SpecError(f"{spec} bids by no book; write policy:FILE of a network that 'train league --book' made")
    return bidder


def by_judgement(
    spec: str, at: DuelTable, board: Index, number: Index, tried: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Label calls by the player ``spec``; other arguments and the result are as in ``play_out``."""
    played = play_out(at, board, number, tried)
    made = at.history[board, number].astype(np.int64)
    preferred = preferences(spec, at, board, number)
    preferred -= preferred[np.arange(len(board)), made][:, None]
    labelled = (played != UNTRIED) & (np.arange(played.shape[1]) != made[:, None])
    x = np.clip(preferred[labelled], LEAST, MOST)
    y = played[labelled].astype(np.float64)
    out = played.astype(np.float32)
    if len(x):
        spread = x - x.mean()
        slope = float(spread @ (y - y.mean())) / max(float(spread @ spread), 1e-9)
        line = y.mean() + slope * spread  # of least squares
        out[labelled] = np.round((SHARE * line + (1 - SHARE) * y) * UNIT) / UNIT
    return out


def preferences(spec: str, at: DuelTable, board: Index, number: Index) -> NDArray[np.float64]:
    """Return the logarithms of the player's chances of every call at decisions: float64 (N, 38)."""
    use_fast_matmul()
    boards, calls = at.boards, first_calls(at.history[board], number)
    auctions = Auctions.replay(calls, boards.dealer[board], boards.vulnerability[board])
    chances = network_by_book(spec).probabilities(view_of(auctions, boards.owner[board]))
    return np.log(np.maximum(chances, 1e-12))


def departs_from_system(spec: str, at: DuelTable, board: Index, number: Index) -> NDArray[np.bool_]:
    """Return at which decisions the player would not make the call that was made: bool (N,)."""
    preferred = preferences(spec, at, board, number).argmax(axis=1)
    return np.asarray(preferred != at.history[board, number], np.bool_)
