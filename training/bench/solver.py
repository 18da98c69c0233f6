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
from bridge_env.double_dummy import positions
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.own import OwnDoubleDummy

SOLVERS = OwnDoubleDummy, ExactDoubleDummy
_SEED = 20_260
_TABLES, _CONTRACTS = 24, 150
_POSITIONS = {4: 2000, 5: 1500, 6: 1000, 7: 600, 8: 400, 9: 200, 10: 100, 11: 50, 12: 30, 13: 24}  # by cards a hand

Answers = NDArray[np.int8]
Position = tuple[NDArray[np.uint8], NDArray[np.intp], NDArray[np.intp], Answers]  # left, strain, leader, trick


_SAID = """Both solve the same deals by turns; DDS is the copy that endplay ships.
A ratio above 1 says that ours is faster. Milliseconds a piece and the ratio are medians; the range is the ratios'."""


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


def _cards(own_up_to: int, asked: Position) -> Answers:
    """The cards of positions by our solver up to so many cards a hand, else by DDS, on one thread."""
    usual, positions.OWN_CARDS = positions.OWN_CARDS, own_up_to
    try:
        return positions.card_tricks(*asked, 1)
    finally:
        positions.OWN_CARDS = usual


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
    _cards(13, _endings(4, 1))
    for left, count in _POSITIONS.items():
        what, asked = f"all cards of positions with {left} cards a hand", _endings(left, count)
        yield _row(what, count, partial(_cards, 13, asked), partial(_cards, 0, asked), repetitions)


def _seconds(solver: ExactDoubleDummy, deal: NDArray[np.uint8]) -> float:
    began = time.perf_counter()
    solver.tricks(deal[None])
    return time.perf_counter() - began


def markdown(measured: Sequence[Row], machine: str, command: str) -> str:
    """The page of results."""
    lines = ["# Our double-dummy solver beside DDS", "", f"`{command}`, one run: {machine}. {_SAID}", "",
             "| | pieces | ours | DDS | ratio | range | different answers |",
             "| --- | ---: | ---: | ---: | ---: | --- | ---: |"]  # fmt: skip
    for row in measured:
        lines.append(
            f"| {row.what} | {row.pieces:,} | {row.ours:.3g} | {row.theirs:.3g} | {row.ratio:.2f} "
            f"| {row.least:.2f} to {row.most:.2f} | {row.different} |"
        )
    lines += [
        "",
        f"Positions of up to {positions.OWN_CARDS} cards a hand are solved by ours, and everything else by DDS.",
    ]
    return "\n".join(lines) + "\n"
