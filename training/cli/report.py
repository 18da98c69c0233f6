"""Command line: ``bridge-env report``. The handler parses and calls, nothing else."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write

_EPILOG = """\
examples:
  bridge-env report results/evolve/*                          print a table of all runs of self-play
  bridge-env report results/evolve/a results/evolve/b --out results/compared
                                                              write README.md and learning_curves.png to a folder

The table also shows unfinished runs, without their gain: only a finished run is judged.
"""


def add_report(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "report",
        help="compare runs of self-play: settings, gains, learning curves",
        description="Compare runs of 'bridge-env evolve': their settings, how long they took, and what they gained\n"
        "on boards that training never saw.",
        epilog=_EPILOG,
    )
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path, help="run folder")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="also write README.md and the plot into this folder")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Print the table; write the page and the plot if ``--out`` asks for them."""
    from training.evolve import report

    found = _read(args.folders)
    print(report.text(found))
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        report.plot(found, args.out / report.CURVES)
        command = shlex.join(["bridge-env", "report", *map(str, args.folders), "--out", str(args.out)])
        atomic_write(args.out / "README.md", report.markdown(found, command))
        print(f"\nwritten: {args.out / 'README.md'}, {args.out / report.CURVES}")
    return 0


def _read(folders: list[Path]) -> list[Any]:
    """Read the runs; leave out empty ones unless all are empty."""
    from training.evolve import report
    from training.running import runs

    found, empty = [], []
    for folder in folders:
        if len(folders) > 1 and not runs.has_begun(folder):
            empty.append(folder)
        else:
            found.append(report.read_run(folder))
    for folder in empty:
        print(f"left out: {folder} holds no run with a finished generation", file=sys.stderr)
    if not found:
        raise runs.RunError(f"none of {len(folders)} folders holds a run with a finished generation")
    return found
