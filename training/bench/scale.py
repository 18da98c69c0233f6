"""Measure what each part of a league's iteration costs, and foretell from that how a league grows with its cores.

The foretelling is a simulation of events: tasks wait for a free core in the order in which they were handed out, and
the process that learns, on a core of its own, hands out, computes and waits as ``training.networks.league`` does.
For one core, which all take turns on, and for two it is compared with real runs.
"""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from training.bench.cores import Cores, pinned
from training.networks.configs import LeagueConfig
from training.running.pages import drawn

_BOARDS, _SHARD = 4096, 4096
_REAL, _FORETOLD = 8, 24  # iterations of a real run, and of one that is foretold
CORES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Costs:
    """Seconds on one core, medians."""

    rollout: float  # to play one of 4,096 boards
    policy: float  # to compute the gradient of one shard
    critic: float  # the same of the critic
    add: float  # to add the gradient of a shard of the policy to the sum
    step: float  # of the optimizer and the averages, both networks
    send: float  # to hand a new policy to the cluster
    fetch: float  # to take the gradient of a shard from it
    cut: float  # to cut a shard out of the experience
    players: float  # to make the networks that play
    decisions: int  # to learn from, of one rollout
    rewards: int  # the same for the critic


def settings_for(cores: int) -> LeagueConfig:
    """How a run is set that begins on so many cores."""
    return LeagueConfig(shard=_SHARD).settled(cores)


def measure(repetitions: int) -> Costs:
    """The costs on this machine, of networks of the champion's size, with one worker of Ray."""
    import torch

    from training.bench.networks import league_of
    from training.networks.rollout import RolloutConfig, rollout
    from training.networks.shards import CriticShard, apply, cut, gradient_of
    from training.running.cluster import Cluster

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        league = league_of(Path(folder), 2, 1)
    learner, config, pool = league.learner, RolloutConfig(_BOARDS, 16, 0.3, 0.05), league.pool(0)
    players = learner.players()
    experience = rollout(*players, pool, config, 1, 0)
    one = [part[0] for part in (cut(np.arange(len(experience.call)), _SHARD, _SHARD),
                                cut(np.arange(len(experience.target)), _SHARD, _SHARD))]  # fmt: skip
    policy = learner.policy_shard(experience, one[0][0])
    critic = CriticShard.of(experience, one[1][0])
    found, of_critic = policy.gradient(learner.policy, _SHARD), critic.gradient(learner.critic, _SHARD)

    def median(work: Callable[[], Any]) -> float:
        work()
        times = []
        for _ in range(repetitions):
            began = time.perf_counter()
            work()
            times.append(time.perf_counter() - began)
        return float(np.median(times))

    def step() -> None:
        apply(learner.policy, learner.policy_adam, [found], 1.0)
        apply(learner.critic, learner.critic_adam, [of_critic])
        learner.follow()

    with Cluster(1, None) as cluster:
        layers, shard = cluster.put(learner.policy.floats()), cluster.ray.put(policy)
        away = median(lambda: cluster.result(cluster.submit(gradient_of, layers, shard, _SHARD)))
        send = median(lambda: cluster.put(learner.policy.floats()))
    gradient = median(lambda: policy.gradient(learner.policy, _SHARD))
    many = median(lambda: apply(learner.policy, learner.policy_adam, [found] * 9, 1.0))
    single = median(lambda: apply(learner.policy, learner.policy_adam, [found], 1.0))
    return Costs(
        rollout=median(lambda: rollout(*players, pool, config, 1, 0)), policy=gradient,
        critic=median(lambda: critic.gradient(learner.critic, _SHARD)), add=max(0.0, many - single) / 8,
        step=median(step), send=send, fetch=max(0.0, away - gradient),
        cut=median(lambda: learner.policy_shard(experience, one[0][0])), players=median(learner.players),
        decisions=len(experience.call), rewards=len(experience.target),
    )  # fmt: skip


def foretold(costs: Costs, cores: int, config: LeagueConfig) -> float:
    """Seconds of an iteration, on average, with so many cores, one of which learns."""
    if cores == 1:
        none = Cores(1)  # nothing is handed out, or all of it waits for the one core
        learned = _learn(costs, none, 0.0, config, every=1)
        return costs.rollout * config.rollouts + learned
    tasks, now, began = Cores(cores - 1), 0.0, 0.0

    def play(at: float) -> float:
        return max(tasks.take(at, costs.rollout) for _ in range(config.rollouts))

    ahead = deque(play(0.0) for _ in range(config.lag))
    for iteration in range(_FORETOLD + 4):
        if iteration == 4:
            began = now  # by then the pipeline is full
        now = max(now, ahead.popleft())
        now = _learn(costs, tasks, now, config, every=cores)
        ahead.append(play(now))
    return (now - began) / _FORETOLD


def _learn(costs: Costs, tasks: Cores, now: float, config: LeagueConfig, every: int) -> float:
    """When an iteration's learning is done that begins ``now``; the learner computes one of ``every`` shards."""
    decisions, rewards = costs.decisions * config.rollouts, costs.rewards * config.rollouts
    steps = max(1, round(decisions / config.batch))
    for _ in range(steps):
        now = _step(costs, tasks, now, (decisions / steps, rewards / steps), every)
    return now + costs.players


def _step(costs: Costs, tasks: Cores, now: float, sizes: tuple[float, float], every: int) -> float:
    """When a step of both networks is done that begins ``now``."""
    counts = [max(1, round(size / _SHARD + 0.499)) for size in sizes]
    cost = [seconds * size / count / _SHARD for seconds, size, count
            in zip((costs.policy, costs.critic), sizes, counts, strict=True)]  # fmt: skip
    away: list[float] = []
    mine = 0.0
    shared = sum(counts) > 2
    if shared:
        now += 2 * costs.send
    for number, (count, seconds) in enumerate(zip(counts, cost, strict=True)):
        for at in range(count):
            now += costs.cut * min(1.0, sizes[number] / count / _SHARD)
            if shared and (at + number) % every:
                away.append(tasks.take(now, seconds + costs.fetch))
            else:
                mine += seconds
    now = max([now + mine, *away])
    return now + costs.step + costs.add * (sum(counts) - 2)


def real(cores: int, config: LeagueConfig) -> float:
    """Seconds of an iteration of a real run on so many cores, one of which learns where there are several."""
    from training.bench.networks import league_of
    from training.networks.league import League
    from training.running.cluster import Cluster

    times: list[float] = []
    with pinned(cores), tempfile.TemporaryDirectory() as folder, Cluster(max(1, cores - 1), None) as cluster:
        base = league_of(Path(folder), _REAL, 1)
        set_so = replace(base.config, rollouts=config.rollouts, batch=config.batch, shard=_SHARD, lag=config.lag)
        for _ in League(Path(folder), set_so, base.start, base.records).run(
            cluster, lambda: False, lambda *_told: times.append(time.perf_counter())
        ):
            pass
    return (times[-2] - times[1]) / (len(times) - 3)


def curve(costs: Costs) -> list[tuple[int, LeagueConfig, float, float]]:
    """For each number of cores: how the run is set, decisions a second, and the share of so many single cores'."""
    out: list[tuple[int, LeagueConfig, float, float]] = []
    for cores in CORES:
        config = settings_for(cores)
        speed = costs.decisions * config.rollouts / foretold(costs, cores, config)
        out.append((cores, config, speed, speed / cores / (out[0][2] if out else speed)))
    return out


def markdown(
    costs: Costs, rows: Sequence[tuple[int, LeagueConfig, float, float]], checks: Sequence[tuple[int, float, float]],
    machine: str, command: str, others: Sequence[str] = (),
) -> str:  # fmt: skip
    lines = [
        "# How a league grows with its cores", "", f"`{command}`, one run: {machine}.", "",
        "What each part costs on one core, networks of the champion's size:", "",
        "| | |", "| --- | ---: |",
        f"| play a rollout of {_BOARDS:,} boards | {costs.rollout:.2f} s |",
        f"| gradient of a shard of {_SHARD:,} decisions, policy | {costs.policy:.3f} s |",
        f"| the same of the critic | {costs.critic:.3f} s |",
        f"| cut a shard out of the experience | {1000 * costs.cut:.1f} ms |",
        f"| hand a policy to the cluster | {1000 * costs.send:.1f} ms |",
        f"| hand out a shard and fetch its gradient | {1000 * costs.fetch:.1f} ms |",
        f"| add a gradient to the sum | {1000 * costs.add:.1f} ms |",
        f"| step of both networks and the averages | {1000 * costs.step:.1f} ms |",
        f"| make the networks that play | {1000 * costs.players:.1f} ms |",
        f"| decisions to learn from in a rollout | {costs.decisions:,} |", "",
        "Seconds of an iteration, really and as the model foretells:", "",
        "| cores | run | model |", "| ---: | ---: | ---: |",
    ]  # fmt: skip
    lines += [f"| {workers} | {run:.2f} | {told:.2f} |" for workers, run, told in checks]
    lines += ["", "More cores are the model's alone. Rollouts and batch are those of a run on so many cores;",
              "efficiency is decisions a second beside N times those of one core.", "",
              "| cores | rollouts | batch | decisions a second | efficiency |",
              "| ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    lines += [f"| {cores} | {config.rollouts} | {config.batch:,} | {speed:,.0f} | {share:.0%} |"
              for cores, config, speed, share in rows]  # fmt: skip
    return "\n".join([*lines, "", "![decisions a second by cores](scale.png)", "", *others, ""])


def plot(rows: Sequence[tuple[int, LeagueConfig, float, float]], path: Path) -> None:
    cores = [row[0] for row in rows]
    with drawn(path, 6, 4) as axes:
        axes.plot(cores, [row[2] for row in rows], "o-", label="the model")
        axes.plot(cores, [rows[0][2] * c for c in cores], "--", color="gray", label="linear")
        axes.set(xscale="log", yscale="log", xlabel="cores", ylabel="decisions a second")
        axes.legend()
