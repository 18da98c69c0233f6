"""``bridge-env fit meanings``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.config_file import add_config_file

_EPILOG = """\
examples:
  bridge-env fit meanings policy:mine/policy.npz                writes mine/policy.meanings.npz
  bridge-env bid policy:mine/policy.npz --hand AQT72.A4.Q2.T753 --auction "1S P 2S 3H"     shows them

The network bids random boards in all four seats. For every auction that occurs 200 times, the file records the points
and suit lengths of nine in ten hands behind its last call.
"""


def add_meanings(targets: Any) -> None:
    """Add ``bridge-env fit meanings``."""
    parser = targets.add_parser(
        "meanings",
        help="measure what the calls of a network mean",
        description="Measure the points and suit lengths behind each of a network's calls.",
        epilog=_EPILOG,
    )
    parser.add_argument("network", metavar="policy:NAME|FILE", help="the network that bids")
    parser.add_argument("--boards", type=int, default=1_000_000, help="number of random boards (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the boards (1)")
    add_config_file(parser)
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from agents.networks import meaning
    from agents.networks.bidder import NetworkBidder
    from agents.networks.shipped import network_path
    from bridge_env.bidders import SpecError, make
    from training.cli.progress import Bar
    from training.networks import meaning_fit
    from training.running.speed import use_fastest

    if args.boards < 1:
        raise ValueError(f"--boards is {args.boards}; it must be 1 or more")
    bidder = make(args.network)
    if not isinstance(bidder, NetworkBidder):
        raise SpecError(f"{args.network!r} is no network that this measures; write policy:NAME or policy:FILE")
    use_fastest()
    with Bar(what="measuring") as bar:
        found = meaning_fit.measure(bidder, args.boards, args.seed, bar.share)
    path = meaning.path_beside(network_path(args.network.partition(":")[2]))
    meaning.save(found, path)
    known, inside = meaning_fit.kept_to(bidder, found, min(20_000, args.boards), args.seed + 1)
    print(
        f"{len(found.key):,} auctions; on fresh boards they cover {known:.1%} of the calls, and {inside:.1%} of points"
    )
    print("and lengths lie in the ranges")
    print(f"written: {path}")
    return 0
