"""Bidding as reinforcement-learning environments over one table core."""

from bridge_env.envs.single import BiddingEnv

__all__ = ["BiddingEnv"]
