"""``bridge-env bench``."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bridge_env.io.files import atomic_write
from training.cli.options import Count

if TYPE_CHECKING:
    from training.bench.measures import Rate


def bench(*, repetitions: Count = 5, out: Path = Path("results/bench"), networks: bool = False) -> int:
    """Measure the speed of the envs beside pgx and OpenSpiel, of matches, solving, compiling, and the memory.

        bridge-env bench
        bridge-env bench --repetitions 9 --out results/bench
        bridge-env bench --networks                           measure how fast networks call and learn instead

    The peers are pgx and OpenSpiel (extra "bench"); those that are not installed are named and skipped. Every measure
    is taken several times in one run, after a warm-up; the table has the median. Close other programs first.

    Args:
        repetitions: repetitions of each measurement
        out: folder for the results
        networks: measure how fast networks call and learn instead (needs torch and Ray)
    """
    from bridge_env.io.optional_dependencies import how_to_install
    from training.bench import measures, peers, report
    from training.runtime.runs import require

    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    out.mkdir(parents=True, exist_ok=True)
    if networks:
        require("train", "torch", "ray")
        from training.bench import league

        rates = _printed(rate for measure in (league.calls, league.league_speeds) for rate in measure(repetitions))
        command = f"bridge-env bench --networks --repetitions {repetitions}"
        atomic_write(out / "networks.md", report.markdown(rates, {}, machine, command))
        print(f"written: {out}/networks.md")
        return 0
    for name in peers.missing():
        print(f"{name} is left out: it is not installed ({how_to_install('bench')})", file=sys.stderr)
    rates = _printed(measures.all_rates(repetitions))
    others = measures.first_steps() | measures.memory()
    for name, value in others.items():
        print(f"{name:<48} {value:14,.2f}")
    content = {"machine": machine, "rates": [asdict(rate) for rate in rates], "others": others}
    command = f"bridge-env bench --repetitions {repetitions}"
    atomic_write(out / "bench.md", report.markdown(rates, others, machine, command))
    atomic_write(out / "bench.json", json.dumps(content, indent=2) + "\n")
    report.plot([rate for rate in rates if rate.unit == "steps/s"], out / "bench.png")
    print(f"written: {out}/bench.md, bench.json, bench.png")
    return 0


def _printed(rates: Iterable[Rate]) -> list[Rate]:
    """Print the rates as they come, and return them."""
    out = []
    for rate in rates:
        out.append(rate)
        words = f"{rate.what:<64} {rate.median:14,.1f} {rate.unit:<12} ({rate.least:,.1f} to {rate.most:,.1f})"
        print(words, flush=True)
    return out
