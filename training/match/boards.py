"""The boards of a match or of a generation: deals with dealer, vulnerability and a way to their tricks."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.cards import board_dealer, board_vulnerability, permute_suits, rotate_deals
from bridge_env.double_dummy.canonical import canonical_key, is_judging, permute_tricks, rotate_tricks
from bridge_env.double_dummy.cascade import Cascade
from bridge_env.double_dummy.library import Library, embedded
from bridge_env.scoring import score

_SUIT_ORDERS = tuple(itertools.permutations(range(4)))


class BoardsError(ValueError):
    """Boards that cannot be had; the message says why."""


@dataclass(frozen=True)
class Boards:
    """N boards.

    Attributes:
        owner: uint8 (N, 52).
        dealer, vulnerability: int16 (N,).
        number: int64 (N,), board numbers; random streams hang on them.
        base: int64 (N,): boards with the same number are images of one deal, so not independent.
        tricks: int8 (N, 4, 5) where all tables are known, else None: then contracts are solved as reached.
        source: in words, for reports.
    """

    owner: NDArray[np.uint8]
    dealer: NDArray[np.int16]
    vulnerability: NDArray[np.int16]
    number: NDArray[np.int64]
    base: NDArray[np.int64]
    tricks: NDArray[np.int8] | None
    source: str
    problems: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.owner)

    def take(self, rows: slice | NDArray[np.int64]) -> Boards:
        """Some of the boards."""
        tricks = None if self.tricks is None else self.tricks[rows]
        return Boards(
            self.owner[rows], self.dealer[rows], self.vulnerability[rows], self.number[rows], self.base[rows],
            tricks, self.source, self.problems,
        )  # fmt: skip

    def tricks_for(self, declarer: NDArray[np.int8], strain: NDArray[np.int8]) -> NDArray[np.int8]:
        """Exact tricks of one contract a board, int8 (N,); 0 where ``declarer`` is -1 (passed out)."""
        played = np.flatnonzero(declarer >= 0)
        out = np.zeros(len(self), np.int8)
        if self.tricks is not None:
            out[played] = self.tricks[played, declarer[played], strain[played]]
        elif played.size:
            out[played] = _cascade().tricks_for(self.owner[played], declarer[played], strain[played])
        return out

    def points(self, auctions: Auctions) -> NDArray[np.int64]:
        """What finished auctions, one a board, score with exact tricks, NS-positive: int64 (N,)."""
        contracts = auctions.contracts()
        tricks = self.tricks_for(contracts.declarer, contracts.bid % 5)
        points = score(contracts.bid, contracts.doubling, contracts.declarer, self.vulnerability, tricks)
        return points.astype(np.int64)

    def share_in_training(self) -> float:
        """The share of boards that lie in the part of all deals that training may use."""
        return float(1.0 - is_judging(self.owner).mean()) if len(self) else 0.0


@lru_cache(maxsize=1)
def _cascade() -> Cascade:
    """One for the process: what the first table of a match had solved, the second need not solve again."""
    return Cascade()


def _by_number(number: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    return board_dealer(number).astype(np.int16), board_vulnerability(number).astype(np.int16)


def library_boards(
    count: int, seed: int, split: str = "judging", *, start: int = 0, library: Library | None = None,
    among: NDArray[np.intp] | None = None,
) -> Boards:  # fmt: skip
    """Boards ``start .. start + count - 1`` of the endless sequence that (seed, split) names.

    The sequence goes through the split's deals in a shuffled order, then through them again with suits and
    seats permuted (each time differently), which gives 96 exact deals for one solved. Dealer and
    vulnerability follow the board numbers, which begin at 1. A board depends on (seed, split, number) alone, and on
    ``among``: these deals of the split instead of all.
    """
    if count < 0 or start < 0:
        raise BoardsError(f"the number of boards is {count}, from {start}; both must be 0 or more")
    lib = embedded() if library is None else library
    indices = lib.split(split) if among is None else among
    if not len(indices):
        raise BoardsError(f"{lib.path}: no deal of it is in the split {split!r}")
    order = indices[np.argsort(streams.key("shuffle", split, seed, indices), kind="stable")]
    position = np.arange(start, start + count)
    base = order[position % len(order)]
    round_ = position // len(order) % 96
    owner, tricks = lib.owners(base), lib.tricks_at(base)
    image = np.where(round_ > 0, 1 + (_first_image(seed, base) + round_) % 95, 0)
    for code in np.unique(image[image > 0]):
        rows = np.flatnonzero(image == code)
        turn, suits = int(code) % 4, _SUIT_ORDERS[int(code) // 4]
        owner[rows] = permute_suits(rotate_deals(owner[rows], turn), suits)
        tricks[rows] = permute_tricks(rotate_tricks(tricks[rows], turn), suits)
    number = position + 1
    dealer, vulnerability = _by_number(number)
    what = f"{count:,} boards of the {split} split of {lib.path.name} ({len(order):,} deals), seed {seed}"
    return Boards(owner, dealer, vulnerability, number, base.astype(np.int64), tricks, what)


def _first_image(seed: int, base: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each deal's walk through its 95 other images starts (the deal itself, image 0, comes first)."""
    return (streams.key("image", seed, base) % np.uint64(95)).astype(np.int64)


def _numbers(told: list[int | None]) -> NDArray[np.int64]:
    """The numbers of a file's boards; where some have none, or several the same, their places in it."""
    known = [number for number in told if number is not None]
    distinct = len(known) == len(told) == len(set(known))
    return np.array(known if distinct else range(1, len(told) + 1), np.int64)


def pbn_boards(path: str | Path, count: int | None = None) -> Boards:
    """The boards of a PBN or LIN file, with its numbers, the first ``count`` of them (default all).

    Bad ones are told in ``problems``.

    Raises:
        BoardsError: the file has no board that can be bid.
        OSError: the file cannot be read.
    """
    from bridge_env.records.read import read_records

    result = read_records(path)
    problems = tuple(f"{p.file}:{p.line}: {p.reason}" for p in result.problems)
    chosen = result.boards[:count]
    if not chosen:
        why = problems[0] if problems else "it holds none"
        raise BoardsError(f"{path}: no board can be read ({why})")
    owner = np.stack([b.owner for b in chosen])
    base = canonical_key(owner).astype(np.int64)  # files of events hold a deal once for every table
    return Boards(
        owner,
        np.array([b.dealer for b in chosen], np.int16),
        np.array([b.vulnerability for b in chosen], np.int16),
        _numbers([b.number for b in chosen]), base, None, f"{len(chosen):,} boards of {path}", problems,
    )  # fmt: skip
