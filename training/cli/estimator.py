"""``bridge-env fit estimators``: the arguments, the progress bar, the calls."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from training.cli.config import add_config_file, add_fields, read_run_fields
from training.cli.progress import Bar
from training.estimators.config import EstimatorConfig

_EPILOG = """\
examples:
  bridge-env fit estimators                                       about ten minutes of one core
  bridge-env fit estimators --sizes 5000,20000                    and plot accuracy by number of deals
  bridge-env fit estimators --resume results/estimators/run-001

Ctrl-C loses at most an epoch.
"""
_MAY_CHANGE = ("threads",)


def add_estimators(targets: Any) -> None:
    parser = targets.add_parser(
        "estimators",
        help="train networks that estimate double-dummy tricks",
        description="Train a network that estimates double-dummy tricks, and judge it on deals it never saw.",
        epilog=_EPILOG,
    )
    parser.add_argument("--out", type=Path, help="folder for the results (results/estimators/run-001 ...)")
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="resume this run; may change: threads")
    parser.add_argument(
        "--sizes", type=_sizes, default=(), metavar="N,N,...",
        help="afterwards, also fit the network to fewer deals, and plot accuracy by number of deals",
    )  # fmt: skip
    add_fields(parser, EstimatorConfig)
    add_config_file(parser)
    parser.set_defaults(handler=run, name=None)  # --out is the folder itself


def _sizes(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: write numbers of deals, as in 5000,10000,20000")
    return tuple(sorted({int(part) for part in parts}))


def run(args: argparse.Namespace) -> int:
    from training.running import runs

    if args.resume is not None and args.out is not None:
        raise runs.RunError("--out is for a new run; --resume continues in its folder")
    config = read_run_fields(args, EstimatorConfig, _MAY_CHANGE)
    runs.require("rl", "torch")
    from bridge_env.double_dummy import Library, builtin_library
    from bridge_env.double_dummy.estimator import TrickEstimator
    from training.estimators import fit, report, verdict

    library = Library.open(config.library) if config.library else builtin_library()
    fit.training_deals(config)  # what is wrong with them is told before there is a folder
    folder = args.resume or _new_folder(args.out)
    sizes = f" --sizes {','.join(map(str, args.sizes))}" if args.sizes else ""
    args.kept = folder, f"bridge-env fit estimators --resume {folder}{sizes}"
    print(f"{folder}: learning from {library!r}")
    estimator, state = _fit(folder, config, "all")
    hits = []
    for size in args.sizes:
        part = folder / "sizes" / str(size)
        part.mkdir(parents=True, exist_ok=True)
        smaller, _ = _fit(part, replace(config, deals=size), f"{size:,} deals")
        hits.append((size, verdict.judge(smaller, library).hits))
    print(f"judging on {len(library.split('judging')):,} deals that training never saw")
    assert isinstance(estimator, TrickEstimator)
    found = verdict.judge(estimator, library)
    deals = estimator.trained["deals"]
    report.write_report(folder, config, found, state.metrics, [*hits, (deals, found.hits)] if hits else ())
    print("\n".join(report.hits_table(found.hits)))
    print(f"{found.deals_a_second:,.0f} deals a second; written: {folder}/{report.CARD}, {fit.ESTIMATOR}")
    return 0


def _fit(folder: Path, config: EstimatorConfig, what: str) -> tuple[Any, Any]:
    from training.estimators import fit

    state = fit.load_state(folder, config)
    with Bar(what=what) as bar:

        def tick(share: float, state: Any) -> None:
            bar.share(share)
            if state.metrics:
                last = state.metrics[-1]
                exact = f"exact {100 * last['exact_suits']:.1f} %, no trump {100 * last['exact_notrump']:.1f} %"
                bar.note(f"epoch {state.epoch}, loss {last['held_out_loss']:.3f}, {exact}")

        return fit.fit(folder, config, state, tick), state


def _new_folder(out: Path | None) -> Path:
    from training.running import runs

    if out is None:
        return runs.new_folder(Path("results"), "estimators", None)
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        raise runs.RunError(f"{out} exists already; continue it with --resume {out}, or choose another --out") from None
    return out
