"""Open by the nearest hands, as published in 2008, and write the tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from studies.cases_2008 import study
from studies.tables import Found, run_study
from training.cases.states import read_states
from training.runtime.pages import table

_FEW = (100, 200)


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
    first = next(iter(named.values()))
    rows = {name: study.leave_one_out(part.view.hand, part.called) for name, part in named.items()}
    others = study.with_calls_of_others(first)
    few = {count: study.similarity_among(first, count) for count in _FEW if count < len(first)}
    tables = {
        name: study.row_table(part, others if not number else ()) for number, (name, part) in enumerate(rows.items())
    }
    tables["Similarity of the first 2,091 to few cases"] = table(
        ("cases", "k = 1", f"k = {study.MOST}"), ((str(n), f"{a:.2f}", f"{b:.2f}") for n, (a, b) in few.items()), left=0
    )
    for name, part in rows.items():
        shares = (f"k={k} {part[k - 1].percent(False)[0]:.2f}%" for k in (1, 10, 20) if k <= len(part))
        print(f"{name}: {part[0].states:,} states, {', '.join(shares)}")
    content = {name: [asdict(row) for row in part] for name, part in rows.items()}
    return out, tables, {**content, "calls of others": others, "similarity among few": few}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    return run_study("studies.cases_2008", repeat, argv)


if __name__ == "__main__":
    sys.exit(main())
