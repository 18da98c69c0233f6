"""Retain experience: let a case base bid training boards, and record the gain of alternative calls.

A call with some votes of the retrieved cases, but not the most, is made once, and all seats complete the auction as
usual. The contract is scored with exact tricks, in IMPs against the call that the base made. The base stores these
states and gains; ``agents.cases.experience`` uses them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import UNTRIED, CaseBase, Retained, load, save
from agents.cases.bidder import CaseBidder
from agents.cases.experience import spoken_for
from bridge_env.bidders.bidding import complete_auctions
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import view_of
from bridge_env.double_dummy.boards import Boards
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS, as_wide, first_calls
from bridge_env.rules.scoring import imps
from training.cases.fit import CASES
from training.evaluation.boards import library_boards, standard_error
from training.evaluation.duplicate import bid_out, match
from training.evaluation.network_opponents import refuse_gatekeepers
from training.runtime import runs
from training.runtime.runs import Progress

_ROWS = 16_384

Int = NDArray[np.int64]


@dataclass(frozen=True)
class RetainResult:
    """Hold the base with retained states, and IMPs a board with standard errors on the same judging boards."""

    folder: Path
    base: CaseBase
    added: int  # states
    before: tuple[float, float]
    after: tuple[float, float]
    gain: tuple[float, float]
    file: Path  # plays as ``cases:PATH``


def retain(
    path: Path, opponents: str, boards: int, judged: int, seed: int, out: Path | None = None,
    *, progress: Progress = Progress(),
) -> RetainResult:  # fmt: skip
    """Let the case base of a file bid training boards, retain the gains of other calls, and judge it before and after.

    Args:
        path: ``cases.npz``.
        opponents: spec of the opponents, in training and judging.
        boards, judged: numbers of training and of judging boards.
        out: folder of the new ``cases.npz`` and ``results.json``; None: a new one below ``results/cases``.

    Raises:
        FileError: the file holds no case base.
        SpecError: there are no such opponents, or they are gatekeepers.
    """
    refuse_gatekeepers([opponents])
    base = load(path)
    training = library_boards(boards, seed, "training")
    after = with_experience(base, opponents, training, seed, progress)
    folder = runs.results_folder(out, "cases")
    save(after, folder / CASES)
    progress.stage("judging", judged)
    judging = library_boards(judged, seed)
    first, last = (match(CaseBidder(each), opponents, judging, seed).imps for each in (base, after))
    before, gained, gain = (
        (float(each.mean()), standard_error(each, judging.base)) for each in (first, last, last - first)
    )
    runs.write_results(
        folder, manifest=runs.manifest(after.fitted), opponents=opponents, seed=seed, boards=judged,
        states=len(after.retained), before=before, after=gained, gain=gain,
    )  # fmt: skip
    added = len(after.retained) - len(base.retained)
    return RetainResult(folder, after, added, before, gained, gain, folder / CASES)


@dataclass(frozen=True, eq=False)
class _Tables:
    """Hold both tables of N boards, one after the other (2N rows): the base sits North-South in the first N."""

    boards: Boards  # the N boards twice
    side: Int  # (2N,), the side on which the base sits, 0 North-South
    history: NDArray[np.int8]  # (2N, L), the auctions
    points: Int  # (2N,), NS-positive

    def before(self, row: Int, number: Int) -> Auctions:
        """Return the auctions of some rows up to, and without, a call."""
        before = first_calls(self.history[row], number)
        return Auctions.replay(before, self.boards.dealer[row], self.boards.vulnerability[row])


def with_experience(base: CaseBase, opponents: str, boards: Boards, seed: int, progress: Progress) -> CaseBase:
    """Return the base with states of its boards against ``opponents`` added to those it has retained."""
    bidder, them = CaseBidder(base), make(opponents, partner=opponents)
    auctions, n = bid_out(bidder, them, boards, seed), len(boards)
    twice, side = boards.take(np.tile(np.arange(n), 2)), np.repeat([0, 1], n)
    history = auctions.history[:, : int(auctions.length.max(initial=1))].copy()
    tables = _Tables(twice, side, history, twice.points(auctions))
    caller = (twice.dealer[:, None] + np.arange(history.shape[1])) & 1
    row, number = np.nonzero((history >= 0) & (caller == side[:, None]))  # the calls that the base made
    progress.stage("retaining", len(row), "call")
    parts = []
    for at in range(0, len(row), _ROWS):
        r, k = row[at : at + _ROWS], number[at : at + _ROWS]
        view = view_of(tables.before(r, k), twice.owner[r])
        found = bidder.retrieve(view, wide=True)
        tried = spoken_for(found.voice, history[r, k], view.mask)
        worth = _worth(bidder, them, tables, r, k, tried, seed)
        some = (worth != UNTRIED).sum(axis=1) > 1  # a call was tried beside the call made
        hand = np.packbits(view.hand, axis=1)
        parts.append((r[some].astype(np.int32), k[some].astype(np.int16), hand[some], found.place[some], worth[some]))
        progress.add(len(r))
    states = Retained(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return _with(base, tables, states, {"opponents": opponents, "boards": n, "seed": seed})


def _worth(
    bidder: CaseBidder, them: Bidder, tables: _Tables, row: Int, number: Int, tried: NDArray[np.bool_], seed: int
) -> NDArray[np.int8]:
    """Return IMPs that the calls ``tried`` gain over those made, int8 (N, 38); ``UNTRIED`` for the others."""
    out = np.full((len(row), NUM_CALLS), UNTRIED, np.int8)
    out[np.arange(len(row)), tables.history[row, number]] = 0
    which, call = np.nonzero(tried)
    at = row[which]
    auctions = tables.before(at, number[which])
    auctions.step(call.astype(np.int8), np.arange(len(which)))
    keys = streams.key("retain", seed, tables.boards.number[at])
    seated = (np.arange(4) & 1) ^ tables.side[at, None]
    complete_auctions(auctions, tables.boards.owner[at], keys, seated, (bidder, them))
    now = tables.boards.take(at).points(auctions).astype(np.int64)
    half, sign = len(tables.points) // 2, 1 - 2 * tables.side[at]
    other = tables.points[(at + half) % (2 * half)]
    gained = imps(sign * (now - other)).astype(np.int64) - imps(sign * (tables.points[at] - other))
    out[which, call] = np.clip(gained, -24, 24)
    return out


def _with(base: CaseBase, tables: _Tables, states: Retained, source: dict[str, Any]) -> CaseBase:
    """Return the base with more retained states, and their boards, whose results nobody reads."""
    used, board = np.unique(states.board, return_inverse=True)
    auctions = as_wide([base.auction, tables.history])
    boards, old, unknown = tables.boards, base.retained, np.tile(np.array([-2, 0, 0, -1], np.int8), (len(used), 1))
    added = replace(states, board=(board + len(base.dealer)).astype(np.int32))
    both = (np.concatenate([getattr(old, item.name), getattr(added, item.name)]) for item in fields(Retained))
    return replace(
        base, auction=np.concatenate([auctions[0], auctions[1][used]]).astype(np.int8),
        dealer=np.concatenate([base.dealer, boards.dealer[used].astype(np.uint8)]),
        vulnerability=np.concatenate([base.vulnerability, boards.vulnerability[used].astype(np.uint8)]),
        result=np.concatenate([base.result, unknown]), retained=Retained(*both),
        fitted={**base.fitted, "retained": [*base.fitted.get("retained", ()), source]},
    )  # fmt: skip
