"""How long a case base takes to find its nearest cases, and what it gets right of itself with each case left out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase
from agents.cases.bidder import majority
from agents.cases.shared import by_leaves
from bridge_env import streams

ALONE = 500
CASES = 100_000
_LENT = 8  # one in so many leaves of a made-up case is another case's


@dataclass(frozen=True)
class Speed:
    """Look-ups among ``cases`` cases, in ms: one at a time, and in one batch."""

    cases: int
    alone: float
    batched: float


def looked_up(base: CaseBase, place: NDArray[np.int16], opened: NDArray[np.bool_]) -> Speed:
    """Of the places int16 (N, D) of other states: the first 500 alone, then all together."""
    base.nearest(place[:1], opened[:1], base.k)  # makes the index, compiles
    few = min(ALONE, len(place))
    began = time.perf_counter()
    for row in range(few):
        base.nearest(place[row : row + 1], opened[row : row + 1], base.k)
    alone = (time.perf_counter() - began) / few
    began = time.perf_counter()
    base.nearest(place, opened, base.k)
    return Speed(len(base), 1000 * alone, 1000 * (time.perf_counter() - began) / len(place))


def of_size(base: CaseBase, cases: int = CASES, seed: int = 1) -> CaseBase:
    """The same base with so many cases, to measure with: a smaller one is filled with cases beside its own."""
    order = np.argsort(streams.key("of size", seed, np.arange(len(base))), kind="stable")
    rows = order[np.arange(cases) % len(base)]
    point = base.point[rows]
    copies = np.flatnonzero(np.arange(cases) >= len(base))
    for kind in (False, True):  # another case of its kind lends some of its leaves
        some = copies[base.opened[rows[copies]] == kind]
        lender = np.roll(some, 1)
        lent = streams.key("lent", seed, np.arange(len(some) * point.shape[1])).reshape(len(some), point.shape[1])
        point[some] = np.where(lent % np.uint64(_LENT) == 0, point[lender], point[some])
    return replace(base, board=base.board[rows], number=base.number[rows], hand=base.hand[rows], point=point)


def leave_one_out(base: CaseBase, boards: int) -> tuple[int, int, float]:
    """Calls of the first boards, how many of them their nearest other cases call too, and the seconds it took.

    The similarity has learned from these calls, so that they are better than those of boards held out.
    """
    began, asked, right = time.perf_counter(), 0, 0
    for kind in (False, True):
        cases = np.flatnonzero(base.opened == kind)
        rows = cases[base.board[cases] < boards]
        found, _ = by_leaves(base.point[cases], cases).nearest(base.point[rows], base.k + 1)
        others = found != rows[:, None]
        others &= np.cumsum(others, axis=1) <= base.k  # of many as near, the case itself may not be among them
        kept = found[others].reshape(len(rows), base.k)
        right += int((majority(base.calls(kept)) == base.called[rows]).sum())
        asked += len(rows)
    return asked, right, time.perf_counter() - began
