"""Images of deals and of their tables, a turn or an exchange of suits at a time (turns of deals: ``rotate_deals``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def permute_suits(owner: np.ndarray, permutation: Sequence[int]) -> np.ndarray:
    """Deals uint8 (..., 52) in which suit ``i`` is what suit ``permutation[i]`` was."""
    deals = np.asarray(owner, np.uint8)
    return deals.reshape(*deals.shape[:-1], 4, 13)[..., list(permutation), :].reshape(deals.shape)


def permute_tricks(tricks: np.ndarray, permutation: Sequence[int]) -> np.ndarray:
    """Tables int8 (..., 4, 5) of deals after ``permute_suits``."""
    return np.asarray(tricks)[..., [*permutation, 4]]


def rotate_tricks(tricks: np.ndarray, steps: int) -> np.ndarray:
    """Tables int8 (..., 4, 5) of deals after ``rotate_deals``."""
    return np.roll(tricks, steps, axis=-2)
