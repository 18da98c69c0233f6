"""``python -m tests.reliability``: try everything, print the table, write the page."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bridge_env.files import atomic_write
from tests.reliability.report import markdown, text
from tests.reliability.study import Settings, rows
from training.cli.arguments import above_0, natural, positive
from training.running.runs import portable

_EXAMPLES = """\
examples:
  python -m tests.reliability                            some minutes on one core
  python -m tests.reliability --cases 20000 --kills 10   an hour
  python -m tests.reliability --soak 30                  half an hour: does memory grow?
  python -m tests.reliability --only PBN LIN --seed 7    some rows, other cases
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return 1 if a case failed, else 0."""
    usual = Settings()
    parser = argparse.ArgumentParser(
        prog="python -m tests.reliability",
        description="Try damaged files, misuse, kills, full disks and odd requests; count what fails.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--cases", type=positive, default=usual.cases, help=f"cases of the quickest rows ({usual.cases})"
    )
    parser.add_argument("--kills", type=natural, default=usual.kills, help=f"kills of each command ({usual.kills})")
    parser.add_argument("--seed", type=natural, default=usual.seed, help=f"random seed of all cases ({usual.seed})")
    parser.add_argument("--only", nargs="+", default=(), metavar="PART", help="try only rows whose name holds a PART")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write README.md and table.json to this folder")
    parser.add_argument(
        "--soak", type=above_0, metavar="MINUTES",
        help="let env, evolve, league, server and table work for so long instead, and report how their memory grows",
    )  # fmt: skip
    args = parser.parse_args(argv)
    words = sys.argv[1:] if argv is None else list(argv)
    command = shlex.join(["python", "-m", "tests.reliability", *map(portable, words)])
    if args.soak is not None:
        return _soak(args.soak, args.out, command)
    settings = Settings(args.seed, args.cases, args.kills, tuple(args.only))
    began = time.perf_counter()
    found = rows(settings, lambda row: print(text(row), flush=True))
    failed = sum(row.failed for row in found)
    print(f"{failed:,} of {sum(row.tried for row in found):,} cases failed")
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        page = markdown(found, settings, command, (time.perf_counter() - began) / 60)
        atomic_write(args.out / "README.md", page)
        content = {"seed": settings.seed, "rows": [row.as_json() for row in found]}
        atomic_write(args.out / "table.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return 1 if failed else 0


def _soak(length: float, out: Path | None, command: str) -> int:
    """Run the soak; return 1 if memory grew too much, else 0."""
    from tests.reliability import soak

    found = soak.soak(length, print)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        atomic_write(out / "soak.md", soak.markdown(found, command))
        atomic_write(out / "soak.json", json.dumps([growth.as_json() for growth in found], indent=1) + "\n")
    return int(any(growth.growth > soak.MOST for growth in found))


if __name__ == "__main__":
    sys.exit(main())
