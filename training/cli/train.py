"""``bridge-env train``: the arguments of each algorithm, the progress bars, and the calls."""

from __future__ import annotations

import argparse
from typing import Any

from training.cli.arguments import above_0, add_address, whole
from training.cli.config import add_config_file, add_fields, add_run_options, read_run_fields
from training.cli.progress import BarProgress
from training.cli.terminal import tell
from training.networks.configs import LeagueConfig, PPOConfig

_LEAGUE = """\
examples:
  bridge-env train league                                      imitate system:two-over-one, then self-play
  bridge-env train league --start policy:two-over-one --name long --iterations 20000
  bridge-env train league --resume results/league/long --hours 3       continue for three hours at most
  bridge-env train league --resume results/league/long --iterations 40000
  bridge-env train league --start nothing                      start from random weights
  bridge-env train league --start policy:champion --artificial-penalty 0.5   teach it natural calls
  bridge-env train league --start policy:champion-plain --book champion       teach it to bid by system:champion

One process learns and others play rollouts, so at least two cores are needed. Ctrl-C loses nothing before the last
evaluation. The same settings give the same weights, for any number of workers, and however often a run is stopped. The
network plays as policy:FOLDER/policy.npz. The league refuses gatekeepers (see 'bridge-env panel --help') as opponents
and as a start.
"""
_LEAGUE_MAY_CHANGE = (
    "iterations", "estimated", "samples_per_side", "decision_fraction", "double_failing", "artificial_penalty",
    "prior", "truth", "departure", "misinformation_penalty", "strangers", "earlier", "pool", "learning_rate",
    "last_rate", "entropy", "evaluate", "judged", "panel", "device",
)  # fmt: skip
_PPO = """\
examples:
  bridge-env train ppo                                    fifteen minutes against a pair that passes
  bridge-env train ppo --minutes 60 --name long           longer, into results/train/long
  bridge-env train ppo --resume results/train/long --minutes 120
  bridge-env train ppo --opponents system:sayc --control system:sayc
  bridge-env train ppo --callback my_file.py:MyCallback

Ctrl-C loses nothing: the run is saved, and --resume goes on. A run folder holds SB3's own model, a file that
can run code when it is loaded: resume only folders that you made. The policy to share is policy.npz, plain data:
bridge-env match policy:FILE system:sayc needs neither torch nor Stable-Baselines3.
"""
_PPO_MAY_CHANGE = ("minutes", "steps", "threads", "evaluate", "every", "judge")


def add_train(subparsers: Any) -> None:
    train = subparsers.add_parser("train", help="learn a policy by reinforcement: league, ppo")
    algorithms = train.add_subparsers(title="algorithms", metavar="ALGORITHM", required=True)
    _add_league(algorithms)
    _add_ppo(algorithms)


# --- league --------------------------------------------------------------------------------------------------


def _add_league(algorithms: Any) -> None:
    parser = algorithms.add_parser(
        "league",
        help="train a network against itself, earlier versions of itself and strangers",
        description="Train a network by self-play in a league. On each board it samples other auctions beside its\n"
        "usual one; the reward is the difference in IMPs.",
        epilog=_LEAGUE,
    )
    add_fields(parser, LeagueConfig)
    add_run_options(parser, "league", _LEAGUE_MAY_CHANGE)
    parser.add_argument("--hours", type=above_0, help="stop after this many hours; --resume continues")
    parser.add_argument(
        "--judge", type=whole(2), default=5000, help="number of judging boards for the final panel (5000)"
    )
    parser.add_argument(
        "--workers",
        type=int,
        help="number of tasks at a time (default: all cores of the cluster; without one all cores but one, at least 2)",
    )
    add_address(parser)
    add_config_file(parser)
    parser.set_defaults(handler=_league)


def _league(args: argparse.Namespace) -> int:
    from training.running import runs

    runs.require("train", "torch", "ray")
    from training.match import panel
    from training.networks.train_league import train_league

    config = read_run_fields(args, LeagueConfig, _LEAGUE_MAY_CHANGE)
    if args.resume is not None and (note := runs.note_of_other_code(args.resume)):
        print(note)
    with BarProgress(args, "bridge-env train league --resume") as progress:
        result = train_league(
            config, out=args.out, name=args.name, resume=args.resume, hours=args.hours, judge=args.judge,
            workers=args.workers, address=args.address, progress=progress,
        )  # fmt: skip
    if not result.complete:
        print(f"stopped after {args.hours:g} hours and saved. Go on: {args.kept[1]}")
        return 0
    print("\n" + panel.table_text(result.lines) + "\n")
    tell({
        "report": result.report, "learning curve": result.curve, "network": result.network,
        "play it": f"bridge-env match policy:{result.network} system:two-over-one",
    })  # fmt: skip
    return 0


# --- ppo -----------------------------------------------------------------------------------------------------


def _add_ppo(algorithms: Any) -> None:
    parser = algorithms.add_parser(
        "ppo",
        help="MaskablePPO from scratch against a control pair",
        description="Train a partnership from random weights to win IMPs against a control pair. Boards that training\n"
        "never saw judge the policy.",
        epilog=_PPO,
    )
    add_fields(parser, PPOConfig)
    add_run_options(parser, "train", _PPO_MAY_CHANGE)
    parser.add_argument(
        "--callback", action="append", default=[], metavar="MODULE:NAME",
        help="call this callback of Stable-Baselines3, too; MODULE is a module or a file, NAME an object or what "
        "makes one; may be given several times",
    )  # fmt: skip
    add_config_file(parser)
    parser.set_defaults(handler=_ppo)


def _ppo(args: argparse.Namespace) -> int:
    from training.running import runs

    runs.require("rl", "torch", "stable_baselines3", "sb3_contrib")
    from training.match import verdict as judging
    from training.networks import ppo

    config = read_run_fields(args, PPOConfig, _PPO_MAY_CHANGE)
    callbacks = [ppo.read_callback(where) for where in args.callback]
    with BarProgress(args, "bridge-env train ppo --resume") as progress:
        result = ppo.train_ppo(
            config, out=args.out, name=args.name, resume=args.resume, callbacks=callbacks, progress=progress
        )
    print("\n" + judging.table_text(result.rows) + "\n")
    tell({
        "learning curve": result.curve, "report": result.report, "policy": result.policy,
        "play it": f"bridge-env match policy:{result.policy} system:sayc",
    })  # fmt: skip
    return 0
