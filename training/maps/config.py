"""Define the settings of the fit of maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.runtime.settings import Count, CountOrZero, Settings


@dataclass(frozen=True)
class MapsConfig(Settings):
    """Hold the settings of the fit of maps."""

    system: str = "system:sayc"
    """learn the calls of this system, and interpret calls by it"""
    inputs: Literal["published", "learned"] = "published"
    """lengths, points and a little of the auction, or a learned metric of all that case bases see"""
    fallback: str = ""
    """system for the calls that the maps of 2007 leave out (default: two more maps)"""
    boards: Count = 30_000
    """deals that the teacher bids"""
    rounds: CountOrZero = 1
    """rounds in which the maps bid and the teacher corrects them"""
    side: Count = 64
    """largest number of units along a side of a map"""
    hands: Count = 12
    """fewest training hands for each unit"""
    seed: CountOrZero = 1
    """random seed"""
    match_boards: CountOrZero = 5000
    """boards in each match that judges the maps"""
