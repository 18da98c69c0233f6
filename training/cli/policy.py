"""``bridge-env fit policy``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.cli.arguments import words_of
from training.cli.config import add_config_file, add_fields, read_fields
from training.cli.progress import Bar
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
_MOST_NAMED = 6  # files that the command of a report names one by one


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
    config = read_fields(args, ImitationConfig())
    import torch

    from agents.networks import file as networks_file
    from training.match.boards import BoardsError
    from training.networks import imitate, recorded, report
    from training.networks.league import start_networks
    from training.running.settings import listed

    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    start = None if args.start is None else start_networks(args.start).policy.floats()
    print("reading the auctions", file=sys.stderr)
    read = recorded.read(args.records, args.card, args.without, args.boards, config.seed, listed(args.meets))
    left_out(read.problems[:5])
    if len(read.problems) > 5:
        print(f"... and {len(read.problems) - 5:,} more", file=sys.stderr)
    learn, apart = imitate.split(read)
    if not len(learn):
        raise BoardsError("all deals of these records are held out: there is nothing to learn from")
    calls, judged = imitate.calls_of(learn), imitate.calls_of(apart)
    args.out.mkdir(parents=True, exist_ok=True)
    fit = imitate.Fit(config, start)
    fit.resume(args.out)
    print(f"{len(calls):,} calls of {len(learn):,} auctions to learn, {len(judged):,} calls held out")
    args.kept = args.out, args.again
    with Bar(what="learning") as bar:
        fit.run(calls, args.out, shows_loss(bar))
    command = _command(args, config)
    trained = {"by": command, "auctions": len(learn), "role": args.role or ""}
    networks = fit.networks(trained)
    path = args.out / imitate.POLICY
    networks_file.save(networks, path)
    table = imitate.agreement(networks, judged)
    told = {"command": command, "auctions": len(learn), "calls": len(calls), "seconds": round(fit.seconds),
            "held_out_auctions": len(apart), "agreement": table, "config": asdict(config)}  # fmt: skip
    atomic_write(args.out / "report.json", json.dumps(told, indent=2) + "\n")
    atomic_write(args.out / "report.md", report.imitation_page(told))
    print("\n" + report.agreement_text(table) + "\n")
    tell({
        "report": args.out / "report.md", "network": path, "play it": f"bridge-env match policy:{path} system:sayc"
    })  # fmt: skip
    return 0


def _command(args: argparse.Namespace, config: Any) -> str:
    """Write the command that repeats the fit, naming records by their files."""
    from training.running import runs

    files = [Path(record) for record in args.records if Path(record).is_file()]
    named = [file.name for file in files]
    if len(files) > _MOST_NAMED:
        named = [f"{folder}/*" for folder in dict.fromkeys(file.resolve().parent.name for file in files)]
    words = ["bridge-env", "fit", "policy", *named]
    words += [record for record in args.records if not Path(record).is_file()]
    usual = {"card": None, "without": None, "start": None, "boards": 100_000, "meets": "", "role": None}
    words += map(runs.portable, words_of(args, usual))
    return runs.command_line(shlex.join(words), config)


def shows_loss(bar: Bar) -> Callable[[float, float | None], None]:
    """Return a function that shows the progress and the recent loss of a fit on ``bar``."""

    def tell(share: float, loss: float | None) -> None:
        bar.share(share)
        if loss is not None:
            bar.note(f"loss {loss:.3f}")

    return tell
