"""Auctions of the vector env in its modes, of which the caller's calls are drawn by chance from the legal ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tests.golden import entry
from tests.golden.digests import Case, Running

_TABLES = 1024
_PASSES = 0.4  # share of calls that are passes where others are legal, so that auctions end soon
_SYSTEM, _NETWORK = "system:two-over-one", "policy:two-over-one"


def _calls(rng: np.random.Generator, mask: Any) -> Any:
    """Draw legal calls, int64 (N,)."""
    low, passes = rng.random(len(mask)), rng.random(len(mask)) < _PASSES
    rank = (low * low * mask.sum(axis=1)).astype(np.int64)  # cheap calls come more often
    drawn = (np.cumsum(mask, axis=1) == rank[:, None] + 1).argmax(axis=1)
    return np.where(passes, 0, drawn)


def _auctions(count: int = 20_000, wrong: float = 0.0, tables: int = _TABLES, **arguments: Any) -> dict[str, Running]:
    """Play until so many auctions have ended; ``wrong`` is the share of calls that may be illegal."""
    env = entry.make_vec(tables, **arguments)
    rng = np.random.default_rng(7)
    digests: dict[str, Running] = {}
    observation, info = env.reset(seed=list(range(11, 11 + tables)))
    _add(digests, observation, info)
    ended = 0
    disabled = arguments.get("autoreset_mode") == "Disabled"
    while ended < count:
        calls = _calls(rng, info["action_mask"])
        if wrong:
            calls = np.where(rng.random(tables) < wrong, rng.integers(0, 38, tables), calls)
        observation, reward, terminated, truncated, info = env.step(calls)
        assert not truncated.any()
        digests.setdefault("rewards", Running()).add(reward)
        digests.setdefault("terminations", Running()).add(terminated)
        ended += int(terminated.sum())
        _add(digests, observation, info, terminated)
        if disabled and terminated.any():
            observation, info = env.reset(options={"reset_mask": terminated})
            _add(digests, observation, info)
    env.close()
    return digests


def _add(
    digests: dict[str, Running], observation: Any, info: dict[str, Any], ended: Any = None, prefix: str = ""
) -> None:
    """Add what a step returned; of the outcome where auctions ``ended``, and of illegal calls where there are any."""
    if not prefix:
        digests.setdefault("observations", Running()).add_bits(observation)
    for name, value in info.items():
        if name.startswith("_"):
            continue
        if name in ("action_mask", "final_obs", "final_info", "seat"):
            meant = info[f"_{name}"]
        elif ended is None or not (value.any() if name == "illegal_action" else name == "seat_rewards" or ended.any()):
            continue
        elif name in ("seat_rewards", "illegal_action"):
            meant = ended if name == "seat_rewards" else value
        else:
            meant = ended & ~info["illegal_action"]
        running = digests.setdefault(prefix + name, Running())
        if name == "final_info":
            running.add(meant)
            _add(digests, None, value, ended, "final ")
        elif name in ("action_mask", "final_obs"):
            running.add_bits(meant)
            running.add_bits(np.where(meant[:, None], value, 0))
        else:
            running.add(meant)
            running.add(np.where(meant.reshape(-1, *[1] * (value.ndim - 1)), value, 0))


def _own_reward(contract: Any, tricks: Any, score: Any, par: Any, side: Any) -> Any:
    """A reward of the user's own, that uses all that it can ask for."""
    return (score - par) / 100 + contract.doubling - contract.bid / 35 + contract.declarer / 4 + tricks / 13 + side


CASES: dict[str, Case] = {
    name: partial(_auctions, **arguments)
    for name, arguments in {
        "all": {"learner": "all", "autoreset_mode": "NextStep"},
        "all, same step": {"learner": "all", "autoreset_mode": "SameStep"},
        "all, points, judging": {
            "learner": "all", "autoreset_mode": "SameStep", "reward": "points", "deals": "judging",
        },
        "all, illegal calls": {"learner": "all", "autoreset_mode": "SameStep", "wrong": 0.1},
        "all, disabled, fixed": {
            "learner": "all", "autoreset_mode": "Disabled", "deals": "library", "dealer": "E", "vulnerability": "EW",
            "count": 4_000,
        },
        "all, own reward": {
            "learner": "all", "autoreset_mode": "SameStep", "reward": _own_reward, "illegal_penalty": 5.0,
            "count": 10_000,
        },
        "all, estimated": {
            "learner": "all", "autoreset_mode": "NextStep", "deals": "estimated", "count": 1_000, "tables": 256,
        },
        "N, pass": {
            "learner": "N", "partner": "pass", "opponents": "pass", "control": "pass", "autoreset_mode": "NextStep",
        },
        "N, systems": {"learner": "N", "autoreset_mode": "SameStep", "count": 10_000},
        "S, systems": {"learner": "S", "autoreset_mode": "NextStep", "count": 10_000},
        "S, systems, points": {"learner": "S", "autoreset_mode": "SameStep", "reward": "points", "count": 10_000},
        "S, network": {
            "learner": "S", "partner": _NETWORK, "opponents": "system:acol", "control": "system:sayc",
            "autoreset_mode": "SameStep", "count": 4_000, "tables": 512,
        },
        "NS, pass": {"learner": "NS", "opponents": "pass", "autoreset_mode": "SameStep"},
        "NS, systems": {"learner": "NS", "autoreset_mode": "SameStep"},
        "NS, systems, next step": {
            "learner": "NS", "opponents": "system:precision", "control": "system:acol", "autoreset_mode": "NextStep",
            "count": 10_000,
        },
        "NS, network": {
            "learner": "NS", "opponents": _NETWORK, "reward": "imps_vs_par", "autoreset_mode": "NextStep",
            "count": 4_000, "tables": 512,
        },
        "NS, chance": {
            "learner": "NS", "opponents": "random", "control": "doubler", "autoreset_mode": "NextStep",
            "count": 5_000,
        },
        "EW, network as control": {
            "learner": "EW", "opponents": "doubler", "control": _NETWORK, "autoreset_mode": "SameStep",
            "count": 4_000, "tables": 512,
        },
        "W, pair": {
            "learner": "W", "partner": "system:polish", "opponents": f"pair:{_SYSTEM},system:acol",
            "autoreset_mode": "SameStep", "count": 5_000,
        },
    }.items()
}  # fmt: skip
SLOW: frozenset[str] = frozenset()
