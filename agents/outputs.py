"""Let any model bid that gives a number for every call: the highest one that is legal is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.calls import NUM_CALLS
from bridge_env.observation import observe
from bridge_env.view import BidView

_ROWS = 8192  # bid at a time, to bound memory


def highest_legal(outputs: Callable[[NDArray[Any]], ArrayLike], view: BidView) -> NDArray[np.int8]:
    """For every row, the legal call with the highest output, the lowest such call in a tie: int8 (N,).

    Args:
        outputs: from observations int8 (N, 480), ``bridge_env.observation``, to numbers (N, 38).

    Raises:
        ValueError: they are of another shape, or the highest is no number.
    """
    calls = np.empty(len(view), np.int8)
    for start in range(0, len(view), _ROWS):
        part = view.take(np.arange(start, min(start + _ROWS, len(view))))
        numbers = np.asarray(outputs(observe(part)))
        if numbers.shape != part.mask.shape:
            raise ValueError(
                f"outputs of shape {numbers.shape} for {len(part)} turns; it must be ({len(part)}, {NUM_CALLS})"
            )
        chosen = np.where(part.mask, numbers, -np.inf)
        calls[start : start + len(part)] = chosen.argmax(axis=1)  # the place of a NaN, where there is one
        if not np.isfinite(chosen.max(axis=1)).all():
            raise ValueError("outputs that are no finite numbers")
    return calls


@dataclass(frozen=True)
class Outputs:
    """A bidder that makes the legal call with the highest output of a function.

    Attributes:
        function: from observations float32 (N, 480) to outputs (N, 38), such as the logits of a torch module.
    """

    function: Callable[[NDArray[np.float32]], ArrayLike]

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The legal call with the highest output, for every row."""
        return highest_legal(lambda seen: self.function(seen.astype(np.float32)), view)
