"""``python -m studies.tricks_2008``: train the networks of the study, and write its table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.tables import command_line, write_tables
from studies.tricks_2008 import report, study

_EXAMPLES = """\
examples:
  python -m studies.tricks_2008                          the whole study, about an hour of one core
  python -m studies.tricks_2008 --deals 4000 --epochs 50 --out trial
  python -m studies.tricks_2008 --rows 52x4-13 52x4-26   these networks only

Ctrl-C loses at most a network. The same command goes on where it stopped, and --rows adds to what is there.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.tricks_2008",
        description="Train the networks of the study of 2008, and judge them on deals they never saw.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="repeat only these networks (all)")
    parser.add_argument("--workers", type=int, metavar="N", default=os.cpu_count() or 1, help="processes (all cores)")
    parser.add_argument("--library", metavar="FILE", help="library of solved deals (the one in the package)")
    parser.add_argument("--deals", type=int, metavar="N", help="maximum number of training deals (all)")
    parser.add_argument("--epochs", type=int, metavar="N", help="passes over the deals (by the network's size)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (0)")
    parser.add_argument("--out", type=Path, default=Path("results/estimators/study-2008"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    settings = study.Settings(args.deals, args.epochs, args.seed, args.library)

    def show(done: int, total: int) -> None:
        print(f"{done} of {total} networks", file=sys.stderr)

    try:
        study.run(settings, args.out, args.rows, args.workers, show)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    found = study.results(args.out)
    tables = {"Percent of deals": [*report.comparison(found), "", report.summary(found)]}
    report.plot(found, args.out / "study.png")
    print(report.summary(found))
    write_tables(args.out, command_line("studies.tricks_2008", argv), tables, {"networks": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
