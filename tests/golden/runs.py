"""Runs that learn, very short: evolved systems and their verdict, a league, a coach's amendments.

What torch learns may differ by machine in the last places, so that a league's figures are rounded coarsely: what they
show is that it draws, plays, learns and judges as before. The case of the coach trains a network too, and may differ
on another processor for the same reason.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.golden import entry
from tests.golden.digests import Case

TOY = "system: toy\n4S    5+ S, 8+ hcp\nP\nwhen 0-7 last-level\n  P\n"
SHORT = """\
system: mine
1N    15-17 hcp, balanced
  2C    8+ hcp, 4 H or 4 S ; Stayman !forcing !artificial
    2H    4+ H
    2S    4+ S
    2D ; no major !artificial
  P     0-7 hcp
1S    12+ hcp, 5+ S
  4S    10+ hcp, 4+ S
  2S    6-9 hcp, 3+ S
1H    12+ hcp, 5+ H
  4H    10+ hcp, 4+ H
P
when 0-7 last-level
  P
"""


def _evolve(text: str, **settings: Any) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "toy.bidding"
        file.write_text(text)
        return entry.evolve_run(Path(folder), str(file), settings)


def _evolve_toy() -> dict[str, Any]:
    return _evolve(
        TOY, seed=3, generations=2, partnerships=2, proposals=5, positions=1, study=300, boards=300, confirm=600,
        judge=64, champions=1, league="acol,preempts", validators="", operators="evolution,refinement,swapping",
    )  # fmt: skip


def _evolve_short() -> dict[str, Any]:
    """The operators of ``make selfplay``."""
    return _evolve(
        SHORT, seed=5, generations=2, partnerships=2, study=600, boards=600, confirm=900, judge=400, champions=1,
        league="acol", validators="", operators="natural,evolution,refinement,tuning,swapping", positions=4,
        proposals=8,
    )  # fmt: skip


def _league() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        return entry.league_run(Path(folder))


def _coach() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        return entry.coach_run(Path(folder), SHORT)


CASES: dict[str, Case] = {
    "evolve toy": _evolve_toy, "evolve short": _evolve_short, "league": _league, "coach": _coach,
}  # fmt: skip
SLOW = frozenset(CASES)
