"""``bridge-env bench``."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bridge_env.io.files import atomic_write
from training.cli.options import Count


def bench(*, repetitions: Count = 5, out: Path = Path("results/bench"), networks: bool = False) -> int:
    """Measure the speed of the envs beside pgx and OpenSpiel, of matches and solving, and the memory of a table.

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
    command = f"bridge-env bench {'--networks ' * networks}--repetitions {repetitions}"
    out.mkdir(parents=True, exist_ok=True)
    measured: Iterator[measures.Rate]
    if networks:
        require("train", "torch", "ray")
        from training.bench import league

        measured = (rate for measure in (league.calls, league.league_speeds) for rate in measure(repetitions))
    else:
        measured = measures.all_rates(repetitions)
        for name in peers.missing():
            print(f"{name} is left out: it is not installed ({how_to_install('bench')})", file=sys.stderr)
    rates = []
    for rate in measured:
        rates.append(rate)
        figures = f"{rate.median:14,.1f} {rate.unit:<12} ({rate.least:,.1f} to {rate.most:,.1f})"
        print(f"{rate.what:<64} {figures}", flush=True)
    page = out / ("networks.md" if networks else "bench.md")
    atomic_write(page, report.markdown(rates, machine, command))
    content = {"machine": machine, "rates": [asdict(rate) for rate in rates]}
    atomic_write(page.with_suffix(".json"), json.dumps(content, indent=2) + "\n")
    if not networks:
        report.plot([rate for rate in rates if rate.unit == "steps/s"], out / "bench.png")
    print(f"written: {page}")
    return 0
