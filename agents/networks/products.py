"""Sum the layers after the first in whole numbers: with numpy as float32, or with torch as bytes.

Both give the same numbers to the last bit. Bytes are near twice as fast where the processor has instructions for them
and torch is there; ``use_fastest`` finds out. numpy alone is what everybody has, and what is used unless asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.jit import njit

if TYPE_CHECKING:
    from agents.networks.network import Layer

_HIGH = 128  # a weight is ``_HIGH * high + low`` with high and low in a byte
_WIDEST = 1024  # inputs of a layer: sums of bytes then stay whole in float32

ByteLayer = tuple[NDArray[np.int8], NDArray[np.float32]]
"""The high bytes of the weights beside the low ones, int8 (inputs, 2 * outputs), and what to add to their sums."""


class _Chosen:
    """How this process multiplies."""

    torch: Any = None  # where products are made of bytes


def use_fastest(torch: Any) -> bool:
    """Make products of bytes from now on if they are faster in this process; returns whether they are.

    Args:
        torch: the module, which this package does not import itself. It is limited to one thread: products side by
            side are faster than threads within them.
    """
    if _Chosen.torch is None and hasattr(torch, "_int_mm"):
        torch.set_num_threads(1)
        _Chosen.torch = torch if _bytes_win(torch) else None
    return _Chosen.torch is not None


def bytes_in_use() -> bool:
    """Return whether this process multiplies bytes."""
    return _Chosen.torch is not None


def _bytes_win(torch: Any) -> bool:
    """Measure whether two products of bytes are faster than one of floats."""
    rows, width = 512, 256
    numbers = torch.ones((rows, width), dtype=torch.int8)
    two = torch.ones((width, 2 * width), dtype=torch.int8)
    floats, weight = np.ones((rows, width), np.float32), np.ones((width, width), np.float32)
    return _seconds(lambda: torch._int_mm(numbers, two)) < 0.8 * _seconds(lambda: floats @ weight)


def _seconds(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(9):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def byte_layers(layers: Sequence[Layer]) -> list[ByteLayer] | None:
    """``layers`` as bytes; None where a weight is too large for two of them, or a layer too wide."""
    out = []
    for layer in layers:
        whole = layer.weight.astype(np.int64)
        high = (whole + _HIGH // 2) // _HIGH
        if np.abs(high).max(initial=0) > 127 or len(whole) > _WIDEST:
            return None
        both = np.concatenate([high, whole - _HIGH * high], axis=1)
        bias = layer.bias.astype(np.int64)
        # What comes in is 0..255 less 128, so that it fits a signed byte; 128 times the weights make up for it.
        add = 128 * both.sum(axis=0) + np.concatenate([bias // _HIGH, bias % _HIGH])
        out.append((both.astype(np.int8), add.astype(np.float32)))
    return out


def outputs_of_bytes(
    sums: NDArray[np.int32], layers: Sequence[ByteLayer], factors: Sequence[np.float32], scale: np.float32
) -> NDArray[np.float32]:
    """The outputs for the sums of the first layer; ``factors`` turn sums into what is passed on, layer by layer."""
    torch, signal = _Chosen.torch, np.empty(sums.shape, np.int8)
    _first_bytes(sums, factors[0], signal)
    for number, (weight, add) in enumerate(layers):
        products = torch._int_mm(torch.from_numpy(signal), torch.from_numpy(weight)).numpy()
        if number == len(layers) - 1:
            break
        signal = np.empty((len(sums), len(add) // 2), np.int8)
        _next_bytes(products, add, factors[number + 1], signal)
    outputs = np.empty((len(sums), len(add) // 2), np.float32)
    _last_values(products, add, scale, outputs)
    return outputs


@njit
def _first_bytes(sums, factor, out):  # type: ignore[no-untyped-def]
    before, after = sums.reshape(-1), out.reshape(-1)
    for i in range(len(before)):
        value = np.rint(np.float32(before[i]) * factor)
        after[i] = np.int8(min(max(value, np.float32(0.0)), np.float32(255.0)) - np.float32(128.0))


# The high sum is a whole number below 2**17 once all is added, the low one below 2**24, and so is the sum of a layer:
# float32 holds each of them exactly.


@njit
def _next_bytes(products, add, factor, out):  # type: ignore[no-untyped-def]
    width = out.shape[1]
    for i in range(len(out)):
        for j in range(width):
            high = np.float32(products[i, j]) + add[j]
            total = high * np.float32(128.0) + (np.float32(products[i, width + j]) + add[width + j])
            value = np.rint(total * factor)
            out[i, j] = np.int8(min(max(value, np.float32(0.0)), np.float32(255.0)) - np.float32(128.0))


@njit
def _last_values(products, add, scale, out):  # type: ignore[no-untyped-def]
    width = out.shape[1]
    for i in range(len(out)):
        for j in range(width):
            high = np.float32(products[i, j]) + add[j]
            out[i, j] = (high * np.float32(128.0) + (np.float32(products[i, width + j]) + add[width + j])) * scale
