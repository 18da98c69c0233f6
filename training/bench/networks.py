"""Measure how fast networks call, and where the time of a league goes."""

from __future__ import annotations

import cProfile
import pstats
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training.bench.own import Rate, rate
from training.bench.report import rates_table

if TYPE_CHECKING:
    from training.networks.league import League

_BOARDS = 4096
_CALLERS = ("two-over-one", "champion", "by-the-book")
_ITERATIONS = 8  # of a league that is timed
#: Parts of a league's work by the functions, "file:name", whose time with all that they call belongs to it.
_ROLLOUT = {
    "what the seats see": ("tables.py:look",),
    "networks": ("network.py:outputs",),
    "choosing calls": ("tables.py:decide",),
    "making calls": ("auction.py:step",),
}
_LEARNER = {
    "forward and gradients": ("model.py:forward", "~:run_backward"),
    "steps of Adam": ("optimizer.py:wrapper",),
    "networks in whole numbers": ("learner.py:players",),
}


def calls(repetitions: int) -> list[Rate]:
    """Calls a second of shipped networks that bid whole boards at all four seats, on one core."""
    from threadpoolctl import threadpool_limits

    from agents.networks.shipped import read_networks
    from agents.networks.tables import all_by
    from bridge_env.cards import board_dealer, board_vulnerability, random_deals
    from training.running.speed import use_fastest

    number = np.arange(_BOARDS) + 1
    dealer, vulnerability = board_dealer(number).astype(np.int16), board_vulnerability(number).astype(np.int16)
    out = []
    with threadpool_limits(1):
        for how, chosen in (("numpy", False), ("bytes in torch", True)):
            if chosen and not use_fastest():
                continue
            for name in _CALLERS:
                networks, fresh = read_networks(name), count()  # other deals each time, which a book has not met

                def work(player: Any = networks.player, fresh: Iterator[int] = fresh) -> int:
                    owner = random_deals(1, _BOARDS * next(fresh), _BOARDS)
                    return int(all_by(player, owner, dealer, vulnerability).length.sum())

                widths = "-".join(map(str, networks.policy.sizes[1:-1]))
                remark = f"{widths} wide, one core, {how}, {_BOARDS:,} boards at a time"
                out.append(rate(f"policy:{name}, calls in self-play, {how}", "calls/s", work, repetitions, remark))
    return out


def league_speeds(repetitions: int) -> list[Rate]:
    """Decisions a second of a league with workers beside the learner, play and learning together."""
    from training.running.cluster import Cluster

    out = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder, Cluster(workers, None) as cluster:
            found = [_timed(Path(folder), cluster, number) for number in range(repetitions + 1)][1:]
        name = f"league, {workers} worker{'s' * (workers > 1)}, decisions"
        remark = f"champion's size, {_ITERATIONS} iterations of {_BOARDS:,} boards"
        median = float(np.median(found))
        out.append(Rate(name, "decisions/s", median, min(found), max(found), repetitions, remark))
    return out


def league_of(folder: Path, iterations: int, seed: int) -> League:
    """A league of the champion's size, to be timed."""
    from agents.networks.shipped import read_networks
    from training.networks.configs import LeagueConfig
    from training.networks.league import League

    config = LeagueConfig(
        start="policy:champion", iterations=iterations, evaluate=10_000, judged=2, panel="", drawn=16, keep=0.3,
        pool="policy:acol,policy:standard", seed=seed,
    )  # fmt: skip
    return League(folder, config, read_networks("champion"))


def _timed(folder: Path, cluster: Any, number: int) -> float:
    """Decisions a second from the first iteration to the last but one, when the workers are warm."""
    times, decisions = [], []

    def tell(state: Any, sums: dict[str, float]) -> None:
        times.append(time.perf_counter())
        decisions.append(sums["decisions"])

    league = league_of(folder / str(number), _ITERATIONS, number + 1)
    league.folder.mkdir()
    for _ in league.run(cluster, lambda: False, tell):
        pass
    last = len(decisions) - 2
    return (decisions[last] - decisions[0]) / (times[last] - times[0])


def shares() -> dict[str, dict[str, float]]:
    """Seconds of the parts of a rollout and of what is learned from it, on one core each."""
    import torch

    from training.networks.rollout import Experience, RolloutConfig, rollout

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        league = league_of(Path(folder), 2, 1)
    config, pool = RolloutConfig(_BOARDS, 16, 0.3, 0.05), league.pool(0)
    learner = league.learner
    policy, critic = learner.players()
    experience = rollout(policy, critic, pool, config, 1, 0)  # compiled and warm
    learner.learn(experience, 0)
    learner.players()

    def play() -> Experience:
        policy, critic = learner.players()
        return rollout(policy, critic, pool, config, 1, 1)

    rolled = _profiled(play, _ROLLOUT)

    def learn() -> None:
        learner.learn(experience, 1)
        learner.players()

    return {"playing out": rolled, "learning": _profiled(learn, _LEARNER)}


def _profiled(work: Callable[[], Any], parts: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    profile = cProfile.Profile()
    began = time.perf_counter()
    profile.runcall(work)
    total = time.perf_counter() - began
    out = dict.fromkeys(parts, 0.0)
    for (file, _, function), (_, _, _, together, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        name = f"{Path(file).name}:{function}"
        for part, functions in parts.items():
            if name in functions or any(f.startswith("~:") and file == "~" and f[2:] in function for f in functions):
                out[part] += together
    return out | {"the rest": total - sum(out.values()), "in all": total}


def markdown(rates: Sequence[Rate], parts: dict[str, dict[str, float]], machine: str, command: str) -> str:
    lines = ["# How fast networks call and learn", "", f"`{command}`, one run: {machine}.", "", *rates_table(rates, 0)]
    lines += ["", f"Where the time of one iteration goes ({_BOARDS:,} boards, the champion's size, a core each):", ""]
    lines += ["| | seconds | share |", "| --- | ---: | ---: |"]
    for work, seconds in parts.items():
        lines.append(f"| **{work}** | {seconds['in all']:.2f} | |")
        for name, value in seconds.items():
            if name != "in all":
                lines.append(f"| {name} | {value:.2f} | {value / seconds['in all']:.0%} |")
    return "\n".join(lines) + "\n"
