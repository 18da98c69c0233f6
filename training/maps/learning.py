"""Train a map by Kohonen's algorithm, example by example as published, or some hundreds of examples at a time.

At time t of T an example x pulls every unit towards it: ``w += rate(t) * near(b, u, t) * (x - w)``, where b is its
best-matching unit and ``near = exp(-d**2 / (2 radius(t)**2))`` with d the distance of the two units on the grid. Rate
and radius decay exponentially. Source: T. Kohonen, "The self-organizing map", Proceedings of the IEEE 78 (1990).

Our own code, because a step takes some hundred examples at once: MiniSom goes example by example, and takes 36 times as
long on a grid of 64 by 64. Distances are by a metric: the weights of the published inputs, or directions in which calls
differ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import STEP, UNIT, best_matching
from agents.maps.inputs import COLUMNS, HAND_COLUMNS
from bridge_env.rng import streams

_LARGEST = 4000.0
_RIDGE = 0.02  # added to the variance within calls, as a share of its mean

#: Weights of columns of the auction beside one card in a suit; other columns weigh nothing.
_WEIGHTS = {
    "hcp": 1.0, "passes": 0.2, "vulnerable": 0.1, "they vulnerable": 0.1, "doubled": 2.0, "ours": 2.0,
    "partner doubled": 3.0, "partner least": 0.4, "partner most": 0.2, "mine least": 0.3,
    **{f"{bidder} level": 2.0 for bidder in ("last", "partner", "mine")},
    **{f"last {strain}": 1.5 for strain in ("C", "D", "H", "S", "NT")},
    **{f"{bidder} {strain}": 2.0 for bidder in ("partner", "mine") for strain in ("C", "D", "H", "S", "NT")},
    **{f"{name} {suit}": weight for name, weight in (("partner shows", 0.7), ("shown", 0.5), ("they show", 0.5))
       for suit in "CDHS"},
}  # fmt: skip
FloatArray = NDArray[np.float64]
Decay = tuple[float, float]  # the first and the last value; it falls by the same factor at every step


def published_metric() -> NDArray[np.float32]:
    """Return the metric of the published inputs, float32 (len(COLUMNS), E), a dimension for each that has a weight."""
    weights = [1.0 if number < HAND_COLUMNS - 1 else _WEIGHTS.get(name, 0.0) for number, name in enumerate(COLUMNS)]
    return round_to_steps(UNIT * np.diag(weights)[:, np.array(weights) > 0])


def round_to_steps(metric: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return a metric in the steps that a file stores."""
    return (np.rint(np.clip(metric, -_LARGEST, _LARGEST) / STEP) * STEP).astype(np.float32)


def discriminant(rows: NDArray[np.int16], called: NDArray[np.int8], dimensions: int) -> NDArray[np.float32]:
    """Return at most ``dimensions`` directions in which the calls ``called`` int8 (N,) of inputs ``rows`` int16 (N, D)
    differ most, by linear discriminant analysis, float32 (D, E): in deviations within a call, by the share between
    calls. (scikit-learn's takes six times as long for maps that are no better.)
    """
    x = rows.astype(np.float32)
    x -= x.mean(axis=0)
    calls, which = np.unique(called, return_inverse=True)
    count = np.bincount(which).astype(np.float64)
    sums = np.zeros((len(calls), x.shape[1]))
    for number in range(len(calls)):
        sums[number] = x[which == number].sum(axis=0, dtype=np.float64)
    means = sums / count[:, None]
    within = (x.T @ x).astype(np.float64) / len(x) - (sums.T @ means) / len(x)
    within[np.diag_indices_from(within)] += _RIDGE * max(float(np.trace(within)) / len(within), 1e-6)
    root = np.linalg.cholesky(within)
    spread = np.linalg.solve(root, (sums / np.sqrt(count * len(x))[:, None]).T)
    direction, ratio, _ = np.linalg.svd(spread, full_matrices=False)  # its squares: between over within calls
    used = np.arange(max(1, min(dimensions, len(calls) - 1)))
    ratio = ratio[used] ** 2
    metric = np.linalg.solve(root.T, direction[:, used]) * np.sqrt(ratio / (1 + ratio))
    metric *= np.sign(metric[np.abs(metric).argmax(axis=0), np.arange(len(used))])
    return round_to_steps(UNIT * metric)


def neighbourhood(offset: NDArray[np.int64], radius: float) -> FloatArray:
    """Return the Gaussian neighbourhood along one axis of the grid; that of two axes is the product."""
    return np.exp(-(offset.astype(np.float64) ** 2) / (2 * radius**2))


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
    return np.where((near > 1e-12)[:, None], units + moved[:, None] * (mean - units), units)


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
    return np.minimum(total, 0).ravel()


def first_units(examples: FloatArray, grid: tuple[int, int]) -> FloatArray:
    """Return units (U, E) in the plane of the main directions of ``examples`` (N, E), the longer side along the greater
    spread.
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
    """Return the units (U, E) of a map after ``passes`` over the examples (N, E) in the random order of ``key``,
    ``batch`` at a time (1: as published), with ``rates`` of moving and ``radii`` of the neighbourhood.
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
