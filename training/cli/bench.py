"""``bridge-env bench``: run the measures, print the table, write it with a plot."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.files import atomic_write
from bridge_env.optional_dependencies import how_to_install
from training.cli.arguments import positive

if TYPE_CHECKING:
    from training.bench.measures import Rate

_EPILOG = """\
The peers are pgx and OpenSpiel (extra "bench"). The command names those that are not installed and skips them. It
takes every measure several times in one run, after a warm-up; the table gives the median. Close other programs first.

examples:
  bridge-env bench
  bridge-env bench --repetitions 9 --out results/bench
  bridge-env bench --networks                           measure how fast networks call and learn instead
"""


def add_bench(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="measure the speed of envs, matches and the solver, and compare with other packages",
        description="Measure the speed of the envs beside pgx and OpenSpiel, of duplicate matches, library reads,\n"
        "solving beside endplay's plain loop, compile times and memory.",
        epilog=_EPILOG,
    )
    parser.add_argument("--repetitions", type=positive, default=5, help="repetitions of each measurement (5)")
    parser.add_argument(
        "--out", type=Path, default=Path("results/bench"), help="folder for the results (results/bench)"
    )
    parser.add_argument(
        "--networks", action="store_true", help="measure how fast networks call and learn instead (needs torch and Ray)"
    )
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    if args.networks:
        return _networks(args)
    from training.bench import measures, peers, report

    for name in peers.missing():
        print(f"{name} is left out: it is not installed ({how_to_install('bench')})", file=sys.stderr)
    rates = _printed(_rates(args.repetitions))
    others = measures.first_steps() | measures.memory()
    for name, value in others.items():
        print(f"{name:<48} {value:14,.2f}")
    machine = _machine()
    content = {"machine": machine, "rates": [asdict(rate) for rate in rates], "others": others}
    page = report.markdown(rates, others, machine, f"bridge-env bench --repetitions {args.repetitions}")
    plot = partial(report.plot, [rate for rate in rates if rate.unit == "steps/s"])
    return _write(args.out, {"bench.md": page, "bench.json": json.dumps(content, indent=2) + "\n"}, {"bench.png": plot})


def _networks(args: argparse.Namespace) -> int:
    from training.running.runs import require

    require("train", "torch", "ray")
    from training.bench import league, report

    rates = _printed(rate for measure in (league.calls, league.league_speeds) for rate in measure(args.repetitions))
    command = f"bridge-env bench --networks --repetitions {args.repetitions}"
    return _write(args.out, {"networks.md": report.markdown(rates, {}, _machine(), command)})


def _write(out: Path, pages: dict[str, str], plots: Mapping[str, Callable[[Path], object]] | None = None) -> int:
    """Write pages and plots into a folder, and print their names."""
    out.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        atomic_write(out / name, text)
    for name, plot in (plots or {}).items():
        plot(out / name)
    print(f"written: {out}/{', '.join([*pages, *(plots or {})])}")
    return 0


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _rates(repetitions: int) -> Iterator[Rate]:
    """Yield each rate as it is measured."""
    from training.bench import measures, peers

    for name, settings in measures.SETTINGS:
        yield measures.tables(name, settings, repetitions)
    for name, settings in measures.SETTINGS[:2]:
        yield measures.tables(name, settings, repetitions, at_random=True)
    yield measures.one_table(repetitions)
    installed = {"pgx", "OpenSpiel", "endplay"} - set(peers.missing())
    for batch in (128, 4096, 16384, 65536):
        yield measures.vector_env(batch, repetitions)
        if "pgx" in installed and batch <= 4096:
            yield peers.pgx(batch, repetitions)
    yield measures.vector_env(4096, repetitions, copy=False)
    yield measures.single_env(repetitions, learner="all")
    yield measures.single_env(repetitions, learner="NS", opponents="random", control="random")
    yield measures.single_env(repetitions, learner="NS")
    if "OpenSpiel" in installed:
        yield peers.open_spiel(repetitions)
    yield from measures.matches(repetitions)
    yield measures.library_reads(repetitions)
    for auction in ("1N P", "1S 2H", "1C P 1H P"):
        yield measures.sampled_deals(auction, repetitions)
    yield from measures.solving(repetitions)
    if "endplay" in installed:
        yield from peers.endplay_loops(repetitions)


def _printed(rates: Iterable[Rate]) -> list[Rate]:
    """Print the rates as they come, and return them."""
    out = []
    for rate in rates:
        out.append(rate)
        words = f"{rate.what:<64} {rate.median:14,.1f} {rate.unit:<12} ({rate.least:,.1f} to {rate.most:,.1f})"
        print(words, flush=True)
    return out
