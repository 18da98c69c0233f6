"""``bridge-env coach``: the arguments, the progress bars, and the calls."""

from __future__ import annotations

import argparse
import os
from typing import Any

from training.cli.arguments import add_address
from training.cli.config import add_fields, add_run_options, read_run_fields
from training.cli.progress import Bar
from training.cli.terminal import tell
from training.coach.config import CoachConfig

_EPILOG = """\
examples:
  bridge-env coach mine.bidding                    an hour and a half on two cores, into results/coach/mine
  bridge-env coach sayc --iterations 300 --generations 1        a first look, a quarter of an hour
  bridge-env coach --resume results/coach/mine     continue after Ctrl-C or a crash
  bridge-env coach --resume results/coach/mine --rounds 2       a player by the amended book, and amendments to that
  bridge-env table                                 then play with policy:results/coach/mine/mine.npz

First a network learns to bid by the system: it sees the system's call and what the calls so far have shown, and a
call that would mislead partner has a penalty. Then the system learns from the network, rule by rule. Both are judged
against gatekeepers, on boards that training never saw. The report lists what the system misses, the amendments with
their gains, and the lines that never came up. Your file is not changed.
"""


def add_coach(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "coach",
        help="train a network by your system, and report what the system misses",
        description="Train a player (a network) that bids by a system, and amend the system. Judge both against\n"
        "gatekeepers, and report what the system misses.",
        epilog=_EPILOG,
    )
    parser.add_argument("book", nargs="?", metavar="SYSTEM", help="the system: a name or FILE.bidding")
    add_fields(parser, CoachConfig)
    add_run_options(parser, "coach", ("iterations", "generations", "rounds", "counted", "judge"))
    parser.add_argument("--workers", type=int, help="tasks at a time (default: all cores but one, and at least two)")
    add_address(parser)
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    from training.running import runs
    from training.running.cluster import Cluster

    runs.require("train", "torch", "ray")
    from training.coach import run as coaching

    if args.book is not None and args.resume is not None:
        raise ValueError("--resume goes on with the system of its folder; leave SYSTEM away")
    if args.book is None and args.resume is None and args.system is None:
        raise ValueError("name a system: bridge-env coach mine.bidding, or bridge-env coach sayc")
    args.system = args.book or args.system
    config = read_run_fields(args, CoachConfig, ("iterations", "generations", "rounds", "counted", "judge"))
    workers = max(2, (os.cpu_count() or 2) - 1) if args.workers is None else args.workers
    folder = coaching.prepare(args.resume, config, args.out, args.name)
    args.kept = folder, f"bridge-env coach --resume {folder}"
    print(f"{folder}: a player learns by {config.system}, then the book learns from it")
    rounds = coaching.rounds(folder, config)
    with Cluster(workers, args.address) as cluster:
        kept = [_learn(this, cluster) for this in rounds]
    with Bar(None, "board") as judging:
        table = coaching.conclude(folder, config, kept, judging.say, judging.add)
    print("\n" + table + "\n")
    player, amended = rounds[-1].player, rounds[-1].amended
    tell({
        "report": folder / "report.md", "amended book": amended,
        "play with it": f"bridge-env table     (choose policy:{player})",
        "ask it": f"bridge-env bid policy:{player} --hand AQT72.A4.Q2.T753 --auction ''",
    })  # fmt: skip
    return 0


def _learn(this: Any, cluster: Any) -> list[str]:
    """Train the player of a round and amend its book, with bars; returns the amendments in words."""
    from training.coach import run as coaching

    bars, boards = [Bar(this.config.iterations_of(this.number), "it")], 0

    def tick(iteration: int, figures: str) -> None:
        bars[-1].to(iteration)
        bars[-1].note(figures)

    def tried(count: int) -> None:
        nonlocal boards
        boards += count
        if len(bars) == 2:  # the generations; steps of the ending count boards
            bars[-1].note(f"{boards / 1e6:.1f}M boards")
        else:
            bars[-1].add(count)

    def step(what: str, count: int | None) -> None:
        bars[-1].close()
        bars.append(Bar(count, "board", what))

    try:
        coaching.train(this, cluster, tick, bars[-1].say)
        bars[-1].close()
        bars.append(Bar(this.config.generations, "gen", "amending"))
        return coaching.amend(this, cluster, tried, bars[1].to, step)
    finally:
        bars[-1].close()
