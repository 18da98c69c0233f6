"""A case base and its file: recorded states, and the metric under which they are near or far.

The file is one of ``bridge_env.weights``. A board's auction stands there once, whatever the number of its cases.

=======================  ==========================================================================================
member                   what it holds
=======================  ==========================================================================================
``header``               JSON as uint8: format, version, layout of the features, the system by which calls are read,
                         ``k``, what it was fitted to
``auction`` ``dealer``   int8 (B, L), padded with -1, and uint8 (B,), ``vulnerability`` too: the boards' auctions
``result``               int8 (B, 4): contract's bid 0..34 (-1 passed out, -2 not known), doubling, declarer, tricks
                         (-1 not known)
``board`` ``number``     int32 (N,), int16 (N,): each case is call ``number`` of a board's auction
``hand``                 uint8 (N, 7), the hand's 52 cards as bits
``point``                int16 (N, D), where the case lies
``weight_0_0 bias_0_0``  float32, layers of the metric of openings: ``weight_0_1`` is its second layer, and so on;
                         ``weight_1_0`` ... are those of the metric of all other calls
=======================  ==========================================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.features import LAYOUT, SIZE
from agents.cases.metric import SCALE, Layer, layers_of, points
from bridge_env.auction import MAX_CALLS, Auctions
from bridge_env.bidders import SpecError
from bridge_env.calls import FIRST_BID, NUM_CALLS
from bridge_env.weights import read_weights, write_weights

_EXPECTED = {"format": "bridge-env cases", "version": 1, "layout": LAYOUT}
_KINDS = {
    "auction": "int8", "dealer": "uint8", "vulnerability": "uint8", "result": "int8", "board": "int32",
    "number": "int16", "hand": "uint8", "point": "int16",
}  # fmt: skip
_MOST_NEIGHBOURS = 1000
_MADE_AGAIN = ("_indices", "called", "opened")  # rather than sent with the rest
INSTALL = 'pip install "bridge-env[cases]"'


class CaseFileError(SpecError):
    """A file that is no case base, or a damaged one; the message names the file and the fault."""


@dataclass(frozen=True, eq=False)
class CaseBase:
    """Cases, as the file has them.

    Attributes:
        k: how many of the nearest cases vote.
        reader: the spec of the system by which calls are read.
        layers: of the two metrics: of calls before anybody has bid, and of all others.
        fitted: what it was fitted to, as JSON can say it.
    """

    auction: NDArray[np.int8]
    dealer: NDArray[np.uint8]
    vulnerability: NDArray[np.uint8]
    result: NDArray[np.int8]
    board: NDArray[np.int32]
    number: NDArray[np.int16]
    hand: NDArray[np.uint8]
    point: NDArray[np.int16]
    k: int
    reader: str
    layers: tuple[tuple[Layer, ...], tuple[Layer, ...]]
    fitted: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.board)

    @cached_property
    def called(self) -> NDArray[np.int8]:
        """What each case called."""
        return self.auction[self.board, self.number]

    def hands(self, cases: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The hands of some cases, bool (..., 52)."""
        return np.unpackbits(self.hand[cases], axis=-1, count=52).astype(np.bool_)

    @cached_property
    def opened(self) -> NDArray[np.bool_]:
        """Whether somebody had bid before each case."""
        before = np.arange(self.auction.shape[1]) < self.number[:, None]
        opened: NDArray[np.bool_] = ((self.auction[self.board] >= FIRST_BID) & before).any(axis=1)
        return opened

    @cached_property
    def _indices(self) -> tuple[tuple[NDArray[np.int64], Any], ...]:
        """Of openings and of other calls: which cases they are, and their tree."""
        try:
            from scipy.spatial import cKDTree
        except ImportError:
            raise SpecError(f"cases are looked up with scipy, which is not installed here: {INSTALL}") from None
        kinds = (np.flatnonzero(self.opened == kind) for kind in (False, True))
        return tuple((cases, cKDTree(self.point[cases].astype(np.float64)) if len(cases) else None) for cases in kinds)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _MADE_AGAIN}

    def places(self, rows: NDArray[np.int16], opened: NDArray[np.bool_]) -> NDArray[np.int16]:
        """Where described states lie, int16 (N, D); openings have a metric of their own."""
        out = np.empty((len(rows), self.point.shape[1]), np.int16)
        for kind, layers in enumerate(self.layers):
            some = np.flatnonzero(opened == bool(kind))
            if some.size:
                out[some] = points(layers, rows[some])
        return out

    def nearest(
        self, place: NDArray[np.int16], opened: NDArray[np.bool_], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The ``k`` nearest cases of each place, nearest first, then the earlier; and how far they are.

        Openings are compared with openings, other calls with other calls. Where there are fewer than k such cases, the
        rest is -1, infinitely far.
        """
        case = np.full((len(place), k), -1, np.int64)
        distance = np.full((len(place), k), np.inf)
        for kind, (cases, tree) in enumerate(self._indices):
            some, there = np.flatnonzero(opened == bool(kind)), min(k, len(cases))
            if not some.size or not there:
                continue
            far, found = tree.query(place[some].astype(np.float64), k=np.arange(1, there + 1))
            squared = np.rint(far**2).astype(np.int64)  # whole numbers: ties are ties
            order = np.lexsort((found, squared), axis=1)
            case[some, :there] = cases[np.take_along_axis(found, order, 1)]
            distance[some, :there] = np.sqrt(np.take_along_axis(squared, order, 1))
        return case, distance


def similarity(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of 100, how similar two states are whose points are this far apart."""
    return 100 / (1 + distance / (SCALE / 4))


def save(base: CaseBase, path: str | os.PathLike[str]) -> None:
    """Write a case base; a reader sees the old file or the new one, never a part."""
    header = _EXPECTED | {"k": base.k, "reader": base.reader, "fitted": dict(base.fitted)}
    arrays = {name: getattr(base, name) for name in _KINDS}
    for kind, layers in enumerate(base.layers):
        for number, (weight, bias) in enumerate(layers):
            arrays[f"weight_{kind}_{number}"], arrays[f"bias_{kind}_{number}"] = weight, bias
    write_weights(path, header, arrays, _KINDS)


def load(path: str | os.PathLike[str]) -> CaseBase:
    """Read a case base. Nothing in it is ever run.

    Raises:
        CaseFileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    name = os.fspath(path)
    try:
        header, arrays = read_weights(name, "case", _EXPECTED, _KINDS)
        cases = {kind: arrays.pop(kind) for kind in _KINDS}
        metrics = (_metric(arrays, 0), _metric(arrays, 1))
        base = CaseBase(
            **cases, k=header["k"], reader=header["reader"], layers=metrics, fitted=header.get("fitted") or {}
        )
        check(base)
    except KeyError as error:
        raise CaseFileError(f"cases:{name}: {error} is missing") from None
    except (ValueError, TypeError, IndexError) as error:
        raise CaseFileError(f"cases:{name}: {error}") from None
    return base


def _metric(arrays: Mapping[str, Any], kind: int) -> tuple[Layer, ...]:
    count = sum(name.startswith(f"weight_{kind}_") for name in arrays)
    return layers_of([(arrays[f"weight_{kind}_{i}"], arrays[f"bias_{kind}_{i}"]) for i in range(count)], SIZE)


def check(base: CaseBase) -> None:
    """Raises: ValueError: the arrays do not fit each other, or hold what no case holds."""
    boards, cases = len(base.dealer), len(base.board)
    wide = base.auction.shape[1] if base.auction.ndim == 2 else 0
    shapes = {
        "auction": (boards, wide), "dealer": (boards,), "vulnerability": (boards,), "result": (boards, 4),
        "board": (cases,), "number": (cases,), "hand": (cases, 7), "point": (cases, base.layers[0][-1][0].shape[1]),
    }  # fmt: skip
    for name, shape in shapes.items():
        if getattr(base, name).shape != shape:
            raise ValueError(f"{name} is {getattr(base, name).shape}, not {shape}")
    if base.layers[0][-1][0].shape[1] != base.layers[1][-1][0].shape[1]:
        raise ValueError("its two metrics differ in their dimensions")
    if not cases or not 1 <= wide <= MAX_CALLS:
        raise ValueError("it holds no case")
    if type(base.k) is not int or not 1 <= base.k <= _MOST_NEIGHBOURS:
        raise ValueError(f"k is {base.k!r}, not 1 to {_MOST_NEIGHBOURS}")
    if not isinstance(base.reader, str) or not base.reader.startswith("system:"):
        raise ValueError(f"calls are read by {base.reader!r}, which is no system")
    _within(base.dealer, 0, 3, "dealer")
    _within(base.vulnerability, 0, 3, "vulnerability")
    _within(base.auction, -1, NUM_CALLS - 1, "auction")
    _within(base.board, 0, boards - 1, "board")
    _within(base.number, 0, wide - 1, "number")
    _within(base.point, -SCALE, SCALE, "point")
    for column, (least, most) in enumerate(((-2, 34), (0, 2), (-1, 3), (-1, 13))):
        _within(base.result[:, column], least, most, "result")
    if (base.called < 0).any():
        raise ValueError("a case has no call")
    if (base.hands(np.arange(cases)).sum(axis=1) != 13).any() or (base.hand[:, 6] & 15).any():
        raise ValueError("a hand has not thirteen cards")
    Auctions.replay(base.auction, base.dealer, base.vulnerability)  # says which call is not legal


def _within(array: NDArray[Any], least: int, most: int, name: str) -> None:
    if array.size and not least <= int(array.min()) <= int(array.max()) <= most:
        raise ValueError(f"{name} has values outside {least} to {most}")
