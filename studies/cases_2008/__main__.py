"""``python -m studies.cases_2008 FILE…``: open by the nearest hands, as published in 2008, and write the tables."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.cases_2008 import report, study
from training.cases.states import read_states
from training.running import runs

_FEW = (100, 200)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.cases_2008",
        description="Repeat CBridge1 (2008) on recorded auctions, leaving out each hand in turn: seconds.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="recorded auctions in PBN, plain or gzip")
    parser.add_argument("--out", type=Path, default=Path("results/cases/study-2008"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    try:
        states = read_states(args.files)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for problem in states.problems:
        print(f"left out: {problem}", file=sys.stderr)
    found = study.tables(states)
    few = {count: study.similarity_among(states, count) for count in _FEW if count < found[0].states}
    names = [path.name for path in args.files]
    command = shlex.join(["python", "-m", "studies.cases_2008", *names])
    manifest = runs.manifest({"files": names}, "")
    report.write(args.out, found, study.with_calls_of_others(states), few, command, manifest)
    for table in found:
        shares = (f"k={k} {report.percent(table, k, 0)[0]:.2f}%" for k in (1, 10, 20) if k <= len(table.rows))
        print(f"{table.name}: {table.states:,} states, {', '.join(shares)}; {table.seconds:.1f} s")
    print(f"written: {args.out}/README.md, results.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
