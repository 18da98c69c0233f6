"""Adapt ``BiddingVectorEnv`` to Stable-Baselines3: its own kind of VecEnv, reset on the same step.

    env = SB3VecEnv(BiddingVectorEnv(1024, learner="NS", ..., autoreset_mode="same_step"))
    model = MaskablePPO("MlpPolicy", env)

A single ``BiddingEnv`` needs none of this: SB3 and sb3-contrib take it as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from bridge_env.io.optional_dependencies import how_to_install

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        f"Stable-Baselines3 is not installed; install it with: {how_to_install('rl')} ({error})"
    ) from error

Indices = None | int | Iterable[int]


class SB3VecEnv(VecEnv):
    """Adapt a Gymnasium VectorEnv of bidding tables to SB3.

    When an episode ends, its last reward comes with ``done``, its last observation in ``info["terminal_observation"]``
    with the rest of the env's info, and the observation returned is the next episode's first.
    ``info["episode"]`` holds what SB3 shows as ``rollout/ep_rew_mean``, without a VecMonitor: ``r``, the reward in the
    env's own unit, ``l``, the learner's calls, and ``t``, seconds since the env was made.
    ``env_method("action_masks")`` calls the env once for all tables.

    Args:
        env: with the autoreset mode SAME_STEP.
        reward_scale: rewards are multiplied by it; PPO learns best where they are about 1.

    Raises:
        ValueError: the env resets at another time, its caller bids all four seats, or its observations are not arrays.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any], reward_scale: float = 1.0) -> None:
        mode = env.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            raise ValueError(f"SB3 needs an env with the autoreset mode SAME_STEP; this one has {mode}")
        if getattr(env.unwrapped, "learner", None) == "all":
            raise ValueError("SB3 trains one learner; with learner='all' it would reward one seat for another's calls")
        if isinstance(env.single_observation_space, gymnasium.spaces.Dict):
            raise ValueError("SB3 takes the legal calls from action_masks(); leave masked=True out")
        self.env = env
        self.reward_scale = reward_scale
        self._actions: NDArray[Any] | None = None
        self._began = time.perf_counter()
        # Of the episodes in progress.
        self._rewards, self._calls = np.zeros(env.num_envs), np.zeros(env.num_envs, np.int64)
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> NDArray[np.int8]:
        seeds, options = self._seeds, [o for o in self._options if o]
        if options:
            raise ValueError("SB3 cannot pass options to one table; use BiddingEnv.reset(options=...)")
        # One seed for all tables: SB3's own, seed + i, would give runs with seeds side by side the same tables.
        observation, _ = self.env.reset(seed=None if seeds[0] is None else int(seeds[0]))
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        self._rewards[:], self._calls[:] = 0, 0
        return np.array(observation)

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        observation, rewards, terminated, truncated, info = self.env.step(self._actions)
        done = terminated | truncated
        self._rewards += rewards
        self._calls += 1
        seconds = round(time.perf_counter() - self._began, 6)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        last = info.get("final_info", {})
        named = [(name, values, last["_" + name]) for name, values in last.items() if not name.startswith("_")]
        for i in np.flatnonzero(done):
            infos[i] = {name: values[i] for name, values, there in named if there[i]}
            infos[i]["terminal_observation"] = info["final_obs"][i].copy()
            infos[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
            infos[i]["episode"] = {"r": float(self._rewards[i]), "l": int(self._calls[i]), "t": seconds}
        self._rewards[done], self._calls[done] = 0, 0
        # SB3 keeps the last observation over a step: a copy, for an env that writes to its arrays again.
        return observation.copy(), (rewards * self.reward_scale).astype(np.float32), done, infos

    def close(self) -> None:
        self.env.close()

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call the env once; an array with one row for every table is returned row by row."""
        answer = getattr(self.env, method_name)(*method_args, **method_kwargs)
        rows = self._get_indices(indices)
        if isinstance(answer, np.ndarray) and answer.shape[:1] == (self.num_envs,):
            return [answer[i] for i in rows]
        return [answer for _ in rows]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute, which all tables share; raise ``ValueError`` where it is for some tables only."""
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"the tables of one env share {attr_name!r}; set it for all of them")
        setattr(self.env, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]  # the wrappers of single envs, of which there are none
