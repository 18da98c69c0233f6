"""Sample deals that contain the known cards and fit what the calls have shown."""

from bridge_env.sampling.constraints import Constraint, Ranges, hand
from bridge_env.sampling.places import Places, PlacesError
from bridge_env.sampling.sampler import Sample, sample_deals

__all__ = ["Constraint", "Places", "PlacesError", "Ranges", "Sample", "hand", "sample_deals"]
