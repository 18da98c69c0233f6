"""Perceptrons of floats whose sums are exact in whatever order: a batch equals its rows one by one, on any machine.

Weights are multiples of 2**-16, and what a layer passes on is rounded to multiples of 2**-12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WEIGHT_STEP, _SIGNAL_STEP = 2.0**-16, 2.0**-12
_EXACT = 2.0**53  # whole numbers below this are exact in float64
_LARGEST_WEIGHT = 2.0**7  # so that 24 bits, a float32's, hold it

Layer = tuple[NDArray[np.float64], NDArray[np.float64]]  # weight (inputs, outputs), bias (outputs,)


def rounded(
    pairs: Sequence[tuple[Any, Any]], inputs: int, what: str, most: int, largest: float, passed: float = math.inf
) -> tuple[Layer, ...]:
    """Layers of (weight (inputs, outputs), bias (outputs,)) pairs, rounded.

    Args:
        what: they are, in messages; ``most``: of which it has.
        largest: no input is beyond it, and nothing beyond ``passed`` is passed on.

    Raises:
        ValueError: they do not fit each other, or their numbers are too large to be added exactly.
    """
    if not 1 <= len(pairs) <= most:
        raise ValueError(f"{len(pairs)} layers; {what} has 1 to {most}")
    out, width = list[Layer](), inputs
    for number, pair in enumerate(pairs):
        weight, bias = (np.round(np.asarray(a, np.float64) / _WEIGHT_STEP) * _WEIGHT_STEP for a in pair)
        if weight.ndim != 2 or weight.shape[0] != width or bias.shape != weight.shape[1:]:
            raise ValueError(f"layer {number} is {weight.shape} with bias {bias.shape}, after {width} outputs")
        if not all((np.abs(a) < _LARGEST_WEIGHT).all() for a in (weight, bias)):  # also where it is not a number
            raise ValueError(f"layer {number} has weights that are not below {_LARGEST_WEIGHT:.0f}")
        # The largest sum there can be, in the steps that it is a multiple of.
        sums = float((largest * np.abs(weight).sum(axis=0) + np.abs(bias)).max(initial=0.0)) + _SIGNAL_STEP
        if sums / (_WEIGHT_STEP * _SIGNAL_STEP) >= _EXACT:
            raise ValueError(f"layer {number} has sums that float64 does not hold exactly; use smaller weights")
        largest, width = min(sums, passed), weight.shape[1]
        out.append((weight, bias))
    return tuple(out)


def through(layers: Sequence[Layer], signal: NDArray[np.float64], passed: float = math.inf) -> NDArray[np.float64]:
    """The outputs (N, outputs) for ``signal`` (N, inputs); nothing beyond ``passed`` is passed on between layers."""
    for number, (weight, bias) in enumerate(layers):
        if number:
            signal = np.round(np.clip(signal, 0.0, passed) / _SIGNAL_STEP) * _SIGNAL_STEP
        signal = signal @ weight + bias
    return signal
