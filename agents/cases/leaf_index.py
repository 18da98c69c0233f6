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

NOTHING = np.int64(1) << 40  # the trees that differ where there is no further case

Int16Array = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class LeafIndex:
    """Cases by the leaves they came to."""

    case: NDArray[np.int64]  # (N,), the numbers under which they are found, the least first
    place: Int16Array  # (N, T), their leaves
    first: NDArray[np.int64]  # (T + 1,), where each tree's leaves begin in ``start``
    start: NDArray[np.int32]  # (L + 1,), where each leaf's cases begin in ``order``
    order: NDArray[np.int32]  # (T * N,), rows of ``case``, leaf by leaf

    def __len__(self) -> int:
        return len(self.case)

    def nearest(self, place: Int16Array, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ``k`` cases that share most leaves with each place int16 (Q, T), and how many trees differ.

        Of cases that share as many the earlier comes first. Both int64 (Q, k); where fewer share any, the rest is -1
        and ``NOTHING``.
        """
        case, distance = np.full((len(place), k), -1, np.int64), np.full((len(place), k), NOTHING)
        leaf = self.first[:-1] + place
        known = (place >= 0) & (leaf < self.first[1:])
        begin, end = (np.where(known, self.start[np.where(known, leaf + side, 0)], 0) for side in (0, 1))
        trees = np.argsort(end - begin, axis=1)
        _most_shared(self.place, self.order, place, begin, end, trees, case, distance)
        return np.where(case >= 0, self.case[case], -1) if len(self) else case, distance


def index_leaves(place: Int16Array, case: NDArray[np.int64]) -> LeafIndex:
    """Return an index of cases at places int16 (N, T) whose numbers are ``case``, int64 (N,)."""
    trees = place.shape[1]
    leaves = place.max(axis=0).astype(np.int64) + 1 if len(place) else np.zeros(trees, np.int64)
    first = np.concatenate([[0], np.cumsum(leaves)])
    earlier = np.argsort(case, kind="stable")
    place, case = place[earlier], case[earlier]
    order = np.argsort(place.T, axis=1, kind="stable").astype(np.int32).reshape(-1)
    count = np.bincount((place + first[:-1]).reshape(-1), minlength=int(first[-1]))
    return LeafIndex(case, place, first, np.concatenate([[0], np.cumsum(count)]).astype(np.int32), order)


@njit
def _most_shared(
    point: Int16Array, order: NDArray[np.int32], place: Int16Array, begin: NDArray[np.int32], end: NDArray[np.int32],
    trees: NDArray[np.int64], case: NDArray[np.int64], distance: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write the nearest cases; in tree t of query q the rows ``begin`` to ``end`` of ``order`` share its leaf."""
    k = case.shape[1]
    met = np.full(len(point), -1, np.int64)  # the last query that met each case
    for q in range(len(place)):
        here, have = place[q], 0
        for trees_done in range(trees.shape[1]):
            if have == k and trees_done > distance[q, k - 1]:
                break
            t = trees[q, trees_done]
            for at in range(begin[q, t], end[q, t]):
                i = order[at]
                if met[i] == q:
                    continue
                met[i] = q
                missing = np.int64(0)
                for u in range(len(here)):
                    missing += point[i, u] != here[u]
                if have == k and (
                    missing > distance[q, k - 1] or (missing == distance[q, k - 1] and i > case[q, k - 1])
                ):
                    continue
                spot = have if have < k else k - 1
                have = min(have + 1, k)
                while spot > 0 and (
                    distance[q, spot - 1] > missing or (distance[q, spot - 1] == missing and case[q, spot - 1] > i)
                ):
                    distance[q, spot], case[q, spot] = distance[q, spot - 1], case[q, spot - 1]
                    spot -= 1
                distance[q, spot], case[q, spot] = missing, i
