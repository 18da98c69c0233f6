"""Apply a forest of decision trees; two states are similar if they reach the same leaf of many trees.

The trees are learned with their cases (``training.cases.fit``). Proximity by shared leaves is Breiman's (2001,
"Random forests", section on proximities). A state's place is then the number of its leaf in every tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.jit import njit

MOST_LEAVES = 1 << 15
LEAF = -1


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees, node after node; a node's yes follows it at once."""

    root: NDArray[np.int32]  # (T + 1,), where each tree begins, and where the last one ends
    feature: NDArray[np.int16]  # (M,), the number of a state that a node tests; ``LEAF``: none
    threshold: NDArray[np.int16]  # (M,), yes if that number is at most so much
    go: NDArray[np.int32]  # (M,), where a no goes on; of a leaf its number in its tree

    def __len__(self) -> int:
        return len(self.root) - 1

    def leaves(self, rows: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the leaf that each row reaches in each tree, int16 (N, T)."""
        out = np.empty((len(rows), len(self)), np.int16)
        _leaves(self.root, self.feature, self.threshold, self.go, rows, out)
        return out


@njit
def _leaves(
    root: NDArray[np.int32], feature: NDArray[np.int16], threshold: NDArray[np.int16], go: NDArray[np.int32],
    rows: NDArray[np.int16], out: NDArray[np.int16],
) -> None:  # fmt: skip
    for i in range(len(rows)):
        for t in range(len(root) - 1):
            node = np.int64(root[t])
            while feature[node] >= 0:
                node = node + 1 if rows[i, feature[node]] <= threshold[node] else np.int64(go[node])
            out[i, t] = go[node]
