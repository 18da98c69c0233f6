"""Register the env under its Gymnasium id with Ray, for RLlib and Tune.

RLlib is no dependency of this package, because it pins a Gymnasium of its own (``ray[rllib]``: 1.2.2). See
docs/environments.md for how to install and use it. Its default networks take no bits and do not mask: they see float32
zeros and ones. Its action-masking module wants the mask among the observations: ``env_config={"masked": True}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.envs.single import BiddingEnv
from bridge_env.rules.calls import NUM_CALLS

ENV_ID = "bridge_env/Bidding-v0"

Floats = NDArray[np.float32]


class RLlibBiddingEnv(gymnasium.Wrapper[Any, np.int64, NDArray[np.int8], np.int64]):
    """Adapt ``BiddingEnv`` to RLlib's networks.

    Observations are float32 (480,) or, with ``masked``, ``{"observations": float32 (480,), "action_mask":
    float32 (38,)}``.
    """

    def __init__(self, env: BiddingEnv, masked: bool = False) -> None:
        super().__init__(env)
        self._masked = masked
        bits = spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32)
        legal = spaces.Box(0.0, 1.0, (NUM_CALLS,), np.float32)
        self.observation_space = spaces.Dict(action_mask=legal, observations=bits) if masked else bits

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an auction, as ``BiddingEnv`` does."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._shown(observation, info), info

    def step(self, action: np.int64) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a call, as ``BiddingEnv`` does."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._shown(observation, info), float(reward), terminated, truncated, info

    def _shown(self, observation: NDArray[np.int8], info: dict[str, Any]) -> Floats | dict[str, Floats]:
        bits = observation.astype(np.float32)
        return {"action_mask": info["action_mask"].astype(np.float32), "observations": bits} if self._masked else bits


def make_env(config: Mapping[str, Any]) -> RLlibBiddingEnv:
    """Return an env from RLlib's ``env_config``: arguments of ``BiddingEnv``, and ``masked`` (see above)."""
    arguments = dict(config)
    masked = arguments.pop("masked", False)
    return RLlibBiddingEnv(BiddingEnv(**arguments), masked)


def register_with_ray(name: str = ENV_ID) -> None:
    """Register ``make_env`` with Ray, on all its workers.

    Raises:
        ImportError: Ray is missing, or has no Tune; the message names the package.
    """
    try:
        from ray.tune.registry import register_env
    except ImportError as error:
        raise ImportError("register_with_ray needs Ray with Tune; install it with: pip install 'ray[tune]'") from error
    register_env(name, make_env)
