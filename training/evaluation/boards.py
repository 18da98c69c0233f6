"""The boards of a match or of a generation, cut from the library's endless sequence or read from a PBN file."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy.boards import Boards
from bridge_env.double_dummy.library import Library, builtin_library
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, symmetries_of, symmetry_number
from bridge_env.hands.canonical import canonical_key
from bridge_env.rng import streams
from bridge_env.rules.cards import board_dealer, board_vulnerability

__all__ = ["Boards", "BoardsError", "library_boards", "mean_and_error", "nan_as_none", "pbn_boards", "standard_error"]

# The order in which a match goes through a deal's images: all turns of the table, then the next order of the suits.
_WALK = symmetry_number(np.arange(NUM_SYMMETRIES) // 4, np.arange(NUM_SYMMETRIES) % 4)
_OTHERS = NUM_SYMMETRIES - 1  # images that are not the deal itself


class BoardsError(ValueError):
    """Boards cannot be made; the message says why."""


def library_boards(
    count: int, seed: int, split: str = "judging", *, start: int = 0, library: Library | None = None,
    among: NDArray[np.intp] | None = None,
) -> Boards:  # fmt: skip
    """Return boards ``start .. start + count - 1`` of the endless sequence that (seed, split) names.

    The sequence goes through the split's deals in a shuffled order, then through them again with suits and
    seats permuted (each time differently), so 96 exact deals come from one that was solved. Dealer and
    vulnerability follow the board numbers, which begin at 1. A board depends on (seed, split, number) alone, and on
    ``among``: these deals of the split instead of all.
    """
    if count < 0 or start < 0:
        raise BoardsError(f"the number of boards is {count}, from {start}; both must be 0 or more")
    lib = builtin_library() if library is None else library
    indices = lib.split(split) if among is None else among
    if not len(indices):
        raise BoardsError(f"{lib.path}: no deal of it is in the split {split!r}")
    order = indices[np.argsort(streams.key("shuffle", split, seed, indices), kind="stable")]
    position = np.arange(start, start + count)
    base = order[position % len(order)]
    round_ = position // len(order) % NUM_SYMMETRIES
    first = (streams.key("image", seed, base) % np.uint64(_OTHERS)).astype(np.int64)  # place 0 is the deal itself
    place = np.where(round_ > 0, 1 + (first + round_) % _OTHERS, 0)
    owner, tricks = symmetries_of(lib.records, base, _WALK[place])
    number = position + 1
    what = f"{count:,} boards of the {split} split of {lib.path.name} ({len(order):,} deals), seed {seed}"
    dealer, vulnerability = board_dealer(number).astype(np.int16), board_vulnerability(number).astype(np.int16)
    return Boards(owner, dealer, vulnerability, number, base, tricks, what)


def pbn_boards(path: str | Path, count: int | None = None) -> Boards:
    """Return the first ``count`` boards (default all) of a PBN or LIN file, with its numbers and tables of tricks.

    A board without a number has its place in the file. ``problems`` lists the boards that cannot be read, and the
    repairs.

    Raises:
        BoardsError: the file has no board that can be bid.
        OSError: the file cannot be read.
    """
    from bridge_env.records.board import problem_texts
    from bridge_env.records.read import read_records
    from bridge_env.records.tables import tables_of

    result = read_records(path)
    problems = problem_texts(result.problems)
    chosen = result.boards[:count]
    if not chosen:
        why = problems[0] if problems else "it holds none"
        raise BoardsError(f"{path}: no board can be read ({why})")
    owner = np.stack([b.owner for b in chosen])
    return Boards(
        owner,
        np.array([b.dealer for b in chosen], np.int16),
        np.array([b.vulnerability for b in chosen], np.int16),
        number=np.array([b.number or place for place, b in enumerate(chosen, 1)], np.int64),
        base=canonical_key(owner).astype(np.int64),  # files of events hold a deal once for every table
        tricks=tables_of(chosen),
        source=f"{len(chosen):,} boards of {path}",
        problems=problems,
        of_file=True,
    )


def nan_as_none(number: float) -> float | None:
    """Return a figure for JSON, with None in place of NaN."""
    return None if math.isnan(number) else number


def first_deal_hash(boards: Boards) -> str:
    """Return 16 hex digits that identify the first board, for the headers of result logs."""
    return hashlib.sha256(boards.owner[0].tobytes() + boards.number[:1].tobytes()).hexdigest()[:16]


def mean_and_error(values: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of independent ``values`` (N,) and its standard error, NaN below two."""
    return float(values.mean()), float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else math.nan


def standard_error(values: NDArray[Any], base: NDArray[np.int64]) -> float:
    """Return the standard error of the mean of ``values`` (N,), clustered by ``base`` (N,); NaN below two deals."""
    _, cluster = np.unique(base, return_inverse=True)
    groups = int(cluster.max()) + 1 if len(cluster) else 0
    if groups < 2:
        return float("nan")
    deviations = np.bincount(cluster, weights=values - values.mean(), minlength=groups)
    return float(np.sqrt((deviations**2).sum() * groups / (groups - 1)) / len(values))
