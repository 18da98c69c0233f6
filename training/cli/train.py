"""``bridge-env train ppo``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import json
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bridge_env.files import write_whole
from training.cli.config import add_fields, add_run_options, read_run_fields
from training.cli.config_file import add_config_file
from training.cli.league import add_league
from training.cli.progress import Bar
from training.networks.configs import PPOConfig

_EPILOG = """\
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
_MAY_CHANGE = ("minutes", "steps", "threads", "evaluate", "every", "judge")


def add_train(subparsers: Any) -> None:
    """Add the subcommand."""
    train = subparsers.add_parser("train", help="learn a policy by reinforcement: league, ppo")
    algorithms = train.add_subparsers(title="algorithms", metavar="ALGORITHM", required=True)
    add_league(algorithms)
    parser = algorithms.add_parser(
        "ppo",
        help="MaskablePPO from scratch against a control pair",
        description="Train a partnership from random weights to win IMPs against a control pair. Boards that training\n"
        "never saw judge the policy.",
        epilog=_EPILOG,
    )
    add_fields(parser, PPOConfig)
    add_run_options(parser, "train", _MAY_CHANGE)
    parser.add_argument(
        "--callback", action="append", default=[], metavar="MODULE:NAME",
        help="call this callback of Stable-Baselines3, too; MODULE is a module or a file, NAME an object or what "
        "makes one; may be given several times",
    )  # fmt: skip
    add_config_file(parser)
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Train, judge, write the report."""
    began = time.perf_counter()
    from training.running import runs

    runs.require("rl", "torch", "stable_baselines3", "sb3_contrib")
    from training.networks import ppo

    config = read_run_fields(args, PPOConfig, _MAY_CHANGE)
    callbacks = [ppo.read_callback(where) for where in args.callback]  # a faulty one is told before there is a folder
    folder, state = ppo.prepare(args.resume, config, args.out, args.name)
    args.kept = folder, f"bridge-env train ppo --resume {folder}"
    logs = f"tensorboard --logdir {folder}" if find_spec("tensorboard") else "none, tensorboard is not installed"
    print(f"{folder}: NS learns against {config.opponents}, control {config.control}; logs: {logs}")
    bar, first, started = Bar(), state.steps, time.perf_counter()

    def tick(share: float, state: Any) -> None:
        text = f"{state.steps / 1e6:.2f}M calls, {(state.steps - first) / (time.perf_counter() - started):,.0f}/s"
        if state.metrics:
            last = state.metrics[-1]
            text += f", {last['mean_imps']:+.2f} ± {last['standard_error']:.2f} IMPs/board"
        bar.share(share)
        bar.note(text)

    try:
        ppo.train(folder, config, state, tick, began, callbacks)
    except KeyboardInterrupt:
        bar.close()
        print(f"\nstopped and saved. Go on: bridge-env train ppo --resume {folder}")
        return 130
    bar.close()
    _conclude(folder, config, state)
    return 0


def _conclude(folder: Path, config: PPOConfig, state: Any) -> None:
    from training.match import judge
    from training.networks import report
    from training.running import runs

    file = folder / "policy.npz"
    print(f"judging on {config.judge:,} boards that training never saw")
    rows, source = report.judge_ppo(f"policy:{file}", config)
    print("\n" + judge.table_text(rows) + "\n")
    manifest = runs.read_manifest(folder)
    report.ppo_curve(state.metrics, rows[0], folder / "learning_curve.png")
    page = report.ppo_page(f"policy:{file}", (rows, source), config, manifest, state.metrics[-1])
    write_whole(folder / "report.md", page)
    verdict = {"rows": [row.as_json() for row in rows], "seconds": state.seconds, "steps": state.steps}
    write_whole(folder / "verdict.json", json.dumps(verdict, indent=2) + "\n")
    runs.write_manifest(folder, manifest | {"policy_sha256": runs.sha256(file)})
    for what, name in (("learning curve", "learning_curve.png"), ("report", "report.md"), ("policy", file.name)):
        print(f"{what + ':':<16}{folder / name}")
    print(f"{'play it:':<16}bridge-env match policy:{file} system:sayc")
