"""The cases that share most leaves of a forest with a state: an index by leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cases.index import NOTHING, Found, Int16Array, in_parts
from bridge_env.kernels import njit


@dataclass(frozen=True, eq=False)
class SharedLeaves:
    """Cases by the leaves they came to.

    Attributes:
        case: int64 (N,), the numbers under which they are found.
        first: int64 (T + 1,), where each tree's leaves begin in ``start``.
        start: int32 (L + 1,), where each leaf's cases begin in ``order``.
        order: int32 (T * N,), rows of ``case``, leaf by leaf.
    """

    case: NDArray[np.int64]
    first: NDArray[np.int64]
    start: NDArray[np.int32]
    order: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.case)

    def nearest(self, place: Int16Array, k: int) -> Found:
        """The ``k`` cases that share most leaves with each place int16 (Q, T), and in how many trees they do not.

        Of cases that share as many the earlier comes first. Both int64 (Q, k); where fewer share any, the rest is -1
        and ``NOTHING``.
        """
        case, apart = np.full((len(place), k), -1, np.int64), np.full((len(place), k), NOTHING)

        def look(part: slice) -> None:
            _most_shared(self.first, self.start, self.order, len(self), place[part], case[part], apart[part])

        in_parts(len(place), look)
        return np.where(case >= 0, self.case[case], -1) if len(self) else case, apart


def by_leaves(place: Int16Array, case: NDArray[np.int64]) -> SharedLeaves:
    """An index of cases at places int16 (N, T) whose numbers are ``case``, int64 (N,)."""
    trees = place.shape[1]
    leaves = place.max(axis=0).astype(np.int64) + 1 if len(place) else np.zeros(trees, np.int64)
    first = np.concatenate([[0], np.cumsum(leaves)])
    earlier = np.argsort(case, kind="stable")
    place, case = place[earlier], case[earlier]
    order = np.argsort(place.T, axis=1, kind="stable").astype(np.int32).reshape(-1)
    count = np.bincount((place + first[:-1]).reshape(-1), minlength=int(first[-1]))
    return SharedLeaves(case, first, np.concatenate([[0], np.cumsum(count)]).astype(np.int32), order)


@njit(nogil=True)
def _most_shared(
    first: NDArray[np.int64], start: NDArray[np.int32], order: NDArray[np.int32], cases: int, place: Int16Array,
    case: NDArray[np.int64], apart: NDArray[np.int64],
) -> None:  # fmt: skip
    trees, k = len(first) - 1, case.shape[1]
    shared = np.zeros(cases, np.uint8)
    for q in range(len(place)):
        shared[:] = 0
        for t in range(trees):
            leaf = first[t] + place[q, t]
            if place[q, t] >= 0 and leaf < first[t + 1]:
                for i in range(start[leaf], start[leaf + 1]):
                    shared[order[i]] += 1
        have, least = 0, 1
        for i in range(cases):
            if shared[i] < least:
                continue
            at = have if have < k else k - 1
            have = min(have + 1, k)
            missing = trees - np.int64(shared[i])
            while at > 0 and apart[q, at - 1] > missing:
                apart[q, at], case[q, at] = apart[q, at - 1], case[q, at - 1]
                at -= 1
            apart[q, at], case[q, at] = missing, i
            if have == k:
                least = trees - apart[q, k - 1] + 1
