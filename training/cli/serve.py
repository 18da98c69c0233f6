"""Command line: ``bridge-env serve``. The handler parses and calls, nothing else."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.arguments import add_server, port

_EXAMPLES = """\
examples:
  bridge-env serve                                        the default bidder at http://127.0.0.1:8085
  bridge-env serve policy:champion --opponents system:sayc
  bridge-env serve system:mine.bidding --play rule --port 9000
  curl "http://127.0.0.1:8085/bid?hand=AK97543.K.T3.AK7&seat=S&dealer=N&vul=&ctx=----"
  bridge-env match system:sayc seat:http://127.0.0.1:8085 --boards 100

Requests and answers are those of BEN (/bid, /lead, /play, /explain ...; Brill's too). Each request stands alone.
Unless --host says otherwise, the server answers on this machine only.
"""


def add_serve(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "serve",
        help="answer other bridge programs with calls and cards",
        description="Answer other bridge programs over HTTP with the calls of a bidder and the cards of a card player.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the bidder (system:two-over-one)")
    parser.add_argument("--opponents", metavar="SPEC", help="read opponents' calls as this bidder's (as SPEC's own)")
    parser.add_argument("--play", metavar="PLAYER", default="montecarlo", help="card player (montecarlo)")
    parser.add_argument("--port", type=port, default=8085, help="listen on this port (8085); 0: any that is free")
    add_server(parser)
    parser.add_argument(
        "--allow-origin", metavar="ORIGIN", action="append", default=[], type=_origin,
        help="let pages of this site ask, such as https://example.org; may be repeated (none)",
    )  # fmt: skip
    parser.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], type=str.lower,
        help="answer to this name as well, such as bridge.local; may be repeated (this machine's own)",
    )  # fmt: skip
    parser.set_defaults(handler=_serve)


def _origin(text: str) -> str:
    """An origin as browsers send it."""
    told = text.lower().rstrip("/")
    scheme, mark, host = told.partition("://")
    if scheme not in ("http", "https") or not mark or not host or "/" in host or "*" in host:
        raise argparse.ArgumentTypeError(f"{text!r} is no origin; write one such as https://example.org")
    return told


def _serve(args: argparse.Namespace) -> int:
    from bridge_env.bidders import DEFAULT_BIDDER
    from bridge_table.programs.serving import serve

    serve(
        args.spec or DEFAULT_BIDDER, args.opponents, args.play, args.host, args.port, args.patience,
        args.allow_origin, args.allow_host,
    )  # fmt: skip
    return 0
