"""``bridge-env coach``: the arguments, the progress bars, and the calls."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.arguments import add_address
from training.cli.config import add_fields, add_run_options, read_run_fields
from training.cli.progress import BarProgress
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

    runs.require("train", "torch", "ray")
    from training.coach.run import coach
    from training.match import panel

    if args.book is not None and args.resume is not None:
        raise ValueError("--resume goes on with the system of its folder; leave SYSTEM away")
    if args.book is None and args.resume is None and args.system is None:
        raise ValueError("name a system: bridge-env coach mine.bidding, or bridge-env coach sayc")
    args.system = args.book or args.system
    config = read_run_fields(args, CoachConfig, ("iterations", "generations", "rounds", "counted", "judge"))
    with BarProgress(args, "bridge-env coach --resume") as progress:
        result = coach(
            config, out=args.out, name=args.name, resume=args.resume, workers=args.workers, address=args.address,
            progress=progress,
        )  # fmt: skip
    for one in result.rounds:
        print("\n" + panel.table_text(one.player) + "\n\n" + panel.table_text(one.amended))
    print()
    tell({
        "report": result.report, "amended book": result.amended,
        "play with it": f"bridge-env table     (choose policy:{result.player})",
        "ask it": f"bridge-env bid policy:{result.player} --hand AQT72.A4.Q2.T753 --auction ''",
    })  # fmt: skip
    return 0
