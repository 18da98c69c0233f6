"""The study of 2008 repeated: openings by the k most similar hands, each hand left out of its own case base.

The majority's call is made, in a tie that of the nearest. The published figures are of CBridge1 and CBridge1a (adapted)
of Bellamy-McIntyre (2008). The same similarity on WBridge5's calls is right far more often than they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cases.bidder import majority
from bridge_env.rules.calls import PASS
from studies.cases_2008.similarity import Hands, adapted, nearest
from training.cases.states import States
from training.runtime.pages import table

MOST = 20
FIRST = 2091  # openings of the study

#: k -> percent right as published, of CBridge1 and of CBridge1a.
PUBLISHED_RIGHT = {1: (36.97, 37.25), 10: (52.12, 53.37), 20: (53.28, 54.81)}
PUBLISHED_SIMILARITY = {1: 85.20, 20: 76.20}


@dataclass(frozen=True)
class Row:
    """Hold the figures of the calls of one k; pairs are of plain calls and of adapted ones."""

    k: int
    states: int
    right: tuple[int, int]  # calls as recorded
    bids: int  # recorded calls that are not passes
    right_bids: tuple[int, int]  # of them, calls as recorded
    similarity: float  # the mean of all k nearest cases of all hands

    def percent(self, adapted: bool) -> tuple[float, float]:
        """Return the percent right and its standard error, states taken as independent."""
        share = self.right[adapted] / self.states
        return 100 * share, 100 * float(np.sqrt(share * (1 - share) / self.states))


def openings(states: States) -> dict[str, States]:
    """Return three sets of calls by name: the dealer's of the first 2,091 boards and of all, all up to the opening."""
    calls = states.take(~states.opened)
    dealers = calls.take(calls.view.length == 0)
    first = dealers.take(np.arange(min(FIRST, len(dealers))))
    return {f"Dealer, first {len(first):,}": first, "Dealer, all": dealers, "Up to the opening, all": calls}


def leave_one_out(hands: Hands, called: NDArray[np.int8]) -> list[Row]:
    """Return the rows of k = 1 .. 20 for hands bool (N, 52) and their calls int8 (N,), each left out in turn."""
    found = nearest(hands, min(MOST, len(hands) - 1))
    k = found.case.shape[1]
    plain = called[found.case]
    flat = found.case.reshape(-1)
    changed = adapted(called[flat], hands[flat], np.repeat(hands, k, axis=0)).reshape(plain.shape)
    bids = called != PASS
    rows = []
    for n in range(1, k + 1):
        right = [majority(calls[:, :n]) == called for calls in (plain, changed)]
        counts, bid_counts = ((int(a.sum()), int(b.sum())) for a, b in (right, [r[bids] for r in right]))
        rows.append(Row(n, len(called), counts, int(bids.sum()), bid_counts, float(found.similarity[:, :n].mean())))
    return rows


def row_table(rows: Sequence[Row], published: bool) -> list[str]:
    """Return the lines of the table of a set of openings, with the published figures beside it if ``published``."""
    heads = ["k", "right", "right, adapted", "not passes", "not passes, adapted", "similarity"]
    cells = []
    for row in rows:
        right = [f"{percent:.2f} ± {error:.2f}" for percent, error in (row.percent(False), row.percent(True))]
        bids = [f"{100 * count / max(row.bids, 1):.2f}" for count in row.right_bids]
        line = [str(row.k), *right, *bids, f"{row.similarity:.2f}"]
        if published:
            line.append(" · ".join(f"{percent:.2f}" for percent in PUBLISHED_RIGHT.get(row.k, ())))
            line.append(f"{PUBLISHED_SIMILARITY[row.k]:.2f}" if row.k in PUBLISHED_SIMILARITY else "")
        cells.append(line)
    return table([*heads, *["published 1 · 1a", "published similarity"] * published], cells, left=0)
