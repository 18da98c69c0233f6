"""Value contracts on sampled deals, and convert differences of points to IMPs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy.estimator import TrickEstimator, builtin_estimator, expected_scores
from bridge_env.rules.auction import Auctions
from bridge_env.rules.scoring import IMP_STEPS

# An expected difference lies between two steps of the scale: the middle of a step's span is worth its IMPs.
_MIDDLES = np.concatenate([[0], (IMP_STEPS[:-1].astype(np.float64) + IMP_STEPS[1:]) / 2, [4500]])
_IMPS = np.arange(len(_MIDDLES), dtype=np.float64)


def contract_values(owner: NDArray[np.uint8], vulnerability: int) -> NDArray[np.float32]:
    """Return expected points of every contract for declarer's side: float32 (S, 4, 35, 3) [declarer, bid, doubling].

    Args:
        owner: the deals of one row, always estimated by themselves: sums in another grouping would differ in the last
            digit, and a batch would not equal its rows.
    """
    return expected_scores(estimator().distribution(owner), vulnerability)


@lru_cache(maxsize=1)
def estimator() -> TrickEstimator:
    """Return the shipped estimator, on one thread: the deals of a row, or of a card, are few."""
    shipped = builtin_estimator()
    return TrickEstimator(shipped.weights, shipped.trained, threads=1)


def smooth_imps(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return differences in points as IMPs, without the steps of the scale: expected points lie anywhere."""
    size = np.interp(np.abs(points), _MIDDLES, _IMPS)
    return np.sign(points) * size


def points_of(auctions: Auctions, leaves: NDArray[np.float32], boards: NDArray[np.int64]) -> NDArray[np.float64]:
    """Score finished auctions in points for NS: float64 (N,); ``boards`` (N,) says whose ``leaves``."""
    contracts = auctions.contracts()
    bid, declarer = contracts.bid.astype(np.int64), contracts.declarer.astype(np.int64)
    points = leaves[boards, declarer, bid, contracts.doubling].astype(np.float64)
    points[declarer & 1 == 1] *= -1
    points[bid < 0] = 0
    return points
