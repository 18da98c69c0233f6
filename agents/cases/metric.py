"""Map states to points by a learned metric: near points are states with like calls.

Perceptrons with one output for each coordinate, learned with their cases (``training.cases.network``): each member adds
some coordinates, whole numbers, -256 to 256. Their sums are exact (``agents.exact``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.exact import Layer, rounded, through

SCALE = 256  # coordinates lie within it
_LARGEST_INPUT = 128.0
_LARGEST_SIGNAL = 4096.0  # that a layer passes on: far more than states make of it, so that sums stay exact
_MOST_LAYERS, _MOST_MEMBERS = 8, 16

Member = tuple[Layer, ...]


def metric_of(members: Sequence[Sequence[tuple[Any, Any]]], inputs: int) -> tuple[Member, ...]:
    """Members of (weight (inputs, outputs), bias (outputs,)) pairs, rounded; none is the metric of cases that are
    compared by their hands alone.

    Raises:
        ValueError: one has layers that do not fit each other, or numbers that are too large to be added exactly.
    """
    if len(members) > _MOST_MEMBERS:
        raise ValueError(f"{len(members)} members; a metric has at most {_MOST_MEMBERS}")
    if any(not np.size(weight) for member in members for weight, _ in member):
        raise ValueError("a layer of a metric is empty")
    return tuple(
        rounded(member, inputs, "a metric", _MOST_LAYERS, _LARGEST_INPUT, _LARGEST_SIGNAL) for member in members
    )


def dimensions(metric: Sequence[Member]) -> int:
    """Return the number of coordinates of a point."""
    return sum(member[-1][0].shape[1] for member in metric)


def points(metric: Sequence[Member], rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """The points int16 (N, D) of described states."""
    inputs = np.clip(rows, -_LARGEST_INPUT, _LARGEST_INPUT).astype(np.float64)
    signals = [through(member, inputs, _LARGEST_SIGNAL) for member in metric]
    coordinates = [np.rint(SCALE * signal / (1 + np.abs(signal))).astype(np.int16) for signal in signals]
    return np.concatenate([np.empty((len(rows), 0), np.int16), *coordinates], axis=1)
