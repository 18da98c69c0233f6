"""Look double-dummy tricks up in the library of solved deals, and solve the others."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.double_dummy.exact import ExactDoubleDummy, check_contracts
from bridge_env.double_dummy.library import builtin_library
from bridge_env.double_dummy.protocol import DoubleDummy
from bridge_env.rules.cards import check_deals


class LibraryThenSolver:
    """A ``DoubleDummy`` that looks deals up in the shipped library, in all 96 symmetries, and solves the others.

    The library is opened at the first call, and the solver is loaded for the first deal that the library lacks.

    Args:
        exact: the solver; None = ``ExactDoubleDummy()``.
    """

    def __init__(self, exact: DoubleDummy | None = None) -> None:
        self.exact: DoubleDummy = ExactDoubleDummy() if exact is None else exact

    def tricks(self, owner: ArrayLike) -> NDArray[np.int8]:
        """Return tables int8 (N, 4, 5) [declarer seat, strain] of deals uint8 (N, 52).

        Raises:
            DealError: not deals.
        """
        deals = check_deals(owner)
        tricks = builtin_library().tables_of(deals)
        unknown = np.flatnonzero(tricks[:, 0, 0] < 0)
        if unknown.size:
            tricks[unknown] = self.exact.tricks(deals[unknown])
        return tricks

    def tricks_for(self, owner: ArrayLike, declarer: ArrayLike, strain: ArrayLike) -> NDArray[np.int8]:
        """Return the tricks int8 (N,) of contracts: declarers (N,) and strains (N,) on deals uint8 (N, 52).

        Raises:
            DealError: not deals.
            ValueError: not a declarer or a strain.
        """
        deals, d, s = check_contracts(owner, declarer, strain)
        tricks: NDArray[np.int8] = builtin_library().tables_of(deals)[np.arange(len(deals)), d, s]
        unknown = np.flatnonzero(tricks < 0)
        if unknown.size:
            tricks[unknown] = self.exact.tricks_for(deals[unknown], d[unknown], s[unknown])
        return tricks


@lru_cache(maxsize=1)
def library_then_solver() -> LibraryThenSolver:
    """Return the one ``LibraryThenSolver`` of this process, whose cache all callers share."""
    return LibraryThenSolver()
