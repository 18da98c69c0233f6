"""Let two card players solve the problems, and write the table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from studies.deception import study
from studies.tables import Found, run_study


def compare(
    *, problems: Path = study.PROBLEMS, plain: str = study.PLAIN, deceptive: str = study.DECEPTIVE,
    bidder: str = "system:sayc", seeds: int = 5, seed: int = 1, out: Path = Path("results/play"),
) -> Found:  # fmt: skip
    """Compare the card of montecarlo with the card of deceptive on problems of card play.

    Args:
        problems: PBN file of the problems
        plain: a montecarlo player
        deceptive: a deceptive player
        bidder: system by which all calls are read
        seeds: how often a board is played out
        seed: random seed
        out: folder for the results
    """
    read = study.read_problems(problems)
    with tqdm(total=len(read), unit="problem", disable=None) as bar:
        solved = study.solve_problems(read, plain, deceptive, bidder, seed=seed, seeds=seeds, progress=bar.update)
    lines = study.summary(solved)
    print("\n".join(lines))
    return out, {"Problems": lines}, {"problems": [study.as_row(one) for one in solved]}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    return run_study("studies.deception", compare, argv)


if __name__ == "__main__":
    sys.exit(main())
