"""Map states to points by a learned metric: near points are states with like calls.

Perceptrons with one output for each coordinate, learned with their cases (``training.cases.network``): each member adds
some coordinates. Weights are multiples of 2**-16, what a layer passes on is a multiple of 2**-12, and
coordinates are whole numbers, -256 to 256. So all sums are exact whatever their order: a batch equals its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHT_STEP, SIGNAL_STEP = 2.0**-16, 2.0**-12
SCALE = 256  # coordinates lie within it
_EXACT = 2.0**53
_LARGEST_INPUT, _LARGEST_WEIGHT = 128.0, 128.0
_LARGEST_SIGNAL = 4096.0  # that a layer passes on: far more than states make of it, so that sums stay exact
_MOST_LAYERS = 8

_MOST_MEMBERS = 16

Layer = tuple[NDArray[np.float64], NDArray[np.float64]]
Member = tuple[Layer, ...]


def layers_of(pairs: Sequence[tuple[Any, Any]], inputs: int) -> Member:
    """Layers of (weight (inputs, outputs), bias (outputs,)) pairs, rounded.

    Raises:
        ValueError: they do not fit each other, or their numbers are too large to be added exactly.
    """
    if not 1 <= len(pairs) <= _MOST_LAYERS:
        raise ValueError(f"{len(pairs)} layers; a metric has 1 to {_MOST_LAYERS}")
    out, width, largest = [], inputs, _LARGEST_INPUT
    for number, pair in enumerate(pairs):
        weight, bias = (np.round(np.asarray(a, np.float64) / WEIGHT_STEP) * WEIGHT_STEP for a in pair)
        if weight.ndim != 2 or weight.shape[0] != width or bias.shape != weight.shape[1:] or not weight.size:
            raise ValueError(f"layer {number} is {weight.shape} with bias {bias.shape}, after {width} outputs")
        if not all((np.abs(a) < _LARGEST_WEIGHT).all() for a in (weight, bias)):  # also where it is not a number
            raise ValueError(f"layer {number} has weights that are not below {_LARGEST_WEIGHT:.0f}")
        sums = float((largest * np.abs(weight).sum(axis=0) + np.abs(bias)).max()) + SIGNAL_STEP
        largest = min(sums, _LARGEST_SIGNAL)
        if sums / (WEIGHT_STEP * SIGNAL_STEP) >= _EXACT:
            raise ValueError(f"layer {number} has sums that float64 does not hold exactly; use smaller weights")
        out.append((weight, bias))
        width = weight.shape[1]
    return tuple(out)


def metric_of(members: Sequence[Sequence[tuple[Any, Any]]], inputs: int) -> tuple[Member, ...]:
    """Members, rounded; none is the metric of cases that are compared by their hands alone.

    Raises:
        ValueError: one has layers that do not fit each other, or numbers that are too large.
    """
    if len(members) > _MOST_MEMBERS:
        raise ValueError(f"{len(members)} members; a metric has at most {_MOST_MEMBERS}")
    return tuple(layers_of(member, inputs) for member in members)


def dimensions(metric: Sequence[Member]) -> int:
    """Return the number of coordinates of a point."""
    return sum(member[-1][0].shape[1] for member in metric)


def points(metric: Sequence[Member], rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """The points int16 (N, D) of described states."""
    inputs = np.clip(rows, -_LARGEST_INPUT, _LARGEST_INPUT).astype(np.float64)
    return np.concatenate([np.empty((len(rows), 0), np.int16), *(_through(m, inputs) for m in metric)], axis=1)


def _through(layers: Member, signal: NDArray[np.float64]) -> NDArray[np.int16]:
    for number, (weight, bias) in enumerate(layers):
        if number:
            signal = np.round(np.clip(signal, 0.0, _LARGEST_SIGNAL) / SIGNAL_STEP) * SIGNAL_STEP
        signal = signal @ weight + bias
    point: NDArray[np.int16] = np.rint(SCALE * signal / (1 + np.abs(signal))).astype(np.int16)
    return point
