"""Get double-dummy tricks from the cheapest source: the library of solved deals, then the solver."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.cards import check_deals
from bridge_env.double_dummy.exact import ExactDoubleDummy, check_contracts
from bridge_env.double_dummy.library import builtin_library
from bridge_env.protocols import DoubleDummy


class LibraryThenSolver:
    """Looks deals up in the shipped library, as any of their 96 images, and solves the rest exactly.

    A ``bridge_env.protocols.DoubleDummy``. The library is not opened until a deal comes, and no solver is loaded until
    one comes that the library does not have.

    Args:
        exact: what solves the rest; None = ``ExactDoubleDummy()``.
    """

    def __init__(self, exact: DoubleDummy | None = None) -> None:
        self.exact: DoubleDummy = ExactDoubleDummy() if exact is None else exact

    def tricks(self, owner: ArrayLike) -> NDArray[np.int8]:
        """Whole tables, int8 (N, 4, 5) [declarer seat, strain], of deals uint8 (N, 52).

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
        """Tricks int8 (N,) of given contracts: declarers (N,) and strains (N,) on deals uint8 (N, 52).

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
    """The shipped library, then the solver: one for the process, so that whoever asks has no contract solved twice."""
    return LibraryThenSolver()
