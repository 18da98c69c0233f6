"""Find the nearest points exactly, by an index that looks at few of them.

Points that lie together make a group with a centre and a radius. A query goes through the groups from the one that can
hold the nearest points, and ends where none can hold a nearer one than those it has. Within a group it looks only at
points that lie about as far from the centre as the query does (the triangle inequality), and first at the coordinates
that differ most. How points are grouped changes how long that takes, never what is found: distances are whole numbers,
and of two points as near the earlier comes first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bridge_env import streams
from bridge_env.kernels import njit

_GROUPS, _SIZE = 512, 100  # groups at most, and points that make one worth while
_ROUNDS = 4  # of moving centres to the middle of their points
_BLOCK = 4096
_A_THREAD = 4096  # queries that are worth a thread of their own
_SLACK = 1e-4  # what float32 may be wrong by in a distance to a centre, relative
NOTHING = np.int64(1) << 40  # the squared distance where there is no further point

Int16Array = NDArray[np.int16]
Found = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Index:
    """Points by groups.

    Attributes:
        column: int64 (D,), the coordinates from the one that differs most; so they stand in what follows.
        point: int16 (N, D), group by group, in each from its centre outwards.
        case: int64 (N,), the numbers under which they are found.
        far: float32 (N,), how far each is from its centre.
        start: int64 (G + 1,), where each group begins.
        centre: float32 (G, D).
    """

    column: NDArray[np.int64]
    point: Int16Array
    case: NDArray[np.int64]
    far: NDArray[np.float32]
    start: NDArray[np.int64]
    centre: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.case)

    def nearest(self, place: Int16Array, k: int) -> Found:
        """The ``k`` nearest points of each place int16 (Q, D): numbers and squared distances, int64 (Q, k).

        Where there are fewer, the rest is -1 and ``NOTHING``.
        """
        case, square = np.full((len(place), k), -1, np.int64), np.full((len(place), k), NOTHING)
        asked = np.ascontiguousarray(place[:, self.column])

        def look(part: slice) -> None:
            _nearest(
                self.point, self.case, self.far, self.start, self.centre, asked[part], case[part], square[part]
            )  # fmt: skip

        in_parts(len(place), look)
        return case, square


def in_parts(count: int, look: Callable[[slice], None]) -> None:
    """``look`` at so many queries: as slices, in threads where there are enough."""
    threads = min(os.cpu_count() or 1, max(1, count // _A_THREAD))
    ends = np.linspace(0, count, threads + 1).astype(int)
    parts = [slice(*pair) for pair in pairwise(ends.tolist())]
    if threads == 1:
        look(parts[0])
    else:
        with ThreadPoolExecutor(threads) as crew:
            list(crew.map(look, parts))


def indexed(point: Int16Array, case: NDArray[np.int64]) -> Index:
    """An index of points int16 (N, D) whose numbers are ``case``, int64 (N,)."""
    column = np.argsort(-point.std(axis=0), kind="stable") if len(point) else np.arange(point.shape[1])
    point = np.ascontiguousarray(point[:, column])
    groups = max(1, min(_GROUPS, len(point) // _SIZE))
    centre = _centres(point, groups)
    group = _closest(point, centre)
    far = np.sqrt(np.square(point - centre[group], dtype=np.float64).sum(axis=1)).astype(np.float32)
    order = np.lexsort((case, far, group))
    start = np.searchsorted(group[order], np.arange(groups + 1))
    return Index(column, point[order], case[order], far[order], start, centre)


def _centres(point: Int16Array, groups: int) -> NDArray[np.float32]:
    chosen = np.argsort(streams.key("centres", np.arange(len(point))), kind="stable")[:groups]
    centre = np.zeros((groups, point.shape[1]), np.float32)
    centre[: len(chosen)] = point[chosen]
    for _ in range(_ROUNDS if groups > 1 else 0):
        group = _closest(point, centre)
        count = np.bincount(group, minlength=groups)[:, None]
        total = np.stack([np.bincount(group, column, groups) for column in point.T], axis=1)
        centre = np.where(count > 0, total / np.maximum(count, 1), centre).astype(np.float32)
    return centre


def _closest(point: Int16Array, centre: NDArray[np.float32]) -> NDArray[np.int64]:
    """The closest centre of each point; which it is may depend on rounding, what is found does not."""
    size = np.square(centre).sum(axis=1)
    parts = [point[at : at + _BLOCK].astype(np.float32) for at in range(0, len(point), _BLOCK)]
    return np.concatenate([np.zeros(0, np.int64), *((size - 2 * part @ centre.T).argmin(axis=1) for part in parts)])


@njit(nogil=True)
def _nearest(
    point: Int16Array, number: NDArray[np.int64], far: NDArray[np.float32], start: NDArray[np.int64],
    centre: NDArray[np.float32], place: Int16Array, case: NDArray[np.int64], square: NDArray[np.int64],
) -> None:  # fmt: skip
    dimensions, k, half = point.shape[1], case.shape[1], point.shape[1] // 2
    away = np.empty(len(centre), np.float32)  # the query from each centre
    least = np.empty(len(centre), np.float32)  # how near a point of each group can be, squared
    for q in range(len(place)):
        for g in range(len(centre)):
            s = np.float32(0)
            for d in range(dimensions):
                x = centre[g, d] - np.float32(place[q, d])
                s += x * x
            away[g] = np.sqrt(s)
            radius = far[start[g + 1] - 1] if start[g + 1] > start[g] else np.float32(0)
            bound = away[g] - radius - np.float32(_SLACK) * (away[g] + radius + 1)
            least[g] = bound * bound if bound > 0 else np.float32(0)
        have, worst, reach = 0, NOTHING, np.float32(np.inf)
        for g in np.argsort(least):
            if have == k and least[g] > worst:
                break
            for i in range(start[g], start[g + 1]):
                if np.abs(away[g] - far[i]) - np.float32(_SLACK) * (away[g] + far[i] + 1) > reach:
                    continue
                between = np.int32(0)
                for d in range(half):
                    y = np.int32(point[i, d]) - np.int32(place[q, d])
                    between += y * y
                if between > worst:
                    continue
                for d in range(half, dimensions):
                    y = np.int32(point[i, d]) - np.int32(place[q, d])
                    between += y * y
                if between > worst or (between == worst and number[i] > case[q, k - 1]):
                    continue
                at = have if have < k else k - 1
                have = min(have + 1, k)
                while at > 0 and (
                    square[q, at - 1] > between or (square[q, at - 1] == between and case[q, at - 1] > number[i])
                ):
                    square[q, at], case[q, at] = square[q, at - 1], case[q, at - 1]
                    at -= 1
                square[q, at], case[q, at] = between, number[i]
                if have == k:
                    worst = square[q, k - 1]
                    reach = np.float32(np.sqrt(worst))
