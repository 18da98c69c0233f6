"""Define a case base: recorded states, their measure of similarity, and what self-play added; read and write its file.

The file is one of ``bridge_env.io.weights``:

========================  =========================================================================================
member                    what it holds
========================  =========================================================================================
``header``                JSON as uint8: format, version, layout of the features, the system by which calls are read,
                          ``k``, what it was fitted to
``auction`` ... ``point`` the arrays of ``CaseBase``, under their names and as its attributes say
``kept_board`` ...        the arrays of ``Retained``: ``kept_board``, ``kept_number``, ``kept_hand``, ``kept_point``,
                          ``kept_worth``
``weight_0_0 bias_0_0``   float32, the metric's layers: ``weight_0_1`` is the second layer of the first member, and so
                          on
``trees_0_root`` ...      the arrays of ``Forest``, of the first and the second forest
========================  =========================================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.features import LAYOUT, SIZE, Member, metric_of, points
from agents.cases.forest import Forest
from agents.cases.leaf_index import NO_CASE, LeafIndex, index_leaves
from bridge_env.io.weights import read_weights, write_weights
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS

UNTRIED = -128
_EXPECTED = {"format": "bridge-env cases", "version": 3, "layout": LAYOUT}
_ARRAYS = ("auction", "dealer", "vulnerability", "result", "board", "number", "hand", "point")


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
    """Cases, as the file has them."""

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
                case[some], differing = index.nearest(place[some], k)
                shared = 1 - differing / len(self.forests[0])  # of the trees, in which they come to one leaf
                similarity[some] = np.where(differing < NO_CASE, 100 * shared, 0.0)
        return case, similarity


def bid_before(
    auction: NDArray[np.int8], board: NDArray[np.int32], number: NDArray[np.int16]
) -> NDArray[np.bool_]:  # fmt: skip
    """Return whether somebody had bid before call ``number`` of the auctions of ``board``, bool (N,)."""
    first = np.where((auction >= FIRST_BID).any(axis=1), (auction >= FIRST_BID).argmax(axis=1), auction.shape[1])
    return first[board] < number


def save(base: CaseBase, path: str | os.PathLike[str]) -> None:
    """Write a case base; a reader sees the old file or the new one, never a part."""
    arrays = {name: getattr(base, name) for name in _ARRAYS}
    arrays |= {f"kept_{item.name}": getattr(base.retained, item.name) for item in fields(Retained)}
    for which, forest in enumerate(base.forests):
        arrays |= {f"trees_{which}_{item.name}": getattr(forest, item.name) for item in fields(Forest)}
    for which, member in enumerate(base.metric):
        for number, (weight, bias) in enumerate(member):
            arrays[f"weight_{which}_{number}"] = weight.astype(np.float32)
            arrays[f"bias_{which}_{number}"] = bias.astype(np.float32)
    header = _EXPECTED | {"k": base.k, "reader": base.reader, "fitted": dict(base.fitted)}
    write_weights(path, header, arrays)


def load(path: str | os.PathLike[str]) -> CaseBase:
    """Read a case base. Nothing in it is ever run.

    Raises:
        FileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    header, arrays = read_weights(path, _EXPECTED)
    retained = Retained(*(arrays[f"kept_{item.name}"] for item in fields(Retained)))
    first, second = (Forest(*(arrays[f"trees_{k}_{item.name}"] for item in fields(Forest))) for k in (0, 1))
    members = []
    for which in count():
        layers = sum(name.startswith(f"weight_{which}_") for name in arrays)
        if not layers:
            break
        members.append([(arrays[f"weight_{which}_{i}"], arrays[f"bias_{which}_{i}"]) for i in range(layers)])
    return CaseBase(
        **{name: arrays[name] for name in _ARRAYS}, retained=retained, k=header["k"], reader=header["reader"],
        metric=metric_of(members, SIZE), forests=(first, second), fitted=header.get("fitted") or {},
    )  # fmt: skip
