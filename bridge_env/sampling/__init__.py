"""Sample deals that contain the known cards and fit what the calls have shown."""

from bridge_env.sampling.constraints import Constraint, Ranges, hand
from bridge_env.sampling.known_cards import KnownCards, KnownCardsError
from bridge_env.sampling.sampler import Sample, sample_deals

__all__ = ["Constraint", "KnownCards", "KnownCardsError", "Ranges", "Sample", "hand", "sample_deals"]
