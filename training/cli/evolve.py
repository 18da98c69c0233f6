"""``bridge-env evolve``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.arguments import above_0, add_address
from training.cli.config import add_config_file, add_fields, add_run_options, read_run_fields
from training.cli.progress import BarProgress
from training.cli.terminal import tell

_MAY_CHANGE = ("generations",)
_EPILOG = """\
examples:
  bridge-env evolve                                   start a first run, about three minutes on two cores
  bridge-env evolve --generations 10 --study 49152 --confirm 16384
                                                      tune for longer, on more boards
  bridge-env evolve --generations 200 --name long     start a longer run, into results/evolve/long
  bridge-env evolve --minutes 30                      begin no generation after half an hour, then judge
  bridge-env evolve --resume results/evolve/long      continue after Ctrl-C or a crash
  bridge-env evolve --resume results/evolve/long --generations 400
  bridge-env evolve --start sayc,two-over-one --operators swapping,tuning
                                                      let partners start with two systems, and end with one
  bridge-env evolve --start champion --operators amendment,tuning,swapping --player policy:by-the-book
                                                      let a book learn from a network that bids by it
  bridge-env evolve --config long.toml                take options from a file, such as: generations = 200
  bridge-env evolve --address auto                    run on the Ray cluster that this machine belongs to

The same seed gives the same systems for any number of workers. Ctrl-C loses nothing but the generation
in hand, and FOLDER/best.bidding is the best system so far. Judge any two systems with:
  bridge-env match system:FILE.bidding system:sayc --boards 9000
"""


def add_evolve(subparsers: Any) -> None:
    from training.evolve.config import EvolveConfig

    parser = subparsers.add_parser(
        "evolve",
        help="evolve bidding systems by self-play of partnerships",
        description="Let partnerships improve a bidding system by self-play. They change it in five ways:\n"
        "  tuning      moves the bounds of its lines by a step, or drops a condition;\n"
        "  swapping    adopts changes of partner or another pair;\n"
        "  evolution   varies its rules at random;\n"
        "  refinement  finds rules for hands that another call would have suited better;\n"
        "  amendment   learns from a network that bids by the system (--player).\n"
        "A change is accepted if it gains IMPs against the control pair and the rest of the league, and again on\n"
        "fresh boards. Boards that training never saw judge the winner.",
        epilog=_EPILOG,
    )
    add_fields(parser, EvolveConfig)
    add_run_options(parser, "evolve", _MAY_CHANGE)
    for unit in ("minutes", "hours"):
        text = f"begin no generation after so many {unit}; then the winner is judged"
        parser.add_argument(f"--{unit}", type=above_0, help=text)
    parser.add_argument("--workers", type=int, help="number of tasks at a time (default: all cores of the cluster)")
    add_address(parser)
    add_config_file(parser)
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Evolve, and print the verdict."""
    from training.evolve.config import EvolveConfig
    from training.evolve.run import evolve
    from training.match import verdict as judging
    from training.running import runs

    if args.minutes is not None and args.hours is not None:
        raise ValueError("give --minutes or --hours, not both")
    seconds = 60 * (args.minutes or 0) + 3600 * (args.hours or 0) or None
    config = read_run_fields(args, EvolveConfig, _MAY_CHANGE)
    if args.resume is not None and (note := runs.note_of_other_code(args.resume)):
        print(note)
    with BarProgress(args, "bridge-env evolve --resume") as progress:
        result = evolve(
            config, out=args.out, name=args.name, resume=args.resume, seconds=seconds,
            open_ended=args.generations is None, workers=args.workers, address=args.address, progress=progress,
        )  # fmt: skip
    print("\n" + judging.table_text(result.rows) + "\n")
    tell({
        "learning curve": result.curve, "report": result.report,
        "system": " and ".join(map(str, result.systems)), "play it": f"bridge-env match {result.spec} system:sayc",
    })  # fmt: skip
    return 0
