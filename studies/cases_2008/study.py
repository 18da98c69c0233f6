"""The study of 2008 repeated: openings by the k nearest hands, each hand left out of its own case base."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cases.bidder import majority
from bridge_env import streams
from bridge_env.calls import NUM_CALLS, PASS
from studies.cases_2008.similarity import Hands, adapted, nearest, passes
from training.cases.states import States

MOST = 20
FIRST = 2091  # openings of the study

#: k -> percent right as published, of CBridge1 and of CBridge1a.
PUBLISHED_RIGHT = {1: (36.97, 37.25), 10: (52.12, 53.37), 20: (53.28, 54.81)}
PUBLISHED_SIMILARITY = {1: 85.20, 20: 76.20}
PUBLISHED_BIDS = 14.6  # percent right of the hands that should not pass


@dataclass(frozen=True)
class Row:
    """One k, leave-one-out.

    Attributes:
        right, right_bids: calls as recorded, of all and of those that are no pass; plain, then adapted.
        passes: how many passes the k nearest make; plain, then adapted.
        similarity: the mean of all k nearest cases of all hands.
    """

    k: int
    right: tuple[int, int]
    right_bids: tuple[int, int]
    passes: tuple[int, int]
    similarity: float


@dataclass(frozen=True)
class Table:
    """One set of openings.

    Attributes:
        name: which openings.
        states, bids: how many, and how many of them are no pass.
        seconds: that the search took.
        chance: percent of pairs of calls that are the same: what a case drawn blindly gets right.
    """

    name: str
    states: int
    bids: int
    seconds: float
    chance: float
    rows: tuple[Row, ...]


def tables(states: States) -> list[Table]:
    """The dealer's calls of the first 2,091 boards and of all; then all calls up to the opening."""
    calls = states.take(~states.opened)
    dealers = calls.take(calls.view.length == 0)
    first = dealers.take(np.arange(min(FIRST, len(dealers))))
    named = ((f"dealer, first {len(first):,}", first), ("dealer, all", dealers), ("up to the opening, all", calls))
    return [table(name, part.view.hand, part.called) for name, part in named]


def table(name: str, hands: Hands, called: NDArray[np.int8]) -> Table:
    """k = 1 .. 20 with each hand left out in turn."""
    began = time.perf_counter()
    found = nearest(None, hands, min(MOST, len(hands) - 1))
    seconds = time.perf_counter() - began
    k = found.case.shape[1]
    plain = called[found.case]
    flat = found.case.reshape(-1)
    changed = adapted(called[flat], hands[flat], np.repeat(hands, k, axis=0)).reshape(plain.shape)
    bids = called != PASS
    rows = []
    for n in range(1, k + 1):
        made = [majority(calls[:, :n]) for calls in (plain, changed)]
        right = [m == called for m in made]
        rows.append(
            Row(n, (int(right[0].sum()), int(right[1].sum())), (int(right[0][bids].sum()), int(right[1][bids].sum())),
                (passes(made[0]), passes(made[1])), float(found.similarity[:, :n].mean()))
        )  # fmt: skip
    share = np.bincount(called, minlength=NUM_CALLS) / len(called)
    return Table(name, len(called), int(bids.sum()), seconds, 100 * float((share**2).sum()), tuple(rows))


def with_calls_of_others(states: States, seed: int = 1) -> list[float]:
    """Percent right, k = 1 .. 20, on the first 2,091 if the cases' calls belong to other hands, drawn blindly."""
    first = states.take(states.view.length == 0).take(np.arange(min(FIRST, int((states.view.length == 0).sum()))))
    order = np.argsort(streams.key("study of 2008", seed, np.arange(len(first))))
    calls = first.called[order][nearest(None, first.view.hand, min(MOST, len(first) - 1)).case]
    return [100 * float((majority(calls[:, :k]) == first.called).mean()) for k in range(1, calls.shape[1] + 1)]


def similarity_among(states: States, count: int, seed: int = 1) -> tuple[float, float]:
    """Mean similarity at k = 1 and 20 of the first 2,091 if the base holds only ``count`` cases, drawn blindly."""
    first = states.take(states.view.length == 0).take(np.arange(min(FIRST, int((states.view.length == 0).sum()))))
    order = np.argsort(streams.key("few cases", seed, np.arange(len(first))))
    base, asked = order[:count], order[count:]
    found = nearest(first.view.hand[asked], first.view.hand[base], min(MOST, count)).similarity
    return float(found[:, 0].mean()), float(found.mean())
