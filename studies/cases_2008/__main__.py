"""Open by the nearest hands, as published in 2008, and write the tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from studies.cases_2008 import study
from studies.tables import Found, run_study
from training.cases.states import read_states


def repeat(file: Path, /, *files: Path, out: Path = Path("results/cases/study-2008")) -> Found:
    """Repeat CBridge1 (2008) on recorded auctions, leaving out each hand in turn: seconds.

    Args:
        file: recorded auctions in PBN, plain or gzip
        files: more of them
        out: folder for the results
    """
    states = read_states([file, *files])
    for problem in states.problems:
        print(f"left out: {problem}", file=sys.stderr)
    named = study.openings(states)
    rows = {name: study.leave_one_out(part.view.hand, part.called) for name, part in named.items()}
    tables = {name: study.row_table(part, number == 0) for number, (name, part) in enumerate(rows.items())}
    for name, part in rows.items():
        shares = (f"k={k} {part[k - 1].percent(False)[0]:.2f}%" for k in (1, 10, 20) if k <= len(part))
        print(f"{name}: {part[0].states:,} states, {', '.join(shares)}")
    return out, tables, {name: [asdict(row) for row in part] for name, part in rows.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    return run_study("studies.cases_2008", repeat, argv)


if __name__ == "__main__":
    sys.exit(main())
