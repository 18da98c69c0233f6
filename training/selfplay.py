"""Self-play on Ray: partnerships evolve and swap their hierarchies against a control pair.

The driver proposes and decides; workers only score. A task is a pure function of (systems, seed, board
range), and a generation's chance comes from (seed, generation, partnership, proposal), so the same seed gives
the same systems for any number of workers, in any order of finishing, and after any interruption.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy, deal_features, line_usage
from agents.hierarchy.mutation import Chance
from agents.hierarchy.text import parse_system, system_text
from agents.registry import read_system
from bridge_env.double_dummy.library import embedded
from training import runs
from training.boards import library_boards
from training.cluster import Cluster
from training.evolution import Partnership, Proposal, compare, imps_against, propose
from training.evolve_config import EvolveConfig

KIND = "evolve"
TRAINING = "training"  # the split: a run never touches the judging boards before its verdict
# Standard errors by which a proposal must gain: the best of a dozen on the generation's boards, then on fresh
# ones. Chance alone passes the second in one of 44 cases, so little noise is kept.
TRY_ERRORS, CONFIRM_ERRORS = 1.0, 2.0


@dataclass
class State:
    """Where a run stands: all that the next generation needs."""

    generation: int
    population: list[Partnership]
    metrics: list[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        pairs = [[system_text(p.first), system_text(p.second)] for p in self.population]
        return {"generation": self.generation, "population": pairs, "metrics": self.metrics}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        pairs = [Partnership(parse_system(a), parse_system(b)) for a, b in data["population"]]
        return cls(data["generation"], pairs, data["metrics"])


def numbered(name: str) -> Partnership:
    """Both players with the system ``name``; its lines are numbered as its own text has them."""
    system = parse_system(system_text(read_system(name)))
    return Partnership(system, system)


def begin(config: EvolveConfig) -> State:
    """The state before the first generation."""
    return State(0, [numbered(config.start)] * config.partnerships, [])


# --- scoring on the cluster ----------------------------------------------------------------------------

TASK_BOARDS = 4096


def _score_task(
    pairs: Sequence[Partnership], which: int, control: Partnership, seed: int, split: str, start: int, count: int
) -> NDArray[np.int8]:
    return imps_against(pairs[which], control, seed, split, start, count)


@dataclass(frozen=True)
class Scorer:
    """Scores partnerships against the control pair on the cluster."""

    cluster: Cluster
    control: Partnership
    seed: int

    def __call__(
        self, pairs: Sequence[Partnership], split: str, start: int, count: int, tick: Callable[[int], None]
    ) -> NDArray[np.int8]:
        """IMPs int8 (pairs, count) on boards ``start ..``; ``tick`` hears of boards as they are done."""
        shared, control = self.cluster.put(list(pairs)), self.cluster.put(self.control)
        cuts = [(at, min(TASK_BOARDS, count - at)) for at in range(0, count, TASK_BOARDS)]
        tasks = [
            (shared, which, control, self.seed, split, start + at, length)
            for at, length in cuts
            for which in range(len(pairs))
        ]
        out = np.empty((len(pairs), count), np.int8)
        for number, imps in self.cluster.map(_score_task, tasks):
            at, length = cuts[number // len(pairs)]
            out[number % len(pairs), at : at + length] = imps
            tick(length)
        return out


# --- a generation ---------------------------------------------------------------------------------------


def generation(
    state: State, config: EvolveConfig, score: Scorer, usage: dict[int, int], tick: Callable[[int], None]
) -> State:
    """The state after one more generation."""
    began = time.perf_counter()
    g, population = state.generation, state.population
    fresh = g * (config.boards + config.confirm)  # every generation has boards of its own
    proposals = [
        [propose(population, i, Chance("propose", config.seed, g, i, k), usage) for k in range(config.proposals)]
        for i in range(len(population))
    ]
    flat = [p.partnership for row in proposals for p in row]
    scores = score([*population, *flat], TRAINING, fresh, config.boards, tick)
    own, tried = scores[: len(population)], scores[len(population) :].reshape(len(population), config.proposals, -1)
    promising = _promising(own, tried, proposals)
    kept = _confirmed(population, promising, score, fresh + config.boards, config.confirm, tick)
    means = own.mean(axis=1)
    best = int(means.argmax())
    row = {
        "generation": g, "mean_imps": float(means[best]), "standard_error": _error(own[best]),
        "population_mean_imps": float(means.mean()), "boards": config.boards, "proposals": len(flat),
        "kept": [f"{i}: {p.what}" for i, p in sorted(kept.items())], "seconds": time.perf_counter() - began,
    }  # fmt: skip
    after = [kept[i].partnership if i in kept else pair for i, pair in enumerate(population)]
    if g % 10 == 9 and len(after) > 1:  # the weakest is founded anew by the strongest
        after[int(means.argmin())] = after[best]
    return State(g + 1, after, [*state.metrics, row])


def _promising(own: NDArray[np.int8], tried: NDArray[np.int8], proposals: list[list[Proposal]]) -> dict[int, Proposal]:
    """For each partnership its best proposal, where that is better than what it has by a standard error."""
    out = {}
    for i, row in enumerate(proposals):
        verdicts = [compare(tried[i, k], own[i]) for k in range(len(row))]
        best = max(range(len(row)), key=lambda k: (verdicts[k].gain, -k))
        if verdicts[best].better_by(TRY_ERRORS):
            out[i] = row[best]
    return out


def _confirmed(
    population: list[Partnership],
    promising: dict[int, Proposal],
    score: Scorer,
    start: int,
    count: int,
    tick: Callable[[int], None],
) -> dict[int, Proposal]:
    """Those of the promising proposals that gain on fresh boards too."""
    if not promising:
        return {}
    pairs = [pair for i, p in promising.items() for pair in (population[i], p.partnership)]
    scores = score(pairs, TRAINING, start, count, tick)
    verdicts = {i: compare(scores[2 * k + 1], scores[2 * k]) for k, i in enumerate(promising)}
    return {i: promising[i] for i, v in verdicts.items() if v.better_by(CONFIRM_ERRORS)}


def _error(imps: NDArray[np.int8]) -> float:
    return float(imps.std(ddof=1)) / len(imps) ** 0.5


# --- a run ----------------------------------------------------------------------------------------------


def evolve(
    folder: Path, config: EvolveConfig, state: State, cluster: Cluster, tick: Callable[[int], None]
) -> Iterator[State]:
    """Go on from ``state`` to the last generation; yields each state after it has been saved in ``folder``."""
    control = numbered(config.control)
    score = Scorer(cluster, control, config.seed)
    sample = library_boards(2000, config.seed, TRAINING)
    usage = line_usage(
        Hierarchy(numbered(config.start).first), deal_features(sample.owner), sample.dealer, sample.vulnerability
    )
    while state.generation < config.generations:
        state = generation(state, config, score, usage, tick)
        save(folder, config, state)
        yield state


def save(folder: Path, config: EvolveConfig, state: State) -> None:
    """Write the checkpoint and the metrics."""
    systems = {name: _fingerprint(name) for name in (config.start, config.control)}
    runs.save_checkpoint(folder, {"config": asdict(config), "systems": systems, **state.as_json()})
    runs.write_metrics(folder, state.metrics)


def _fingerprint(name: str) -> str:
    """A hash of a system's text."""
    return hashlib.sha256(system_text(read_system(name)).encode()).hexdigest()


def load(folder: Path) -> tuple[EvolveConfig, State]:
    """What ``save`` wrote.

    Raises:
        RunError: the folder holds no usable checkpoint, or a system that it began with has changed since.
    """
    data = runs.load_checkpoint(folder)
    try:
        config, systems = EvolveConfig(**data.pop("config")), data.pop("systems")
        state = State.from_json(data)
    except (KeyError, TypeError, ValueError) as error:
        raise runs.RunError(f"{folder}/{runs.CHECKPOINT} is of another version of this program: {error}") from error
    for name, fingerprint in systems.items():
        if _fingerprint(name) != fingerprint:
            raise runs.RunError(f"the system {name!r} has changed since {folder} began; begin a new run")
    return config, state


def champion(
    config: EvolveConfig, state: State, cluster: Cluster, tick: Callable[[int], None]
) -> tuple[int, Partnership]:
    """The partnership that does best on fresh training boards. Judging boards are not touched."""
    score = Scorer(cluster, numbered(config.control), config.seed)
    start = config.generations * (config.boards + config.confirm)
    means = score(state.population, TRAINING, start, config.confirm, tick).mean(axis=1)
    best = int(means.argmax())
    pair = state.population[best]
    return best, Partnership(pair.first.renamed("evolved-first"), pair.second.renamed("evolved-second"))


def start_run(root: Path, name: str | None, config: EvolveConfig) -> tuple[Path, State]:
    """A fresh run folder with its manifest and first checkpoint."""
    config.check()
    state = begin(config)  # before the folder: a faulty system is told without leaving one behind
    read_system(config.control)
    folder = runs.new_folder(root, KIND, name)
    runs.write_manifest(folder, runs.manifest(asdict(config), runs.sha256(Path(embedded().path))))
    save(folder, config, state)
    return folder, state


def prepare(args: argparse.Namespace) -> tuple[Path, EvolveConfig, State]:
    """The folder, config and state to go on from: a fresh run, or the one that ``--resume`` names.

    Raises:
        ValueError: numbers that make no sense, a faulty system, or options that a resumed run cannot change.
        RunError: the folder cannot be used.
    """
    given = {f.name: getattr(args, f.name) for f in fields(EvolveConfig) if getattr(args, f.name) is not None}
    if args.resume is None:
        config = EvolveConfig(**given)
        folder, state = start_run(args.out, args.name, config)
        return folder, config, state
    config, state = load(args.resume)
    changed = {name: value for name, value in given.items() if value != getattr(config, name)}
    fixed = sorted(set(changed) - {"generations"})
    if fixed:
        raise ValueError(f"--{fixed[0]}: a run that goes on keeps its {fixed[0]} ({getattr(config, fixed[0])})")
    config = replace(config, **changed)
    config.check()
    return args.resume, config, state
