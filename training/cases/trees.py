"""Forests for a case base, learned (scikit-learn): extremely randomized trees that name the recorded call.

Their votes are thrown away: what is kept is which cases come to the same leaves (Geurts, Ernst and Wehenkel, 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.forest import LEAF, MOST_LEAVES, Forest

_TOGETHER = 4  # trees between two words of progress


@dataclass(frozen=True)
class Growing:
    """How trees are grown."""

    trees: int = 64  # of a forest
    features: float = 0.2  # the share of all numbers of a state that are looked at for a question
    least: int = 3  # cases of a leaf at least
    seed: int = 1


def grown(
    rows: NDArray[np.int16], called: NDArray[np.int8], how: Growing, progress: Callable[[float], object]
) -> Forest:
    """A forest over states int16 (N, D) that were bid so, int8 (N,)."""
    from sklearn.ensemble import ExtraTreesClassifier

    told = np.flatnonzero((rows != rows[:1]).any(axis=0))  # the others cannot tell states apart
    inputs = rows[:, told].astype(np.float32)
    least = how.least
    while True:
        model = ExtraTreesClassifier(
            0, max_features=how.features, min_samples_leaf=least, random_state=how.seed, n_jobs=-1, warm_start=True
        )
        while model.n_estimators < how.trees:
            model.n_estimators = min(how.trees, model.n_estimators + _TOGETHER)
            model.fit(inputs, called)
            if max(int(one.tree_.n_leaves) for one in model.estimators_) > MOST_LEAVES:
                break
            progress(model.n_estimators / how.trees)
        else:
            return planted([one.tree_ for one in model.estimators_], told)
        least *= 2  # a leaf's number would not fit


def planted(trees: list[Any], told: NDArray[np.int64]) -> Forest:
    """The trees of scikit-learn, whose inputs are the columns ``told``, as a forest."""
    feature, threshold, go = [], [], []
    count = [int(tree.node_count) for tree in trees]
    root = np.cumsum([0, *count])
    for at, tree in zip(root, trees, strict=False):
        leaf = tree.children_left < 0
        inner = np.flatnonzero(~leaf)
        assert (tree.children_left[inner] == inner + 1).all()
        feature.append(np.where(leaf, LEAF, told[np.where(leaf, 0, tree.feature)]))
        threshold.append(np.where(leaf, 0, np.floor(tree.threshold)))
        go.append(np.where(leaf, np.cumsum(leaf) - 1, tree.children_right + at))
    return Forest(
        root.astype(np.int32), np.concatenate(feature).astype(np.int16), np.concatenate(threshold).astype(np.int16),
        np.concatenate(go).astype(np.int32),
    )  # fmt: skip
