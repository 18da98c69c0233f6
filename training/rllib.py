"""RLlib: the env under a name that its algorithms know."""

from training.networks.rllib import RLlibBiddingEnv, make_env, register_with_ray

__all__ = ["RLlibBiddingEnv", "make_env", "register_with_ray"]
