"""``bridge-env train``: the arguments of each algorithm, the progress bars, and the calls."""

from __future__ import annotations

import argparse
import json
import os
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.cli.arguments import above_0, add_address, whole
from training.cli.config import add_config_file, add_fields, add_run_options, read_run_fields
from training.cli.panel import shows
from training.cli.progress import Bar
from training.cli.terminal import tell
from training.networks.configs import LeagueConfig, PPOConfig

_LEAGUE = """\
examples:
  bridge-env train league                                      imitate system:two-over-one, then self-play
  bridge-env train league --start policy:two-over-one --name long --iterations 20000
  bridge-env train league --resume results/league/long --hours 3       continue for three hours at most
  bridge-env train league --resume results/league/long --iterations 40000
  bridge-env train league --start nothing                      start from random weights
  bridge-env train league --start policy:champion --plain 0.5  teach it natural calls
  bridge-env train league --start policy:champion-plain --book champion       teach it to bid by system:champion

One process learns and others play rollouts, so at least two cores are needed. Ctrl-C loses nothing before the last
evaluation. The same settings give the same weights, for any number of workers, and however often a run is stopped. The
network plays as policy:FOLDER/policy.npz. The league refuses gatekeepers (see 'bridge-env panel --help') as opponents
and as a start.
"""
_LEAGUE_MAY_CHANGE = (
    "iterations", "estimated", "drawn", "keep", "doubled", "plain", "prior", "truth", "departure", "untruth",
    "strangers", "earlier", "pool", "selves", "learning_rate", "last_rate", "critic_rate", "entropy", "evaluate",
    "judged", "panel", "device",
)  # fmt: skip
_PPO = """\
examples:
  bridge-env train ppo                                    fifteen minutes against a pair that passes
  bridge-env train ppo --minutes 60 --name long           longer, into results/train/long
  bridge-env train ppo --resume results/train/long --minutes 120
  bridge-env train ppo --opponents system:sayc --control system:sayc
  bridge-env train ppo --callback my_file.py:MyCallback

Ctrl-C loses nothing: the run is saved, and --resume goes on. A run folder holds SB3's own model, a file that
can run code when it is loaded: resume only folders that you made. The policy to share is policy.npz, plain data:
bridge-env match policy:FILE system:sayc needs neither torch nor Stable-Baselines3.
"""
_PPO_MAY_CHANGE = ("minutes", "steps", "threads", "evaluate", "every", "judge")


def add_train(subparsers: Any) -> None:
    train = subparsers.add_parser("train", help="learn a policy by reinforcement: league, ppo")
    algorithms = train.add_subparsers(title="algorithms", metavar="ALGORITHM", required=True)
    _add_league(algorithms)
    _add_ppo(algorithms)


# --- league --------------------------------------------------------------------------------------------------


def _add_league(algorithms: Any) -> None:
    parser = algorithms.add_parser(
        "league",
        help="train a network against itself, earlier versions of itself and strangers",
        description="Train a network by self-play in a league. On each board it samples other auctions beside its\n"
        "usual one; the reward is the difference in IMPs.",
        epilog=_LEAGUE,
    )
    add_fields(parser, LeagueConfig)
    add_run_options(parser, "league", _LEAGUE_MAY_CHANGE)
    parser.add_argument("--hours", type=above_0, help="stop after this many hours; --resume continues")
    parser.add_argument(
        "--judge", type=whole(2), default=5000, help="number of judging boards for the final panel (5000)"
    )
    parser.add_argument(
        "--workers",
        type=int,
        help="number of tasks at a time (default: all cores of the cluster; without one all cores but one, at least 2)",
    )
    add_address(parser)
    add_config_file(parser)
    parser.set_defaults(handler=_league)


def _league(args: argparse.Namespace) -> int:
    from training.running import runs
    from training.running.cluster import Cluster
    from training.running.curves import can_write

    runs.require("train", "torch", "ray")
    from training.networks import league_run

    config = read_run_fields(args, LeagueConfig, _LEAGUE_MAY_CHANGE)
    if args.resume is not None and (note := runs.note_of_other_code(args.resume)):
        print(note)
    workers, cores = args.workers, os.cpu_count() or 2
    if workers is None and args.address is None:
        workers = max(2, cores - 1)  # learning takes less than a core: on two it would wait for a single one that plays
    league_run.check_start(config)  # whatever is wrong is told before there is a folder
    with Cluster(workers, args.address) as cluster:
        if args.resume is None:
            assert cluster.workers is not None
            config = config.settled(cluster.workers if args.address or args.workers else cores)
        folder = league_run.prepare(args.resume, config, args.out, args.name)
        args.kept = folder, f"bridge-env train league --resume {folder}"
        print(f"{folder}: from {config.start}; curve in metrics.jsonl" + (
            f", logs: tensorboard --logdir {folder}" if can_write() else ""
        ))  # fmt: skip
        progress = _LeagueProgress(config.iterations)
        with progress.bar:
            done = league_run.train(folder, config, cluster, args.hours, progress.tick, progress.bar.say)
    if not done:
        print(f"stopped after {args.hours:g} hours and saved. Go on: bridge-env train league --resume {folder}")
        return 0
    print(f"judging on {args.judge:,} boards that training never saw")
    with Bar(None, "board") as bar:
        league_run.conclude(folder, config, args.judge, shows(bar))
    return 0


class _LeagueProgress:
    """Show iterations, decisions a second, and IMPs at the last evaluation."""

    def __init__(self, iterations: int) -> None:
        self.began, self.decisions = time.perf_counter(), 0.0
        self.bar = Bar(iterations, "it")

    def tick(self, state: Any, decisions: float) -> None:
        self.decisions += decisions
        self.bar.to(state.iteration)
        text = f"{self.decisions / (time.perf_counter() - self.began):,.0f} decisions/s"
        last = state.metrics[-1] if state.metrics else {}
        for name in list(last)[2:4]:
            if isinstance(last[name], dict):
                text += f", {last[name]['mean_imps']:+.2f} vs {name}"
        self.bar.note(text)


# --- ppo -----------------------------------------------------------------------------------------------------


def _add_ppo(algorithms: Any) -> None:
    parser = algorithms.add_parser(
        "ppo",
        help="MaskablePPO from scratch against a control pair",
        description="Train a partnership from random weights to win IMPs against a control pair. Boards that training\n"
        "never saw judge the policy.",
        epilog=_PPO,
    )
    add_fields(parser, PPOConfig)
    add_run_options(parser, "train", _PPO_MAY_CHANGE)
    parser.add_argument(
        "--callback", action="append", default=[], metavar="MODULE:NAME",
        help="call this callback of Stable-Baselines3, too; MODULE is a module or a file, NAME an object or what "
        "makes one; may be given several times",
    )  # fmt: skip
    add_config_file(parser)
    parser.set_defaults(handler=_ppo)


def _ppo(args: argparse.Namespace) -> int:
    began = time.perf_counter()
    from training.running import runs

    runs.require("rl", "torch", "stable_baselines3", "sb3_contrib")
    from training.networks import ppo

    config = read_run_fields(args, PPOConfig, _PPO_MAY_CHANGE)
    callbacks = [ppo.read_callback(where) for where in args.callback]  # a faulty one is told before there is a folder
    folder, state = ppo.prepare(args.resume, config, args.out, args.name)
    args.kept = folder, f"bridge-env train ppo --resume {folder}"
    logs = f"tensorboard --logdir {folder}" if find_spec("tensorboard") else "none, tensorboard is not installed"
    print(f"{folder}: NS learns against {config.opponents}, control {config.control}; logs: {logs}")
    first, started = state.steps, time.perf_counter()

    def tick(share: float, state: Any) -> None:
        text = f"{state.steps / 1e6:.2f}M calls, {(state.steps - first) / (time.perf_counter() - started):,.0f}/s"
        if state.metrics:
            last = state.metrics[-1]
            text += f", {last['mean_imps']:+.2f} ± {last['standard_error']:.2f} IMPs/board"
        bar.share(share)
        bar.note(text)

    with Bar() as bar:
        ppo.train(folder, config, state, tick, began, callbacks)
    _conclude_ppo(folder, config, state)
    return 0


def _conclude_ppo(folder: Path, config: PPOConfig, state: Any) -> None:
    from training.match import verdict as judging
    from training.networks import report
    from training.running import runs

    file = folder / "policy.npz"
    print(f"judging on {config.judge:,} boards that training never saw")
    rows, source = report.judge_ppo(f"policy:{file}", config)
    print("\n" + judging.table_text(rows) + "\n")
    manifest = runs.read_manifest(folder)
    report.ppo_curve(state.metrics, rows[0], folder / "learning_curve.png")
    page = report.ppo_page(f"policy:{file}", (rows, source), config, manifest, state.metrics[-1])
    atomic_write(folder / "report.md", page)
    verdict = {"rows": [row.as_json() for row in rows], "seconds": state.seconds, "steps": state.steps}
    atomic_write(folder / "verdict.json", json.dumps(verdict, indent=2) + "\n")
    runs.write_manifest(folder, manifest | {"policy_sha256": runs.sha256(file)})
    tell({
        "learning curve": folder / "learning_curve.png", "report": folder / "report.md", "policy": file,
        "play it": f"bridge-env match policy:{file} system:sayc",
    })  # fmt: skip
