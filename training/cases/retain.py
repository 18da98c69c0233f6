"""Retain and refine: let a case base bid training boards, and record what other calls would have gained.

A call for which some of the retrieved cases spoke, but not the most, is made once, and everyone goes on as they would;
what the auction comes to is scored with exact tricks, in IMPs against the call that the base made
(as ``refine.decisions`` does for systems). States and worths enter the base; ``agents.cases.experience`` uses
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import UNTRIED, CaseBase, Retained
from agents.cases.bidder import CaseBidder
from agents.cases.experience import spoken_for
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.bidding import complete_auctions
from bridge_env.boards import Boards
from bridge_env.calls import NUM_CALLS, as_wide, first_calls
from bridge_env.protocols import Bidder
from bridge_env.scoring import imps
from bridge_env.view import view_of
from training.match.duplicate import bid_out

_ROWS = 16_384

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """Both tables of N boards, one after the other (2N rows): the base sits North-South in the first N."""

    boards: Boards  # the N boards twice
    side: Int  # int64 (2N,), the side on which the base sits, 0 North-South
    history: NDArray[np.int8]  # (2N, L), the auctions
    points: Int  # int64 (2N,), NS-positive


def retained(
    base: CaseBase, opponents: str, boards: Boards, seed: int, progress: Callable[[float], None] = lambda share: None
) -> CaseBase:
    """The base with its boards against ``opponents`` added to what it has retained."""
    bidder, them = CaseBidder(base), make(opponents, partner=opponents)
    tables = _bid(bidder, them, boards, seed)
    row, number = _decisions(tables)
    worth, place, hand = [], [], []
    for at in range(0, len(row), _ROWS):
        some = slice(at, at + _ROWS)
        auctions = _before(tables, row[some], number[some])
        view = view_of(auctions, tables.boards.owner[row[some]])
        found = bidder.retrieve(view, wide=True)
        ask_for = spoken_for(found.voice, tables.history[row[some], number[some]], view.mask)
        worth.append(_worth(bidder, them, tables, row[some], number[some], ask_for, seed))
        place.append(found.place)
        hand.append(np.packbits(view.hand, axis=1))
        progress(min(1.0, (at + _ROWS) / len(row)))
    value = np.concatenate(worth)
    told = (value != UNTRIED).sum(axis=1) > 1  # something was tried beside the call made
    kept = Retained(
        row[told].astype(np.int32), number[told].astype(np.int16), np.concatenate(hand)[told],
        np.concatenate(place)[told], value[told],
    )  # fmt: skip
    return _with(base, tables, kept, {"opponents": opponents, "boards": len(boards), "seed": seed})


def _bid(bidder: CaseBidder, them: Bidder, boards: Boards, seed: int) -> Table:
    n = len(boards)
    auctions = bid_out(bidder, them, boards, seed)
    twice = boards.take(np.tile(np.arange(n), 2))
    longest = int(auctions.length.max(initial=1))
    return Table(
        twice, np.repeat(np.array([0, 1]), n), auctions.history[:, :longest].copy(), twice.points(auctions)
    )  # fmt: skip


def _decisions(tables: Table) -> tuple[Int, Int]:
    """The calls that the base made: row and number, row by row."""
    caller = (tables.boards.dealer[:, None] + np.arange(tables.history.shape[1])) & 1
    row, number = np.nonzero((tables.history >= 0) & (caller == tables.side[:, None]))
    return row, number


def _before(tables: Table, row: Int, number: Int) -> Auctions:
    """The auctions of some rows up to, and without, a call."""
    before = first_calls(tables.history[row], number)
    return Auctions.replay(before, tables.boards.dealer[row], tables.boards.vulnerability[row])


def _worth(
    bidder: CaseBidder, them: Bidder, tables: Table, row: Int, number: Int, tried: NDArray[np.bool_], seed: int
) -> NDArray[np.int8]:
    """IMPs that the calls ``tried`` gain over those made, int8 (N, 38); ``UNTRIED`` for the others."""
    made = tables.history[row, number].astype(int)
    out = np.full((len(row), NUM_CALLS), UNTRIED, np.int8)
    out[np.arange(len(row)), made] = 0
    which, call = np.nonzero(tried)
    auctions = _before(tables, row[which], number[which])
    auctions.step(call.astype(np.int8), np.arange(len(which)))
    there = row[which]
    _go_on(bidder, them, auctions, tables, there, seed)
    now = tables.boards.take(there).points(auctions).astype(np.int64)
    half = len(tables.points) // 2
    sign = 1 - 2 * tables.side[there]
    other = tables.points[(there + half) % (2 * half)]
    gained = imps(sign * (now - other)).astype(np.int64) - imps(sign * (tables.points[there] - other))
    out[which, call] = np.clip(gained, -24, 24)
    return out


def _go_on(bidder: CaseBidder, them: Bidder, auctions: Auctions, tables: Table, there: Int, seed: int) -> None:
    """Bid the auctions to their ends, the base on its side of rows ``there`` of the tables."""
    owner, side = tables.boards.owner[there], tables.side[there]
    keys = streams.key("retain", seed, tables.boards.number[there])
    complete_auctions(auctions, owner, keys, (np.arange(4) & 1) ^ side[:, None], (bidder, them))


def _with(base: CaseBase, tables: Table, kept: Retained, told: dict[str, Any]) -> CaseBase:
    """The base with more retained states; only boards with such a state are kept."""
    used, board = np.unique(kept.board, return_inverse=True)
    auctions = as_wide([base.auction, tables.history])
    final = Auctions.replay(tables.history[used], tables.boards.dealer[used], tables.boards.vulnerability[used])
    contracts, boards, old = final.contracts(), tables.boards.take(used.astype(np.int64)), base.retained
    tricks = np.where(contracts.bid >= 0, boards.tricks_for(contracts.declarer, contracts.bid % 5), -1)
    result = np.stack([contracts.bid, contracts.doubling, contracts.declarer, tricks], axis=1).astype(np.int8)
    parts = [(old, old.board), (kept, (board + len(base.dealer)).astype(np.int32))]
    both = Retained(
        np.concatenate([numbers for _, numbers in parts]),
        *(np.concatenate([getattr(p, name) for p, _ in parts]) for name in ("number", "hand", "point", "worth")),
    )
    out = replace(
        base, auction=np.concatenate([auctions[0], auctions[1][used]]).astype(np.int8),
        dealer=np.concatenate([base.dealer, boards.dealer.astype(np.uint8)]),
        vulnerability=np.concatenate([base.vulnerability, boards.vulnerability.astype(np.uint8)]),
        result=np.concatenate([base.result, result]), retained=both,
        fitted={**base.fitted, "retained": [*base.fitted.get("retained", ()), told]},
    )  # fmt: skip
    return out
