"""Measure the env as it is mostly used: the caller has some seats, bidders the others and those of the other table."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from training.bench import own
from training.bench.own import Rate, rate, steps_of

_TABLES, _ROUNDS, _STEPS = 1024, 40, 1000
_WARM_UP = 6  # times as long as a repetition: systems keep the positions that come often
_NETWORK = "policy:two-over-one"
#: What is asked of ``make_vec``, and how the row says so.
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as it comes: one seat learns, systems in the others", {}),
    ("a pair learns, systems opposite", {"learner": "NS"}),
    ("as it comes, against par", {"reward": "imps_vs_par"}),
    ("opponents pass, systems as partner and control pair", {"opponents": "pass"}),
    ("a network opposite", {"opponents": _NETWORK}),
)


def _warm_up(work: Callable[[], int]) -> None:
    began = time.perf_counter()
    while time.perf_counter() - began < _WARM_UP * own.SECONDS:
        work()


def tables(name: str, settings: dict[str, Any], repetitions: int, *, at_random: bool = False) -> Rate:
    """Steps a second of 1,024 tables on one core; the caller passes, or makes legal calls at random."""
    import gymnasium

    import bridge_env  # noqa: F401 - registers the id

    env: Any = gymnasium.make_vec("bridge_env/Bidding-v0", num_envs=_TABLES, **settings)
    work = steps_of(env, _ROUNDS, at_random=at_random)
    _warm_up(work)
    caller = "random legal calls" if at_random else "the caller passes"
    result = rate(f"bridge-env, {name}", "steps/s", work, repetitions, f"{_TABLES:,} tables, one core, {caller}")
    env.close()
    return result


def one_table(repetitions: int) -> Rate:
    """Steps a second of the plain env as it comes; the caller passes."""
    from bridge_env.envs.single import BiddingEnv

    env = BiddingEnv()
    env.reset(seed=1)

    def work() -> int:
        for _ in range(_STEPS):
            if env.step(0)[2]:
                env.reset()
        return _STEPS

    _warm_up(work)
    return rate("bridge-env, one env as it comes", "steps/s", work, repetitions, "one core, the caller passes")
