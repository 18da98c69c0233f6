"""``bridge-env train league``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from training.cli.arguments import add_address
from training.cli.config import add_fields, add_run_options, read_run_fields
from training.cli.config_file import add_config_file
from training.cli.panel import shows
from training.cli.progress import Bar
from training.networks.configs import LeagueConfig

_EPILOG = """\
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
_MAY_CHANGE = (
    "iterations", "estimated", "drawn", "keep", "doubled", "plain", "prior", "truth", "departure", "untruth",
    "strangers", "earlier", "pool", "selves", "learning_rate", "last_rate", "critic_rate", "entropy", "evaluate",
    "judged", "panel", "device",
)  # fmt: skip


def add_league(algorithms: Any) -> None:
    """Add ``bridge-env train league``."""
    parser = algorithms.add_parser(
        "league",
        help="train a network against itself, earlier versions of itself and strangers",
        description="Train a network by self-play in a league. On each board it samples other auctions beside its\n"
        "usual one; the reward is the difference in IMPs.",
        epilog=_EPILOG,
    )
    add_fields(parser, LeagueConfig)
    add_run_options(parser, "league", _MAY_CHANGE)
    parser.add_argument("--hours", type=float, help="stop after this many hours; --resume continues")
    parser.add_argument("--judge", type=int, default=5000, help="number of judging boards for the final panel (5000)")
    parser.add_argument(
        "--workers",
        type=int,
        help="number of tasks at a time (default: all cores of the cluster; without one all cores but one, at least 2)",
    )
    add_address(parser)
    add_config_file(parser)
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Train; tell how far it came."""
    from training.running import runs
    from training.running.cluster import Cluster
    from training.running.curves import can_write

    runs.require("train", "torch", "ray")
    if args.hours is not None and not args.hours > 0:
        raise ValueError(f"--hours is {args.hours}; it must be more than 0")
    from training.networks import league_run

    config = read_run_fields(args, LeagueConfig, _MAY_CHANGE)
    if args.resume is not None and (note := runs.note_of_other_code(args.resume)):
        print(note)
    if args.judge < 2:
        raise ValueError(f"--judge is {args.judge}; it must be 2 or more")
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
        progress = _Progress(config.iterations)
        try:
            done = league_run.train(folder, config, cluster, args.hours, progress.tick, progress.bar.say)
        except KeyboardInterrupt:
            progress.bar.close()
            print(
                "\nstopped; nothing before the last evaluation is lost. "
                f"Go on: bridge-env train league --resume {folder}"
            )
            return 130
        progress.bar.close()
    if not done:
        print(f"stopped after {args.hours:g} hours and saved. Go on: bridge-env train league --resume {folder}")
        return 0
    print(f"judging on {args.judge:,} boards that training never saw")
    with Bar(None, "board") as bar:
        league_run.conclude(folder, config, args.judge, shows(bar))
    return 0


class _Progress:
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
