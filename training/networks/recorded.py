"""Recorded auctions to learn from: PBN and LIN files, arrays, and auctions that a bidder makes on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import Auctions, IllegalCall
from bridge_env.bidders import make
from bridge_env.cards import DealError, check_deals
from bridge_env.double_dummy.canonical import canonical_key, key_is_judging
from bridge_env.records.board import Board
from bridge_env.records.read import iter_records
from training.match.boards import BoardsError, library_boards
from training.match.match import bid_out

_HELD_OUT_ONE_IN = 20


@dataclass(frozen=True)
class Recorded:
    """N auctions.

    Attributes:
        owner: uint8 (N, 52).
        dealer, vulnerability: int16 (N,).
        history: int8 (N, L), padded with -1.
        learned: bool (N, 2), whether the calls of North-South and of East-West are to be learned.
        problems: what could not be read, as file:line: reason.
    """

    owner: NDArray[np.uint8]
    dealer: NDArray[np.int16]
    vulnerability: NDArray[np.int16]
    history: NDArray[np.int8]
    learned: NDArray[np.bool_]
    problems: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.owner)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Recorded:
        """Some of the auctions."""
        return Recorded(
            self.owner[rows], self.dealer[rows], self.vulnerability[rows], self.history[rows], self.learned[rows],
            self.problems,
        )  # fmt: skip


_NOTHING = Recorded(
    np.empty((0, 52), np.uint8), np.empty(0, np.int16), np.empty(0, np.int16), np.empty((0, 1), np.int8),
    np.empty((0, 2), bool),
)  # fmt: skip


def held_out(owner: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Deals kept apart to measure agreement: those of the judging split, and one in twenty of the others, bool (N,).

    All 96 images of a deal fall on the same side.
    """
    key = canonical_key(owner)
    apart: NDArray[np.bool_] = key_is_judging(key) | (key // np.uint64(4) % np.uint64(_HELD_OUT_ONE_IN) == 0)
    return apart


def read(
    sources: Sequence[str], card: str | None = None, without: str | None = None, boards: int = 100_000, seed: int = 1
) -> Recorded:
    """The auctions of several sources.

    Args:
        sources: PBN or LIN files, array files (``.npz``), or spec strings of bidders (``system:sayc``), which bid
            training boards on the spot.
        card: of array files, the calls of pairs that play this card alone.
        without: of array files, no auction in which a pair plays this card.
        boards: how many a bidder bids.
        seed: of these boards.

    Raises:
        BoardsError: there is no auction to learn from, or an array file is faulty.
        OSError: a file cannot be read.
    """
    parts = [_read(source, card, without, boards, seed) for source in sources]
    if not any(len(part) for part in parts):
        raise BoardsError(f"{', '.join(sources)}: no board has both a deal and an auction")
    wide = max(part.history.shape[1] for part in parts)
    history = [np.pad(p.history, ((0, 0), (0, wide - p.history.shape[1])), constant_values=-1) for p in parts]
    return Recorded(
        np.concatenate([p.owner for p in parts]), np.concatenate([p.dealer for p in parts]),
        np.concatenate([p.vulnerability for p in parts]), np.concatenate(history),
        np.concatenate([p.learned for p in parts]), tuple(t for p in parts for t in p.problems),
    )  # fmt: skip


def _read(source: str, card: str | None, without: str | None, boards: int, seed: int) -> Recorded:
    if source.endswith(".npz"):
        return _arrays(source, card, without)
    if Path(source).is_file() or ":" not in source:
        return _records(source)
    bidder = make(source, partner=source, opponents=source)
    dealt = library_boards(boards, seed, "training")
    made = bid_out(bidder, bidder, dealt, seed).take(np.arange(len(dealt)))
    history = made.history[:, : int(made.length.max(initial=1))]
    return Recorded(dealt.owner, dealt.dealer, dealt.vulnerability, history, np.ones((len(dealt), 2), bool))


def _records(path: str) -> Recorded:
    boards: list[Board] = []
    problems = []
    for item in iter_records(path):
        if not isinstance(item, Board):
            problems.append(str(item))
        elif item.auction:
            boards.append(item)
    if not boards:
        nothing = f"{path}: no board has both a deal and an auction"
        return replace(_NOTHING, problems=(*problems, nothing))
    longest = max(len(board.auction or ()) for board in boards)
    history = np.full((len(boards), longest), -1, np.int8)
    for row, board in enumerate(boards):
        calls = board.auction or ()
        history[row, : len(calls)] = calls
    return Recorded(
        np.stack([board.owner for board in boards]), np.array([board.dealer for board in boards], np.int16),
        np.array([board.vulnerability for board in boards], np.int16), history, np.ones((len(boards), 2), bool),
        tuple(problems),
    )  # fmt: skip


def _arrays(path: str, card: str | None, without: str | None) -> Recorded:
    try:
        with np.load(path, allow_pickle=False) as file:
            owner = check_deals(file["owner"])
            dealer, vulnerability = (file[name].astype(np.int16) for name in ("dealer", "vulnerability"))
            history = np.ascontiguousarray(file["history"], np.int8)
            cards = [pair.split(",") for pair in file["pairs"].tolist()] if "pairs" in file.files else []
            pair = file["pair"].astype(np.int64) if cards else np.zeros(len(owner), np.int64)
        Auctions.replay(history, dealer, vulnerability)
    except (KeyError, ValueError, DealError, IllegalCall) as error:
        raise BoardsError(f"{path} is not a file of auctions: {error}") from None
    if card is None and without is None:
        return Recorded(owner, dealer, vulnerability, history, np.ones((len(owner), 2), bool))
    learned = np.array([[(name == card or card is None) and without not in sides for name in sides] for sides in cards])
    if not learned.any():
        known = ", ".join(sorted({name for sides in cards for name in sides})) or "no cards"
        raise BoardsError(f"{path}: no pair plays the card {card!r} in auctions without {without!r}; there are {known}")
    rows = learned[pair].any(axis=1)
    return Recorded(owner[rows], dealer[rows], vulnerability[rows], history[rows], learned[pair][rows])
