"""``bridge-env fit cases --retain``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from training.cli.progress import Bar


def run(args: argparse.Namespace) -> int:
    """Let a base bid training boards, keep what it learns, and judge it before and after."""
    if len(args.files) != 1:
        raise ValueError("--retain takes one case base, such as mine/cases.npz")
    from agents.cases import file
    from training.cases import report, retain
    from training.match.boards import library_boards
    from training.running import runs

    boards, judged, seed = args.boards or 4000, args.judge or 5000, args.seed or 1
    base = file.load(args.files[0])
    out = args.out or runs.new_folder(Path("results"), "cases", None)
    out.mkdir(parents=True, exist_ok=True)
    with Bar(what="retaining", brief=True) as bar:
        after = retain.retained(base, args.retain, library_boards(boards, seed, "training"), seed, bar.share)
    file.save(after, out / "cases.npz")
    print(f"{len(after.retained) - len(base.retained):,} states retained; judging", file=sys.stderr)
    found = report.gain_of(base, after, args.retain, judged, seed)
    words = ["bridge-env", "fit", "cases", "--retain", args.retain, args.files[0].name]
    words += [f"--{name}={getattr(args, name)}" for name in ("boards", "judge", "seed") if getattr(args, name)]
    command = shlex.join(words)
    match = {"opponents": args.retain, "seed": seed, "boards": judged}
    report.write_retained(out, after, found, match, command, runs.manifest({"command": command, **after.fitted}, ""))
    gain, error = found["gain"]
    print(f"against {args.retain}, {judged:,} boards: {gain:+.3f} ± {error:.3f} IMPs a board by retaining")
    print(f"written: {out / 'cases.npz'}, README.md, results.json")
    return 0
