"""Bidding as reinforcement-learning environments over one table core."""

from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv

__all__ = ["BiddingEnv", "BiddingVectorEnv"]
