"""``bridge-env fit cases``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_EPILOG = """\
examples:
  bridge-env fit cases wbridge5.pbn.gz                 a case base, some minutes; then: bridge-env bid cases:FILE …
  bridge-env fit cases --study 2008 wbridge5.pbn.gz    openings by the nearest hands, as published in 2008: seconds
"""
_STUDY_FOLDER = Path("results/cases/study-2008")
_FEW = (100, 200)


def add_cases(targets: Any) -> None:
    """Add ``bridge-env fit cases``."""
    parser = targets.add_parser(
        "cases",
        help="a case base of recorded auctions",
        description="Bidding by example, from the auctions of PBN files. Boards whose deals lie in the judging part\n"
        "are held out: they judge the base.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.pbn", help="recorded auctions, plain or gzip")
    parser.add_argument("--study", choices=["2008"], help="repeat the study of 2008, with each hand left out in turn")
    parser.add_argument("--out", type=Path, help=f"folder (results/cases/run-001 ...; of the study {_STUDY_FOLDER})")
    parser.add_argument("--epochs", type=int, metavar="N", help="passes over the cases, to learn the metric")
    parser.add_argument("--seed", type=int, metavar="N", help="of all chance (1)")
    parser.set_defaults(handler=_cases)


def _cases(args: argparse.Namespace) -> int:
    if args.study is not None:
        for name in ("epochs", "seed"):
            if getattr(args, name) is not None:
                raise ValueError(f"--{name} does not go with --study")
        return _study(args)
    from training import runs
    from training.cases import fit

    if args.epochs is not None and args.epochs < 1:
        raise ValueError(f"--epochs {args.epochs} is not a whole number from 1 up")
    if find_spec("torch") is None or find_spec("scipy") is None:
        raise runs.RunError('there is no torch or no scipy here; install both: pip install "bridge-env[rl,cases]"')
    given = {name: getattr(args, name) for name in ("epochs", "seed") if getattr(args, name) is not None}
    config = fit.CasesConfig(**given)
    out = args.out or runs.new_folder(Path("results"), "cases", None)
    out.mkdir(parents=True, exist_ok=True)
    return _fit(args, config, out)


def _fit(args: argparse.Namespace, config: Any, out: Path) -> int:
    from tqdm import tqdm

    from agents.cases import base
    from training import runs
    from training.cases import fit, judge, report
    from training.cases.states import read_states

    states = read_states(args.files)
    _tell_problems(states.problems)
    training = fit.training_rows(states)
    with tqdm(total=100, disable=None, leave=False, unit="%", desc="training") as bar:  # None: only on a terminal
        cases = fit.case_base(states.take(training), config, lambda share: bar.update(100 * share - bar.n))
    base.save(cases, out / "cases.npz")
    held, facts = states.take(~training), {"cases": len(cases), "boards": len(cases.dealer)}
    if len(held):
        made, times = judge.calls(cases, held)
        facts |= {**times, "held": len(held), "held_boards": len(set(held.board.tolist()))}
        tables = {
            "By round and by side": judge.rounds_and_sides(made, held),
            "Openings by shape and strength": judge.nodes(made, held, states.take(training)),
        }
        names = [path.name for path in args.files]
        options = [f"--{key}={getattr(args, key)}" for key in ("epochs", "seed") if getattr(args, key) is not None]
        command = shlex.join(["bridge-env", "fit", "cases", *names, *options])
        report.write(out, tables, facts, command, runs.manifest({"files": names, **asdict(config)}, ""))
        for row in tables["By round and by side"][:2]:
            (right, error), (bids, bids_error) = row.percent, row.percent_bids
            print(f"{row.name}: {right:.2f}% ± {error:.2f} of {row.asked:,}, not passes {bids:.2f}% ± {bids_error:.2f}")
    print(f"written: {out / 'cases.npz'}" + (", README.md, results.json" if len(held) else "; no board is held out"))
    return 0


def _study(args: argparse.Namespace) -> int:
    from training import runs
    from training.cases import study, study_report
    from training.cases.states import read_states

    states = read_states(args.files)
    _tell_problems(states.problems)
    found = study.tables(states)
    few = {count: study.similarity_among(states, count) for count in _FEW if count < found[0].states}
    names = [path.name for path in args.files]
    out = args.out or _STUDY_FOLDER
    command = shlex.join(["bridge-env", "fit", "cases", "--study", args.study, *names])
    manifest = runs.manifest({"files": names}, "")
    study_report.write(out, found, study.with_calls_of_others(states), few, command, manifest)
    for table in found:
        shares = (f"k={k} {study_report.percent(table, k, 0)[0]:.2f}%" for k in (1, 10, 20) if k <= len(table.rows))
        print(f"{table.name}: {table.states:,} states, {', '.join(shares)}; {table.seconds:.1f} s")
    print(f"written: {out}/README.md, results.json")
    return 0


def _tell_problems(problems: tuple[str, ...]) -> None:
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
