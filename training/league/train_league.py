"""Train a network in the league: one function from the settings to the verdict."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.networks import file as networks_file
from agents.networks.book import BOOK_INPUTS, Terms
from agents.networks.file import Networks, book_of
from agents.networks.network import Network
from bridge_env.bidders.registry import make
from bridge_env.io.files import atomic_write
from training.configs import ImitationConfig, LeagueConfig
from training.evaluation import panel
from training.evaluation.network_opponents import refuse_gatekeepers, start_networks
from training.league.contract_pretraining import pretrain
from training.league.deal_pool import deal_pool
from training.league.league import IMPS, NOTHING, POLICY, League, State
from training.networks.fit_policy import calls_of, imitate, read_auctions
from training.runtime import pages, runs
from training.runtime.cluster import Cluster
from training.runtime.runs import Progress, RowsResult, open_run
from training.runtime.settings import listed

KIND = "league"
START = "start.npz"
_IMITATED = 150_000  # boards of a bidder that are imitated before self-play
LEAGUE_MAY_CHANGE = (
    "iterations", "estimated", "samples_per_side", "decision_fraction", "double_failing", "artificial_penalty",
    "prior", "truth", "departure", "misinformation_penalty", "pool", "learning_rate",
    "last_rate", "entropy", "evaluate", "judged", "panel", "device",
)  # fmt: skip
"""Settings that may change where a run goes on."""


@dataclass(frozen=True)
class LeagueResult(RowsResult):
    """Hold the result of a league, or of the part of it that the time allowed."""

    folder: Path
    config: LeagueConfig
    iterations: int  # done in all
    metrics: list[dict[str, Any]]  # points of the curve, as in metrics.jsonl
    network: Path  # plays as ``policy:PATH``
    rows: list[panel.PanelRow]  # the verdict on judging boards
    report: Path
    curve: Path


def train_league(
    config: LeagueConfig, *, out: Path = Path("results"), name: str | None = None, resume: Path | None = None,
    seconds: float | None = None, judge: int = 5000, workers: int | None = None, address: str | None = None,
    progress: Progress = Progress(),
) -> LeagueResult:  # fmt: skip
    """Train a network in the league to the last iteration or for ``seconds``, and judge it.

    Args:
        out, name: the run's folder is ``out/league/name``; without a name ``run-001``, ``run-002`` ...
        resume: the folder of an earlier run to go on with instead.
        judge: judging boards against each opponent of the panel.
        workers: tasks at a time; None for all cores of a cluster at ``address``, else all of this machine but one.
        progress: shows how far the run is.

    Raises:
        SpecError: the start, a member of the pool or of the panel cannot be had, or is a gatekeeper.
        ValueError: settings make no sense, or the device is not there.
        RunError: the folder cannot be used.
        ClusterError: Ray is missing, or the cluster cannot be reached.
    """
    config.check()
    check_start(config)
    cores = os.cpu_count() or 2
    # Learning takes less than a core: on two it would wait for one player.
    tasks = workers if workers or address else max(2, cores - 1)
    with Cluster(tasks, address) as cluster:
        if resume is None:
            assert cluster.workers is not None
            config = config.for_cores(cluster.workers if address or workers else cores)
        folder = open_run(KIND, config, out, name, resume)
        progress.folder(folder)
        progress.stage("starting", config.iterations, "it")
        state = train(folder, config, cluster, math.inf if seconds is None else seconds, progress)
    return _judge(folder, config, state, judge, progress)


def check_start(config: LeagueConfig) -> None:
    """Check that a run can begin, before there is a folder, or Ray; raise ``SpecError`` where the start or an opponent
    cannot be had or is a gatekeeper, ``ValueError`` where the device is not there.
    """
    if config.device != "cpu" and not torch.cuda.is_available():
        raise ValueError(f"--device is {config.device}, but torch {torch.__version__} finds no CUDA device here")
    refuse_gatekeepers([config.start, *listed(config.pool), *listed(config.panel)])
    for spec in [*listed(config.pool), *listed(config.panel)]:
        make(spec)
    if config.book:
        book_of(config.book)
    if config.start.startswith("policy:"):
        start_networks(config.start, bool(config.book))
    elif config.start != NOTHING:
        make(config.start)


def train(folder: Path, config: LeagueConfig, cluster: Cluster, seconds: float, progress: Progress) -> State:
    """Learn in a folder until the last iteration or for ``seconds``; return the state of the run."""
    began = time.perf_counter()
    start = _start(folder, config, progress)
    records = deal_pool(config.estimated, config.seed, lambda share: progress.say(f"estimating deals {share:.0%}"))
    league = League(folder, config, start, records)
    league.load()
    progress.say("self-play")
    decisions, since = 0.0, time.perf_counter()

    def show(state: State, figures: Mapping[str, float]) -> None:
        nonlocal decisions
        decisions += figures["decisions"]
        progress.to(state.iteration)
        texts = [f"{decisions / (time.perf_counter() - since):,.0f} decisions/s"]
        last = state.metrics[-1] if state.metrics else {}  # the first verdict comes while it learns
        texts += [f"{last[IMPS + name]:+.2f} vs {name}" for name in _opponents(last)[:2]]
        texts += [f"truth {100 * last['truth']:.1f}%"] if "truth" in last else []
        progress.note(", ".join(texts))

    for _ in league.run(cluster, lambda: time.perf_counter() - began > seconds, show):
        pass
    networks_file.save(league.networks(), folder / POLICY)  # on other terms with its book, if these were changed
    return league.state


def _start(folder: Path, config: LeagueConfig, progress: Progress) -> Networks:
    """Return the network to begin with; it is copied to the run's folder, so that the run depends on no other file."""
    path = folder / START
    if not path.exists():
        if config.start == NOTHING:
            networks = pretrain(config, lambda share: progress.say(f"pretraining {share:.0%}"))
        elif config.start.startswith("policy:"):
            networks = start_networks(config.start, bool(config.book))
        else:
            networks = _imitated(config, folder, progress)
        networks_file.save(by_the_book(networks, config) if config.book else networks, path)
    return networks_file.load(path)


def by_the_book(networks: Networks, config: LeagueConfig) -> Networks:
    """Return a network that bids by the book of ``config``, from one that may know no book.

    The network suggests calls, and the book decides between them. Its outputs count half: a network is surer of its
    calls than the book's terms allow for.
    """
    if networks.book is None:
        first, *between, last = networks.policy.layers
        weight = np.zeros((BOOK_INPUTS, first.weight.shape[1]), np.int16)
        weight[: len(first.weight)] = first.weight
        policy = Network((replace(first, weight=weight), *between, replace(last, scale=last.scale / 2)))
    else:
        policy = networks.policy
    return Networks(policy, None, networks.trained, book_of(config.book), Terms(config.prior, config.truth))


def _imitated(config: LeagueConfig, folder: Path, progress: Progress) -> Networks:
    """Return a network that calls as the bidder ``config.start`` does."""
    torch.set_num_threads(1)
    calls = calls_of(read_auctions([config.start], boards=_IMITATED, seed=config.seed))
    scratch = folder / "imitation"
    scratch.mkdir(exist_ok=True)
    settings = ImitationConfig(layers=config.layers, epochs=3, seed=config.seed)
    policy, _ = imitate(settings, calls, scratch, None, lambda share, loss: progress.say(f"imitating {share:.0%}"))
    return Networks(policy, None, {"by": f"imitation of {config.start}"})


def _judge(folder: Path, config: LeagueConfig, state: State, boards: int, progress: Progress) -> LeagueResult:
    """Play the panel, and write the report and the curve."""
    progress.stage(f"judging on {boards:,} boards that training never saw")
    lines = panel.panel(
        f"policy:{folder / POLICY}", None, boards, config.seed, start=f"policy:{folder / START}",
        log=folder / "panel.json", progress=progress,
    ).rows  # fmt: skip
    curve, page = folder / "learning_curve.png", folder / "report.md"
    pages.draw_curves(
        curve, _curves(state.metrics), "hours of training",
        f"IMPs a board, {state.metrics[-1]['boards']:,} boards not played in it",
    )  # fmt: skip
    text = pages.render(
        "league.md",
        command=runs.command_line("bridge-env train league", replace(config, start=runs.portable(config.start))),
        last=state.metrics[-1],
        cores=runs.read_manifest(folder)["machine"]["cores"],
        decisions=sum(row.get("decisions", 0.0) for row in state.metrics),
        boards=lines[0].boards,
        table=panel.markdown(lines),
    )
    atomic_write(page, text)
    return LeagueResult(folder, config, state.iteration, state.metrics, folder / POLICY, lines, page, curve)


def _opponents(row: Mapping[str, Any]) -> list[str]:
    """Return the opponents of an evaluation, as they are named in its row."""
    return [name.removeprefix(IMPS) for name in row if name.startswith(IMPS)]


def _curves(metrics: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[float], list[dict[str, float]]]]:
    """Yield the learning curve against each opponent, on deals that no rollout plays, by hours."""
    for name in _opponents(metrics[-1]):
        rows = [row for row in metrics if IMPS + name in row]
        points = [{"mean_imps": row[IMPS + name], "standard_error": row[f"standard_error/{name}"]} for row in rows]
        yield f"against {'its start' if name == 'start' else name}", [row["seconds"] / 3600 for row in rows], points
