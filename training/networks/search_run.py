"""A run in which a network learns from its own search: rounds of search, learning, and a match that each must win.

A round's folder holds what was searched (``part-00000.npz`` ...), its network and its verdict. What is there when a run
goes on is not made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from agents.networks import file as networks_file
from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON
from agents.networks.network import quantized
from bridge_env.bidders import SpecError, make
from bridge_env.double_dummy.library import embedded
from bridge_env.files import write_whole
from bridge_env.schema import Number, Whole
from training.match.boards import library_boards
from training.match.match import play
from training.match.strangers import refuse_gatekeepers
from training.networks.league import start_networks
from training.networks.model import widened
from training.networks.ppo_config import widths
from training.networks.search_config import SearchConfig
from training.networks.search_fit import Kept, SearchFit
from training.networks.searched import BOARDS, read, search
from training.running import lock, runs
from training.running.cluster import Cluster
from training.running.listed import listed

KIND, POLICY, VERDICT = "search", "policy.npz", "verdict.json"
_APART_ONE_IN = 10  # files whose decisions are not learned
_VERDICT = {"gain": Number(), "error": Number(0), "held_out": Number(), "held_out_error": Number(0),
            "changed": Number(0), "decisions": Whole(0), "boards": Whole(2)}  # fmt: skip

Tell = Callable[[str, float, str], object]
"""Hears what is being done, which share of it is done, and a remark."""


def check_start(config: SearchConfig) -> Networks:
    """The network to begin with.

    Raises:
        SpecError: it, or somebody of the pool, cannot be had, or is a gatekeeper; or it has no belief.
        ValueError: it cannot be widened so.
    """
    refuse_gatekeepers([config.start, *listed(config.pool)])
    for spec in listed(config.pool):
        if not spec.startswith("policy:"):
            raise SpecError(f"--pool {spec}: the search reads opponents by networks; write policy:NAME or policy:FILE")
        make(spec)
    networks = start_networks(config.start)
    if networks.belief is None:
        raise SpecError(f"{config.start} has no belief to search with; 'bridge-env fit belief' gives it one")
    if config.widen:
        widened(networks.policy.floats(), widths(config.widen), config.seed)
    return networks


def prepare(folder: Path | None, config: SearchConfig, root: Path, name: str | None) -> Path:
    """A new run folder with the network to begin with, or the one to go on with.

    Raises:
        RunError: the folder cannot be used.
        SpecError: see ``check_start``.
    """
    networks = check_start(config)
    if folder is None:
        folder = runs.new_folder(root, KIND, name)
        lock.hold(folder)
        networks_file.save(networks, folder / "start.npz")
    content = runs.manifest(asdict(config), runs.sha256(Path(embedded().path)))
    runs.write_manifest(folder, content | {"kind": KIND, "torch_threads": 1})
    return folder


def run(folder: Path, config: SearchConfig, cluster: Cluster, tell: Tell) -> list[dict[str, Any]]:
    """Search and learn, round by round, as long as a round gains more than its error. Returns the verdicts.

    ``policy.npz`` in the folder is the network after the last round that gained.
    """
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    networks = networks_file.load(folder / "start.npz")
    found: list[Path] = []
    verdicts: list[dict[str, Any]] = []
    networks_file.save(networks, folder / POLICY)
    for number in range(config.rounds):
        place = folder / f"round-{number + 1}"
        place.mkdir(exist_ok=True)
        found += _searched(place, config, number, networks, cluster, tell)
        if not (place / VERDICT).exists():
            _learn(place, config, networks, found, tell)
        verdict = runs.read_result(place, VERDICT, _VERDICT)
        verdicts.append(verdict)
        if not verdict["gain"] > verdict["error"]:
            break
        networks = networks_file.load(place / POLICY)
        networks_file.save(networks, folder / POLICY)
    return verdicts


def _searched(
    place: Path, config: SearchConfig, number: int, networks: Networks, cluster: Cluster, tell: Tell
) -> list[Path]:
    """Search at the decisions of a round's boards; the files."""
    parts = -(-config.boards // BOARDS)
    paths = [place / f"part-{part:05d}.npz" for part in range(parts)]
    missing = [part for part in range(parts) if not paths[part].exists()]
    if missing:
        sent, pool = cluster.put(networks), listed(config.pool)
        tasks = ((sent, pool, config.samples, config.seed, number * parts + part) for part in missing)
        what = f"round {number + 1}, search"
        for done, (task, searched) in enumerate(cluster.map(search, tasks), parts - len(missing) + 1):
            searched.write(paths[missing[task]])
            tell(what, done / parts, f"{done * BOARDS:,} boards")
    return paths


def _learn(place: Path, config: SearchConfig, networks: Networks, paths: Sequence[Path], tell: Tell) -> None:
    """Learn what was searched in this round and those before, and play the match that the round must win."""
    found, file = read(paths)
    layers = networks.policy.floats()
    if config.widen and [len(bias) for _, bias in layers[:-1]] != widths(config.widen):
        layers = widened(layers, widths(config.widen), config.seed)
    fit = SearchFit(config, layers, found, file % _APART_ONE_IN == 0)
    last: Kept | None = None

    def learning(share: float, kept: Kept | None) -> None:
        nonlocal last
        last = kept or last
        tell(f"{place.name.replace('-', ' ')}, learning", share, remark(last) if last else "")

    kept = fit.run(learning)
    trained = dict(networks.trained) | {"by": f"search at {int(found.hard.sum()):,} decisions"}
    learned = replace(networks, policy=quantized(fit.model.floats(), MOST_ON), trained=trained)
    networks_file.save(learned, place / POLICY)
    networks_file.save(networks, place / "before.npz")
    boards = library_boards(config.gate, config.seed, "training", start=config.rounds * config.boards)
    what, bid = f"{place.name.replace('-', ' ')}, match", 0

    def played(count: int) -> None:
        nonlocal bid
        bid += count
        tell(what, bid / config.gate, "")

    match = play(f"policy:{place / POLICY}", f"policy:{place / 'before.npz'}", boards, config.seed, progress=played)
    verdict = {
        "gain": match.mean_imps, "error": match.standard_error, "held_out": kept.gain, "held_out_error": kept.error,
        "changed": kept.changed, "decisions": int(found.hard.sum()), "boards": config.gate,
    }  # fmt: skip
    write_whole(place / VERDICT, json.dumps(verdict, indent=2) + "\n")


def remark(kept: Kept) -> str:
    """What decisions that are not learned say."""
    return f"held out {kept.gain:+.3f} ± {kept.error:.3f} IMPs a decision, {kept.changed:.1%} changed"
