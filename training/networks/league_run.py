"""A run of the league from its folder: begin, go on, conclude."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from agents.networks import file as networks_file
from agents.networks.book import BOOK_INPUTS, Terms
from agents.networks.file import Networks, book_of
from agents.networks.network import Network
from bridge_env.bidders import make
from bridge_env.files import atomic_write
from training.match import panel
from training.match.strangers import refuse_gatekeepers
from training.networks import imitate, lessons, recorded, report
from training.networks.configs import ImitationConfig, LeagueConfig, widths
from training.networks.league import DEALS, KIND, NOTHING, POLICY, ROW, START, League, State, start_networks
from training.networks.model import widened
from training.networks.stock import stock
from training.running import lock, runs
from training.running.cluster import Cluster
from training.running.curves import Curves
from training.running.settings import listed

_IMITATED = 150_000  # boards of a bidder that are imitated before self-play


def check_start(config: LeagueConfig) -> None:
    """Can a run begin so? Asked before there is a folder, or Ray.

    Raises:
        SpecError: the start or somebody of the pool cannot be had, or is a gatekeeper.
        ValueError: the start cannot be widened so, or the device is not there.
    """
    if config.device != "cpu" and not torch.cuda.is_available():
        raise ValueError(f"--device is {config.device}, but torch {torch.__version__} finds no CUDA device here")
    refuse_gatekeepers([config.start, *listed(config.pool), *listed(config.panel)])
    for spec in [*listed(config.pool), *listed(config.panel)]:
        make(spec)
    if config.book:
        book_of(config.book)
    if config.start != NOTHING:
        if not config.start.startswith("policy:"):
            if config.widen:
                raise ValueError(f"--widen is for a start from a network; --start {config.start} takes --layers")
            make(config.start)
        elif config.widen:
            widened(start_networks(config.start, bool(config.book)).policy.floats(), widths(config.widen), config.seed)
        else:
            start_networks(config.start, bool(config.book))


def prepare(folder: Path | None, config: LeagueConfig, root: Path, name: str | None) -> Path:
    """A new run folder, or the one to go on with.

    Raises:
        RunError: the folder cannot be used.
        SpecError: the start or somebody of the pool cannot be had.
    """
    check_start(config)
    if folder is not None:
        manifest = runs.read_manifest(folder)
        if manifest.get("config") != asdict(config):
            manifest.setdefault("changes", []).append({"from": manifest.get("config")})
        runs.write_manifest(folder, manifest | {"config": asdict(config)})
        return folder
    folder = runs.new_folder(root, KIND, name)
    lock.hold(folder)
    content = runs.manifest(asdict(config), runs.shipped_deals())
    runs.write_manifest(folder, content | {"kind": KIND, "torch_threads": 1})
    return folder


def train(
    folder: Path, config: LeagueConfig, cluster: Cluster, hours: float | None,
    tell: Callable[[State, float], None], say: Callable[[str], None],
) -> bool:  # fmt: skip
    """Learn until the last iteration or for ``hours``; True where the run is complete.

    Args:
        tell: hears after every iteration of the state and of the decisions in it.
        say: hears what is going on.
    """
    began = time.perf_counter()
    say("starting")
    start = _start(folder, config, say)
    records = stock(config.estimated, config.seed, folder / DEALS, lambda share: say(f"estimating deals {share:.0%}"))
    league = League(folder, config, start, records)
    league.load()
    say("self-play")
    writer = Curves(folder, "league", "iteration")
    before = dict(league.sums)

    def told(state: State, sums: dict[str, float]) -> None:
        nonlocal before
        fresh = sums.get("decisions", 0.0) - (before.get("decisions", 0.0) if sums.get("iterations", 0) > 1 else 0.0)
        before = dict(sums)
        tell(state, fresh)

    def stop() -> bool:
        return hours is not None and time.perf_counter() - began > 3600 * hours

    for state in league.run(cluster, stop, told):
        writer.write(state.metrics[-1])
    writer.close()
    networks_file.save(league.networks(), folder / POLICY)  # on other terms with its book, if these were changed
    return league.state.iteration >= config.iterations


def _start(folder: Path, config: LeagueConfig, say: Callable[[str], None]) -> Networks:
    """The network to begin with, kept in the run's folder so that the run depends on no other file."""
    path = folder / START
    if not path.exists():
        if config.start == NOTHING:
            networks = lessons.learn(config, lambda share: say(f"first lessons {share:.0%}"))
        elif config.start.startswith("policy:"):
            networks = start_networks(config.start, bool(config.book))
        else:
            networks = _imitated(config, folder, say)
        if config.book:
            networks = by_the_book(networks, config)
        networks_file.save(networks, path)
    return networks_file.load(path)


def by_the_book(networks: Networks, config: LeagueConfig) -> Networks:
    """A network that bids by the book of ``config``, from one that may know of none.

    What it begins with suggests calls; the book decides between them. Its outputs count half: a network is surer of its
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


def _imitated(config: LeagueConfig, folder: Path, say: Callable[[str], None]) -> Networks:
    """A network that calls as the bidder ``config.start`` does."""
    torch.set_num_threads(1)
    calls = imitate.calls_of(recorded.read([config.start], boards=_IMITATED, seed=config.seed))
    fit = imitate.Fit(ImitationConfig(layers=config.layers, epochs=3, seed=config.seed))
    scratch = folder / "imitation"
    scratch.mkdir(exist_ok=True)
    fit.resume(scratch)
    fit.run(calls, scratch, lambda share, loss: say(f"imitating {share:.0%}"))
    return fit.networks({"by": f"imitation of {config.start}"})


def conclude(folder: Path, config: LeagueConfig, boards: int, tell: Callable[[str, int], None]) -> None:
    """Play the panel, write the report and the curve, and tell how to play what was learned."""
    spec = f"policy:{folder / POLICY}"
    start = f"policy:{folder / START}" if (folder / START).exists() else None
    lines = panel.panel(spec, None, boards, config.seed, start=start, log=folder / "panel.json", progress=tell).lines
    metrics = runs.read_metrics(folder, ROW)
    report.league_curve(metrics, folder / "learning_curve.png")
    atomic_write(folder / "report.md", report.league_page(folder, config, lines, metrics))
    print("\n" + panel.table_text(lines) + "\n")
    for what, name in (("report", "report.md"), ("learning curve", "learning_curve.png"), ("network", POLICY)):
        print(f"{what + ':':<16}{folder / name}")
    print(f"{'play it:':<16}bridge-env match {spec} system:two-over-one")
