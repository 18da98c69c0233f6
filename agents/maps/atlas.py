"""Hold the maps of a system; read and write their file.

A map is a grid of units. Each unit has a place in the space of inputs, and the calls of the training hands for which
it was the best-matching unit: the one at the least Euclidean distance, of equals the first. The file is one of
``bridge_env.io.weights``; k is a situation's number in ``SITUATIONS``, and a map that had no examples is not in it.

=============  ==================================================================================================
member         what it holds
=============  ==================================================================================================
``header``     JSON as uint8: format, version, layout of the inputs, ``inputs``, the system by which calls are read
               (``reader``), the ``grids`` ({"k": [rows, columns]}), ``fallback``, what the maps were fitted to
``metric_k``   float32 (D, E), multiples of 2**-10: inputs times this, rounded, are a state's point
``unit_k``     int16 (U, E), the units' places, row by row of the grid
``calls_k``    int32 (U, 38), how often the unit's training hands made each call
``hand_k``     float32 (U, 5), the mean lengths C D H S and points of these hands
=============  ==================================================================================================

Points and places are integers of at most 255 in at most 64 dimensions, so that the number compared, half a place's
square less its product with the point, is exact in float32: a batch equals its rows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.maps.inputs import LAYOUT
from bridge_env.io.weights import read_weights, write_weights

STEP = 2.0**-10  # of the metrics' numbers
UNIT = 8.0  # a card more in a suit, under the published inputs; under a learned metric one deviation within a call
FARTHEST = 255  # points lie within it
_LARGEST_INPUT = 128
_EXPECTED = {"format": "bridge-env maps", "version": 1, "layout": LAYOUT}
_MEMBERS = ("metric", "unit", "calls", "hand")
_ROWS = 1024  # compared with all units at a time, to bound memory
_OWN = 1 << 20  # a unit's own hands count before all of its neighbours'


@dataclass(frozen=True, eq=False)
class Map:
    """One map."""

    rows: int  # of the grid; unit u is in row ``u // columns``
    columns: int  # of the grid
    metric: NDArray[np.float32]  # this and the following: as in the file
    unit: NDArray[np.int16]
    calls: NDArray[np.int32]
    hand: NDArray[np.float32]

    def best(self, place: NDArray[np.int16]) -> NDArray[np.int64]:
        """Return the best-matching unit of each place: int64 (N,)."""
        return best_matching(self.unit, place)

    @cached_property
    def votes(self) -> NDArray[np.int64]:
        """Return the votes of units, int64 (U, 38): their hands' calls, or the neighbours' where a unit has none."""
        return self.calls.astype(np.int64) * _OWN + np.minimum(around(self.calls, self.rows, self.columns), _OWN - 1)


def best_matching(units: NDArray[Any], places: NDArray[Any]) -> NDArray[np.int64]:
    """Return the nearest unit, of equals the first, of each place: int64 (N,); units (U, E), places (N, E)."""
    turned = np.ascontiguousarray(units.T, np.float32)
    length = ((units.astype(np.float64) ** 2).sum(axis=1) / 2).astype(np.float32)
    out = np.empty(len(places), np.int64)
    for start in range(0, len(places), _ROWS):
        out[start : start + _ROWS] = (length - places[start : start + _ROWS].astype(np.float32) @ turned).argmin(axis=1)
    return out


def around(calls: NDArray[np.int32], rows: int, columns: int) -> NDArray[np.int64]:
    """Return the calls of the eight neighbours of each unit together, int64 (U, 38)."""
    grid = np.pad(calls.astype(np.int64).reshape(rows, columns, -1), ((1, 1), (1, 1), (0, 0)))
    block = sum(grid[r : r + rows, c : c + columns] for r in range(3) for c in range(3))
    return np.asarray(block - grid[1:-1, 1:-1]).reshape(rows * columns, -1)


def points(rows: NDArray[np.int16], metric: NDArray[np.float32]) -> NDArray[np.int16]:
    """Return inputs (N, D) under a metric (D, E), as integers."""
    seen = np.clip(rows, -_LARGEST_INPUT, _LARGEST_INPUT).astype(np.float64)
    return np.clip(np.rint(seen @ metric.astype(np.float64)), -FARTHEST, FARTHEST).astype(np.int16)


@dataclass(frozen=True, eq=False)
class Atlas:
    """All maps of a system."""

    maps: Mapping[int, Map]  # by situation; a situation without examples has none
    inputs: str  # what the maps see, one of ``INPUTS``
    reader: str  # the spec of the system by which calls are read
    fallback: str = ""  # the spec of the system that calls where there is no map; empty: passes
    fitted: Mapping[str, Any] = field(default_factory=dict)  # what the maps were fitted to, as JSON can say it


def save(atlas: Atlas, path: str | os.PathLike[str]) -> None:
    """Write the maps; a reader sees the old file or the new one, never a part."""
    grids = {str(k): [one.rows, one.columns] for k, one in sorted(atlas.maps.items())}
    header = _EXPECTED | {
        "inputs": atlas.inputs, "reader": atlas.reader, "fallback": atlas.fallback, "grids": grids,
        "fitted": dict(atlas.fitted),
    }  # fmt: skip
    arrays = {f"{name}_{k}": getattr(one, name) for k, one in sorted(atlas.maps.items()) for name in _MEMBERS}
    write_weights(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Atlas:
    """Read maps. Nothing in the file is ever run.

    Raises:
        FileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    header, arrays = read_weights(path, _EXPECTED)
    maps = {}
    for k, (rows, columns) in header["grids"].items():
        members = {member: arrays.pop(f"{member}_{k}") for member in _MEMBERS}
        maps[int(k)] = Map(rows, columns, **members)
    return Atlas(maps, header["inputs"], header["reader"], header["fallback"], header.get("fitted") or {})
