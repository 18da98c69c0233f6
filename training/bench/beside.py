"""Measure two checkouts of this package beside each other: which of them is faster, and by how much?

A machine that others share is faster in one minute than in the next. So the two take turns, each time in a fresh
process, measures count processor time, and what tells is the ratio of two neighbours.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SECONDS = 0.5  # of processor time that each of three repetitions of a measure takes
SYSTEMS = Path("agents/hierarchy/systems")
_BID_WITH = ("sayc.bidding", "general.bidding")  # the system of the measures, and the rules that all systems share

_MEASURES = """
import json
from training.bench import own
own.SECONDS, own.time.perf_counter = {seconds}, own.time.process_time
rates = [own.vector_env(128, 1, 3), own.vector_env(4096, 1, 3)]
rates += [own.single_env(3, learner="all"), own.single_env(3, learner="NS")]
rates += own.matches(3)
rates += [own.sampled_deals(auction, 3) for auction in ("1N P", "1S 2H", "1C P 1H P")]
rates += [own.library_reads(3)]
print(json.dumps({{rate.what: rate.median for rate in rates}}))
"""


@dataclass(frozen=True)
class Beside:
    """One measure: rates of this checkout and of the other, a pair a round."""

    what: str
    ours: list[float]
    theirs: list[float]

    def ratios(self) -> list[float]:
        """Give this checkout's rate as a multiple of the other's, round by round, sorted."""
        return sorted(ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True))


def same_system(ours: Path, theirs: Path) -> bool:
    """Tell whether both checkouts measure with the same bidding system."""
    return all((ours / SYSTEMS / name).read_bytes() == (theirs / SYSTEMS / name).read_bytes() for name in _BID_WITH)


def measure(ours: Path, theirs: Path, rounds: int, tell: Callable[[str], None] = print) -> list[Beside]:
    """Take every measure in both checkouts, ``rounds`` times by turns; who goes first changes each round.

    A first round, which compiles, does not count.

    :raises ValueError: a checkout has no measures, or they failed there
    """
    found: dict[Path, list[dict[str, float]]] = {ours: [], theirs: []}
    for number in range(rounds + 1):
        for checkout in (ours, theirs) if number % 2 else (theirs, ours):
            rates = _rates(checkout, SECONDS if number else 0.01)
            if number:
                found[checkout].append(rates)
        tell(f"round {number} of {rounds}" if number else "compiled")
    names = [name for name in found[ours][0] if name in found[theirs][0]]
    return [
        Beside(name, [rates[name] for rates in found[ours]], [rates[name] for rates in found[theirs]]) for name in names
    ]


def _rates(checkout: Path, seconds: float) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [sys.executable, "-c", _MEASURES.format(seconds=seconds)],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise ValueError(f"{checkout}: the measures failed: {last[0]}")
    rates: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return rates


def markdown(measured: list[Beside], machine: str, command: str, remark: str) -> str:
    """Write the ratios as a page: the median, the least and the most of the rounds."""
    rounds = len(measured[0].ours)
    lines = [
        "# Two checkouts beside each other",
        "",
        "This checkout's speed as a multiple of the other's. Above 1, this one is faster.",
        "",
        "| | median | least | most | this one, a second | the other, a second |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in measured:
        ratios = row.ratios()
        lines.append(
            f"| {row.what} | **{statistics.median(ratios):.2f}** | {ratios[0]:.2f} | {ratios[-1]:.2f} "
            f"| {statistics.median(row.ours):,.0f} | {statistics.median(row.theirs):,.0f} |"
        )
    lines += [
        "",
        f"`{command}`: {rounds} rounds on {machine}. The two take turns, each time in",
        "a fresh process. Seconds are of processor time.",
        *([remark] if remark else []),
    ]
    return "\n".join(lines) + "\n"
