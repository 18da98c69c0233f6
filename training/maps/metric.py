"""Make the metrics of maps: the weights of the published inputs, or directions in which calls differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import STEP, UNIT
from agents.maps.inputs import COLUMNS, HAND_COLUMNS

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


def published_metric() -> NDArray[np.float32]:
    """Return the metric of the published inputs, float32 (len(COLUMNS), E), a dimension for each that has a weight."""
    weights = [1.0 if number < HAND_COLUMNS - 1 else _WEIGHTS.get(name, 0.0) for number, name in enumerate(COLUMNS)]
    return round_to_steps(UNIT * np.diag(weights)[:, np.array(weights) > 0])


def round_to_steps(metric: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return a metric in the steps that a file stores."""
    return (np.rint(np.clip(metric, -_LARGEST, _LARGEST) / STEP) * STEP).astype(np.float32)


def discriminant(rows: NDArray[np.int16], called: NDArray[np.int8], dimensions: int) -> NDArray[np.float32]:
    """Return directions in which calls differ most, by linear discriminant analysis, float32 (D, E).

    A direction is measured in deviations within a call, and weighed by the share of its variance that lies between
    calls. Our own code: scikit-learn's, on a thousand columns, takes six times as long for maps that are no better.

    Args:
        rows: int16 (N, D), inputs.
        called: int8 (N,).
        dimensions: of the points, at most; there are no more than calls less one.
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
