"""Deals that hold the cards one knows and fit what was shown."""

from bridge_env.sampling.constraints import Constraint, Ranges, hand
from bridge_env.sampling.places import Places, PlacesError
from bridge_env.sampling.sampler import Sample, sample_deals

__all__ = ["Constraint", "Places", "PlacesError", "Ranges", "Sample", "hand", "sample_deals"]
