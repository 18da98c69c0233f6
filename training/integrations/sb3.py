"""Stable-Baselines3: the vector env as its ``VecEnv``, and the parts of ``train ppo`` for training of one's own."""

from training.configs import PPOConfig
from training.networks.ppo import make_env, make_model, policy_of
from training.networks.sb3 import SB3VecEnv

__all__ = ["PPOConfig", "SB3VecEnv", "make_env", "make_model", "policy_of"]
