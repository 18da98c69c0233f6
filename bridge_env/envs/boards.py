"""Boards as the envs have them: a deal with what is known of its tricks, dealer and vulnerability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.cards import check_deals

UNSAID = -1


@dataclass(frozen=True, slots=True)
class Boards:
    """N boards.

    Attributes:
        owner: uint8 (N, 52).
        tricks: int8 (N, 4, 5), -1 where they are not known yet.
        dealer: int8 (N,), seat 0..3, or -1 where the source does not say.
        vulnerability: int8 (N,), code 0..3, or -1 where the source does not say.
    """

    owner: NDArray[np.uint8]
    tricks: NDArray[np.int8]
    dealer: NDArray[np.int8]
    vulnerability: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.owner)

    def take(self, rows: NDArray[np.intp]) -> Boards:
        """Some of the rows."""
        return Boards(self.owner[rows], self.tricks[rows], self.dealer[rows], self.vulnerability[rows])


def boards_of(
    owner: ArrayLike,
    tricks: ArrayLike | None = None,
    dealer: ArrayLike = UNSAID,
    vulnerability: ArrayLike = UNSAID,
) -> Boards:
    """Boards from arrays, checked; ``dealer`` and ``vulnerability`` are scalars or (N,).

    Raises:
        DealError: not deals.
        ValueError: another array has a wrong shape or a number out of range.
    """
    deals = check_deals(owner)
    n = len(deals)
    table = np.full((n, 4, 5), -1) if tricks is None else np.asarray(tricks)
    if table.shape != (n, 4, 5) or ((table < -1) | (table > 13)).any():
        raise ValueError(f"{n} deals need tricks 0..13 (-1 = unknown) of shape ({n}, 4, 5)")
    said = []
    for name, value in (("dealer", dealer), ("vulnerability", vulnerability)):
        a = np.broadcast_to(np.asarray(value), n)
        if ((a < UNSAID) | (a > 3)).any():
            raise ValueError(f"{name} is a number 0..3, or -1 where it is not said")
        said.append(a.astype(np.int8))
    return Boards(deals, table.astype(np.int8), said[0], said[1])
