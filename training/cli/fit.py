"""``bridge-env fit``: estimators from solved deals, case bases, maps. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from training.cli import belief, cases, estimator, maps, meaning, policy
from training.cli.arguments import natural, positive
from training.cli.config_file import add_config_file
from training.cli.progress import Bar
from training.estimators.config import EstimatorConfig

_EPILOG = """\
examples:
  bridge-env fit estimators                                       fit our own, about twenty minutes of one core
  bridge-env fit estimators --sizes 5000,20000                    and plot accuracy by number of deals
  bridge-env fit estimators --resume results/estimators/run-001
  bridge-env fit estimators --study 2008                          repeat the whole study: about an hour of one core
  bridge-env fit estimators --study 2008 --deals 4000 --epochs 50 --out trial
  bridge-env fit estimators --study 2008 --rows 52x4-13 52x4-26   repeat these networks only

Ctrl-C loses at most an epoch, or a network of the study. The study's command goes on where it stopped, and --rows
adds to what is there.
"""
_SHARED = ("library", "deals", "epochs", "seed")
_STUDY_ONLY = ("rows", "workers")
_STUDY_FOLDER = Path("results/estimators/study-2008")


def add_fit(subparsers: Any) -> None:
    """Add ``bridge-env fit`` with its targets."""
    fit = subparsers.add_parser(
        "fit", help="learn from solved deals or recorded auctions: estimators, cases, maps, policy"
    )
    targets = fit.add_subparsers(title="what", metavar="WHAT", required=True)
    _add_estimators(targets)
    cases.add_cases(targets)
    maps.add_maps(targets)
    policy.add_policy(targets)
    belief.add_belief(targets)
    meaning.add_meanings(targets)


def _add_estimators(targets: Any) -> None:
    parser = targets.add_parser(
        "estimators",
        help="train networks that estimate double-dummy tricks",
        description="Train networks that estimate double-dummy tricks, and judge them on deals they never saw.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--study", choices=["2008"], help="repeat the networks of the study of 2008")
    parser.add_argument(
        "--out",
        type=Path,
        help=f"folder for the results (results/estimators/run-001 ...; for the study {_STUDY_FOLDER})",
    )
    parser.add_argument("--library", metavar="FILE", help="library of solved deals (the one in the package)")
    parser.add_argument("--deals", type=positive, metavar="N", help="maximum number of training deals (all)")
    parser.add_argument(
        "--epochs",
        type=positive,
        metavar="N",
        help=f"passes over the deals ({EstimatorConfig().epochs}; in the study by the network's size)",
    )
    parser.add_argument("--seed", type=natural, metavar="N", help="random seed (1; for the study 0)")
    study = parser.add_argument_group("the study")
    study.add_argument("--rows", nargs="+", metavar="NAME", help="repeat only these networks (all)")
    study.add_argument("--workers", type=positive, metavar="N", help="number of processes, one thread each (all cores)")
    estimator.add_options(parser, _SHARED)
    add_config_file(parser)
    parser.set_defaults(handler=_estimators)


def _estimators(args: argparse.Namespace) -> int:
    own = (item.name for item in fields(EstimatorConfig) if item.name not in _SHARED)
    foreign = _STUDY_ONLY if args.study is None else (*own, "resume", "sizes")
    for name in foreign:
        if getattr(args, name):
            raise ValueError(f"--{name} {'goes' if args.study is None else 'does not go'} with --study")
    return estimator.run(args) if args.study is None else _study(args)


def _study(args: argparse.Namespace) -> int:
    from training.running import runs
    from training.studies.tricks_2008 import rows as study_rows

    study_rows.jobs(args.rows)  # a wrong name is told before anything is loaded
    runs.require("rl", "torch")
    from training.studies.tricks_2008 import report as study_report
    from training.studies.tricks_2008 import study

    out = args.out or _STUDY_FOLDER
    settings = study.Settings(args.deals, args.epochs, args.seed or 0, args.library)
    bar = Bar(what="training")
    try:
        study.run(settings, out, args.rows, args.workers or os.cpu_count() or 1, bar.share)
    except KeyboardInterrupt:
        bar.close()
        print(f"\nstopped; finished networks are stored in {out}. The same command goes on.", file=sys.stderr)
        return 130
    finally:
        bar.close()
    found = study.results(out)
    deals = found[0]["settings"]["library_sha256"]
    study_report.write(out, found, runs.manifest(asdict(settings), deals), _command(args))
    records = {record["network"]: record for record in found}
    print(study_report.verdict(records))
    print(f"written: {out}/README.md, results.json, study.png")
    return 0


def _command(args: argparse.Namespace) -> str:
    """Write the command without the options that do not affect the figures."""
    words = ["bridge-env", "fit", "estimators", "--study", args.study]
    for name, default in (("library", None), ("deals", None), ("epochs", None), ("seed", None)):
        if getattr(args, name) != default:
            words += [f"--{name}", getattr(args, name)]
    return shlex.join(map(str, words))
