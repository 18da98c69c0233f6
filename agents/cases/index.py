"""The nearest points, exactly: an index that looks at a small part of them.

Points that lie together make a group with a centre and a radius. A query goes through the groups from the one that can
hold the nearest points, and ends where none can hold a nearer one than those it has. How points are grouped changes how
long that takes, never what is found: distances are whole numbers, and of two points as near the earlier comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env import streams
from bridge_env.kernels import njit

_GROUPS, _SIZE = 512, 100  # groups at most, and points that make one worth while
_ROUNDS = 4  # of moving centres to the middle of their points
_BLOCK = 4096
_SLACK = 1e-4  # what float32 may be wrong by in a distance to a centre, relative
NOTHING = np.int64(1) << 40  # the squared distance where there is no further point

Int16Array = NDArray[np.int16]
Found = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Index:
    """Points by groups.

    Attributes:
        point: int16 (N, D), group by group.
        case: int64 (N,), the numbers under which they are found.
        start: int64 (G + 1,), where each group begins.
        centre, radius: float32 (G, D) and (G,).
    """

    point: Int16Array
    case: NDArray[np.int64]
    start: NDArray[np.int64]
    centre: NDArray[np.float32]
    radius: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.case)

    def nearest(self, place: Int16Array, k: int) -> Found:
        """The ``k`` nearest points of each place int16 (Q, D): numbers and squared distances, int64 (Q, k).

        Where there are fewer, the rest is -1 and ``NOTHING``.
        """
        case, square = np.full((len(place), k), -1, np.int64), np.full((len(place), k), NOTHING)
        _nearest(self.point, self.case, self.start, self.centre, self.radius, place, case, square)
        return case, square


def indexed(point: Int16Array, case: NDArray[np.int64]) -> Index:
    """An index of points int16 (N, D) whose numbers are ``case``, int64 (N,)."""
    groups = max(1, min(_GROUPS, len(point) // _SIZE))
    centre = _centres(point, groups)
    group = _closest(point, centre)
    order = np.lexsort((case, group))
    start = np.searchsorted(group[order], np.arange(groups + 1))
    far = np.sqrt(np.square(point - centre[group], dtype=np.float64).sum(axis=1))
    radius = np.zeros(groups)
    np.maximum.at(radius, group, far)
    return Index(np.ascontiguousarray(point[order]), case[order], start, centre, radius.astype(np.float32))


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
    """The closest centre of each point; which it is may hang on rounding, what is found does not."""
    size = np.square(centre).sum(axis=1)
    parts = [point[at : at + _BLOCK].astype(np.float32) for at in range(0, len(point), _BLOCK)]
    return np.concatenate([np.zeros(0, np.int64), *((size - 2 * part @ centre.T).argmin(axis=1) for part in parts)])


@njit
def _nearest(
    point: Int16Array, number: NDArray[np.int64], start: NDArray[np.int64], centre: NDArray[np.float32],
    radius: NDArray[np.float32], place: Int16Array, case: NDArray[np.int64], square: NDArray[np.int64],
) -> None:  # fmt: skip
    dimensions, k, half = point.shape[1], case.shape[1], point.shape[1] // 2
    least = np.empty(len(radius), np.float32)  # how near a point of each group can be, squared
    for q in range(len(place)):
        for g in range(len(radius)):
            s = np.float32(0)
            for d in range(dimensions):
                x = centre[g, d] - np.float32(place[q, d])
                s += x * x
            bound = np.sqrt(s) * np.float32(1 - _SLACK) - radius[g] * np.float32(1 + _SLACK) - np.float32(_SLACK)
            least[g] = bound * bound if bound > 0 else np.float32(0)
        have, worst = 0, NOTHING
        for g in np.argsort(least):
            if have == k and least[g] > worst:
                break
            for i in range(start[g], start[g + 1]):
                far = np.int32(0)
                for d in range(half):
                    y = np.int32(point[i, d]) - np.int32(place[q, d])
                    far += y * y
                if far > worst:
                    continue
                for d in range(half, dimensions):
                    y = np.int32(point[i, d]) - np.int32(place[q, d])
                    far += y * y
                if far > worst or (far == worst and number[i] > case[q, k - 1]):
                    continue
                at = have if have < k else k - 1
                have = min(have + 1, k)
                while at > 0 and (
                    square[q, at - 1] > far or (square[q, at - 1] == far and case[q, at - 1] > number[i])
                ):
                    square[q, at], case[q, at] = square[q, at - 1], case[q, at - 1]
                    at -= 1
                square[q, at], case[q, at] = far, number[i]
                if have == k:
                    worst = square[q, k - 1]
