"""Command line: ``bridge-env table``. The handler parses and calls, nothing else."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.arguments import add_server, port

_EXAMPLES = """\
examples:
  bridge-env table                             open the table in the browser
  bridge-env table system:mine.bidding         offer a bidder of yours as well
  bridge-env table --port 9000 --no-browser    print the address only
  bridge-env table --seed 7                    repeat the same boards
  bridge-env table --memory none               keep nothing when it ends

Unless --host says otherwise, the server answers on this machine only. Its address contains a key. It saves finished
boards, and what each decision cost, in a file of yours. It uses files and Python modules only if you name them here;
the page itself takes .bidding, PBN and LIN texts.
"""


def add_table(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "table",
        help="bid and play boards in the browser",
        description="Open a page at which you bid and play boards with the bidders of this package, and see what\n"
        "each call shows, what others would have called, and where it went wrong.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("specs", metavar="SPEC", nargs="*", help="bidders to choose from besides the package's own")
    parser.add_argument("--port", type=port, help="listen on this port (8737, or the next that is free)")
    add_server(parser)
    parser.add_argument("--seed", type=int, help="random seed of the deals (random)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    parser.add_argument(
        "--memory", metavar="FILE",
        help="keep finished boards in FILE; none: keep nothing (table.sqlite in your folder for data)",
    )  # fmt: skip
    parser.set_defaults(handler=_table)


def _table(args: argparse.Namespace) -> int:
    from bridge_table.serving import serve

    serve(tuple(args.specs), args.host, args.port, args.seed, not args.no_browser, args.patience, args.memory)
    return 0
