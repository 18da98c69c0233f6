"""``bridge-env check``: read bidding systems and list their faults."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

_EPILOG = """\
examples:
  bridge-env check mine.bidding
  bridge-env check *.bidding
  bridge-env check sayc

The command lists all faults at once, with their line numbers: lines that it cannot read, lines that no auction reaches,
duplicate lines, and lines that no hand reaches because the lines above them take every hand. A system with a fault of
the first two kinds cannot be used; the exit code is then 2.
"""


def add_check(subparsers: Any) -> None:
    """Add ``bridge-env check``."""
    parser = subparsers.add_parser(
        "check",
        help="list everything that is wrong with a bidding system",
        description="Read bidding systems and list all their faults at once.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="a bidding system: FILE.bidding, or a shipped one such as sayc"
    )
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from agents.hierarchy.checking import check_system

    faulty = False
    for path in [_file(system) for system in args.systems]:
        found = check_system(path)
        for finding in found:
            print(f"{path}:{finding.line}: {'' if finding.fault else 'note: '}{finding.text}")
        faults = sum(finding.fault for finding in found)
        faulty |= bool(faults)
        print(f"{path}: {'sound' if not faults else f'{faults} faults'}, {len(found) - faults} notes", file=sys.stderr)
    return 2 if faulty else 0


def _file(system: str) -> Path:
    """Where a system lies; what exists but is no plain file, such as a pipe, is left to whoever reads it.

    Raises:
        SpecError: there is no such system, or this is a bidder of another kind.
    """
    from agents.hierarchy.shipped import shipped_systems, system_path
    from bridge_env.bidders import SpecError, full_spec

    if system not in shipped_systems() and (path := Path(system)).exists():
        return path
    head, _, argument = full_spec(system).partition(":")
    if head != "system":
        raise SpecError(f"{system!r} is no bidding system; give a file, as mine.bidding, or a shipped one, as sayc")
    return system_path(argument)
