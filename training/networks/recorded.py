"""Read recorded auctions to learn from: PBN and LIN files, and auctions that a bidder makes on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.registry import make
from bridge_env.hands.canonical import canonical_key, key_is_judging
from bridge_env.records.board import problem_texts
from bridge_env.records.read import read_records
from bridge_env.rules.calls import as_wide, histories_of
from training.evaluation.boards import BoardsError, library_boards
from training.evaluation.duplicate import bid_out

_HELD_OUT_ONE_IN = 20


@dataclass(frozen=True)
class Recorded:
    """Hold N auctions."""

    owner: NDArray[np.uint8]  # (N, 52)
    dealer: NDArray[np.int16]  # (N,)
    vulnerability: NDArray[np.int16]  # (N,)
    history: NDArray[np.int8]  # (N, L), padded with -1
    problems: tuple[str, ...] = ()  # unreadable boards, as file:line: reason

    def __len__(self) -> int:
        return len(self.owner)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Recorded:
        """Return some of the auctions."""
        arrays = {name: array[rows] for name, array in vars(self).items() if name != "problems"}
        return replace(self, **arrays)


def held_out(owner: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which deals are held out to measure agreement, bool (N,): those of the judging split, and 1 in 20 others.

    All 96 symmetries of a deal fall on the same side.
    """
    key = canonical_key(owner)
    out: NDArray[np.bool_] = key_is_judging(key) | (key // np.uint64(4) % np.uint64(_HELD_OUT_ONE_IN) == 0)
    return out


def read(sources: Sequence[str], boards: int = 100_000, seed: int = 1) -> Recorded:
    """Read the auctions of several sources.

    Args:
        sources: PBN or LIN files, or spec strings of bidders (``system:sayc``), which bid training boards on the spot.
        boards: number that a bidder bids.
        seed: of these boards.

    Raises:
        BoardsError: there is no auction to learn from.
        OSError: a file cannot be read.
    """
    parts = [_records(s) if Path(s).is_file() or ":" not in s else _bid(s, boards, seed) for s in sources]
    if not any(len(part) for part in parts):
        raise BoardsError(f"{', '.join(sources)}: no board has both a deal and an auction")
    return Recorded(
        np.concatenate([p.owner for p in parts]), np.concatenate([p.dealer for p in parts]),
        np.concatenate([p.vulnerability for p in parts]), np.concatenate(as_wide([p.history for p in parts])),
        tuple(text for p in parts for text in p.problems),
    )  # fmt: skip


def _bid(spec: str, boards: int, seed: int) -> Recorded:
    dealt, bidder = library_boards(boards, seed, "training"), make(spec, partner=spec, opponents=spec)
    made = bid_out(bidder, bidder, dealt, seed).take(np.arange(boards))
    history = made.history[:, : int(made.length.max(initial=1))]
    return Recorded(dealt.owner, dealt.dealer, dealt.vulnerability, history)


def _records(path: str) -> Recorded:
    result = read_records(path)
    boards, problems = [board for board in result.boards if board.auction], list(problem_texts(result.problems))
    if not boards:
        problems.append(f"{path}: no board has both a deal and an auction")
    return Recorded(
        np.array([board.owner for board in boards], np.uint8).reshape(-1, 52),
        np.array([board.dealer for board in boards], np.int16),
        np.array([board.vulnerability for board in boards], np.int16),
        histories_of([board.auction or () for board in boards]), tuple(problems),
    )  # fmt: skip
