"""``python -m studies.deception``: let two card players solve the problems, and write the page."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from bridge_env.files import atomic_write
from studies.deception import report, study
from training.cli.progress import Bar


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
        with Bar(len(problems), "problem", brief=True) as bar:
            solved = study.solve_problems(
                problems, args.plain, args.deceptive, args.bidder, seed=args.seed, seeds=args.seeds, progress=bar.add
            )
    except (ValueError, OSError) as error:
        parser.error(str(error))
    print("\n".join(report.summary(solved)))
    args.out.mkdir(parents=True, exist_ok=True)
    command = shlex.join(["python", "-m", "studies.deception", *(sys.argv[1:] if argv is None else argv)])
    atomic_write(args.out / "problems.md", report.page(solved, command, args.plain, args.deceptive, args.bidder))
    print(f"written: {args.out}/problems.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
