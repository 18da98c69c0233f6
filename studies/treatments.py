"""Measure what treatments gain: two over one with one change, against gatekeepers, or with the cards played out.

    python -m studies.treatments --only "five level"
    python -m studies.treatments --abroad --only "five level" --seeds 1 2 3

Played out, two over one with the change meets itself. A treatment occurs where the auctions of the two tables differ.
There its IMPs are counted at double-dummy tricks, and at the tricks of the rule player at all seats. Abroad, the gain
over two over one on the same boards is counted. Boards are of the judging half.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.systems.library.shipped import register_system, system_path, unregister_system
from bridge_env.rules.calls import as_wide
from studies.tables import command_line, write_tables
from training.evaluation.boards import library_boards, standard_error
from training.evaluation.cardplay.match import Teams, play_hands
from training.evaluation.duplicate import MatchResult, match
from training.runtime.pages import table

BASE = "system:two-over-one"
PART = 20_000  # boards bid at a time


@dataclass(frozen=True)
class Treatment:
    """A change: ``after`` replaces the first ``before``, or the first below ``under``; pairs in ``more`` likewise."""

    name: str
    before: str
    after: str
    under: str = ""
    more: tuple[tuple[str, str], ...] = ()

    def apply(self, text: str) -> str:
        """Return the text with the change.

        Raises:
            ValueError: the text has no such line.
        """
        for before, after, under in ((self.before, self.after, self.under), *((*pair, "") for pair in self.more)):
            start = text.find(under)
            at = text.find(before, max(start, 0))
            if start < 0 or at < 0:
                raise ValueError(f"two over one has no line {before!r}, which the treatment {self.name!r} changes")
            text = text[:at] + after + text[at + len(before) :]
        return text


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
    Treatment(
        "weak twos on three",
        "2S    5-10 hcp, 6 S, 2+ top5:S, 0-3 H, 1-3 position",
        "2S    3-10 hcp, 6 S, 1+ top5:S, 1-3 position",
        more=(
            ("2H    5-10 hcp, 6 H, 2+ top5:H, 0-3 S, 1-3 position", "2H    3-10 hcp, 6 H, 1+ top5:H, 1-3 position"),
            ("2D    5-10 hcp, 6 D, 2+ top5:D, 1-3 position", "2D    3-10 hcp, 6 D, 1+ top5:D, 1-3 position"),
        ),
    ),
    Treatment("three on six cards", "3x    3-10 hcp, 7+ x, 1+ top3:x", "3x    3-10 hcp, 6+ x, 1+ top3:x"),
    Treatment(
        "three clubs on one honour",
        "3C    4-10 hcp, 6+ C, 2+ top3:C,",
        "3C    4-10 hcp, 6+ C, 1+ top3:C or 4-10 hcp, 6+ C, 2+ top5:C,",
    ),
    Treatment(
        "six no trump", "6N    33+ combined\n  ", "6N    32+ combined\n  ", "7N    37+ combined, 4+ combined-aces"
    ),
    Treatment(
        "four level on nine trumps",
        "lowest:x best:x, 10+ fit:x, 20+ likely-total:x, 4 level",
        "lowest:x best:x, 9+ fit:x, 20+ likely-total:x, 4 level",
    ),
    Treatment("aces in diamonds", "4N    33+ likely-total:D, 9+ fit:D", "4N    32+ likely-total:D, 8+ fit:D"),
)
GATEKEEPERS = ("policy:humans", "policy:polish", "policy:wbridge5")


@dataclass(frozen=True)
class Occurrences:
    """The IMPs of a treatment each time that it occurs, with standard errors, double dummy and played out."""

    name: str
    tried: int  # boards that were bid
    boards: int  # boards on which it occurred
    exact: tuple[float, float]
    played: tuple[float, float]


def play_out(treatment: Treatment, boards: int, tried: int) -> Occurrences:
    """Bid up to ``tried`` boards, until the treatment occurred on ``boards``, and play those."""
    changed = _register(treatment)
    found: list[MatchResult] = []
    bid = 0
    while bid < tried and sum(len(result.boards) for result in found) < boards:
        count = min(PART, tried - bid)
        result = match(changed, BASE, library_boards(count, 1, "judging", start=bid))
        found.append(result.take(differing_boards(result)))
        bid += count
    exact, played, base = (np.concatenate(parts)[:boards] for parts in zip(*map(_imps, found), strict=True))
    unregister_system(changed)
    return Occurrences(treatment.name, bid, len(exact), _mean(exact, base), _mean(played, base))


@dataclass(frozen=True)
class Gain:
    """The IMPs a board that two over one gains by a treatment, with the standard error over deals."""

    name: str
    boards: int
    gain: tuple[float, float]  # of all seeds and gatekeepers together
    each: tuple[tuple[float, ...], ...]  # by seed, then gatekeeper


def abroad(treatments: Sequence[Treatment], boards: int, seeds: Sequence[int]) -> Iterator[Gain]:
    """Play each treatment and two over one itself against all gatekeepers, on the same judging boards."""
    dealt = [library_boards(boards, seed) for seed in seeds]
    before = [[match(BASE, them, part).imps for them in GATEKEEPERS] for part in dealt]
    for treatment in treatments:
        changed = _register(treatment)
        gains = [
            [
                match(changed, them, part).imps.astype(np.int64) - imps
                for them, imps in zip(GATEKEEPERS, row, strict=True)
            ]
            for part, row in zip(dealt, before, strict=True)
        ]
        unregister_system(changed)
        of_boards = np.concatenate([np.sum(row, axis=0) for row in gains])  # whole numbers, of all gatekeepers
        mean, error = _mean(of_boards, np.concatenate([part.base for part in dealt]))
        each = tuple(tuple(float(part.mean()) for part in row) for row in gains)
        yield Gain(treatment.name, boards, (mean / len(GATEKEEPERS), error / len(GATEKEEPERS)), each)


def _register(treatment: Treatment) -> str:
    text = system_path("two-over-one").read_text(encoding="utf-8")
    return register_system(treatment.name.replace(" ", "-"), treatment.apply(text))


def differing_boards(result: MatchResult) -> NDArray[np.int64]:
    """Return the boards on which the auctions of the two tables differ."""
    first, second = as_wide([table.history for table in result.tables])
    return np.flatnonzero((first != second).any(axis=1))


def _imps(result: MatchResult) -> tuple[NDArray[np.int64], ...]:
    """Return IMPs double dummy and played out, and the numbers of the deals."""
    if not len(result.boards):
        return result.imps, result.imps, result.boards.base
    played = play_hands(result, Teams((None, None), ("rule", "rule")))
    return result.imps, played.imps, result.boards.base


def _mean(values: NDArray[np.int64], base: NDArray[np.int64]) -> tuple[float, float]:
    return float(values.mean()) if len(values) else 0.0, standard_error(values, base)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure treatments, and write their table."""
    parser = argparse.ArgumentParser(prog="python -m studies.treatments", description="Measure treatments.")
    parser.add_argument("--abroad", action="store_true", help="play against gatekeepers instead")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of these treatments alone")
    parser.add_argument("--judge", type=int, default=20_000, help="with --abroad: boards against each (20000)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="with --abroad: seeds (1 2 3)")
    parser.add_argument("--boards", type=int, default=1000, help="boards on which it occurs (1000)")
    parser.add_argument("--tried", type=int, default=400_000, help="boards to bid at most (400000)")
    parser.add_argument("--out", type=Path, default=Path("results/treatments"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    treatments = [treatment for treatment in TREATMENTS if not args.only or treatment.name in args.only]
    if unknown := set(args.only or ()) - {treatment.name for treatment in treatments}:
        parser.error(f"no treatment {', '.join(sorted(unknown))}; there are {', '.join(t.name for t in TREATMENTS)}")
    if args.abroad:
        gains = list(abroad(treatments, args.judge, args.seeds))
        each = ((" ".join(f"{value:+.3f}" for value in row) for row in gain.each) for gain in gains)
        cells = [
            [g.name, "{:+.4f} ± {:.4f}".format(*g.gain), "; ".join(row)] for g, row in zip(gains, each, strict=True)
        ]
        lines = table(("treatment", "gain, IMPs a board", "each gatekeeper; by seed"), cells)
        rows = [asdict(gain) for gain in gains]
    else:
        found = [play_out(treatment, args.boards, args.tried) for treatment in treatments]
        cells = [
            [
                o.name,
                f"{o.boards:,} of {o.tried:,}",
                *("{:+.2f} ± {:.2f}".format(*imps) for imps in (o.exact, o.played)),
            ]
            for o in found
        ]
        lines = table(("treatment", "occurs on boards", "IMPs double dummy", "IMPs played out"), cells)
        rows = [asdict(each) for each in found]
    print("\n".join(lines))
    write_tables(args.out, command_line("studies.treatments", argv), {"Treatments": lines}, {"treatments": rows})


if __name__ == "__main__":
    main()
