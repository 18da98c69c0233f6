"""Map states to points by a learned metric: near points are states with like calls.

Perceptrons with one output for each coordinate, learned with their cases (``training.cases.fit``): each member adds
some coordinates, integers, -256 to 256.

Sums are exact in whatever order, so that a batch equals its rows on any machine: weights are multiples of 2**-16,
inputs are integers, and what a layer passes on is rounded to multiples of 2**-12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCALE = 256  # coordinates lie within it
_WEIGHT_STEP, _SIGNAL_STEP = 2.0**-16, 2.0**-12
_LARGEST_INPUT = 128.0
_LARGEST_SIGNAL = 4096.0  # that a layer passes on: far more than states make of it

Layer = tuple[NDArray[np.float64], NDArray[np.float64]]  # weight (inputs, outputs), bias (outputs,)
Member = tuple[Layer, ...]


def metric_of(members: Sequence[Sequence[tuple[Any, Any]]], inputs: int) -> tuple[Member, ...]:
    """Return members of (weight (inputs, outputs), bias (outputs,)) pairs, rounded to multiples of 2**-16.

    Raises:
        ValueError: one has layers that do not fit each other.
    """
    out = []
    for member in members:
        layers, width = list[Layer](), inputs
        for pair in member:
            weight, bias = (np.round(np.asarray(a, np.float64) / _WEIGHT_STEP) * _WEIGHT_STEP for a in pair)
            if weight.shape != (width, len(bias)):
                raise ValueError(f"layer {len(layers)} is {weight.shape} with bias {bias.shape}, after {width} outputs")
            width = len(bias)
            layers.append((weight, bias))
        out.append(tuple(layers))
    return tuple(out)


def points(metric: Sequence[Member], rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the points int16 (N, D) of described states."""
    coordinates = [np.empty((len(rows), 0), np.int16)]
    for member in metric:
        signal = np.clip(rows, -_LARGEST_INPUT, _LARGEST_INPUT).astype(np.float64)
        for number, (weight, bias) in enumerate(member):
            if number:
                signal = np.round(np.clip(signal, 0.0, _LARGEST_SIGNAL) / _SIGNAL_STEP) * _SIGNAL_STEP
            signal = signal @ weight + bias
        coordinates.append(np.rint(SCALE * signal / (1 + np.abs(signal))).astype(np.int16))
    return np.concatenate(coordinates, axis=1)
