"""Retain experience: let a case base bid training boards, and record the gain of alternative calls.

A call with some votes of the retrieved cases, but not the most, is made once, and all seats complete the auction as
usual. The contract is scored with exact tricks, in IMPs against the call that the base made. The base stores these
states and gains; ``agents.cases.experience`` uses them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases import file as case_file
from agents.cases.base import UNTRIED, CaseBase, Retained
from agents.cases.bidder import CaseBidder
from agents.cases.experience import spoken_for
from bridge_env.bidders.bidding import complete_auctions
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import view_of
from bridge_env.double_dummy.boards import Boards
from bridge_env.io.files import atomic_write
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS, as_wide, first_calls
from bridge_env.rules.scoring import imps
from training.cases.fit import CASES, RESULTS
from training.evaluation.boards import library_boards, standard_error
from training.evaluation.duplicate import bid_out, match
from training.runtime import runs
from training.runtime.progress import Progress

_ROWS = 16_384

Int = NDArray[np.int64]


@dataclass(frozen=True)
class RetainResult:
    """The base with retained states, and IMPs a board with standard errors on the same judging boards."""

    folder: Path
    base: CaseBase
    added: int  # states
    before: tuple[float, float]
    after: tuple[float, float]
    gain: tuple[float, float]
    file: Path  # plays as ``cases:PATH``


def retain(
    path: Path, opponents: str, boards: int, judged: int, seed: int, out: Path | None = None,
    *, progress: Progress | None = None,
) -> RetainResult:  # fmt: skip
    """Let the case base of a file bid training boards, retain the gains of other calls, and judge it before and after.

    Args:
        path: ``cases.npz``.
        opponents: spec of the opponents, in training and judging.
        boards, judged: numbers of training and of judging boards.
        out: folder of the new ``cases.npz`` and ``results.json``; None: a new one below ``results/cases``.

    Raises:
        BidderFileError: the file holds no case base.
        SpecError: there are no such opponents.
    """
    progress = progress or Progress()
    base = case_file.load(path)
    training = library_boards(boards, seed, "training")
    progress.stage("retaining", unit="%")
    after = with_experience(base, opponents, training, seed, lambda share: progress.to(100 * share))
    folder = runs.results_folder(out, "cases")
    case_file.save(after, folder / CASES)
    progress.stage("judging", judged)
    judging = library_boards(judged, seed)
    first, last = (match(CaseBidder(each), opponents, judging, seed).imps for each in (base, after))
    before, gained, gain = (
        (float(each.mean()), standard_error(each, judging.base)) for each in (first, last, last - first)
    )
    content = {
        "manifest": runs.manifest(after.fitted, ""), "opponents": opponents, "seed": seed, "boards": judged,
        "states": len(after.retained), "before": before, "after": gained, "gain": gain,
    }  # fmt: skip
    atomic_write(folder / RESULTS, json.dumps(content, indent=1) + "\n")
    added = len(after.retained) - len(base.retained)
    return RetainResult(folder, after, added, before, gained, gain, folder / CASES)


@dataclass(frozen=True, eq=False)
class Table:
    """Both tables of N boards, one after the other (2N rows): the base sits North-South in the first N."""

    boards: Boards  # the N boards twice
    side: Int  # int64 (2N,), the side on which the base sits, 0 North-South
    history: NDArray[np.int8]  # (2N, L), the auctions
    points: Int  # int64 (2N,), NS-positive


def with_experience(
    base: CaseBase, opponents: str, boards: Boards, seed: int, progress: Callable[[float], None] = lambda share: None
) -> CaseBase:
    """Return the base with states of its boards against ``opponents`` added to those it has retained."""
    bidder, them = CaseBidder(base), make(opponents, partner=opponents)
    tables = _bid(bidder, them, boards, seed)
    row, number = _decisions(tables)
    worth, place, hand = [], [], []
    for at in range(0, len(row), _ROWS):
        part = slice(at, at + _ROWS)
        auctions = _before(tables, row[part], number[part])
        view = view_of(auctions, tables.boards.owner[row[part]])
        found = bidder.retrieve(view, wide=True)
        tried = spoken_for(found.voice, tables.history[row[part], number[part]], view.mask)
        worth.append(_worth(bidder, them, tables, row[part], number[part], tried, seed))
        place.append(found.place)
        hand.append(np.packbits(view.hand, axis=1))
        progress(min(1.0, (at + _ROWS) / len(row)))
    value = np.concatenate(worth)
    some = (value != UNTRIED).sum(axis=1) > 1  # a call was tried beside the call made
    states = Retained(
        row[some].astype(np.int32), number[some].astype(np.int16), np.concatenate(hand)[some],
        np.concatenate(place)[some], value[some],
    )  # fmt: skip
    return _with(base, tables, states, {"opponents": opponents, "boards": len(boards), "seed": seed})


def _bid(bidder: CaseBidder, them: Bidder, boards: Boards, seed: int) -> Table:
    n = len(boards)
    auctions = bid_out(bidder, them, boards, seed)
    twice = boards.take(np.tile(np.arange(n), 2))
    longest = int(auctions.length.max(initial=1))
    return Table(
        twice, np.repeat(np.array([0, 1]), n), auctions.history[:, :longest].copy(), twice.points(auctions)
    )  # fmt: skip


def _decisions(tables: Table) -> tuple[Int, Int]:
    """Return the calls that the base made: row and number, row by row."""
    caller = (tables.boards.dealer[:, None] + np.arange(tables.history.shape[1])) & 1
    row, number = np.nonzero((tables.history >= 0) & (caller == tables.side[:, None]))
    return row, number


def _before(tables: Table, row: Int, number: Int) -> Auctions:
    """Return the auctions of some rows up to, and without, a call."""
    before = first_calls(tables.history[row], number)
    return Auctions.replay(before, tables.boards.dealer[row], tables.boards.vulnerability[row])


def _worth(
    bidder: CaseBidder, them: Bidder, tables: Table, row: Int, number: Int, tried: NDArray[np.bool_], seed: int
) -> NDArray[np.int8]:
    """Return IMPs that the calls ``tried`` gain over those made, int8 (N, 38); ``UNTRIED`` for the others."""
    made = tables.history[row, number].astype(int)
    out = np.full((len(row), NUM_CALLS), UNTRIED, np.int8)
    out[np.arange(len(row)), made] = 0
    which, call = np.nonzero(tried)
    auctions = _before(tables, row[which], number[which])
    auctions.step(call.astype(np.int8), np.arange(len(which)))
    table_row = row[which]
    _complete(bidder, them, auctions, tables, table_row, seed)
    now = tables.boards.take(table_row).points(auctions).astype(np.int64)
    half = len(tables.points) // 2
    sign = 1 - 2 * tables.side[table_row]
    other = tables.points[(table_row + half) % (2 * half)]
    gained = imps(sign * (now - other)).astype(np.int64) - imps(sign * (tables.points[table_row] - other))
    out[which, call] = np.clip(gained, -24, 24)
    return out


def _complete(bidder: CaseBidder, them: Bidder, auctions: Auctions, tables: Table, row: Int, seed: int) -> None:
    """Bid the auctions to their ends, the base on its side of each ``row`` of the tables."""
    owner, side = tables.boards.owner[row], tables.side[row]
    keys = streams.key("retain", seed, tables.boards.number[row])
    complete_auctions(auctions, owner, keys, (np.arange(4) & 1) ^ side[:, None], (bidder, them))


def _with(base: CaseBase, tables: Table, states: Retained, source: dict[str, Any]) -> CaseBase:
    """Return the base with more retained states, and the boards that have such a state."""
    used, board = np.unique(states.board, return_inverse=True)
    auctions = as_wide([base.auction, tables.history])
    final = Auctions.replay(tables.history[used], tables.boards.dealer[used], tables.boards.vulnerability[used])
    contracts, boards, old = final.contracts(), tables.boards.take(used.astype(np.int64)), base.retained
    tricks = np.where(contracts.bid >= 0, boards.tricks_for(contracts.declarer, contracts.bid % 5), -1)
    result = np.stack([contracts.bid, contracts.doubling, contracts.declarer, tricks], axis=1).astype(np.int8)
    parts = [(old, old.board), (states, (board + len(base.dealer)).astype(np.int32))]
    both = Retained(
        np.concatenate([numbers for _, numbers in parts]),
        *(np.concatenate([getattr(p, name) for p, _ in parts]) for name in ("number", "hand", "point", "worth")),
    )
    out = replace(
        base, auction=np.concatenate([auctions[0], auctions[1][used]]).astype(np.int8),
        dealer=np.concatenate([base.dealer, boards.dealer.astype(np.uint8)]),
        vulnerability=np.concatenate([base.vulnerability, boards.vulnerability.astype(np.uint8)]),
        result=np.concatenate([base.result, result]), retained=both,
        fitted={**base.fitted, "retained": [*base.fitted.get("retained", ()), source]},
    )  # fmt: skip
    return out
