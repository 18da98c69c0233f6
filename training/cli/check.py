"""``bridge-env check``: read bidding systems and list their faults."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.cli.progress import Bar

if TYPE_CHECKING:
    from agents.hierarchy.lint import Finding

_EPILOG = """\
examples:
  bridge-env check mine.bidding
  bridge-env check *.bidding
  bridge-env check --sound sayc
  bridge-env check --sound mine.bidding --mend better.bidding
  bridge-env check --sound mine-amended.bidding --base mine.bidding --mend sound.bidding

The command lists all faults at once, with their line numbers: lines that it cannot read, lines that no auction reaches,
duplicate lines, lines that no hand fits, alone or after the calls of their auction, and lines that no hand reaches
because the lines above them take every hand. For a system with a base, it lists what depends on changed calls. A
system with a fault of the first two kinds cannot be used; the exit code is then 2.

With --sound, the command tries thousands of hands of all kinds at every position of the system's tree (half a minute).
It lists what no pair would agree to play:
- a label that its hands do not keep ("take-out" without shape, "values" without points);
- a suit bid on a doubleton that is not a named convention, an artificial call without a name;
- a call that forces with one hand and not with another, an asking call that partner may pass;
- a weak opening in fourth seat, on a bad suit, or alike at every vulnerability; a better suit that is bid lower;
- 6NT or 7NT on fewer points than the quantitative raise asks for;
- a line that no hand reaches after the calls of its auction, or that answers a call which partner never makes.
The exit code is 1 if anything is found. --mend writes the system without the lines that no hand reaches. With --base,
the system from which it was changed, it also takes back the changes that are unsound.
"""


def add_check(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "check",
        help="list everything that is wrong with a bidding system",
        description="Read bidding systems and list all their faults at once.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="a bidding system: FILE.bidding, or a shipped one such as sayc"
    )
    parser.add_argument("--sound", action="store_true", help="list unsound bidding too, see below")
    parser.add_argument(
        "--mend", type=Path, metavar="FILE", help="write SYSTEM to FILE without the lines that no hand reaches"
    )
    parser.add_argument("--base", metavar="SYSTEM", help="with --mend: take back unsound changes made to this system")
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from agents.hierarchy.lint import check_system, sound_findings

    paths = [_file(system) for system in args.systems]
    if args.base is not None and args.mend is None:
        raise ValueError("--base says what to take back; --mend FILE says where to write the system")
    if args.mend is not None and len(paths) != 1:
        raise ValueError(f"--mend writes one system; {len(paths)} are given")
    worst = 0
    for path in paths:
        found = check_system(path)
        faults = sum(finding.fault for finding in found)
        _tell(path, found)
        notes = len(found) - faults
        if args.sound and not faults:
            with Bar(what="looking at positions", brief=True) as bar:
                unsound = sound_findings(path, lambda done, of: bar.share(done / of))
            _tell(path, unsound)
            print(f"{path}: {len(unsound)} unsound, {notes} notes", file=sys.stderr)
            worst = max(worst, int(bool(unsound)))
        else:
            print(f"{path}: {f'{faults} faults' if faults else 'no faults'}, {notes} notes", file=sys.stderr)
        worst = max(worst, 2 * bool(faults))
    if args.mend is not None and worst < 2:
        _mend(paths[0], args.mend, None if args.base is None else _file(args.base))
    return worst


def _tell(path: Path, found: list[Finding]) -> None:
    for finding in found:
        print(f"{finding.file or path}:{finding.line}: {'' if finding.fault else 'note: '}{finding.text}")


def _mend(path: Path, out: Path, base: Path | None) -> None:
    from agents.hierarchy.language.text import load_system, system_text
    from agents.hierarchy.shipped import with_general
    from agents.hierarchy.sound.mend import as_sound_as, without_dead
    from bridge_env.files import atomic_write

    own = load_system(path)
    mended = with_general(own)
    if base is not None:
        with Bar(what="taking back what is unsound", brief=True) as bar:
            mended, back = as_sound_as(with_general(load_system(base)), mended, lambda done, of: bar.share(done / of))
        for what in back:
            print(f"taken back: {what}")
    with Bar(what="dropping lines", brief=True) as bar:
        mended = without_dead(mended, lambda done, of: bar.share(done / of))
    atomic_write(out, system_text(mended if own.blocks else replace(mended, blocks=())))
    print(f"{out}: written", file=sys.stderr)


def _file(system: str) -> Path:
    """Where a system lies; what exists but is no plain file, such as a pipe, is left to whoever reads it."""
    from agents.hierarchy.shipped import shipped_systems, system_path
    from bridge_env.bidders import SpecError, full_spec

    if system not in shipped_systems() and (path := Path(system)).exists():
        return path
    head, _, argument = full_spec(system).partition(":")
    if head != "system":
        raise SpecError(f"{system!r} is no bidding system; give a file, as mine.bidding, or a shipped one, as sayc")
    return system_path(argument)
