"""``bridge-env fit maps``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training.cli.arguments import natural, positive, words_of
from training.cli.config import add_config_file
from training.cli.progress import Bar
from training.cli.terminal import left_out

_EPILOG = """\
examples:
  bridge-env fit maps                                     learn from system:sayc; then: bridge-env bid som:FILE …
  bridge-env fit maps --from two-over-one --inputs learned
  bridge-env fit maps --inputs learned wbridge5.pbn.gz    learn from recorded auctions
  bridge-env fit maps --fallback sayc                     make only the maps of 2007; a system makes all other calls
"""
_NUMBERS = ("boards", "side", "hands", "rounds", "seed")


def add_maps(targets: Any) -> None:
    parser = targets.add_parser(
        "maps",
        help="train self-organizing maps on the calls of a system or a record",
        description="Train self-organizing maps on the calls of a bidding system on training deals, or on auctions\n"
        "in PBN files. Boards of the judging split judge the maps.",
        epilog=_EPILOG,
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE",
                        help="recorded auctions (.pbn, plain or gzip)")  # fmt: skip
    parser.add_argument("--from", metavar="SYSTEM",
                        help="learn the calls of this system, and interpret calls by it (sayc)")  # fmt: skip
    parser.add_argument("--inputs", choices=("published", "learned"),
                        help="lengths, points and a little of the auction (the default), or a learned metric of all "
                        "that case bases see")  # fmt: skip
    parser.add_argument("--fallback", metavar="SYSTEM",
                        help="system for the calls that the maps of 2007 leave out (two more maps)")  # fmt: skip
    parser.add_argument("--boards", type=positive, metavar="N", help="deals that the teacher bids (30000)")
    parser.add_argument("--rounds", type=natural, metavar="N",
                        help="rounds in which the maps bid and the teacher corrects them (1)")  # fmt: skip
    parser.add_argument("--side", type=positive, metavar="N", help="largest number of units along a side of a map (64)")
    parser.add_argument("--hands", type=positive, metavar="N", help="fewest training hands for each unit (12)")
    parser.add_argument("--seed", type=natural, metavar="N", help="random seed (1)")
    parser.add_argument("--expert", metavar="SPEC", help="compare with this second bidder (two-over-one, or sayc)")
    parser.add_argument(
        "--match-boards", type=natural, metavar="N", help="boards in each match that judges the maps (5000)"
    )
    parser.add_argument("--out", type=Path, help="folder (results/maps/run-001 ...)")
    add_config_file(parser)
    parser.set_defaults(handler=_maps)


def _maps(args: argparse.Namespace) -> int:
    if args.files:
        for name in ("boards", "rounds"):
            if getattr(args, name) is not None:
                raise ValueError(f"--{name} does not go with recorded auctions")
    from agents.maps import atlas
    from bridge_env.bidders import make
    from training.maps import examples, fit, judge, report
    from training.running import runs

    given = {name: getattr(args, name) for name in (*_NUMBERS, "inputs") if getattr(args, name) is not None}
    for name, option in (("reader", getattr(args, "from")), ("fallback", args.fallback)):
        if option is not None:
            given[name] = option if option.startswith("system:") else f"system:{option}"
            make(given[name])  # what is faulty is told before any work
    config = fit.MapsConfig(**given)
    expert = args.expert or ("system:sayc" if config.reader != "system:sayc" or args.files else "system:two-over-one")
    make(expert)
    out = runs.results_folder(args.out, "maps")
    held = None
    with Bar(what="training", brief=True) as bar:
        if args.files:
            training, held, problems = examples.recorded(args.files)
            left_out(problems)
            maps = fit.from_records(training, config, bar.share)
        else:
            maps = fit.from_system(config, bar.share)
    atlas.save(maps, out / "maps.npz")
    names = [path.name for path in args.files]
    boards = 5000 if args.match_boards is None else args.match_boards
    verdict = judge.judged(maps, judge.held_out(config.reader, config.seed) if held is None else held, expert, boards)
    words = words_of(args, dict.fromkeys(("from", "inputs", "fallback", *_NUMBERS, "expert", "match_boards")))
    command = shlex.join(["bridge-env", "fit", "maps", *words, *names])
    report.write(out, maps, verdict, command, runs.manifest({"files": names, **asdict(config)}, ""))
    for line in report.lines(verdict):
        print(line)
    print(f"written: {out / 'maps.npz'}, README.md, results.json, maps.png, ambiguity.png")
    return 0
