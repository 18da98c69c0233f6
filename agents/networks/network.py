"""Compute a multilayer perceptron over sparse inputs in integers: equal outputs on every machine, in any batch.

Weights are whole multiples of a layer's step, and what a layer passes on is rounded to integers 0 to 255. No sum
then reaches 2**24, so that float32 holds every one of them exactly, in whatever order a library of linear algebra
adds them up. That costs a network nothing that a match can measure, and makes it as fast as float32 is.

A layer computes ``sum = x @ weight + bias`` in integers; its value is ``sum * scale``. All but the
last layer pass on ``clip(round(sum * scale / unit), 0, 255)``, which is a value in steps of ``unit``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit

TOP = 255  # the largest number that a layer passes on
_EXACT = 2.0**24  # integers below this are exact in float32
_LARGEST = 2**15 - 1  # of a weight
_FINEST = 12  # weights are multiples of 2**-12 at the finest, which keeps files small
UNIT = 2.0**-5  # what layers pass on goes from 0 to 8 in steps of this

Matmul = Callable[[NDArray[np.float32], NDArray[np.float32]], NDArray[np.float32]]
_matmul: list[Matmul] = [np.matmul]  # the product in use; every product has the same results

FloatLayer = tuple[NDArray[np.float32], NDArray[np.float32]]  # weight (inputs, outputs), bias (outputs,)


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer in integers."""

    weight: NDArray[np.int16]  # (inputs, outputs)
    bias: NDArray[np.int32]  # (outputs,), in the steps of the sum
    scale: float  # the value of 1 of the sum; a power of two

    @cached_property
    def floats(self) -> FloatLayer:
        """Return the same numbers as float32, for multiplying."""
        return self.weight.astype(np.float32), self.bias.astype(np.float32)

    def largest_sum(self, first: bool, most_on: int) -> float:
        """Return an upper bound of the sums of this layer."""
        size = np.abs(self.weight.astype(np.float64))
        if first:  # at most ``most_on`` inputs are on
            size = -np.sort(-size, axis=0)[:most_on]
            return float((size.sum(axis=0) + np.abs(self.bias)).max())
        return float((TOP * size.sum(axis=0) + np.abs(self.bias)).max())


class NetworkError(ValueError):
    """Layers that do not form a network; the message says why."""


@dataclass(frozen=True, eq=False)
class Network:
    """A perceptron in integers. ``quantized`` makes one of floats."""

    layers: tuple[Layer, ...]

    @property
    def sizes(self) -> list[int]:
        """Return the numbers of inputs, hidden units and outputs."""
        return [self.layers[0].weight.shape[0], *(layer.weight.shape[1] for layer in self.layers)]

    def floats(self) -> list[FloatLayer]:
        """Return the layers as floats, to go on learning from."""
        units = [1.0, *[UNIT] * (len(self.layers) - 1)]
        return [
            ((layer.weight * (layer.scale / unit)).astype(np.float32), (layer.bias * layer.scale).astype(np.float32))
            for layer, unit in zip(self.layers, units, strict=True)
        ]

    def outputs(self, numbers: NDArray[np.uint16], starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the outputs, float32 (N, outputs), for rows as ``inputs.inputs_of`` returns them."""
        first, *others = self.layers
        sums = np.empty((len(starts) - 1, len(first.bias)), np.int32)
        gather_rows(first.weight, first.bias, numbers, starts, sums)
        factors = [np.float32(layer.scale / UNIT) for layer in self.layers[:-1]]
        scale = np.float32(self.layers[-1].scale)
        values: NDArray[np.float32] = np.empty(sums.shape, np.float32)
        if not others:
            values[:] = sums
        before: NDArray[Any] = sums
        for factor, layer in zip(factors, others, strict=True):
            pass_on(before, factor, values)
            weight, bias = layer.floats
            before = values = _matmul[0](values, weight)
            values += bias
        values *= scale
        return values


def set_matmul(product: Matmul) -> None:
    """Multiply float32 matrices by ``product`` in this process from now on; outputs stay the same to the last bit."""
    _matmul[0] = product


@njit
def gather_rows(weight, bias, numbers, starts, out):  # type: ignore[no-untyped-def]
    """Write ``bias`` plus the sum of the rows ``numbers[starts[i]:starts[i + 1]]`` of ``weight`` to ``out[i]``."""
    for i in range(len(out)):
        row = out[i]
        for j in range(len(row)):
            row[j] = bias[j]
        k, end = starts[i], starts[i + 1]
        while k + 4 <= end:  # four at a time: less is loaded and stored
            a, b, c, d = weight[numbers[k]], weight[numbers[k + 1]], weight[numbers[k + 2]], weight[numbers[k + 3]]
            for j in range(len(row)):
                row[j] += (row.dtype.type(a[j]) + row.dtype.type(b[j])) + (row.dtype.type(c[j]) + row.dtype.type(d[j]))
            k += 4
        while k < end:
            a = weight[numbers[k]]
            for j in range(len(row)):
                row[j] += row.dtype.type(a[j])
            k += 1


@njit
def pass_on(sums, factor, out):  # type: ignore[no-untyped-def]
    """Write what a layer passes on, of its ``sums``, to ``out``, which may be the same array."""
    before, after = sums.reshape(-1), out.reshape(-1)
    for i in range(len(before)):
        value = np.rint(np.float32(before[i]) * factor)
        after[i] = min(max(value, np.float32(0.0)), np.float32(255.0))


def quantized(layers: Sequence[tuple[ArrayLike, ArrayLike]], most_on: int) -> Network:
    """Return the network nearest to perceptron layers of floats: (weight (inputs, outputs), bias (outputs,)) each.

    Args:
        most_on: inputs that can be on at a time.

    Raises:
        NetworkError: the numbers are too large for exact sums.
    """
    out = []
    for number, (w, b) in enumerate(layers):
        weight, bias = np.asarray(w, np.float64), np.asarray(b, np.float64)
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise NetworkError(f"layer {number} has weights that are not numbers")
        unit = UNIT if number else 1.0
        for bits in range(_FINEST, -1, -1):  # the finest steps whose sums are exact
            step = 2.0**-bits
            multiples = np.rint(weight / step)
            if np.abs(multiples).max(initial=0) > _LARGEST:
                continue
            layer = Layer(
                multiples.astype(np.int16, order="C"), np.rint(bias / (step * unit)).astype(np.int32), step * unit
            )
            if layer.largest_sum(number == 0, most_on) < _EXACT:
                out.append(layer)
                break
        else:
            raise NetworkError(f"layer {number} has weights too large for exact sums")
    return Network(tuple(out))
