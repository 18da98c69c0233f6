"""Contract-bridge bidding as a Gymnasium environment, with rules, scoring and double-dummy results."""

from gymnasium.envs.registration import register as _register

__version__ = "0.1.0"

_register(
    id="bridge_env/Bidding-v0",
    entry_point="bridge_env.envs.single:BiddingEnv",
    vector_entry_point="bridge_env.envs.vector:BiddingVectorEnv",
)
