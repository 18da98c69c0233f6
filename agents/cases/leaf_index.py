"""Find the cases that share most leaves of a forest with a state, by an index of leaves.

A query goes through its leaves from that with the fewest cases on, and compares all of each case there. A case that it
has not met in m leaves differs in m trees at least: so it ends as soon as the nearest are nearer than that,
mostly long before the leaves that thousands of passes share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.jit import njit

NO_CASE = np.int64(1) << 40  # the trees that differ where there is no further case

Int16Array = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class LeafIndex:
    """N cases by the leaves that they came to in T trees."""

    case: NDArray[np.int64]  # (N,), the numbers under which they are found, the least first
    leaves: Int16Array  # (N, T), the leaf of each case in each tree
    first_leaf: NDArray[np.int64]  # (T + 1,), where each tree's leaves begin in ``first_row``
    first_row: NDArray[np.int32]  # (L + 1,), where each leaf's cases begin in ``rows``
    rows: NDArray[np.int32]  # (T * N,), rows of ``case``, leaf by leaf

    def __len__(self) -> int:
        return len(self.case)

    def nearest(self, leaves: Int16Array, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ``k`` cases nearest to each query, by its leaves int16 (Q, T), and how many trees differ.

        Of cases that share as many leaves the earlier comes first. Both int64 (Q, k); where fewer cases share any, the
        rest is -1 and ``NO_CASE``.
        """
        row, differing = np.full((len(leaves), k), -1, np.int64), np.full((len(leaves), k), NO_CASE)
        leaf = self.first_leaf[:-1] + leaves
        known = (leaves >= 0) & (leaf < self.first_leaf[1:])  # some case came there
        begin, end = (np.where(known, self.first_row[np.where(known, leaf + side, 0)], 0) for side in (0, 1))
        rarest = np.argsort(end - begin, axis=1)
        _find_nearest(self.leaves, self.rows, leaves, begin, end, rarest, row, differing)
        return np.where(row >= 0, self.case[row], -1) if len(self) else row, differing


def index_leaves(leaves: Int16Array, case: NDArray[np.int64]) -> LeafIndex:
    """Return an index of cases by their leaves int16 (N, T); their numbers are ``case``, int64 (N,)."""
    trees = leaves.shape[1]
    count = leaves.max(axis=0).astype(np.int64) + 1 if len(leaves) else np.zeros(trees, np.int64)
    first_leaf = np.concatenate([[0], np.cumsum(count)])
    earlier = np.argsort(case, kind="stable")
    leaves, case = leaves[earlier], case[earlier]
    rows = np.argsort(leaves.T, axis=1, kind="stable").astype(np.int32).reshape(-1)
    cases = np.bincount((leaves + first_leaf[:-1]).reshape(-1), minlength=int(first_leaf[-1]))
    return LeafIndex(case, leaves, first_leaf, np.concatenate([[0], np.cumsum(cases)]).astype(np.int32), rows)


@njit
def _find_nearest(
    leaves: Int16Array, rows: NDArray[np.int32], queries: Int16Array, begin: NDArray[np.int32], end: NDArray[np.int32],
    rarest: NDArray[np.int64], nearest: NDArray[np.int64], differing: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write the rows nearest to each query, and how many trees differ; ``rarest`` has its trees in the order to go.

    In tree t the rows that share query q's leaf are ``rows[begin[q, t]:end[q, t]]``.
    """
    k = nearest.shape[1]
    met = np.full(len(leaves), -1, np.int64)  # the last query that met each row
    for q in range(len(queries)):
        query, found = queries[q], 0
        for trees_done in range(rarest.shape[1]):
            if found == k and trees_done > differing[q, k - 1]:
                break
            t = rarest[q, trees_done]
            for at in range(begin[q, t], end[q, t]):
                i = rows[at]
                if met[i] == q:
                    continue
                met[i] = q
                differ = np.int64(0)
                for u in range(len(query)):
                    differ += leaves[i, u] != query[u]
                if found == k and (
                    differ > differing[q, k - 1] or (differ == differing[q, k - 1] and i > nearest[q, k - 1])
                ):
                    continue
                spot = found if found < k else k - 1
                found = min(found + 1, k)
                while spot > 0 and (
                    differing[q, spot - 1] > differ or (differing[q, spot - 1] == differ and nearest[q, spot - 1] > i)
                ):
                    differing[q, spot], nearest[q, spot] = differing[q, spot - 1], nearest[q, spot - 1]
                    spot -= 1
                differing[q, spot], nearest[q, spot] = differ, i
