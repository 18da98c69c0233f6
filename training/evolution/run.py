"""Evolve bidding systems by self-play: one function from the settings to the verdict."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agents.networks.shipped import GATEKEEPER, role
from agents.systems.changes.edits import lines_of_calls
from agents.systems.library.shipped import read_system
from bridge_env.bidders.registry import SpecError, full_spec, make
from bridge_env.io.files import atomic_write
from training.book.diff import compare_systems
from training.evaluation import verdict as judging
from training.evaluation.partnership_match import Partnership
from training.evolution import natural
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.finalize import finalize
from training.evolution.generations import State, advance, begin, league, load, rival, write_systems
from training.evolution.proposals import NATURAL
from training.evolution.refine.decisions import network_by_book
from training.runtime import pages, runs
from training.runtime.cluster import Cluster
from training.runtime.runs import Progress, RowsResult, open_run
from training.runtime.settings import listed

KIND = "evolve"
DIFF = "diff.md"


@dataclass(frozen=True)
class EvolveResult(RowsResult):
    """Hold the results of a run."""

    folder: Path
    config: EvolveConfig
    pair: Partnership  # the champion
    metrics: list[dict[str, Any]]  # a row a generation, as in metrics.jsonl
    accepted: list[str]  # changes, each with its gain and error on training boards
    rows: list[judging.VerdictRow]  # the verdict on judging boards
    systems: list[Path]  # one file, or one for each partner
    report: Path
    curve: Path

    @property
    def spec(self) -> str:
        """Return the spec by which the pair plays."""
        return _spec(self.systems)


def evolve(
    config: EvolveConfig, *, out: Path = Path("results"), name: str | None = None, resume: Path | None = None,
    seconds: float | None = None, workers: int | None = None, address: str | None = None,
    progress: Progress = Progress(),
) -> EvolveResult:  # fmt: skip
    """Evolve partnerships, choose the champion, judge it and write the report.

    Args:
        out, name: the run's folder is ``out/evolve/name``; without a name ``run-001``, ``run-002`` ...
        resume: the folder of an earlier run to go on with instead.
        seconds: begin no generation after so many, instead of after ``config.generations``.
        workers: tasks at a time; None for all cores of the cluster.
        address: of a running Ray cluster; None to start one on this machine.
        progress: shows how far the run is.

    Raises:
        SpecError: a system, a stranger or a gatekeeper cannot be had.
        ValueError: settings make no sense.
        RunError: the folder cannot be used.
        ClusterError: Ray is missing, or the cluster cannot be reached.
    """
    check_start(config)
    state = begin(config) if resume is None else load_or_begin(resume, config)
    with Cluster(workers, address) as cluster:
        folder = open_run(KIND, config, out, name, resume)
        progress.folder(folder)
        began = time.monotonic()

        def more(generation: int) -> bool:
            return generation < config.generations if seconds is None else time.monotonic() - began < seconds

        for after in advance(folder, config, state, cluster, progress, more):
            state = after
        if seconds is not None:
            config = replace(config, generations=state.generation)  # a fresh run with as many ends alike
        evaluator = ClusterEvaluator(cluster, league(config), config.seed, progress)
        _, pair, notes = finalize(config, state, evaluator)
        assert cluster.workers is not None
        workers = min(cluster.workers, os.cpu_count() or 1)  # a cluster may have more than this machine
    return _judge(folder, config, state, pair, notes, workers, progress)


def load_or_begin(folder: Path, config: EvolveConfig) -> State:
    """Return the state of a run from its checkpoint; from its beginning, if it was stopped before the first one."""
    return load(folder) if (folder / runs.CHECKPOINT).exists() else begin(config)


def check_own_calls(calls: set[str], systems: list[str]) -> None:
    """Check that systems have lines for the pair's own calls; raise ``ValueError`` where one has none."""
    for name in systems:
        for call in calls:
            if not lines_of_calls(read_system(name), {call}):
                raise ValueError(f"--keep {call}: {name} has no line for it; write calls as its text does: 1N, 1N-2C")


def check_start(config: EvolveConfig) -> None:
    """Check that a run can start, before making a folder or starting Ray; raise ``ValueError`` where a number makes no
    sense, or a system, a stranger or a gatekeeper cannot be had.
    """
    config.check()
    check_own_calls(config.own_calls, config.starts)
    starts = [read_system(name) for name in config.starts]
    for name in config.opponents:
        rival(name)
    if config.uses(NATURAL) and all(map(natural.opens, starts)):
        raise ValueError(
            f"--operators natural is for a start without opening bids, and {config.start} has some: leave it out"
        )
    if config.player and role(network_by_book(config.player).networks) == GATEKEEPER:
        raise SpecError(f"--player {config.player} is a gatekeeper: nothing may be learned from it")
    for gatekeeper in listed(config.gatekeepers):
        make(full_spec(gatekeeper))


def _judge(
    folder: Path, config: EvolveConfig, state: State, pair: Partnership, notes: list[str], workers: int,
    progress: Progress,
) -> EvolveResult:  # fmt: skip
    """Write the champion, judge it on unseen boards, and write the report."""
    files = write_systems(folder, "evolved", pair)
    for file in folder.glob("best*.bidding"):
        file.unlink()  # these are in its place
    progress.stage(f"judging on {config.judge:,} boards that training never saw", unit="match")
    met = [name if ":" in name else f"system:{name}" for name in listed(config.league)]
    unmet = [*map(full_spec, listed(config.gatekeepers))]
    rows = judging.verdict(
        _spec(files), f"system:{config.control}", config.start_spec, config.judge, config.seed, met, unmet, workers
    )
    curve, page = folder / "learning_curve.png", folder / "report.md"
    duplicate = next(row for row in rows if row.what.endswith(judging.DUPLICATE))
    numbers = [float(row["generation"]) for row in state.metrics]
    pages.draw_curves(
        curve, [("best partnership, fresh training boards", numbers, state.metrics)], "generation",
        "IMPs a board against the control pair",
        ("champion, unseen boards", float(len(numbers)), duplicate.mean_imps, duplicate.standard_error),
    )  # fmt: skip
    manifest = runs.read_manifest(folder) | {"config": asdict(config)}  # of a run bounded by time
    runs.write_manifest(folder, manifest)
    accepted = [f"generation {row['generation']}: {what}" for row in state.metrics for what in row["accepted"]]
    accepted += [f"at the end: {what}" for what in notes]
    one = len(files) == len(config.starts) == 1
    if one:  # what the system changes in its start, in words
        start, control = read_system(config.starts[0]), read_system(config.control)
        difference = compare_systems(start, pair.first, control, config.judge, config.seed)
        atomic_write(folder / DIFF, pages.render("difference.md", **difference))
    text = pages.render(
        "evolve.md", table=judging.rows_table(rows), command=runs.command_line("bridge-env evolve", config),
        accepted=accepted, files=[file.name for file in files],
        diff=DIFF if one else "",
    )  # fmt: skip
    atomic_write(page, text)
    atomic_write(folder / judging.VERDICT, json.dumps({"rows": [asdict(row) for row in rows]}, indent=2) + "\n")
    return EvolveResult(folder, config, pair, state.metrics, accepted, rows, files, page, curve)


def _spec(files: list[Path]) -> str:
    """Return the spec of a pair with its system, or its two systems, in files."""
    return f"system:{files[0]}" if len(files) == 1 else f"pair:system:{files[0]},system:{files[1]}"
