"""What five treatments are worth each time: two over one with one change meets itself, and the cards are played out.

    python -m studies.treatments --json results/hierarchies/treatments.json

A treatment came up where the auctions of the two tables differ. There its IMPs are counted at double-dummy tricks, and
at the tricks that the rule player takes and defends. Boards are of the judging half.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.shipped import forget_system, lend_system, system_path
from bridge_env.files import write_whole
from training.cardplay.match import Teams, play_match
from training.match.boards import library_boards, standard_error
from training.match.match import MatchResult, play

BASE = "system:two-over-one"
PART = 20_000  # boards bid at a time


@dataclass(frozen=True)
class Treatment:
    """A change of one line: ``before`` stands once in the text, below ``under`` if that is given."""

    name: str
    before: str
    after: str
    under: str = ""

    def put_into(self, text: str) -> str:
        """The text with the change.

        Raises:
            ValueError: the text has no such line.
        """
        start = text.find(self.under)
        at = text.find(self.before, max(start, 0))
        if start < 0 or at < 0:
            raise ValueError(
                f"two over one has no line {self.before!r} any more; the treatment {self.name!r} changes it"
            )
        return text[:at] + self.after + text[at + len(self.before) :]


TREATMENTS = (
    Treatment(
        "five level",
        "lowest:x best:x, 10+ fit:x, 20+ likely-total:x, 4 level, 0-3 theirs:x",
        "lowest:x best:x, 10+ fit:x, 20+ likely-total:x, 4-5 level",
    ),
    Treatment("double 3NT", "X      18+ combined", "X      16+ combined", "last-notrump, 0 doubled, 1+ partner-bid"),
    Treatment("aces in clubs", "4N    33+ likely-total:C, 9+ fit:C", "4N    32+ likely-total:C, 8+ fit:C"),
    Treatment(
        "no double of 1NT",
        "  X     15+ hcp                                            ; penalty\n",
        "",
        "after (1N)-P\n",
    ),
    Treatment("five of a minor", "9+ fit:m, 29+ likely-total:m, not stopped", "9+ fit:m, 28+ likely-total:m"),
)


@dataclass(frozen=True)
class Worth:
    """What a treatment is worth where it came up: IMPs each time and their errors."""

    name: str
    tried: int
    boards: int
    exact: tuple[float, float]
    played: tuple[float, float]

    def text(self) -> str:
        """One line of the table."""
        figures = "  ".join(f"{mean:+6.2f} ± {error:.2f}" for mean, error in (self.exact, self.played))
        return f"{self.name:18} {self.boards:6,} of {self.tried:9,}  {figures}"


def measure(treatment: Treatment, boards: int, tried: int) -> Worth:
    """Bid up to ``tried`` boards, until the treatment came up on ``boards``, and play those."""
    text = system_path("two-over-one").read_text(encoding="utf-8")
    changed = lend_system(treatment.name.replace(" ", "-"), treatment.put_into(text))
    found: list[MatchResult] = []
    bid = 0
    while bid < tried and sum(len(match.boards) for match in found) < boards:
        count = min(PART, tried - bid)
        match = play(changed, BASE, library_boards(count, 1, "judging", start=bid))
        found.append(match.take(_differ(match)))
        bid += count
    exact, played, base = (np.concatenate(parts)[:boards] for parts in zip(*map(_values, found), strict=True))
    forget_system(changed)
    return Worth(treatment.name, bid, len(exact), _mean(exact, base), _mean(played, base))


def _differ(match: MatchResult) -> NDArray[np.int64]:
    first, second = (table.history for table in match.tables)
    width = max(first.shape[1], second.shape[1])
    wide = [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=-1) for part in (first, second)]
    return np.flatnonzero((wide[0] != wide[1]).any(axis=1))


def _values(match: MatchResult) -> tuple[NDArray[np.int64], ...]:
    if not len(match.boards):
        return match.imps, match.imps, match.boards.base
    played = play_match(match, Teams((None, None), ("rule", "rule")))
    kept = played.kept
    return match.imps[kept], played.imps, match.boards.base[kept]


def _mean(values: NDArray[np.int64], base: NDArray[np.int64]) -> tuple[float, float]:
    return float(values.mean()) if len(values) else 0.0, standard_error(values, base)


def main(argv: Sequence[str] | None = None) -> None:
    """Print what each treatment is worth each time."""
    parser = argparse.ArgumentParser(description="Tell what five treatments are worth, double dummy and played out.")
    parser.add_argument("--boards", type=int, default=1000, help="boards where it came up (1000)")
    parser.add_argument("--tried", type=int, default=400_000, help="boards to bid at most (400000)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    args = parser.parse_args(argv)
    worths = []
    print(f"{'treatment':18} {'came up on boards':>19}  {'double dummy':>14}  {'played out':>14}")
    for treatment in TREATMENTS:
        worths.append(measure(treatment, args.boards, args.tried))
        print(worths[-1].text(), flush=True)
    if args.json:
        rows = [vars(worth) for worth in worths]
        write_whole(args.json, json.dumps({"treatments": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
