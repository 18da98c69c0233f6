"""Measure how often a case base makes the recorded call on held-out boards, by round and by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase
from agents.cases.bidder import CaseBidder
from bridge_env.calls import FIRST_BID, PASS
from training.cases import speed
from training.cases.states import States

_BATCH = 8192
LAST_ROUND = 5  # this one and all later ones are one row


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


def share(name: str, rows: NDArray[np.bool_], made: NDArray[np.int8], states: States) -> Share:
    """One row, of some of the states."""
    right, bids = rows & (made == states.called), rows & (states.called != PASS)
    return Share(name, int(rows.sum()), int(right.sum()), int(bids.sum()), int((right & bids).sum()))


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


def calls(base: CaseBase, states: States) -> NDArray[np.int8]:
    """Return the calls of a base in recorded states."""
    return CaseBidder(base).bid(states.view, np.zeros(len(states), np.uint64))


def speeds(base: CaseBase, states: States) -> dict[str, float]:
    """Look-ups of recorded states in ms: in this base and in one of 100,000 cases, alone and in one batch."""
    bidder = CaseBidder(base)
    parts = (np.arange(at, min(at + _BATCH, len(states))) for at in range(0, len(states), _BATCH))
    place = np.concatenate([bidder.described(states.view.take(rows))[0] for rows in parts])
    own = speed.looked_up(base, place, states.opened)
    many = speed.looked_up(speed.of_size(base), place, states.opened)
    calls_left_out, right, seconds = speed.leave_one_out(base, len(base.dealer))
    return {
        "alone": own.alone, "batched": own.batched, "many": many.cases, "many_alone": many.alone,
        "many_batched": many.batched, "left_out": calls_left_out, "left_out_right": right, "left_out_seconds": seconds,
    }  # fmt: skip
