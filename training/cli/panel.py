"""``bridge-env panel``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.files import atomic_write
from training.cli.arguments import add_allowance, allowance_of, whole
from training.cli.config import add_config_file
from training.cli.progress import Bar
from training.cli.terminal import left_out, write_json

if TYPE_CHECKING:
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
after Ctrl-C or a bidder's fault. --where shows which decisions won and lost the match: it groups boards by the first
call that differs between the two tables. Code words are artificial calls of the bidder's side: a bid of a suit with
fewer than four cards in it (three to raise partner's suit), a double up to the three level, a redouble, and a 2C
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
    add_allowance(parser)
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from bridge_env.bidders import make
    from training.match import panel, truth, where
    from training.running import lock

    listed = [(panel.group_of(s), s) for s in args.against] if args.against else panel.opponents()
    for spec in (args.spec, *filter(None, [args.over]), *(s for _, s in listed)):
        make(spec)  # a faulty spec is told before anything is played
    if args.truth:
        truth.book_behind(args.spec)  # or it is told now
    told: list[str] = []
    failed: list[str] = []
    allowance = allowance_of(args)
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        lock.hold(args.out)

    def heard(match: Any) -> None:
        if args.where:
            found = where.differences(match)
            told.append(where.table_text(match.b, where.by_kind(match, found), where.by_calls(match, found)))

    matches = sum(opponent != args.spec for _, opponent in listed) * (2 if args.over else 1)
    kept = args.out / "panel.json" if args.out is not None and not args.where else None
    args.kept = kept, args.again
    with Bar(args.boards * matches, "board") as bar:
        lines = panel.panel(
            args.spec, listed, args.boards, args.seed, over=args.over, workers=args.workers, kept=kept,
            allowance=allowance, progress=shows(bar), heard=heard, failed=failed.append,
        )  # fmt: skip
    left_out(failed)
    if not lines:
        raise ValueError(f"no match of {args.spec} came to its end")
    print(f"{args.spec}, {args.boards:,} judging boards, seed {args.seed}\n")
    if args.truth:
        told.append("\n".join(truth.lines_of(args.spec, args.boards, args.seed)))
    print("\n\n".join([panel.table_text(lines), *told]))
    if args.out is not None:
        atomic_write(args.out / ("where.md" if args.where else "panel.md"), "\n".join(_page(args, lines, told)))
    if args.json is not None:
        rows = [vars(line) for line in lines]
        write_json(args, {"spec": args.spec, "seed": args.seed, "lines": rows})
    return 0


def _page(args: argparse.Namespace, lines: Sequence[Line], told: Sequence[str]) -> list[str]:
    """The lines as a page, with the command that made it."""
    from training.match import panel
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
    page = [title, "", f"Made by `{command}`; {how}.", "", *panel.markdown(lines), ""]
    return page + [part for text in told for part in ("```text", text, "```", "")]


def shows(bar: Bar) -> Callable[[str, int], None]:
    """Return a function that shows the current opponent and the boards played on ``bar``."""

    def tick(opponent: str, boards: int) -> None:
        bar.say(opponent)
        bar.add(boards)

    return tick
