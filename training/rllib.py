"""The env under its Gymnasium id in Ray's registry, for RLlib and Tune.

RLlib is no dependency of this package, because it pins a Gymnasium of its own (``ray[rllib]``: 1.2.2). In an
environment that has it, this trains PPO as South, with system:sayc in the other seats::

    from ray.rllib.algorithms.ppo import PPOConfig
    from training.rllib import register_with_ray

    register_with_ray()
    config = (
        PPOConfig()
        .environment("bridge_env/Bidding-v0", env_config={"learner": "S", "reward": "imps_vs_par"})
        .env_runners(num_env_runners=2)
    )
    algorithm = config.build_algo()
    for _ in range(10):
        print(algorithm.train()["env_runners"]["episode_return_mean"])

RLlib's default networks do not mask: there an illegal call ends the episode at a price and is unlearned.
Its action-masking module wants the mask among the observations, which ``env_config={"masked": True}`` gives:
``{"observations": int8 (480,), "action_mask": int8 (38,)}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bridge_env.calls import NUM_CALLS
from bridge_env.envs.single import BiddingEnv

ENV_ID = "bridge_env/Bidding-v0"

MaskedObservation = dict[str, NDArray[np.int8]]


class MaskedBiddingEnv(gymnasium.Wrapper[MaskedObservation, np.int64, NDArray[np.int8], np.int64]):
    """``BiddingEnv`` with its mask among the observations, where RLlib's action-masking module looks for it."""

    def __init__(self, env: BiddingEnv) -> None:
        super().__init__(env)
        self.observation_space = spaces.Dict(
            action_mask=spaces.Box(0, 1, (NUM_CALLS,), np.int8), observations=env.observation_space
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MaskedObservation, dict[str, Any]]:
        """As ``BiddingEnv``'s."""
        observation, info = self.env.reset(seed=seed, options=options)
        return {"action_mask": info["action_mask"], "observations": observation}, info

    def step(self, action: np.int64) -> tuple[MaskedObservation, float, bool, bool, dict[str, Any]]:
        """As ``BiddingEnv``'s."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        seen = {"action_mask": info["action_mask"], "observations": observation}
        return seen, float(reward), terminated, truncated, info


def make_env(config: Mapping[str, Any]) -> gymnasium.Env[Any, np.int64]:
    """An env from RLlib's ``env_config``: arguments of ``BiddingEnv``, and ``masked`` (see above)."""
    arguments = dict(config)
    masked = arguments.pop("masked", False)
    env = BiddingEnv(**arguments)
    return MaskedBiddingEnv(env) if masked else env


def register_with_ray(name: str = ENV_ID) -> None:
    """Register ``make_env`` with Ray, on all its workers.

    Raises:
        ImportError: Ray is not there, or without Tune; says what to install.
    """
    try:
        from ray.tune.registry import register_env
    except ImportError as error:
        raise ImportError("register_with_ray needs Ray with Tune; install it with: pip install 'ray[tune]'") from error
    register_env(name, make_env)
