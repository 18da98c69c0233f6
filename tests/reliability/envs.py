"""Envs that are copied in the middle of an episode, and envs that are misused."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from gymnasium.error import Error as GymnasiumError

from bridge_env import streams
from bridge_env.envs.kernels.rounds import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from tests.reliability.tally import Case, Wrong, refuses

_STEPS = 40
_SETTINGS: tuple[dict[str, Any], ...] = (
    {"learner": "all"},
    {"learner": "S", "partner": "random", "opponents": "random", "reward": "imps_vs_par"},
    {"learner": "NS", "opponents": "doubler", "control": "random"},
    {"learner": "NS", "opponents": "system:sayc", "control": "pass"},
)
_ODD: tuple[Any, ...] = (
    None, True, 2.5, -1, 38, 10**30, math.nan, math.inf, "3", "Pass", b"3", 1j, [0], [], {}, (1, 2), np.float32(0.5),
    np.int64(-7), np.uint64(2**63), np.array([[1]]), np.array("x"), object(), np.array([None]), [0, "1"], range(3),
)  # fmt: skip


def copied(count: int, seed: int) -> Iterator[Case]:
    """Copies and pickles after any number of steps; they go on as the env does."""
    for number in range(count):
        yield f"copy {number} of seed {seed}", partial(_goes_on, number, seed)


def _goes_on(number: int, seed: int) -> bool:
    rng = np.random.default_rng([seed, number])
    kwargs = _SETTINGS[number % len(_SETTINGS)]
    way = (copy.deepcopy, _pickled, _shared)[number // len(_SETTINGS) % 3]
    if number % 2:
        env: Any = BiddingVectorEnv(int(rng.integers(1, 9)), **kwargs)
        go_on = _many
    else:
        env, go_on = BiddingEnv(**kwargs), _one
    mask = env.reset(seed=int(rng.integers(1000)))[1]["action_mask"]
    _, mask = go_on(env, mask, int(rng.integers(60)), 0)
    other = way(env)
    if go_on(other, mask, _STEPS, 1)[0] != go_on(env, mask, _STEPS, 1)[0]:
        raise Wrong(f"{type(env).__name__}({kwargs}) and its copy went apart")
    return True


def _pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def _shared(env: Any) -> Any:
    """Pickled as Ray does it: the arrays come back over memory that cannot be written to."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])


def _one(env: Any, mask: Any, steps: int, key: int) -> tuple[list[Any], Any]:
    told: list[Any] = []
    for step in range(steps):
        legal = np.flatnonzero(mask)
        call = int(legal[int(streams.key("copies", key, step)[0]) % len(legal)])
        observation, reward, over, _, info = env.step(call)
        told.append((np.asarray(observation).tobytes(), reward, over))
        mask = info["action_mask"]
        if over:
            mask = env.reset()[1]["action_mask"]
    return told, mask


def _many(env: Any, mask: Any, steps: int, key: int) -> tuple[list[Any], Any]:
    told: list[Any] = []
    for step in range(steps):
        observation, reward, over, _, info = env.step(sample_legal(mask, streams.key("copies", key, step)[0]))
        told.append((observation.tobytes(), reward.tobytes(), over.tobytes()))
        mask = info["action_mask"]
    return told, mask.copy()


def misused(count: int, seed: int) -> Iterator[Case]:
    """Odd actions, seeds, options and settings; the env says what is wrong, and goes on as if nothing had been."""
    for number in range(count):
        yield f"misuse {number} of seed {seed}", partial(_misuse, number, seed)


def _misuse(number: int, seed: int) -> bool:
    rng = np.random.default_rng([seed, number, 1])
    odd = _ODD[int(rng.integers(len(_ODD)))]
    known = (ValueError, TypeError, GymnasiumError)
    kind = number % 6
    if kind == 0:
        names = ("learner", "partner", "opponents", "reward", "deals", "dealer", "vulnerability", "control", "illegal")
        return refuses(partial(BiddingEnv, **{names[int(rng.integers(len(names)))]: odd}), *known)
    if kind == 1:
        return refuses(lambda: BiddingVectorEnv(odd if rng.integers(2) else 2, threads=odd), *known)
    env: Any = BiddingEnv(learner="all") if rng.integers(2) else BiddingVectorEnv(2, learner="all")
    if kind == 2:
        return refuses(partial(env.step, odd), *known)  # before any reset
    env.reset(seed=1)
    many = isinstance(env, BiddingVectorEnv)
    if kind == 3:
        taken = refuses(partial(env.reset, seed=odd), *known)
    elif kind == 4:
        taken = refuses(partial(env.reset, options={"deal": odd} if rng.integers(2) else odd), *known)
    else:
        taken = refuses(partial(env.step, [odd, 0] if many else odd), *known)
        if not taken and env._tables.auctions.length.any():
            raise Wrong(f"{odd!r} was refused, and a call was made")
        env.step([3, 3] if many and not taken else 3) if not taken else None
        return taken
    env.reset(seed=1)
    env.step([3, 3] if many else 3)
    return taken
