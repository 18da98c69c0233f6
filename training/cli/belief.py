"""``bridge-env fit belief``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.config import add_fields, read_fields
from training.cli.config_file import add_config_file

_EPILOG = """\
examples:
  bridge-env fit belief policy:mine/policy.npz                writes mine/policy.belief.npz
  bridge-env fit belief policy:mine/policy.npz --against policy:acol policy:standard

A belief gives the probability of who holds each card, from a hand and the auction so far. It learns from the network's
own auctions on training boards. A network with a belief can think: bridge-env bid reason:policy:mine/policy.npz
"""


def add_belief(targets: Any) -> None:
    """Add ``bridge-env fit belief``."""
    from training.networks.configs import BeliefConfig

    parser = targets.add_parser(
        "belief",
        help="teach a network to infer the other hands",
        description="Teach a network the probability of who holds each card after an auction.",
        epilog=_EPILOG,
    )
    parser.add_argument("network", metavar="policy:NAME|FILE", help="the network that bids")
    parser.add_argument("--against", nargs="*", default=[], metavar="SPEC", help="opponents besides itself")
    add_fields(parser, BeliefConfig)
    add_config_file(parser)
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from agents.networks import file as networks_file
    from agents.networks.shipped import network_path
    from training.cli.policy import shows_loss
    from training.cli.progress import Bar
    from training.match.strangers import refuse_gatekeepers
    from training.networks.configs import BeliefConfig
    from training.networks.league import start_networks
    from training.running import runs

    runs.require("rl", "torch")
    import torch

    from training.networks import belief_fit

    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    config = read_fields(args, BeliefConfig())
    refuse_gatekeepers(args.against)
    networks = start_networks(args.network)
    with Bar(what="learning") as bar:
        model, loss = belief_fit.fit(args.network, args.against, config, shows_loss(bar))
    path = network_path(args.network.partition(":")[2])
    networks_file.save_belief(belief_fit.with_belief(networks, model), path)
    print(f"{loss:.4f} nats a card on judging boards (knowing nothing: 1.0986)")
    print(f"written: {networks_file.belief_path(path)}")
    return 0
