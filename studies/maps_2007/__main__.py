"""``python -m studies.maps_2007 FILE…``: let maps play boards with a no-trump opener, and write the table."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.maps_2007 import report, study
from training.cli.progress import Bar
from training.running import runs


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.maps_2007",
        description="Repeat BridgeSOM (2007): play 1NT openers' deals against the maps' teacher and system:sayc.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="maps (.npz) of 'bridge-env fit maps'")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (1)")
    parser.add_argument("--out", type=Path, default=Path("results/maps/study-2007"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    found = []
    try:
        with Bar(len(args.files), "system", "matches", brief=True) as bar:
            for path in args.files:
                found.append(study.studied(path, args.seed))
                bar.add()
    except (ValueError, OSError) as error:
        parser.error(str(error))
    args.out.mkdir(parents=True, exist_ok=True)
    command = shlex.join(["python", "-m", "studies.maps_2007", *map(str, args.files)])
    report.write(args.out, found, command, runs.manifest({"seed": args.seed}, ""))
    for row in found:
        print(report.line(row))
    print(f"written: {args.out}/README.md, results.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
