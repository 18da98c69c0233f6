"""``bridge-env check``: the arguments and the calls."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

_EPILOG = """\
examples:
  bridge-env check mine.bidding
  bridge-env check *.bidding

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
    parser.add_argument("files", metavar="FILE.bidding", nargs="+", type=Path, help="a bidding system")
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from agents.hierarchy.checking import check_system

    faulty = False
    for path in args.files:
        found = check_system(path)
        for finding in found:
            print(f"{path}:{finding.line}: {'' if finding.fault else 'note: '}{finding.text}")
        faults = sum(finding.fault for finding in found)
        faulty |= bool(faults)
        print(f"{path}: {'sound' if not faults else f'{faults} faults'}, {len(found) - faults} notes", file=sys.stderr)
    return 2 if faulty else 0
