"""``python -m studies.tricks_2008``: train the networks of the study, and write its tables."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from studies.tricks_2008 import report, rows
from training.cli.progress import Bar
from training.running import runs

_EXAMPLES = """\
examples:
  python -m studies.tricks_2008                          the whole study, about an hour of one core
  python -m studies.tricks_2008 --deals 4000 --epochs 50 --out trial
  python -m studies.tricks_2008 --rows 52x4-13 52x4-26   these networks only

Ctrl-C loses at most a network. The same command goes on where it stopped, and --rows adds to what is there.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.tricks_2008",
        description="Train the networks of the study of 2008, and judge them on deals they never saw.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="repeat only these networks (all)")
    parser.add_argument(
        "--workers", type=int, metavar="N", default=os.cpu_count() or 1,
        help="number of processes, one thread each (all cores)",
    )  # fmt: skip
    parser.add_argument("--library", metavar="FILE", help="library of solved deals (the one in the package)")
    parser.add_argument("--deals", type=int, metavar="N", help="maximum number of training deals (all)")
    parser.add_argument("--epochs", type=int, metavar="N", help="passes over the deals (by the network's size)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (0)")
    parser.add_argument("--out", type=Path, default=Path("results/estimators/study-2008"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    try:
        rows.jobs(args.rows)  # a wrong name is told before anything is loaded
        if find_spec("torch") is None:
            raise runs.RunError('torch is not installed; install it: pip install -e ".[rl]" -c constraints.txt')
        return _run(args)
    except (ValueError, OSError) as error:
        parser.error(str(error))


def _run(args: argparse.Namespace) -> int:
    from studies.tricks_2008 import study

    settings = study.Settings(args.deals, args.epochs, args.seed, args.library)
    with Bar(what="training") as bar:
        try:
            study.run(settings, args.out, args.rows, args.workers, bar.share)
        except KeyboardInterrupt:
            bar.close()
            print(f"\nstopped; finished networks are stored in {args.out}. The same command goes on.", file=sys.stderr)
            return 130
    found = study.results(args.out)
    deals = found[0]["settings"]["library_sha256"]
    report.write(args.out, found, runs.manifest(asdict(settings), deals), _command(args))
    print(report.verdict({record["network"]: record for record in found}))
    print(f"written: {args.out}/README.md, results.json, study.png")
    return 0


def _command(args: argparse.Namespace) -> str:
    """Write the command without the options that do not affect the figures."""
    words = ["python", "-m", "studies.tricks_2008"]
    for name, default in (("library", None), ("deals", None), ("epochs", None), ("seed", 0)):
        if getattr(args, name) != default:
            words += [f"--{name}", str(getattr(args, name))]
    return shlex.join(words)


if __name__ == "__main__":
    sys.exit(main())
