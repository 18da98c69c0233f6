"""``bridge-env fit estimators`` without ``--study``: our own estimator. The arguments, the progress bar, the calls."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from training.cli.progress import Bar
from training.estimators.config import EstimatorConfig

_MAY_CHANGE = ("threads",)


def add_options(parser: argparse.ArgumentParser, shared: Sequence[str]) -> None:
    """Add the options of our own estimator, except those that the study shares."""
    own = parser.add_argument_group("our own estimator")
    for item in fields(EstimatorConfig):
        if item.name not in shared:
            text = f"{item.metadata['help']} (default {item.default})"
            own.add_argument(f"--{item.name.replace('_', '-')}", type=type(item.default), default=None, help=text)
    own.add_argument("--resume", type=Path, metavar="FOLDER", help="resume this run; may change: threads")
    own.add_argument(
        "--sizes", type=_sizes, default=(), metavar="N,N,...",
        help="afterwards, also fit the network to fewer deals, and plot accuracy by number of deals",
    )  # fmt: skip


def _sizes(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: write numbers of deals, as in 5000,10000,20000")
    return tuple(sorted({int(part) for part in parts}))


def run(args: argparse.Namespace) -> int:
    """Fit, judge, write the model card."""
    from training.running import runs

    config = _config(args)
    runs.require("rl", "torch")
    from bridge_env.double_dummy import Library, embedded
    from bridge_env.double_dummy.estimator import TrickEstimator
    from training.estimators import fit, report, verdict

    library = Library.open(config.library) if config.library else embedded()
    fit.training_deals(config)  # what is wrong with them is told before there is a folder
    folder = args.resume or _new_folder(args.out)
    args.kept = folder, f"bridge-env fit estimators --resume {folder}"
    print(f"{folder}: learning from {library!r}")
    try:
        estimator, state = _fit(folder, config, "all")
        hits = []
        for size in args.sizes:
            part = folder / "sizes" / str(size)
            part.mkdir(parents=True, exist_ok=True)
            smaller, _ = _fit(part, replace(config, deals=size), f"{size:,} deals")
            hits.append((size, verdict.judge(smaller, library).hits))
    except KeyboardInterrupt:
        sizes = f" --sizes {','.join(map(str, args.sizes))}" if args.sizes else ""
        print(f"\nstopped and saved. Go on: bridge-env fit estimators --resume {folder}{sizes}")
        return 130
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


def _config(args: argparse.Namespace) -> EstimatorConfig:
    """Take the defaults, or the config of the run to resume; override them by the command line."""
    from training.running import lock, runs

    names = [item.name for item in fields(EstimatorConfig)]
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    config = EstimatorConfig()
    if args.resume is not None:
        if args.out is not None:
            raise runs.RunError("--out is for a new run; --resume continues in its folder")
        fixed = sorted(set(given) - set(_MAY_CHANGE))
        if fixed:
            raise runs.RunError(
                f"--{fixed[0].replace('_', '-')} cannot change on --resume; this can: {', '.join(_MAY_CHANGE)}"
            )
        if args.resume.is_dir():
            lock.hold(args.resume)
        config = runs.config_of(args.resume, EstimatorConfig)
    config = replace(config, **given)
    config.check()
    return config


def _new_folder(out: Path | None) -> Path:
    from training.running import runs

    if out is None:
        return runs.new_folder(Path("results"), "estimators", None)
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        raise runs.RunError(f"{out} exists already; continue it with --resume {out}, or choose another --out") from None
    return out
