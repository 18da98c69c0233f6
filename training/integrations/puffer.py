"""Adapt the vector env to PufferLib: a native PufferEnv, whose tables step in one kernel and write to Puffer's memory.

PufferLib is no dependency of this package; ``examples/libraries/with_pufferlib.py`` uses it.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.envs.config import EnvSetting
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rules.calls import NUM_CALLS

try:
    from pufferlib import PufferEnv
except ImportError as error:
    raise ImportError("training.integrations.puffer needs PufferLib; install it with: pip install pufferlib") from error


class BiddingPufferEnv(PufferEnv):  # type: ignore[misc, unused-ignore] # PufferLib has no types
    """``num_envs`` tables, one agent at each: the learner.

    Observations are int8 (518,): the 480 bits, then the 38 legal calls, which a policy splits off. Episodes end
    and begin at the same step; ``infos`` has the mean reward of those that ended, ``episode_return``.

    Args:
        num_envs: how many tables.
        buf, seed: as PufferLib hands them over.
        setting: as of ``BiddingEnv``; the learner is one seat or a partnership.

    Raises:
        ValueError: an argument is wrong.
    """

    def __init__(self, num_envs: int = 1024, buf: Any = None, seed: int = 0, **setting: Unpack[EnvSetting]) -> None:
        self._env = BiddingVectorEnv(num_envs, autoreset_mode="SameStep", copy=False, **setting)
        if self._env.learner == "all":
            raise ValueError("PufferLib trains one agent at each table; use learner='NS'")
        self.single_observation_space = spaces.Box(0, 1, (OBSERVATION_SIZE + NUM_CALLS,), np.int8)
        self.single_action_space = spaces.Discrete(NUM_CALLS)
        self.num_agents = num_envs
        super().__init__(buf)
        self._seed = seed

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.int8], list[dict[str, float]]]:
        """Begin new auctions at all tables."""
        self._show(*self._env.reset(seed=self._seed if seed is None else seed))
        return self.observations, []

    def step(self, actions: NDArray[np.integer[Any]]) -> tuple[Any, Any, Any, Any, list[dict[str, float]]]:
        """Make a call at every table."""
        observation, self.rewards[:], self.terminals[:], _, info = self._env.step(actions)
        self._show(observation, info)
        ended = self.terminals.any()
        infos = [{"episode_return": float(self.rewards[self.terminals].mean())}] if ended else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _show(self, observation: Any, info: dict[str, Any]) -> None:
        self.observations[:, :OBSERVATION_SIZE] = observation
        self.observations[:, OBSERVATION_SIZE:] = info["action_mask"]

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
