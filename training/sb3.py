"""Stable-Baselines3: the vector env as its ``VecEnv``."""

from training.networks.sb3 import SB3VecEnv

__all__ = ["SB3VecEnv"]
