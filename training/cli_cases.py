"""``bridge-env fit cases``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

_EPILOG = """\
examples:
  bridge-env fit cases --study 2008 wbridge5.pbn.gz    openings by the nearest hands, as published in 2008: seconds
"""
_STUDY_FOLDER = Path("results/cases/study-2008")
_FEW = (100, 200)


def add_cases(targets: Any) -> None:
    """Add ``bridge-env fit cases``."""
    parser = targets.add_parser(
        "cases",
        help="a case base of recorded auctions",
        description="Bidding by example, from the auctions of PBN files.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.pbn", help="recorded auctions, plain or gzip")
    parser.add_argument("--study", choices=["2008"], help="repeat the study of 2008, with each hand left out in turn")
    parser.add_argument("--out", type=Path, help=f"folder for the results ({_STUDY_FOLDER})")
    parser.set_defaults(handler=_cases)


def _cases(args: argparse.Namespace) -> int:
    if args.study is None:
        raise ValueError("say --study 2008")
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
