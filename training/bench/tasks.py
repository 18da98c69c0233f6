"""Measure the tasks of evolving and of solving, and foretell from them how both grow with a cluster's cores.

Both hand out pure tasks through ``Cluster.map``: many tasks, then something that one process does alone, and so on.
The tasks are really done, one at a time, as they are cut for so many cores; then they are laid out on that many.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from training.bench.cores import Cores, pinned
from training.running.cluster import Cluster

CORES = (1, 2, 16, 64)
_LONG = 100  # a run of solve is so many times as long as what was timed: its end costs nothing
_SOLVED = 240  # deals that are solved to be timed


@dataclass
class Recorded:
    """What was done: seconds in all, and those of the tasks of each map, in the order in which they were handed out."""

    seconds: float = 0.0
    maps: list[list[float]] = field(default_factory=list)

    def foretold(self, cores: int) -> float:
        """Seconds with so many cores: what one process does alone, and the tasks of each map side by side."""
        tasks = sum(map(sum, self.maps))
        return self.seconds - tasks + sum(_side_by_side(seconds, cores) for seconds in self.maps)


def _side_by_side(seconds: Sequence[float], cores: int) -> float:
    at_work = Cores(cores)
    return max((at_work.take(0.0, one) for one in seconds), default=0.0)


class Timed(Cluster):
    """A private cluster that writes down what its tasks take.

    Args:
        workers: it really has. ``cut_for``: what those who cut work are told; None: the same.
    """

    def __init__(self, workers: int, cut_for: int | None = None) -> None:
        super().__init__(workers, None)
        self.recorded, self._cut_for = Recorded(), cut_for

    def __enter__(self) -> Timed:
        super().__enter__()
        self.workers = self._cut_for or self.workers
        return self

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        seconds: dict[int, float] = {}
        for number, (took, result) in super().map(_clocked, ((function, *task) for task in tasks)):
            seconds[number] = took
            yield number, result
        self.recorded.maps.append([seconds[number] for number in sorted(seconds)])


def _clocked(function: Callable[..., Any], *task: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    result = function(*task)
    return time.perf_counter() - began, result


def evolving(workers: int, cut_for: int | None = None) -> Recorded:
    """The second of two generations as ``bridge-env evolve`` has them by default, of one partnership."""
    from training.evolve import generations
    from training.evolve.config import EvolveConfig

    config = EvolveConfig(generations=2, partnerships=1)
    with pinned(workers), tempfile.TemporaryDirectory() as folder, Timed(workers, cut_for) as cluster:
        state = generations.begin(config)
        began = time.perf_counter()
        for _ in generations.evolve(Path(folder), config, state, cluster, lambda _boards: None):
            done, began = time.perf_counter() - began, time.perf_counter()
            found, cluster.recorded = cluster.recorded, Recorded()
    return Recorded(done, found.maps)


def solving(workers: int) -> Recorded:
    """Deals solved as ``bridge-env solve`` does, after as many to warm up."""
    from bridge_env.double_dummy import ExactDoubleDummy
    from training import solve

    solver = ExactDoubleDummy(1)
    tasks = [(solver, 1, at, solve.TASK) for at in range(0, _SOLVED, solve.TASK)]
    with pinned(workers), Timed(workers) as cluster:
        for _ in cluster.map(solve.solve_range, tasks[: 2 * workers]):
            pass
        cluster.recorded = Recorded()
        began = time.perf_counter()
        for _ in cluster.map(solve.solve_range, tasks):
            pass
        cluster.recorded.seconds = time.perf_counter() - began
    return cluster.recorded


def rows(tell: Callable[[str], object]) -> list[str]:
    """Measure, run with one worker and with two, foretell the rest: lines of a page."""
    lines = ["## Evolving and solving", "",
             "Real runs on one core and on two, and the model of the second; the rest is the model's alone.",
             "Evolving cuts its work by the number of workers, so its tasks were done as cut for each.", "",
             "| | 1 core | 2 cores | the model of 2 |" + "".join(f" {c} |" for c in CORES[2:]),
             "| --- |" + " ---: |" * (1 + len(CORES))]  # fmt: skip
    tell("a generation of evolve, on one core and on two")
    one, two = evolving(1), evolving(2)
    cut = {}
    for cores in CORES[1:]:
        tell(f"the same on one core, cut for {cores}")
        cut[cores] = evolving(1, cores).foretold(cores)
    lines.append(_row("a generation", one.seconds, two.seconds, cut))
    tell("solving, on one core and on two")
    alone, both = solving(1), solving(2)
    long = Recorded(alone.seconds * _LONG, [alone.maps[0] * _LONG])
    of = {cores: long.foretold(cores) / _LONG for cores in CORES[1:]}
    lines.append(_row(f"{_SOLVED} deals", alone.seconds, both.seconds, of))
    return [*lines, "", "Seconds, and how many times as fast as one core."]


def _row(name: str, one: float, two: float, foretold: dict[int, float]) -> str:
    cells = [f"{one:.1f}", *(f"{seconds:.1f} ({one / seconds:.2f})" for seconds in (two, *foretold.values()))]
    return f"| {name} | " + " | ".join(cells) + " |"
