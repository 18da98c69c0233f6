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
from training.cli.progress import Bar

if TYPE_CHECKING:
    from training.bench.own import Rate

_EPILOG = """\
The peers are pgx and OpenSpiel (extra "bench"). The command names those that are not installed and skips them. It
takes every measure several times in one run, after a warm-up; the table gives the median. Close other programs first.

examples:
  bridge-env bench
  bridge-env bench --repetitions 9 --out results/bench
  bridge-env bench --networks                           measure how fast networks call and learn instead
  bridge-env bench --scale                              predict how league, evolve and solve scale with cores
  bridge-env bench --solver                             our own double-dummy solver beside DDS
  bridge-env bench --doors                              answers a second and memory of serve and table
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
    parser.add_argument(
        "--scale", action="store_true",
        help="measure how league, evolve and solve scale with cores instead (needs torch and Ray)",
    )  # fmt: skip
    parser.add_argument(
        "--solver", action="store_true", help="time our own double-dummy solver beside DDS instead (three minutes)"
    )
    parser.add_argument(
        "--doors", action="store_true", help="measure the servers of serve and table instead (half an hour)"
    )
    parser.add_argument("--boards", type=positive, default=500, help="boards at the table, with --doors (500)")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    measures = {"networks": _networks, "scale": _scale, "solver": _solver, "doors": _doors}
    for name, measure in measures.items():
        if getattr(args, name):
            return measure(args)
    from training.bench import own, peers, report

    for name in peers.missing():
        print(f"{name} is left out: it is not installed ({how_to_install('bench')})", file=sys.stderr)
    rates = _told(_rates(args.repetitions))
    others = own.first_steps() | own.memory()
    for name, value in others.items():
        print(f"{name:<48} {value:14,.2f}")
    machine = _machine()
    content = {"machine": machine, "rates": [asdict(rate) for rate in rates], "others": others}
    page = report.markdown(rates, others, machine, args.repetitions)
    plot = partial(report.plot, [rate for rate in rates if rate.unit == "steps/s"])
    return _write(args.out, {"bench.md": page, "bench.json": json.dumps(content, indent=2) + "\n"}, {"bench.png": plot})


def _networks(args: argparse.Namespace) -> int:
    from training.bench import networks
    from training.running.runs import require

    require("train", "torch", "ray")
    rates = _told(rate for measure in (networks.calls, networks.league_speeds) for rate in measure(args.repetitions))
    command = f"bridge-env bench --networks --repetitions {args.repetitions}"
    page = networks.markdown(rates, networks.shares(), _machine(), command)
    print("\n" + page.partition("Where the time")[2])
    return _write(args.out, {"networks.md": page})


def _solver(args: argparse.Namespace) -> int:
    from training.bench import solver
    from training.running.runs import require

    require("dds", "endplay")

    measured = []
    for row in solver.rows(args.repetitions):
        measured.append(row)
        print(f"{row.what:55} {row.ours:10.3f} ms, DDS {row.theirs:10.3f} ms, ratio {row.ratio:6.2f}", flush=True)
    command = f"bridge-env bench --solver --repetitions {args.repetitions}"
    return _write(args.out, {"solver.md": solver.markdown(measured, _machine(), command)})


def _doors(args: argparse.Namespace) -> int:
    from training.bench import doors
    from training.running.runs import require

    require("table", "uvicorn")
    measured = []
    with Bar(args.boards, "board", brief=True) as bar:
        for row in doors.rows(args.boards, tick=bar.add):
            measured.append(row)
            print(f"{row.what:80} {row.found:>20}  {row.aim}", flush=True)
    command = f"bridge-env bench --doors --boards {args.boards}"
    return _write(args.out, {"doors.md": doors.markdown(measured, _machine(), command)})


def _scale(args: argparse.Namespace) -> int:
    """Measure the parts of a league, of evolving and of solving, run them on one core and two, foretell the rest."""
    from training.bench import scale, tasks
    from training.running.runs import require

    require("train", "torch", "ray")
    print("measuring the parts of an iteration", file=sys.stderr)
    costs, checks = scale.measure(args.repetitions), []
    for cores in (1, 2):
        config = scale.settings_for(cores)
        print(f"a real run on {cores} core{'s' * (cores > 1)}", file=sys.stderr)
        checks.append((cores, scale.real(cores, config), scale.foretold(costs, cores, config)))
    rows = scale.curve(costs)
    command = f"bridge-env bench --scale --repetitions {args.repetitions}"
    others = tasks.rows(lambda what: print(what, file=sys.stderr))
    page = scale.markdown(costs, rows, checks, _machine(), command, others)
    print(page, end="")
    return _write(args.out, {"scale.md": page}, {"scale.png": partial(scale.plot, rows)})


def _write(out: Path, pages: dict[str, str], plots: Mapping[str, Callable[[Path], object]] | None = None) -> int:
    """Write pages and plots into a folder, and tell their names."""
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
    """Each is measured when it is asked for."""
    from training.bench import own, peers

    for name, settings in own.SETTINGS:
        yield own.tables(name, settings, repetitions)
    for name, settings in own.SETTINGS[:2]:
        yield own.tables(name, settings, repetitions, at_random=True)
    yield own.one_table(repetitions)
    there = {"pgx", "OpenSpiel", "endplay"} - set(peers.missing())
    for batch in (128, 4096, 16384, 65536):
        for threads in (1, 2) if batch > 128 else (1,):
            yield own.vector_env(batch, threads, repetitions)
        if "pgx" in there and batch <= 4096:
            yield peers.pgx(batch, repetitions)
    for threads in (1, 2):
        yield own.vector_env(4096, threads, repetitions, copy=False)
    yield own.single_env(repetitions, learner="all")
    yield own.single_env(repetitions, learner="NS", opponents="random", control="random")
    yield own.single_env(repetitions, learner="NS")
    if "OpenSpiel" in there:
        yield peers.open_spiel(repetitions)
    yield from own.matches(repetitions)
    yield own.library_reads(repetitions)
    for auction in ("1N P", "1S 2H", "1C P 1H P"):
        yield own.sampled_deals(auction, repetitions)
    yield from own.solving(repetitions)
    if "endplay" in there:
        yield from peers.endplay_loops(repetitions)


def _told(rates: Iterable[Rate]) -> list[Rate]:
    """The rates, each printed as it comes."""
    out = []
    for rate in rates:
        out.append(rate)
        words = f"{rate.what:<64} {rate.median:14,.1f} {rate.unit:<12} ({rate.least:,.1f} to {rate.most:,.1f})"
        print(words, flush=True)
    return out
