"""How often a case base makes the recorded call on boards that it does not hold: by round, by side, by node."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase
from agents.cases.bidder import CaseBidder
from bridge_env.calls import FIRST_BID, PASS
from bridge_env.features import FEATURES, hand_features
from training.cases.states import States

LAST_ROUND = 5  # this one and all later ones are one row
_SHAPES = ("balanced", "one suit", "two suits", "three suits")
_BANDS = (("0-7", 0, 7), ("8-11", 8, 11), ("12-14", 12, 14), ("15-17", 15, 17), ("18+", 18, 37))
SPARSE = 200  # a node with fewer cases is one with the others of its strength


@dataclass(frozen=True)
class Share:
    """A row of a table: how many states, how many called as recorded; the same of those that are not passes."""

    name: str
    asked: int
    right: int
    asked_bids: int
    right_bids: int
    cases: int | None = None

    @property
    def percent(self) -> tuple[float, float]:
        """Percent right and its standard error, states taken as independent."""
        return _percent(self.right, self.asked)

    @property
    def percent_bids(self) -> tuple[float, float]:
        """The same of those that are not passes."""
        return _percent(self.right_bids, self.asked_bids)


def _percent(right: int, asked: int) -> tuple[float, float]:
    share = right / asked if asked else 0.0
    return 100 * share, 100 * float(np.sqrt(share * (1 - share) / asked)) if asked else 0.0


def share(
    name: str, rows: NDArray[np.bool_], made: NDArray[np.int8], states: States, cases: int | None = None
) -> Share:
    """One row, of some of the states."""
    right, bids = rows & (made == states.called), rows & (states.called != PASS)
    return Share(name, int(rows.sum()), int(right.sum()), int(bids.sum()), int((right & bids).sum()), cases)


def sides(states: States) -> NDArray[np.int64]:
    """Whose call it is: 0 nobody has opened, 1 the side that has, 2 the other."""
    bid = states.view.history >= FIRST_BID
    opener = (states.view.dealer + bid.argmax(axis=1)) & 1
    return np.where(bid.any(axis=1), np.where(opener == (states.view.seat & 1), 1, 2), 0)


def rounds_and_sides(made: NDArray[np.int8], states: States) -> list[Share]:
    """All calls, openings, then every round and side."""
    side, number = sides(states), np.minimum(states.view.length // 4 + 1, LAST_ROUND)
    out = [share("all calls", np.ones(len(states), np.bool_), made, states), share("openings", side == 0, made, states)]
    for n in range(1, LAST_ROUND + 1):
        name = f"round {n}" + (" and later" if n == LAST_ROUND else "")
        out.append(share(name, number == n, made, states))
        for which, words in ((1, "opener's side"), (2, "other side")):
            out.append(share(f"{name}, {words}", (number == n) & (side == which), made, states))
    for which, words in ((1, "opener's side"), (2, "other side")):
        out.append(share(words, side == which, made, states))
    return [row for row in out if row.asked]


def nodes(made: NDArray[np.int8], held_out: States, cases: States) -> list[Share]:
    """Openings by shape and strength, with the cases of each node; sparse ones of a strength are merged."""
    out: list[Share] = []
    asked, known = (_node(part) for part in (held_out, cases))
    for band, (points, _, _) in enumerate(_BANDS):
        sparse: list[int] = []
        for shape, words in enumerate(_SHAPES):
            node = shape * len(_BANDS) + band
            count = int((known == node).sum())
            if count < SPARSE:
                sparse.append(node)
            else:
                out.append(share(f"{words}, {points} points", asked == node, made, held_out, count))
        if sparse:
            words = ", ".join(_SHAPES[node // len(_BANDS)] for node in sparse)
            out.append(_merged(f"{words} (merged), {points} points", sparse, asked, known, made, held_out))
    return [row for row in out if row.asked]


def _merged(
    name: str, together: Iterable[int], asked: NDArray[np.int64], known: NDArray[np.int64], made: NDArray[np.int8],
    held_out: States,
) -> Share:  # fmt: skip
    numbers = list(together)
    return share(name, np.isin(asked, numbers), made, held_out, int(np.isin(known, numbers).sum()))


def _node(states: States) -> NDArray[np.int64]:
    """The node of each opening, -1 of other states."""
    f = hand_features(states.view.hand)
    lengths = np.sort(f[:, FEATURES["length:C"] : FEATURES["length:C"] + 4], axis=1)[:, ::-1]
    shape = np.where(lengths[:, 2] >= 4, 3, np.where(lengths[:, 1] >= 4, 2, 1))
    shape = np.where(f[:, FEATURES["balanced"]] == 1, 0, shape)
    band = np.searchsorted([most for _, _, most in _BANDS], f[:, FEATURES["hcp"]])
    return np.where(states.opened, -1, shape * len(_BANDS) + band)


def calls(base: CaseBase, states: States, alone: int = 200) -> tuple[NDArray[np.int8], dict[str, float]]:
    """What a base calls in recorded states; and how long a look-up takes in ms, in batches and ``alone`` at a time."""
    bidder = CaseBidder(base)
    point = np.concatenate([bidder.described(states.view.take(rows))[0] for rows in _batches(len(states))])
    base.nearest(point[:1], states.opened[:1], base.k)  # makes the index
    base.nearest(point[-1:], ~states.opened[-1:], base.k)
    began = time.perf_counter()
    base.nearest(point, states.opened, base.k)
    batched = (time.perf_counter() - began) / len(states)
    few = point[:alone]
    began = time.perf_counter()
    for row in range(len(few)):
        base.nearest(few[row : row + 1], states.opened[row : row + 1], base.k)
    single = (time.perf_counter() - began) / len(few)
    made = bidder.bid(states.view, np.zeros(len(states), np.uint64))
    return made, {"query": 1000 * batched, "single": 1000 * single}


def _batches(count: int, size: int = 8192) -> Iterable[NDArray[np.int64]]:
    return (np.arange(start, min(start + size, count)) for start in range(0, count, size))
