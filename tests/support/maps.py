"""Small maps."""

from dataclasses import replace
from functools import lru_cache

from training.maps import fit

CONFIG = fit.MapsConfig(boards=40, rounds=0, side=8, hands=6, match_boards=20)


@lru_cache(maxsize=2)
def small_atlas(inputs="published"):
    """Maps of what ``system:sayc`` calls on fifty boards."""
    return fit.from_system(replace(CONFIG, inputs=inputs))
