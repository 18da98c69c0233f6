"""``bridge-env fit policy``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from training.cli.config import add_config_file, add_fields, read_fields
from training.cli.progress import Bar, BarProgress
from training.cli.terminal import left_out, tell

_EPILOG = """\
examples:
  bridge-env fit policy auctions.pbn more.lin --out mine         imitate these records
  bridge-env fit policy system:two-over-one --out taught         imitate a system, on boards that it bids now
  bridge-env fit policy auctions.npz --card WJ --out polish      imitate pairs with this card in an array file
  bridge-env fit policy few.pbn --start policy:taught/policy.npz --epochs 4 --learning-rate 3e-4 --out finer
  bridge-env fit policy seat:http://127.0.0.1:8085 --meets policy:champion,pass --boards 2000 --out hard
  bridge-env match policy:mine/policy.npz system:sayc

Deals of the judging split, and one in twenty of the others, are held out. The table at the end tells how often the
network makes the recorded call on them. Ctrl-C loses at most one pass; repeat the command to continue.
"""


def add_policy(targets: Any) -> None:
    from training.networks.configs import ImitationConfig

    parser = targets.add_parser(
        "policy",
        help="train a network to imitate recorded auctions",
        description="Teach a network to make the calls of recorded auctions. It plays as policy:FILE.",
        epilog=_EPILOG,
    )
    parser.add_argument("records", nargs="+", metavar="RECORDS", help="PBN, LIN or array files, or SPECs of bidders")
    parser.add_argument("--out", type=Path, required=True, help="folder for the network and its report")
    parser.add_argument("--card", help="from array files, learn the calls of pairs that play this card")
    parser.add_argument(
        "--without", metavar="CARD", help="from array files, leave out auctions in which a pair plays it"
    )
    parser.add_argument("--start", metavar="policy:NAME|FILE", help="start from this network (random weights)")
    parser.add_argument(
        "--boards", type=int, default=100_000, help="number of boards to bid, if RECORDS names a bidder (100000)"
    )
    parser.add_argument(
        "--meets", metavar="SPECS", default="",
        help="bidders that SPECs meet on these boards, as in policy:champion,pass: how they answer calls that they "
        "never make (default: themselves)",
    )  # fmt: skip
    parser.add_argument(
        "--role",
        choices=["stranger", "gatekeeper"],
        help="role to write into the file; training refuses gatekeepers",
    )
    add_fields(parser, ImitationConfig)
    add_config_file(parser)
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from training.networks.configs import ImitationConfig
    from training.running import runs

    runs.require("rl", "torch")
    from training.networks.fit_policy import fit_policy
    from training.networks.report import agreement_text
    from training.running.settings import listed

    with BarProgress(args) as progress:
        result = fit_policy(
            read_fields(args, ImitationConfig()), args.records, args.out, start=args.start, card=args.card,
            without=args.without, boards=args.boards, meets=listed(args.meets), role=args.role or "", progress=progress,
        )  # fmt: skip
    left_out(result.problems[:5])
    if len(result.problems) > 5:
        print(f"... and {len(result.problems) - 5:,} more", file=sys.stderr)
    print("\n" + agreement_text(result.agreement) + "\n")
    tell({
        "report": result.report, "network": result.policy,
        "play it": f"bridge-env match policy:{result.policy} system:sayc",
    })  # fmt: skip
    return 0


def shows_loss(bar: Bar) -> Callable[[float, float | None], None]:
    """Return a function that shows the progress and the recent loss of a fit on ``bar``."""

    def tell(share: float, loss: float | None) -> None:
        bar.share(share)
        if loss is not None:
            bar.note(f"loss {loss:.3f}")

    return tell
