"""``bridge-env panel``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.files import atomic_write
from training.cli.arguments import whole
from training.cli.config import add_config_file
from training.cli.progress import Bar
from training.cli.terminal import write_json

if TYPE_CHECKING:
    from training.match.duplicate import MatchResult
    from training.match.panel import Line

_EPILOG = """\
examples:
  bridge-env panel system:two-over-one                     play against all: some minutes
  bridge-env panel policy:champion --workers 2 --out results/panel/champion
  bridge-env panel policy:mine/policy.npz --against policy:polish system:sayc --boards 5000
  bridge-env panel system:sayc --against policy:polish --where
  bridge-env panel policy:by-the-book --against policy:humans --truth
  bridge-env panel reason:policy:champion --over policy:champion --against policy:humans --boards 1000 --workers 2

Strangers are networks that learned from the auctions of other programs or of people. Gatekeepers are strangers that
serve only to judge: no run trains against them. With --out, finished lines are saved, and the same command continues
after Ctrl-C or an error of a bidder. --where shows which decisions won and lost the match: it groups boards by the
first call that differs between the two tables. Code words are artificial calls of the bidder's side: a bid of a suit
with fewer than four cards in it (three to raise partner's suit), a double up to the three level, a redouble, and a 2C
opening or response to 1NT with fewer than five clubs.
"""


def add_panel(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "panel",
        help="play a bidder against all strangers and the shipped systems",
        description="Play a bidder against all strangers and the shipped systems, on boards that training never sees.",
        epilog=_EPILOG,
    )
    parser.add_argument("spec", metavar="SPEC", help="the bidder ('bridge-env match --help' lists them)")
    parser.add_argument("--against", nargs="+", metavar="SPEC", help="play only these opponents (the whole panel)")
    parser.add_argument("--boards", type=whole(2), default=20_000, help="judging boards against each opponent (20000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the boards (1)")
    parser.add_argument("--workers", type=int, default=1, help="number of processes (1)")
    parser.add_argument(
        "--over", metavar="SPEC", help="let this bidder play the same boards, and report the gain over it"
    )
    parser.add_argument("--where", action="store_true", help="split each result by the first call that differed")
    parser.add_argument(
        "--truth", action="store_true", help="also report the share of hands that are what they showed by the book"
    )
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="also write the lines to this file; -: to standard output"
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, help="keep finished lines in this folder, and resume from it"
    )
    add_config_file(parser)
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from training.match import first_difference, system_consistency
    from training.match.panel import opponents, panel
    from training.running import lock

    if args.truth:
        system_consistency.book_behind(args.spec)  # a bidder without a book is an error before anything is played
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        lock.hold(args.out)
    sections: list[str] = []

    def split(match: MatchResult) -> None:
        if args.where:
            found = first_difference.differences(match)
            kinds, calls = first_difference.by_kind(match, found), first_difference.by_calls(match, found)
            sections.append(first_difference.table_text(match.b, kinds, calls))

    against = args.against or [opponent for _, opponent in opponents()]
    matches = sum(opponent != args.spec for opponent in against) * (2 if args.over else 1)
    log = args.out / "panel.json" if args.out is not None and not args.where else None
    args.kept = log, args.again
    with Bar(args.boards * matches, "board") as bar:
        result = panel(
            args.spec, against, args.boards, args.seed, over=args.over, workers=args.workers, log=log,
            progress=shows(bar), each=split,
        )  # fmt: skip
    if args.truth:
        sections.append("\n".join(system_consistency.lines_of(args.spec, args.boards, args.seed)))
    print("\n\n".join([str(result), *sections]))
    if args.out is not None:
        name = "where.md" if args.where else "panel.md"
        atomic_write(args.out / name, "\n".join(_page(args, result.lines, sections)))
    if args.json is not None:
        write_json(args, {"spec": args.spec, "seed": args.seed, "lines": [vars(line) for line in result.lines]})
    return 0


def _page(args: argparse.Namespace, lines: Sequence[Line], sections: Sequence[str]) -> list[str]:
    """Return the lines as a page, with the command that made it."""
    from training.match.panel import markdown
    from training.running.runs import portable

    command = " ".join([
        f"bridge-env panel {portable(args.spec)}",
        *([f"--over {portable(args.over)}"] if args.over else []),
        *(["--against", *map(portable, args.against)] if args.against else []),
        *(["--truth"] if args.truth else []),
        *(["--where"] if args.where else []),
        f"--boards {args.boards} --seed {args.seed}",
    ])  # fmt: skip
    how = "judging boards, duplicate, dealer and vulnerability by board number, exact double-dummy tricks"
    title = f"# {portable(args.spec)} against the panel"
    page = [title, "", f"Made by `{command}`; {how}.", "", *markdown(lines), ""]
    return page + [part for text in sections for part in ("```text", text, "```", "")]


def shows(bar: Bar) -> Callable[[str, int], None]:
    """Return a function that shows the current opponent and the boards played on ``bar``."""

    def tick(opponent: str, boards: int) -> None:
        bar.say(opponent)
        bar.add(boards)

    return tick
