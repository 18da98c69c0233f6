"""Register the env under its Gymnasium id with Ray, for RLlib and Tune.

RLlib is no dependency of this package, because it pins a Gymnasium of its own (``ray[rllib]``: 1.2.2). See
docs/libraries.md for how to install and use it. Its default networks do not mask. Its action-masking module wants
the mask among the observations, and these under another name: ``env_config={"masked": True}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.wrappers import TransformObservation

from bridge_env.envs.single import BiddingEnv

ENV_ID = "bridge_env/Bidding-v0"


def make_env(config: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """Return an env from RLlib's ``env_config``, the arguments of ``BiddingEnv``.

    Observations are float32 (480,) or, with ``masked``, ``{"observations": float32 (480,), "action_mask":
    float32 (38,)}``.
    """
    env = BiddingEnv(**{"dtype": "float32", **config})
    space: Any = env.observation_space
    if not isinstance(space, spaces.Dict):
        return env
    renamed = spaces.Dict(action_mask=space["action_mask"], observations=space["observation"])
    return TransformObservation(
        env, lambda seen: {"action_mask": seen["action_mask"], "observations": seen["observation"]}, renamed
    )


def register_with_ray(name: str = ENV_ID) -> None:
    """Register ``make_env`` with Ray, on all workers; raise ``ImportError`` where Ray is missing, or has no Tune."""
    try:
        from ray.tune.registry import register_env
    except ImportError as error:
        raise ImportError("register_with_ray needs Ray with Tune; install it with: pip install 'ray[tune]'") from error
    register_env(name, make_env)
