"""Read recorded auctions to learn from: PBN and LIN files, arrays, and auctions that a bidder makes on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.registry import make
from bridge_env.hands.canonical import canonical_key, key_is_judging
from bridge_env.records.board import problem_texts
from bridge_env.records.read import read_records
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, IllegalCall
from bridge_env.rules.calls import as_wide, histories_of
from bridge_env.rules.cards import DealError, check_deals
from training.evaluation.boards import Boards, BoardsError, library_boards
from training.evaluation.duplicate import bid_out

_HELD_OUT_ONE_IN = 20


@dataclass(frozen=True)
class Recorded:
    """Hold N auctions."""

    owner: NDArray[np.uint8]  # (N, 52)
    dealer: NDArray[np.int16]  # (N,)
    vulnerability: NDArray[np.int16]  # (N,)
    history: NDArray[np.int8]  # (N, L), padded with -1
    learned: NDArray[np.bool_]  # (N, 2), whether the calls of North-South and of East-West are to be learned
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


def read(
    sources: Sequence[str], card: str | None = None, without: str | None = None, boards: int = 100_000, seed: int = 1,
    meets: Sequence[str] = (),
) -> Recorded:  # fmt: skip
    """Read the auctions of several sources.

    Args:
        sources: PBN or LIN files, array files (``.npz``), or spec strings of bidders (``system:sayc``), which bid
            training boards on the spot.
        card: of array files, the calls of pairs that play this card alone.
        without: of array files, no auction in which a pair plays this card.
        boards: number that a bidder bids.
        seed: of these boards.
        meets: bidders that they meet there, board by board in turn, at either side; without them, themselves.

    Raises:
        BoardsError: there is no auction to learn from, or an array file is faulty.
        OSError: a file cannot be read.
    """
    parts = [_read(source, card, without, boards, seed, meets) for source in sources]
    if not any(len(part) for part in parts):
        raise BoardsError(f"{', '.join(sources)}: no board has both a deal and an auction")
    return joined(parts)


def joined(parts: Sequence[Recorded]) -> Recorded:
    """Return several collections of auctions as one."""
    return Recorded(
        np.concatenate([p.owner for p in parts]), np.concatenate([p.dealer for p in parts]),
        np.concatenate([p.vulnerability for p in parts]), np.concatenate(as_wide([p.history for p in parts])),
        np.concatenate([p.learned for p in parts]), tuple(t for p in parts for t in p.problems),
    )  # fmt: skip


def _read(source: str, card: str | None, without: str | None, boards: int, seed: int, meets: Sequence[str]) -> Recorded:
    if source.endswith(".npz"):
        return _arrays(source, card, without)
    if Path(source).is_file() or ":" not in source:
        return _records(source)
    dealt = library_boards(boards, seed, "training")
    if not meets:
        bidder = make(source, partner=source, opponents=source)
        made = bid_out(bidder, bidder, dealt, seed).take(np.arange(boards))
        return _bid(dealt, made, np.ones((boards, 2), bool))
    parts = []
    for number, other in enumerate(meets):
        some = dealt.take(np.arange(number, boards, len(meets)))
        bidder, met = make(source, partner=source, opponents=other), make(other, partner=other, opponents=source)
        made = bid_out(bidder, met, some, seed)
        # Each board is bid at one table. By chance, since who deals and is vulnerable goes by the board's number.
        side = (streams.key("meets", seed, some.number) & np.uint64(1)).astype(np.int64)
        parts.append(_bid(some, made.take(np.arange(len(some)) + side * len(some)), side[:, None] == np.arange(2)))
    return joined(parts)


def _bid(dealt: Boards, made: Auctions, learned: NDArray[np.bool_]) -> Recorded:
    history = made.history[:, : int(made.length.max(initial=1))]
    return Recorded(dealt.owner, dealt.dealer, dealt.vulnerability, history, learned)


def _records(path: str) -> Recorded:
    result = read_records(path)
    boards, problems = [board for board in result.boards if board.auction], list(problem_texts(result.problems))
    if not boards:
        problems.append(f"{path}: no board has both a deal and an auction")
    return Recorded(
        np.array([board.owner for board in boards], np.uint8).reshape(-1, 52),
        np.array([board.dealer for board in boards], np.int16),
        np.array([board.vulnerability for board in boards], np.int16),
        histories_of([board.auction or () for board in boards]), np.ones((len(boards), 2), bool), tuple(problems),
    )  # fmt: skip


def _arrays(path: str, card: str | None, without: str | None) -> Recorded:
    try:
        with np.load(path, allow_pickle=False) as file:
            owner = check_deals(file["owner"])
            dealer, vulnerability = (file[name].astype(np.int16) for name in ("dealer", "vulnerability"))
            history = np.ascontiguousarray(file["history"], np.int8)
            sides, learned = _sides(
                {name: file[name] for name in ("pairs", "pair", "ours") if name in file.files}, len(owner)
            )
        Auctions.replay(history, dealer, vulnerability)
    except (KeyError, ValueError, IndexError, DealError, IllegalCall) as error:
        raise BoardsError(f"{path} is not a file of auctions: {error}") from None
    if card is not None:
        learned = learned & (sides == card)
    if without is not None:
        learned = learned & (sides != without).all(axis=1, keepdims=True)
    if not learned.any():
        known = ", ".join(sorted({str(name) for name in np.unique(sides) if name})) or "no cards"
        raise BoardsError(f"{path}: no pair plays the card {card!r} in auctions without {without!r}; there are {known}")
    rows = learned.any(axis=1)
    return Recorded(owner[rows], dealer[rows], vulnerability[rows], history[rows], learned[rows])


def _sides(named: dict[str, NDArray[Any]], boards: int) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Return the cards of North-South and East-West, str (N, 2), and which side's calls to learn, bool (N, 2).

    ``pairs`` are "NS card,EW card", or in a file of meetings "SPEC/card": there ``ours`` (0 North-South, 1 East-West)
    is the side of SPEC, and the other side's calls are to be learned.
    """
    learned = np.ones((boards, 2), bool)
    if "pairs" not in named:
        return np.full((boards, 2), ""), learned
    meeting = "ours" in named
    pairs = np.array([text.rsplit("/" if meeting else ",", 1) for text in named["pairs"].tolist()])
    sides = pairs[named["pair"].astype(np.int64)]
    if meeting:
        ours = named["ours"].astype(np.int64)
        sides = np.where(ours[:, None] == 1, sides[:, ::-1], sides)
        learned[np.arange(boards), ours] = False
    return sides, learned
