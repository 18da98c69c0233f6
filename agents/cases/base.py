"""Define a case base: recorded states, their measure of similarity, and what self-play added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.forest import Forest
from agents.cases.leaf_index import NOTHING, LeafIndex, index_leaves
from agents.cases.metric import Member, points
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS

UNTRIED = -128


@dataclass(frozen=True, eq=False)
class Retained:
    """States of the base's own boards in self-play, and what each call would have been worth there."""

    board: NDArray[np.int32]  # (M,)
    number: NDArray[np.int16]  # (M,): call ``number`` of a board's auction, which the base made
    hand: NDArray[np.uint8]  # (M, 7), the hand's 52 cards as bits
    point: NDArray[np.int16]  # (M, D), where the state lies, as in ``CaseBase``
    # (M, 38), IMPs that a call gains over the one made, if all go on as they would; ``UNTRIED`` where that is not known
    worth: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.board)


def nothing_retained(dimensions: int) -> Retained:
    """Return no retained states."""
    return Retained(
        np.empty(0, np.int32), np.empty(0, np.int16), np.empty((0, 7), np.uint8),
        np.empty((0, dimensions), np.int16), np.empty((0, NUM_CALLS), np.int8),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class CaseBase:
    """Cases, as the file has them (``agents.cases.file``)."""

    # (B, L), padded with -1: the boards' auctions, each once, however many cases it has
    auction: NDArray[np.int8]
    dealer: NDArray[np.uint8]  # (B,)
    vulnerability: NDArray[np.uint8]  # (B,)
    # (B, 4): contract's bid 0..34 (-1 passed out, -2 not known), doubling, declarer, tricks (-1 not known)
    result: NDArray[np.int8]
    board: NDArray[np.int32]  # (N,)
    number: NDArray[np.int16]  # (N,): each case is call ``number`` of a board's auction
    hand: NDArray[np.uint8]  # (N, 7), the hand's 52 cards as bits
    point: NDArray[np.int16]  # (N, D), where the case lies: the leaf of each tree
    retained: Retained  # of self-play
    k: int  # how many of the nearest cases vote
    reader: str  # the spec of the system by which calls are read
    metric: tuple[Member, ...]
    # of openings and of other calls, over states and their coordinates under the metric
    forests: tuple[Forest, Forest]
    fitted: Mapping[str, Any] = field(default_factory=dict)  # what it was fitted to, as JSON can say it

    def __len__(self) -> int:
        return len(self.board)

    @cached_property
    def called(self) -> NDArray[np.int8]:
        """Return the call of each case."""
        return self.auction[self.board, self.number]

    def calls(self, cases: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the calls of some cases; -1 for case -1."""
        return np.where(cases >= 0, self.called[cases], -1).astype(np.int8)

    def hands(self, cases: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the hands of some cases, bool (..., 52)."""
        return np.unpackbits(self.hand[cases], axis=-1, count=52).astype(np.bool_)

    @cached_property
    def opened(self) -> NDArray[np.bool_]:
        """Return whether somebody had bid before each case."""
        return bid_before(self.auction, self.board, self.number)

    @cached_property
    def tried(self) -> dict[tuple[int, bool], LeafIndex]:
        """Return the retained states in which the base made a call, before or after somebody had bid, as indices."""
        retained = self.retained
        made = self.auction[retained.board, retained.number]
        opened = bid_before(self.auction, retained.board, retained.number)
        out = {}
        for call in np.unique(made):
            for kind in (False, True):
                states = np.flatnonzero((made == call) & (opened == kind))
                out[int(call), kind] = index_leaves(retained.point[states], states)
        return out

    @cached_property
    def _indices(self) -> tuple[LeafIndex, LeafIndex]:
        """Return the indices of openings and of other calls."""
        kinds = [np.flatnonzero(self.opened == kind) for kind in (False, True)]
        return index_leaves(self.point[kinds[0]], kinds[0]), index_leaves(self.point[kinds[1]], kinds[1])

    def places(self, rows: NDArray[np.int16], opened: NDArray[np.bool_]) -> NDArray[np.int16]:
        """Return coordinates of described states, int16 (N, D); ``opened`` marks states where somebody has bid."""
        columns = np.concatenate([rows, points(self.metric, rows)], axis=1)
        out = np.empty((len(rows), len(self.forests[0])), np.int16)
        for kind, forest in enumerate(self.forests):
            some = np.flatnonzero(opened == bool(kind))
            out[some] = forest.leaves(columns[some])
        return out

    def nearest(
        self, place: NDArray[np.int16], opened: NDArray[np.bool_], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the ``k`` nearest cases of each place, nearest first, then the earlier, and similarity 0..100.

        Openings are compared with openings, other calls with other calls. Where there are fewer than k such cases, or
        fewer with anything in common, the rest is -1, of similarity 0.
        """
        case = np.full((len(place), k), -1, np.int64)
        similarity = np.zeros((len(place), k))
        for kind, index in enumerate(self._indices):
            some = np.flatnonzero(opened == bool(kind))
            if some.size:
                case[some], distance = index.nearest(place[some], k)
                shared = 1 - distance / len(self.forests[0])  # of the trees, in which they come to one leaf
                similarity[some] = np.where(distance < NOTHING, 100 * shared, 0.0)
        return case, similarity


def bid_before(
    auction: NDArray[np.int8], board: NDArray[np.int32], number: NDArray[np.int16]
) -> NDArray[np.bool_]:  # fmt: skip
    """Return whether somebody had bid before call ``number`` of the auctions of ``board``, bool (N,)."""
    first = np.where((auction >= FIRST_BID).any(axis=1), (auction >= FIRST_BID).argmax(axis=1), auction.shape[1])
    out: NDArray[np.bool_] = first[board] < number
    return out
