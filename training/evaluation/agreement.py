"""Measure how often calls are as recorded, by kind of auction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.errors import call_bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView
from bridge_env.hands.canonical import is_judging
from bridge_env.rng import streams
from bridge_env.rules.calls import FIRST_BID, PASS
from training.evaluation.recorded_calls import read_states
from training.runtime.pages import table

LAST_ROUND = 5  # this one and all later ones are one row


@dataclass(frozen=True)
class Share:
    """Count the calls of a kind that are as recorded."""

    name: str
    calls: int
    right: int
    bids: int  # recorded calls that are not passes
    right_bids: int


def percent(part: int, total: int) -> str:
    """Return a percentage with its standard error, observations taken as independent; empty of no observation."""
    if not total:
        return ""
    share = part / total
    return f"{100 * share:.1f} ± {100 * float(np.sqrt(share * (1 - share) / total)):.1f}"


def shares(
    kinds: Mapping[str, NDArray[np.bool_]], made: NDArray[np.integer[Any]], called: NDArray[np.int8]
) -> list[Share]:
    """Return a row for each kind, a mask of states, that occurs; ``made`` are compared with the calls recorded."""
    right, bids = made == called, called != PASS
    return [
        Share(name, *(int(rows.sum()) for rows in (kind, kind & right, kind & bids, kind & right & bids)))
        for name, kind in kinds.items()
        if kind.any()
    ]


def share_table(rows: Sequence[Share]) -> list[str]:
    """Return the lines of a table of shares."""
    cells = (
        (row.name, f"{row.calls:,}", percent(row.right, row.calls), f"{row.bids:,}", percent(row.right_bids, row.bids))
        for row in rows
    )
    return table(("", "calls", "right %", "not passes", "right %"), cells)


def rounds_and_sides(view: BidView) -> dict[str, NDArray[np.bool_]]:
    """Return kinds of states by name, bool (N,): all calls, openings, every round, and both sides in it."""
    bid = view.history >= FIRST_BID
    opener = (view.dealer + bid.argmax(axis=1)) & 1
    side = np.where(bid.any(axis=1), np.where(opener == (view.seat & 1), 1, 2), 0)
    number = np.minimum(view.length // 4 + 1, LAST_ROUND)
    of_side = {"opener's side": side == 1, "other side": side == 2}
    kinds = {"all calls": np.ones(len(view), np.bool_), "openings": side == 0}
    for n in range(1, LAST_ROUND + 1):
        name = f"round {n}" + (" and later" if n == LAST_ROUND else "")
        kinds[name] = number == n
        kinds |= {f"{name}, {words}": kinds[name] & rows for words, rows in of_side.items()}
    return kinds | of_side


def agreement(
    spec: str, files: Sequence[str | Path], rounds: str = "openings", *, held_out: bool = False
) -> tuple[list[Share], tuple[str, ...]]:
    """Compare the calls of a bidder with those of recorded auctions.

    Args:
        rounds: ``openings`` (the calls up to the first bid) or ``all``, by round and side.
        held_out: only boards whose deals lie in the judging part.

    Returns:
        How often the calls are the same; and the boards that could not be read, as file:line: reason.

    Raises:
        ValueError: the spec is faulty, or no board of the files has an auction.
        OSError: a file cannot be read.
    """
    bidder, states = make(spec), read_states(files)
    if held_out:
        states = states.take(is_judging(states.owner)[states.board])
    if rounds == "openings":
        states = states.take(~states.opened)
    kinds = rounds_and_sides(states.view) if rounds == "all" else {rounds: np.ones(len(states), np.bool_)}
    made = call_bidder(bidder, states.view, streams.key("agreement", np.arange(len(states))))
    return shares(kinds, made, states.called), states.problems
