"""Train a map by Kohonen's algorithm, example by example as published, or some hundreds of examples at a time.

At time t of T an example x pulls every unit towards it: ``w += rate(t) * near(b, u, t) * (x - w)``, where b is its
best-matching unit and ``near = exp(-d**2 / (2 radius(t)**2))`` with d the distance of the two units on the grid. Rate
and radius decay exponentially. Source: T. Kohonen, "The self-organizing map", Proceedings of the IEEE 78 (1990).

Our own code, because a step takes some hundred examples at once: MiniSom goes example by example, and takes 36 times as
long on a grid of 64 by 64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import best_matching
from bridge_env.rng import streams

FloatArray = NDArray[np.float64]
Decay = tuple[float, float]  # the first and the last value; it falls by the same factor at every step


def neighbourhood(offset: NDArray[np.int64], radius: float) -> FloatArray:
    """Return the Gaussian neighbourhood along one axis of the grid; that of two axes is the product."""
    out: FloatArray = np.exp(-(offset.astype(np.float64) ** 2) / (2 * radius**2))
    return out


def batch_step(
    units: FloatArray, grid: tuple[int, int], examples: FloatArray, rate: float, radius: float
) -> FloatArray:
    """Return the units (U, E) after several examples (N, E) whose best-matching units are all found beforehand.

    A unit retains as much of its old place as if the examples had come one by one, the product of ``1 - rate * near``;
    the rest is their mean, weighed by the neighbourhood, so that their order does not matter. With one example this is
    the published step.
    """
    rows, columns = grid
    best = best_matching(units, examples)
    count = np.bincount(best, minlength=rows * columns).astype(np.float64)
    total = np.zeros_like(units)
    np.add.at(total, best, examples)
    along = [neighbourhood(np.subtract.outer(np.arange(n), np.arange(n)), radius) for n in grid]
    near = _spread(count[:, None], grid, along)[:, 0]
    mean = _spread(total, grid, along) / np.maximum(near, 1e-300)[:, None]
    moved = 1 - np.exp(_log_retained(count, grid, rate, radius))
    out: FloatArray = np.where((near > 1e-12)[:, None], units + moved[:, None] * (mean - units), units)
    return out


def _spread(values: FloatArray, grid: tuple[int, int], along: list[FloatArray]) -> FloatArray:
    """Return values (U, E) of the units, summed over the grid with the Gaussian as weight: one axis after the other."""
    rows, columns = grid
    once = along[0] @ values.reshape(rows, -1)
    twice = along[1] @ once.reshape(rows, columns, -1)
    return twice.reshape(rows * columns, -1)


def _log_retained(count: FloatArray, grid: tuple[int, int], rate: float, radius: float) -> FloatArray:
    """Return the logarithm of the share of its place that each unit retains, float64 (U,), by a convolution."""
    rows, columns = grid
    offsets = [np.arange(-(n - 1), n) for n in grid]
    kernel = np.log1p(-rate * np.outer(neighbourhood(offsets[0], radius), neighbourhood(offsets[1], radius)))
    shape = (3 * rows, 3 * columns)
    spectrum = np.fft.rfft2(kernel, shape) * np.fft.rfft2(count.reshape(grid), shape)
    total = np.fft.irfft2(spectrum, shape)[rows - 1 : 2 * rows - 1, columns - 1 : 2 * columns - 1]
    out: FloatArray = np.minimum(total, 0).ravel()
    return out


def first_units(examples: FloatArray, grid: tuple[int, int]) -> FloatArray:
    """Return units (U, E) in the plane of the examples' two main directions, two deviations each way.

    The longer side of the grid goes with the greater spread; ``examples`` (N, E).
    """
    centre = examples.mean(axis=0)
    spread, direction = np.linalg.eigh(np.cov((examples - centre).T).reshape(examples.shape[1], -1))
    out = np.broadcast_to(centre, (*grid, len(centre))).copy()
    for axis, which in zip(np.argsort(grid)[::-1], (-1, -2), strict=True):
        if -which > len(spread):
            continue
        line = direction[:, which] * np.sign(direction[np.abs(direction[:, which]).argmax(), which])
        place = np.linspace(-2, 2, grid[axis]) if grid[axis] > 1 else np.zeros(1)
        step = np.sqrt(max(spread[which], 0.0)) * place
        out += (step[:, None, None] if axis == 0 else step[None, :, None]) * line
    return out.reshape(-1, len(centre))


def train_units(
    examples: FloatArray, grid: tuple[int, int], rates: Decay, radii: Decay, *, passes: float, batch: int, key: int
) -> FloatArray:
    """Return the units (U, E) of a map after ``passes`` over the examples (N, E) in random order.

    Args:
        rates: shares of the way to an example that the best-matching unit moves.
        radii: of the neighbourhood, in units of the grid.
        batch: examples at a time; 1 is the published algorithm, many are some hundred times as fast.
        key: of the random stream.
    """
    units = first_units(examples, grid)
    steps = max(1, int(np.ceil(passes * len(examples) / batch)))
    order = np.empty(0, np.int64)
    for step in range(steps):
        if len(order) < batch:
            turn = streams.key("maps", "order", key, step, np.arange(len(examples)))
            order = np.concatenate([order, np.argsort(turn, kind="stable")])
        some, order = examples[order[:batch]], order[batch:]
        share = step / max(steps - 1, 1)
        rate, radius = (first * (last / first) ** share for first, last in (rates, radii))
        units = batch_step(units, grid, some, rate, radius)
    return units
