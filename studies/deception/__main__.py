"""``python -m studies.deception``: let two card players solve the problems, and write the table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from studies.deception import study
from studies.tables import command_line, write_tables


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.deception",
        description="Compare the card of montecarlo with the card of deceptive on problems of card play.",
    )
    parser.add_argument("--problems", type=Path, default=study.PROBLEMS, metavar="FILE.pbn", help="(%(default)s)")
    parser.add_argument("--plain", default=study.PLAIN, metavar="PLAYER", help="a montecarlo player (%(default)s)")
    parser.add_argument("--deceptive", default=study.DECEPTIVE, metavar="PLAYER", help="(%(default)s)")
    parser.add_argument("--bidder", default="system:sayc", metavar="SPEC", help="system of all calls (%(default)s)")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="times that a board is played out (5)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (1)")
    parser.add_argument("--out", type=Path, default=Path("results/play"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    try:
        problems = study.read_problems(args.problems)
        with tqdm(total=len(problems), unit="problem", disable=None) as bar:
            solved = study.solve_problems(
                problems, args.plain, args.deceptive, args.bidder, seed=args.seed, seeds=args.seeds, progress=bar.update
            )
    except (ValueError, OSError) as error:
        parser.error(str(error))
    lines = study.summary(solved)
    print("\n".join(lines))
    rows = [study.as_row(one) for one in solved]
    write_tables(args.out, command_line("studies.deception", argv), {"Problems": lines}, {"problems": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
