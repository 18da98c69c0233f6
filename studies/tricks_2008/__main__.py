"""Train the networks of the study, and write its table."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from studies.tables import Found, run_study
from studies.tricks_2008 import report, study


def repeat(
    *, rows: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None, workers: int = os.cpu_count() or 1,
    library: str | None = None, deals: int | None = None, epochs: int | None = None, seed: int = 0,
    out: Path = Path("results/estimators/study-2008"),
) -> Found:  # fmt: skip
    """Train the networks of the study of 2008, and judge them on deals they never saw.

    For example:

        python -m studies.tricks_2008                          the complete study, about an hour of one core
        python -m studies.tricks_2008 --deals 4000 --epochs 50 --out trial
        python -m studies.tricks_2008 --rows 52x4-13 52x4-26   these networks only

    Ctrl-C loses at most a network. The same command continues where it stopped, and --rows adds to the results.

    Args:
        rows: repeat only these networks (default: all)
        workers: processes
        library: library of solved deals (default: the one in the package)
        deals: maximum number of training deals (default: all)
        epochs: passes over the deals (default: each network its own)
        seed: random seed
        out: folder for the results
    """

    def show(done: int, total: int) -> None:
        print(f"{done} of {total} networks", file=sys.stderr)

    study.run(study.Settings(deals, epochs, seed, library), out, rows, workers, show)
    found = study.results(out)
    report.plot(found, out / "study.png")
    print(report.summary(found))
    return out, {"Percent of deals": [*report.comparison(found), "", report.summary(found)]}, {"networks": found}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    return run_study("studies.tricks_2008", repeat, argv)


if __name__ == "__main__":
    sys.exit(main())
