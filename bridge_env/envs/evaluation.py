"""Evaluate a policy on boards that are played once each."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.envs.compiled.arrays import CALLER_TURN, DISABLED, new_output
from bridge_env.envs.config import EnvConfig, EnvSetting, many_calls, not_a_call
from bridge_env.envs.episodes import draw_episodes, episode_key, seed_base
from bridge_env.envs.table import Tables
from bridge_env.rules.calls import NUM_CALLS

_AT_ONCE = 4096

Policy = Callable[[Any, NDArray[np.int8]], ArrayLike]


def evaluate(
    policy: Policy, boards: int | None = None, seed: int = 0, **setting: Unpack[EnvSetting]
) -> dict[str, NDArray[Any]]:
    """Play boards once each, and return a row for each.

    The arrays are the outcome, named as in ``info``, and ``reward`` float64 (B,). ``pandas.DataFrame`` takes the result
    as it is.

    Args:
        policy: from the observations of n seats and the legal calls int8 (n, 38) to calls (n,).
        boards: B; None: all of ``deals``, which are then deals of your own. They are played in their order; boards of
            the library are drawn by chance.
        seed: of the boards, and of the dealers and vulnerabilities that they do not have.
        setting: as of ``BiddingEnv``; ``deals`` are ``"judging"`` by default. With ``learner="all"`` ``reward`` is
            North-South's.

    Raises:
        ValueError: an argument is wrong, or the number of boards is missing.
    """
    setting.setdefault("deals", "judging")
    config = EnvConfig.of(**setting)
    if boards is None:
        if not isinstance(config.deals, Sized):
            raise ValueError("say how many boards to play, such as boards=1000; only deals of your own have an end")
        boards = len(config.deals)
    parts = [
        _play(policy, config, seed, np.arange(at, min(at + _AT_ONCE, boards))) for at in range(0, boards, _AT_ONCE)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}


def _play(policy: Policy, config: EnvConfig, seed: int, number: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Play the boards ``number``."""
    count, rows = len(number), np.arange(len(number))
    episodes = draw_episodes(config, episode_key(seed_base(seed), number), number)
    tables = Tables(count, config.table, config)
    tables.start(rows, episodes.boards, episodes.key, rows, episodes.reference)
    bits, mask = np.empty((count, OBSERVATION_SIZE), np.int8), np.empty((count, NUM_CALLS), np.int8)
    seat, calls = np.empty(count, np.int8), np.zeros(count, np.int64)
    while (turn := np.flatnonzero(tables.state.status == CALLER_TURN)).size:
        tables.show(None, bits, mask, seat)
        seen = config.observations.of(bits, mask, tables.view)
        chosen = {name: array[turn] for name, array in seen.items()} if isinstance(seen, dict) else seen[turn]
        calls[turn] = many_calls(policy(chosen, mask[turn]), len(turn))
        bad = tables.first_bad(calls, config.illegal == "raise")
        if bad >= 0:
            if not 0 <= calls[bad] < NUM_CALLS:
                raise not_a_call(calls[bad])
            raise tables.auctions.illegal_call_error(bad, int(calls[bad]))
        tables.call(calls)
        calls[turn] = 0
    output = new_output(count, DISABLED)
    tables.finish(output)
    reward = output.seat_rewards[:, 0].astype(np.float64) if config.four_seats else output.reward
    outcome = {name: output.outcome[row].copy() for name, row in config.outcomes.items()}
    return {"reward": reward, "illegal_action": output.illegal} | outcome
