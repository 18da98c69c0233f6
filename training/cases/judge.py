"""Measure how often a case base makes the recorded call on held-out boards, and how long it takes to find its cases."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase
from agents.cases.bidder import CaseBidder, majority
from agents.cases.leaf_index import by_leaves
from bridge_env import streams
from bridge_env.calls import FIRST_BID, PASS
from training.cases.states import States

_BATCH = 8192
LAST_ROUND = 5  # this one and all later ones are one row
_ALONE = 500  # states that are looked up one by one
_CASES, _SEED = 100_000, 1  # of a larger base, to measure with
_LENT = 8  # one in so many leaves of a made-up case is another case's


@dataclass(frozen=True)
class Share:
    """A row of a table: how many states, how many called as recorded; the same of those that are not passes."""

    name: str
    asked: int
    right: int
    asked_bids: int
    right_bids: int

    @property
    def percent(self) -> tuple[float, float]:
        """Percent right and its standard error, states taken as independent."""
        return _percent(self.right, self.asked)

    @property
    def percent_bids(self) -> tuple[float, float]:
        """The same of those that are not passes."""
        return _percent(self.right_bids, self.asked_bids)

    def __str__(self) -> str:
        (right, error), (bids, bids_error) = self.percent, self.percent_bids
        told = f"{self.name}: {right:.2f}% ± {error:.2f} of {self.asked:,}"
        return f"{told}, not passes {bids:.2f}% ± {bids_error:.2f}"


def _percent(right: int, asked: int) -> tuple[float, float]:
    share = right / asked if asked else 0.0
    return 100 * share, 100 * float(np.sqrt(share * (1 - share) / asked)) if asked else 0.0


def share(name: str, rows: NDArray[np.bool_], made: NDArray[np.int8], called: NDArray[np.int8]) -> Share:
    """One row, of some of the states."""
    right, bids = rows & (made == called), rows & (called != PASS)
    return Share(name, int(rows.sum()), int(right.sum()), int(bids.sum()), int((right & bids).sum()))


def shares(kinds: Mapping[str, NDArray[np.bool_]], made: NDArray[np.int8], called: NDArray[np.int8]) -> list[Share]:
    """A row for each kind of states that there are."""
    return [share(name, rows, made, called) for name, rows in kinds.items() if rows.any()]


def sides(states: States) -> NDArray[np.int64]:
    """Whose call it is: 0 nobody has opened, 1 the side that has, 2 the other."""
    bid = states.view.history >= FIRST_BID
    opener = (states.view.dealer + bid.argmax(axis=1)) & 1
    return np.where(bid.any(axis=1), np.where(opener == (states.view.seat & 1), 1, 2), 0)


def rounds_and_sides(made: NDArray[np.int8], states: States) -> list[Share]:
    """All calls, openings, then every round and side."""
    side, number = sides(states), np.minimum(states.view.length // 4 + 1, LAST_ROUND)
    of_side = {"opener's side": side == 1, "other side": side == 2}
    kinds = {"all calls": np.ones(len(states), np.bool_), "openings": side == 0}
    for n in range(1, LAST_ROUND + 1):
        name = f"round {n}" + (" and later" if n == LAST_ROUND else "")
        kinds[name] = number == n
        kinds |= {f"{name}, {words}": kinds[name] & rows for words, rows in of_side.items()}
    return shares(kinds | of_side, made, states.called)


def calls(base: CaseBase, states: States) -> NDArray[np.int8]:
    """Return the calls of a base in recorded states."""
    return CaseBidder(base).bid(states.view, np.zeros(len(states), np.uint64))


def facts(base: CaseBase, held: States) -> dict[str, Any]:
    """Return the sizes of a base and of the held-out states, and how quick its look-ups are."""
    return {
        "cases": len(base), "boards": len(base.dealer), "held": len(held), "held_boards": len(set(held.board.tolist())),
        "k": base.k, "trees": len(base.forests[0]), "also": base.fitted.get("also", ()), **speeds(base, held),
    }  # fmt: skip


# --- speed ------------------------------------------------------------------------------------------------


def speeds(base: CaseBase, states: States) -> dict[str, float]:
    """Look-ups of recorded states in ms: in this base and in one of 100,000 cases, alone and in one batch."""
    bidder = CaseBidder(base)
    parts = (np.arange(at, min(at + _BATCH, len(states))) for at in range(0, len(states), _BATCH))
    place = np.concatenate([bidder.described(states.view.take(rows))[0] for rows in parts])
    alone, batched = looked_up(base, place, states.opened)
    many_alone, many_batched = looked_up(of_size(base, _CASES), place, states.opened)
    calls_left_out, right, seconds = leave_one_out(base, len(base.dealer))
    return {
        "alone": alone, "batched": batched, "many": _CASES, "many_alone": many_alone, "many_batched": many_batched,
        "left_out": calls_left_out, "left_out_right": right, "left_out_seconds": seconds,
    }  # fmt: skip


def looked_up(base: CaseBase, place: NDArray[np.int16], opened: NDArray[np.bool_]) -> tuple[float, float]:
    """Milliseconds of a look-up at places int16 (N, D) of other states: the first 500 alone, then all together."""
    base.nearest(place[:1], opened[:1], base.k)  # makes the index, compiles
    few = min(_ALONE, len(place))
    began = time.perf_counter()
    for row in range(few):
        base.nearest(place[row : row + 1], opened[row : row + 1], base.k)
    alone = (time.perf_counter() - began) / few
    began = time.perf_counter()
    base.nearest(place, opened, base.k)
    return 1000 * alone, 1000 * (time.perf_counter() - began) / len(place)


def of_size(base: CaseBase, cases: int) -> CaseBase:
    """The same base with so many cases, to measure with: a smaller one is filled with cases beside its own."""
    order = np.argsort(streams.key("of size", _SEED, np.arange(len(base))), kind="stable")
    rows = order[np.arange(cases) % len(base)]
    point = base.point[rows]
    copies = np.flatnonzero(np.arange(cases) >= len(base))
    for kind in (False, True):  # another case of its kind lends some of its leaves
        some = copies[base.opened[rows[copies]] == kind]
        lender = np.roll(some, 1)
        lent = streams.key("lent", _SEED, np.arange(len(some) * point.shape[1])).reshape(len(some), point.shape[1])
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
