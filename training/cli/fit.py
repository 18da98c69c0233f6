"""``bridge-env fit``: its targets, and those that measure a network: its beliefs, and what its calls mean."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli import cases, estimator, maps, policy
from training.cli.arguments import positive
from training.cli.config import add_config_file, add_fields, read_fields
from training.cli.policy import shows_loss
from training.cli.progress import Bar

_BELIEF = """\
examples:
  bridge-env fit belief policy:mine/policy.npz                writes mine/policy.belief.npz
  bridge-env fit belief policy:mine/policy.npz --against policy:acol policy:standard

A belief gives the probability of who holds each card, from a hand and the auction so far. It learns from the network's
own auctions on training boards. A network with a belief can think: bridge-env bid reason:policy:mine/policy.npz
"""
_MEANINGS = """\
examples:
  bridge-env fit meanings policy:mine/policy.npz                writes mine/policy.meanings.npz
  bridge-env bid policy:mine/policy.npz --hand AQT72.A4.Q2.T753 --auction "1S P 2S 3H"     shows them

The network bids random boards in all four seats. For every auction that occurs 200 times, the file records the points
and suit lengths of nine in ten hands behind its last call.
"""


def add_fit(subparsers: Any) -> None:
    fit = subparsers.add_parser(
        "fit", help="learn from solved deals or recorded auctions: estimators, cases, maps, policy"
    )
    targets = fit.add_subparsers(title="what", metavar="WHAT", required=True)
    estimator.add_estimators(targets)
    cases.add_cases(targets)
    maps.add_maps(targets)
    policy.add_policy(targets)
    _add_belief(targets)
    _add_meanings(targets)


def _add_belief(targets: Any) -> None:
    from training.networks.configs import BeliefConfig

    parser = targets.add_parser(
        "belief",
        help="teach a network to infer the other hands",
        description="Teach a network the probability of who holds each card after an auction.",
        epilog=_BELIEF,
    )
    parser.add_argument("network", metavar="policy:NAME|FILE", help="the network that bids")
    parser.add_argument("--against", nargs="*", default=[], metavar="SPEC", help="opponents besides itself")
    add_fields(parser, BeliefConfig)
    add_config_file(parser)
    parser.set_defaults(handler=_belief)


def _belief(args: argparse.Namespace) -> int:
    from agents.networks import file as networks_file
    from agents.networks.shipped import network_path
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
        model, loss = belief_fit.fit_belief(args.network, args.against, config, shows_loss(bar))
    path = network_path(args.network.partition(":")[2])
    networks_file.save_belief(belief_fit.with_belief(networks, model), path)
    print(f"{loss:.4f} nats a card on judging boards (knowing nothing: 1.0986)")
    print(f"written: {networks_file.belief_path(path)}")
    return 0


def _add_meanings(targets: Any) -> None:
    parser = targets.add_parser(
        "meanings",
        help="measure what the calls of a network mean",
        description="Measure the points and suit lengths behind each of a network's calls.",
        epilog=_MEANINGS,
    )
    parser.add_argument("network", metavar="policy:NAME|FILE", help="the network that bids")
    parser.add_argument("--boards", type=positive, default=1_000_000, help="number of random boards (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the boards (1)")
    add_config_file(parser)
    parser.set_defaults(handler=_meanings)


def _meanings(args: argparse.Namespace) -> int:
    from agents.networks import meaning
    from agents.networks.bidder import NetworkBidder
    from agents.networks.shipped import network_path
    from bridge_env.bidders import SpecError, make
    from training.networks import meaning_fit
    from training.running.speed import use_fastest

    bidder = make(args.network)
    if not isinstance(bidder, NetworkBidder):
        raise SpecError(f"{args.network!r} is no network that this measures; write policy:NAME or policy:FILE")
    use_fastest()
    with Bar(what="measuring") as bar:
        found = meaning_fit.measure(bidder, args.boards, args.seed, bar.share)
    path = meaning.path_beside(network_path(args.network.partition(":")[2]))
    meaning.save(found, path)
    known, inside = meaning_fit.coverage(bidder, found, min(20_000, args.boards), args.seed + 1)
    print(
        f"{len(found.key):,} auctions; on fresh boards they cover {known:.1%} of the calls, and {inside:.1%} of points"
    )
    print("and lengths lie in the ranges")
    print(f"written: {path}")
    return 0
