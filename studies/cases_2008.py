"""Repeat the study of 2008: openings by the k most similar hands, each hand left out of its own case base.

The majority's call is made, in a tie that of the nearest. The published figures are of CBridge1 and CBridge1a (adapted)
of Bellamy-McIntyre (2008). The same similarity on WBridge5's calls is right far more often than they say.

Similarity, of 100: 51 for the ratio of the high-card points, 9 for that of each suit's lengths, 1 for each card that
both hold. A ratio is the smaller over the larger, 1 if both are 0. As a sum over (points, points), (length, length) and
(card, card) it is the product of two 0/1 rows with a table between them, so that blocks are one matrix product.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.cases.bidder import majority
from bridge_env.hands.features import HCP_AND_LENGTHS, hand_features
from bridge_env.rules.calls import FIRST_BID, PASS
from studies.tables import Found, run_study
from training.evaluation.recorded_calls import States, read_states
from training.runtime.pages import table

MOST = 20
FIRST = 2091  # openings of the study
#: k -> percent right as published, of CBridge1 and of CBridge1a.
PUBLISHED_RIGHT = {1: (36.97, 37.25), 10: (52.12, 53.37), 20: (53.28, 54.81)}
PUBLISHED_SIMILARITY = {1: 85.20, 20: 76.20}
_WEIGHTS = (51.0, 9.0, 9.0, 9.0, 9.0)  # of points and the four lengths
_STEPS = 1e9  # similarities are compared in these parts of one, so that rounding makes no ties and breaks none
_BLOCK = 256

Hands = NDArray[np.bool_]


def repeat(file: Path, /, *files: Path, out: Path = Path("results/cases/study-2008")) -> Found:
    """Repeat CBridge1 (2008) on recorded auctions, leaving out each hand in turn: seconds.

    Args:
        file: recorded auctions in PBN, plain or gzip
        files: more of them
        out: folder for the results
    """
    states = read_states([file, *files])
    for problem in states.problems:
        print(f"left out: {problem}", file=sys.stderr)
    rows = {name: leave_one_out(part.view.hand, part.called) for name, part in openings(states).items()}
    tables = {name: row_table(part, number == 0) for number, (name, part) in enumerate(rows.items())}
    for name, part in rows.items():
        shares = (f"k={k} {part[k - 1].percent(False)[0]:.2f}%" for k in (1, 10, 20) if k <= len(part))
        print(f"{name}: {part[0].states:,} states, {', '.join(shares)}")
    return out, tables, {name: [asdict(row) for row in part] for name, part in rows.items()}


def openings(states: States) -> dict[str, States]:
    """Return three sets of calls by name: the dealer's of the first 2,091 boards and of all, all up to the opening."""
    calls = states.take(~states.opened)
    dealers = calls.take(calls.view.length == 0)
    first = dealers.take(np.arange(min(FIRST, len(dealers))))
    return {f"Dealer, first {len(first):,}": first, "Dealer, all": dealers, "Up to the opening, all": calls}


def ratios(most: int) -> NDArray[np.float64]:
    """Return ``smaller / larger`` of all pairs of 0 .. ``most``, and 1 for a pair of zeros."""
    number = np.arange(most + 1, dtype=np.float64)
    low, high = np.minimum.outer(number, number), np.maximum.outer(number, number)
    return np.where(high > 0, low / np.maximum(high, 1), 1.0)


def nearest(hands: Hands, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the ``k`` most similar others of hands bool (N, 52), int64 (N, k), and similarity, float64 (N, k)."""
    counts, ratio = hand_features(hands)[:, HCP_AND_LENGTHS], ratios(37)
    marks = [np.eye(len(ratio))[column] for column in counts.T]
    cards = hands.astype(np.float64)
    plain = np.concatenate([cards, *marks], axis=1)
    weighed = [mark @ (weight * ratio) for mark, weight in zip(marks, _WEIGHTS, strict=True)]
    other = np.concatenate([cards, *weighed], axis=1).T
    found, near = np.empty((len(hands), k), np.int64), np.empty((len(hands), k))
    for start in range(0, len(hands), _BLOCK):
        similarity = np.rint(plain[start : start + _BLOCK] @ other * _STEPS) / _STEPS
        similarity[np.arange(len(similarity)), np.arange(start, start + len(similarity))] = -1
        best = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
        found[start : start + _BLOCK] = best
        near[start : start + _BLOCK] = np.take_along_axis(similarity, best, axis=1)
    return found, near


def adapted(calls: NDArray[np.int8], cases: Hands, hands: Hands) -> NDArray[np.int8]:
    """Adapt calls as CBridge1a: a bid in a longest suit of its hand becomes one in a longest suit of this hand.

    The suit stays if it is a longest one here too; else it is the highest of the longest.

    Args:
        calls: int8 (N,), of the cases.
        cases, hands: bool (N, 52), the cases' hands and those that are to bid.
    """
    suit = (calls.astype(np.int64) - FIRST_BID) % 5
    rows = np.arange(len(calls))
    theirs, ours = (h.reshape(-1, 4, 13).sum(axis=2) for h in (cases, hands))
    in_suit = (calls >= FIRST_BID) & (suit < 4)
    held = np.minimum(suit, 3)
    natural = in_suit & (theirs[rows, held] == theirs.max(axis=1)) & (ours[rows, held] < ours.max(axis=1))
    longest = 3 - ours[:, ::-1].argmax(axis=1)
    return np.where(natural, calls + longest - suit, calls).astype(np.int8)


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


def leave_one_out(hands: Hands, called: NDArray[np.int8]) -> list[Row]:
    """Return the rows of k = 1 .. 20 for hands bool (N, 52) and their calls int8 (N,), each left out in turn."""
    k = min(MOST, len(hands) - 1)
    case, similarity = nearest(hands, k)
    plain, flat = called[case], case.reshape(-1)
    changed = adapted(called[flat], hands[flat], np.repeat(hands, k, axis=0)).reshape(plain.shape)
    bids = called != PASS
    rows = []
    for n in range(1, k + 1):
        right = [majority(calls[:, :n]) == called for calls in (plain, changed)]
        counts, bid_counts = ((int(a.sum()), int(b.sum())) for a, b in (right, [r[bids] for r in right]))
        rows.append(Row(n, len(called), counts, int(bids.sum()), bid_counts, float(similarity[:, :n].mean())))
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


if __name__ == "__main__":
    run_study("studies.cases_2008", repeat)
