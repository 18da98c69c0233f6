"""Time our own double-dummy solver beside DDS on the same deals, by turns, and compare what they say."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import random_deals
from bridge_env.double_dummy.dds import (
    BOARDS_PER_CALL,
    DDS_LOCK,
    THEIR_STRAIN,
    DdsDoubleDummy,
    asked_boards,
    load_dds,
    solved_boards,
)
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.positions import ALL_CARDS, NOT_LEGAL, card_tricks

SOLVERS = ExactDoubleDummy, DdsDoubleDummy
_SEED = 20_260
_TABLES, _CONTRACTS = 24, 150
_POSITIONS = {4: 2000, 5: 1500, 6: 1000, 7: 600, 8: 400, 9: 200, 10: 100, 11: 50, 12: 30, 13: 24}  # by cards a hand

# Offsets in DDS's records, in 32-bit words.
_TRICK_SUITS, _TRICK_RANKS = slice(2, 5), slice(5, 8)
_CARDS, _SUIT, _RANK, _EQUALS, _SCORE = 1, 2, 15, 28, 41

Answers = NDArray[np.int8]
Position = tuple[NDArray[np.uint8], NDArray[np.intp], NDArray[np.intp], Answers]  # left, strain, leader, trick


_SAID = """Both solve the same deals by turns; DDS is the copy that endplay ships.
A ratio above 1 says that ours is faster. Milliseconds a piece and the ratio are medians; the range is the ratios'."""
_USED = """Ours is used everywhere. DDS checks samples of what it solved."""


@dataclass(frozen=True)
class Row:
    """Milliseconds a piece of ours and of DDS, medians; the ratio theirs / ours, with its range; disagreements."""

    what: str
    pieces: int
    ours: float
    theirs: float
    ratio: float
    least: float
    most: float
    different: int


def _row(what: str, pieces: int, ours: Callable[[], Answers], theirs: Callable[[], Answers], repetitions: int) -> Row:
    times: list[tuple[float, float]] = []
    for _ in range(repetitions):
        began = time.perf_counter()
        mine = ours()
        between = time.perf_counter()
        other = theirs()
        times.append((between - began, time.perf_counter() - between))
    ratios = [b / a for a, b in times]
    a, b = (1000 * statistics.median(column) / pieces for column in zip(*times, strict=True))
    different = int((mine != other).reshape(len(mine), -1).any(axis=1).sum())
    return Row(what, pieces, a, b, statistics.median(ratios), min(ratios), max(ratios), different)


def _endings(left: int, count: int) -> Position:
    """Positions of so many random cards in every hand, of random strains and leaders, at the beginning of a trick."""
    rng = np.random.default_rng([_SEED, left])
    owner = np.full((count, 52), 255, np.uint8)
    for row in owner:
        row[rng.permutation(52)[: 4 * left]] = np.repeat(np.arange(4, dtype=np.uint8), left)
    trick = np.full((count, 3), -1, np.int8)
    return owner, rng.integers(5, size=count), rng.integers(4, size=count), trick


def dds_cards(
    left: NDArray[np.uint8], strain: NDArray[np.intp], leader: NDArray[np.intp], trick: Answers, wanted: int = ALL_CARDS
) -> Answers:
    """What ``card_tricks`` of checked positions, all (N, ...), are by DDS, on one thread."""
    out = np.full((len(left), 52), NOT_LEGAL, np.int8)
    with DDS_LOCK:
        dds = load_dds(1)
        for start in range(0, len(left), BOARDS_PER_CALL):
            part = slice(start, start + BOARDS_PER_CALL)
            asked, boards = asked_boards(dds, left[part], strain[part], leader[part], wanted)
            there = trick[part] >= 0
            boards[:, _TRICK_SUITS] = np.where(there, THEIR_STRAIN[np.maximum(trick[part], 0) // 13], 0)
            boards[:, _TRICK_RANKS] = np.where(there, trick[part] % 13 + 2, 0)
            _write_values(solved_boards(dds, asked, len(boards)), out[part])
    return out


def _write_values(futures: NDArray[np.int32], out: Answers) -> None:
    """Write DDS's lists of cards, with equal ones, as values of all cards, (n, 52)."""
    row, k = np.nonzero(np.arange(13) < futures[:, _CARDS, None])
    suit = THEIR_STRAIN[futures[row, _SUIT + k]]
    ranks = futures[row, _EQUALS + k] | (1 << futures[row, _RANK + k])  # bits 2..14 for ranks 2..A
    value = futures[row, _SCORE + k].astype(np.int8)
    at, rank = np.nonzero(ranks[:, None] >> np.arange(2, 15) & 1)
    out[row[at], 13 * suit[at] + rank] = value[at]


def rows(repetitions: int) -> Iterator[Row]:
    """Measure tables, contracts and cards on one core, and tables on two."""
    tables, single = np.split(random_deals(_SEED, 0, _TABLES + _CONTRACTS), [_TABLES])
    declarer, strain = np.arange(_CONTRACTS) % 4, np.arange(_CONTRACTS) // 4 % 5

    ours, theirs = ((kind(threads=1, cache_size=0), kind(threads=2, cache_size=0)) for kind in SOLVERS)
    for one in (ours[0], theirs[0]):
        one.tricks(tables[:1])
    slowest = max(range(_TABLES), key=lambda row: _seconds(theirs[0], tables[row]))
    hard = tables[slowest : slowest + 1]
    for which, deals, core in (
        ("whole tables, one core", tables, 0),
        ("whole tables, two cores", tables, 1),
        ("the table of these that DDS takes longest for", hard, 0),
    ):
        yield _row(
            which, len(deals), partial(ours[core].tricks, deals), partial(theirs[core].tricks, deals), repetitions
        )
    contracts = single, declarer, strain
    yield _row(
        "one contract a deal", _CONTRACTS,
        partial(ours[0].tricks_for, *contracts), partial(theirs[0].tricks_for, *contracts), repetitions,
    )  # fmt: skip
    card_tricks(*_endings(4, 1), threads=1)  # compiled
    for left, count in _POSITIONS.items():
        what, asked = f"all cards of positions with {left} cards a hand", _endings(left, count)
        yield _row(what, count, partial(card_tricks, *asked, threads=1), partial(dds_cards, *asked), repetitions)


def _seconds(solver: ExactDoubleDummy, deal: NDArray[np.uint8]) -> float:
    began = time.perf_counter()
    solver.tricks(deal[None])
    return time.perf_counter() - began


def markdown(measured: Sequence[Row], machine: str, command: str) -> str:
    lines = ["# Our double-dummy solver beside DDS", "", f"`{command}`, one run: {machine}. {_SAID}", "",
             "| | pieces | ours | DDS | ratio | range | different answers |",
             "| --- | ---: | ---: | ---: | ---: | --- | ---: |"]  # fmt: skip
    for row in measured:
        lines.append(
            f"| {row.what} | {row.pieces:,} | {row.ours:.3g} | {row.theirs:.3g} | {row.ratio:.2f} "
            f"| {row.least:.2f} to {row.most:.2f} | {row.different} |"
        )
    lines += ["", _USED]
    return "\n".join(lines) + "\n"
