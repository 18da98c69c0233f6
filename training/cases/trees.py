"""Fit the forests of a case base (scikit-learn): extremely randomized trees that predict the recorded call.

Only their structure is used: cases are similar if they reach the same leaves (Geurts, Ernst and Wehenkel, 2006).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cases.forest import LEAF, MOST_LEAVES, Forest

FEATURES = 0.2  # the share of all features that a split chooses from
LEAST = 3  # cases of a leaf at least


def fit_forest(rows: NDArray[np.int16], called: NDArray[np.int8], count: int, seed: int) -> Forest:
    """Return a forest of ``count`` trees fitted to states int16 (N, D) and their calls int8 (N,)."""
    from sklearn.ensemble import ExtraTreesClassifier  # optional: the extra ``rl``

    columns = np.flatnonzero((rows != rows[:1]).any(axis=0))  # the others are constant
    inputs = rows[:, columns].astype(np.float32)
    least = LEAST
    while True:
        model = ExtraTreesClassifier(
            count, max_features=FEATURES, min_samples_leaf=least, random_state=seed, n_jobs=-1
        ).fit(inputs, called)
        trees = [estimator.tree_ for estimator in model.estimators_]
        if max(int(tree.n_leaves) for tree in trees) <= MOST_LEAVES:
            break
        least *= 2  # a leaf's number would not fit the file
    feature, threshold, go = [], [], []
    root = np.cumsum([0, *(int(tree.node_count) for tree in trees)])
    for at, tree in zip(root, trees, strict=False):
        leaf = tree.children_left < 0
        inner = np.flatnonzero(~leaf)
        assert (tree.children_left[inner] == inner + 1).all()
        feature.append(np.where(leaf, LEAF, columns[np.where(leaf, 0, tree.feature)]))
        threshold.append(np.where(leaf, 0, np.floor(tree.threshold)))
        go.append(np.where(leaf, np.cumsum(leaf) - 1, tree.children_right + at))
    return Forest(
        root.astype(np.int32), np.concatenate(feature).astype(np.int16), np.concatenate(threshold).astype(np.int16),
        np.concatenate(go).astype(np.int32),
    )  # fmt: skip
