"""Define the protocol of sources of exact tricks."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


@runtime_checkable
class DoubleDummy(Protocol):
    """A source of exact tricks."""

    def tricks(self, owner: ArrayLike) -> NDArray[np.int8]:
        """Return tables int8 (N, 4, 5) [declarer seat, strain] of deals uint8 (N, 52)."""
        ...

    def tricks_for(self, owner: ArrayLike, declarer: ArrayLike, strain: ArrayLike) -> NDArray[np.int8]:
        """Return the tricks of the given contracts only, int8 (N,): cheaper than whole tables."""
        ...
