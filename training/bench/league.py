"""Measure how fast networks call, and how fast a league learns."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from agents.networks.shipped import read_networks
from agents.networks.tables import all_by
from training.bench.measures import Rate, rate
from training.book.measure import random_boards
from training.configs import LeagueConfig
from training.league.league import League
from training.runtime.cluster import Cluster

_BOARDS = 4096
_CALLERS = ("two-over-one", "champion", "by-the-book")
_ITERATIONS = 8  # of a league that is timed


def all_rates(repetitions: int) -> Iterator[Rate]:
    """Yield each rate as it is measured."""
    yield from calls(repetitions)
    yield from league_speeds(repetitions)


def calls(repetitions: int) -> list[Rate]:
    """Return calls a second of shipped networks that bid boards at all four seats, on one core."""
    out = []
    with threadpool_limits(1):
        for name in _CALLERS:
            networks, fresh = read_networks(name), count()  # other deals each time, which a book has not cached

            def work(player: Any = networks.player, fresh: Iterator[int] = fresh) -> int:
                boards = random_boards(1, _BOARDS * next(fresh), _BOARDS)
                return int(all_by(player, *boards).length.sum())

            remark = f"{'-'.join(map(str, networks.policy.sizes[1:-1]))} wide, one core, {_BOARDS:,} boards at a time"
            out.append(rate(f"policy:{name}, calls in self-play", "calls/s", work, repetitions, remark))
    return out


def league_speeds(repetitions: int) -> list[Rate]:
    """Return decisions a second of a league with one and with two workers beside the learner."""
    out = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder, Cluster(workers, None) as cluster:
            found = [_timed(Path(folder), cluster, number) for number in range(repetitions + 1)][1:]
        name = f"league, {workers} worker{'s' * (workers > 1)}, decisions"
        remark = f"champion's size, {_ITERATIONS} iterations of {_BOARDS:,} boards"
        median = float(np.median(found))
        out.append(Rate(name, "decisions/s", median, min(found), max(found), remark))
    return out


def _timed(folder: Path, cluster: Any, number: int) -> float:
    """Return decisions a second from the first iteration to the last but one, when the workers are warm."""
    times, decisions = [], []

    def note(state: Any, figures: Mapping[str, float]) -> None:
        times.append(time.perf_counter())
        decisions.append(figures["decisions"])

    config = LeagueConfig(
        start="policy:champion", iterations=_ITERATIONS, evaluate=10_000, judged=2, panel="", samples_per_side=16,
        decision_fraction=0.3, pool="policy:acol,policy:standard", seed=number + 1,
    )  # fmt: skip
    league = League(folder / str(number), config, read_networks("champion"))
    league.folder.mkdir()
    for _ in league.run(cluster, lambda: False, note):
        pass
    return sum(decisions[1:-1]) / (times[-2] - times[0])
