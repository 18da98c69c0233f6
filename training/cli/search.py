"""``bridge-env train search``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.arguments import add_address
from training.cli.config import add_fields, add_run_options, read_run_fields
from training.cli.config_file import add_config_file
from training.cli.progress import Bar
from training.networks.search_config import SearchConfig

_EPILOG = """\
examples:
  bridge-env train search                                      policy:champion searches and learns from it
  bridge-env train search --start policy:mine.npz --boards 20000 --rounds 3
  bridge-env train search --resume results/search/run-001
  bridge-env panel policy:results/search/run-001/policy.npz --over policy:champion

A network with a belief ('bridge-env fit belief') thinks over its own uncertain decisions as reason:policy:NAME does: it
weighs each likely call over deals that fit the auction. It learns from these figures, near its former calls. One file
in ten is held out: what the network gains there is told after every pass. Then it plays a match against its former self
on other training boards; the run ends after a round that does not gain more than its error. Ctrl-C loses at most the
boards in hand.
"""
_MAY_CHANGE = ("rounds", "gate")


def add_search(algorithms: Any) -> None:
    """Add ``bridge-env train search``."""
    parser = algorithms.add_parser(
        "search",
        help="teach a network what its own search finds",
        description="Teach a network the calls that it finds when it thinks: it samples deals that fit the auction,\n"
        "looks ahead, and learns what each of its likely calls is worth.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_fields(parser, SearchConfig)
    add_run_options(parser, "search", _MAY_CHANGE)
    parser.add_argument("--workers", type=int, help="number of tasks at a time (default: all cores)")
    add_address(parser)
    add_config_file(parser)
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from training.running import runs
    from training.running.cluster import Cluster

    runs.require("train", "torch", "ray")
    from training.networks import search_run

    config = read_run_fields(args, SearchConfig, _MAY_CHANGE)
    search_run.check_start(config)  # whatever is wrong is told before there is a folder, or Ray
    with Cluster(args.workers, args.address) as cluster:
        folder = search_run.prepare(args.resume, config, args.out, args.name)
        args.kept = folder, f"bridge-env train search --resume {folder}"
        bar, told = Bar(), ""

        def tell(what: str, share: float, remark: str) -> None:
            nonlocal told
            bar.share(share)
            bar.note(f"{what}, {remark}" if remark else what)
            if remark.startswith("held out") and remark != told:
                told = remark
                bar.say(f"{what}: {remark}")

        try:
            verdicts = search_run.run(folder, config, cluster, tell)
        except KeyboardInterrupt:
            bar.close()
            print(f"\nstopped; what was searched is kept. Go on: bridge-env train search --resume {folder}")
            return 130
        bar.close()
    for number, verdict in enumerate(verdicts, 1):
        gained = "kept" if verdict["gain"] > verdict["error"] else "not kept"
        print(
            f"round {number}: {verdict['gain']:+.3f} ± {verdict['error']:.3f} IMPs a board over its former self on "
            f"{verdict['boards']:,} training boards, {gained}"
        )
    print(f"{'network:':<10}{folder / search_run.POLICY}")
    print(f"{'judge it:':<10}bridge-env panel policy:{folder / search_run.POLICY} --over {config.start}")
    return 0
