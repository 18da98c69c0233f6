"""``bridge-env bench``."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from bridge_env.io.files import atomic_write
from training.cli.options import Count


def bench(*, repetitions: Count = 5, out: Path = Path("results/bench"), networks: bool = False) -> int:
    """Measure the speed of the envs, of matches and of solving.

        bridge-env bench
        bridge-env bench --repetitions 9 --out results/bench
        bridge-env bench --networks                           measure how fast networks call and learn instead

    Every measure is taken several times in one run, after a warm-up; the table has the median. Close other programs
    first.

    Args:
        repetitions: repetitions of each measurement
        out: folder for the results
        networks: measure how fast networks call and learn instead (needs torch and Ray)
    """
    from training.bench import measures
    from training.runtime.runs import require

    if networks:
        require("train", "torch", "ray")
        from training.bench import league

    rates = []
    for rate in league.all_rates(repetitions) if networks else measures.all_rates(repetitions):
        rates.append(rate)
        figures = f"{rate.median:14,.1f} {rate.unit:<12} ({rate.least:,.1f} to {rate.most:,.1f})"
        print(f"{rate.what:<64} {figures}", flush=True)
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    command = f"bridge-env bench {'--networks ' * networks}--repetitions {repetitions}"
    out.mkdir(parents=True, exist_ok=True)
    path = out / ("networks.md" if networks else "bench.md")
    atomic_write(path, measures.page(rates, machine, command))
    print(f"written: {path}")
    return 0
