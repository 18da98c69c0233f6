"""Command line: ``bridge-env read``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import sys
from typing import Any

Subparsers = Any  # argparse keeps the type of add_subparsers() private

_EXAMPLES = """\
examples:
  bridge-env read *.pbn                        how many boards can be read, and what the others suffer from
  bridge-env read --problems old.pbn.gz        every bad board with its file, line and reason
  bridge-env read match.lin --out match.pbn    the boards of LIN files as PBN, or of PBN files as LIN
  bridge-env read club.pbn --links             a link for each board that shows it in a web page

A file is LIN if its name ends in .lin (or .lin.gz), else PBN. A bad board costs itself alone.
"""


def add_read(subparsers: Subparsers) -> None:
    """Add ``bridge-env read``."""
    parser = subparsers.add_parser(
        "read",
        help="read records of play (PBN, LIN), report bad boards, convert",
        description="Read boards one by one; tell how many are sound and why the others are not.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="PBN or LIN, gzipped or not")
    parser.add_argument("--problems", action="store_true", help="list everything that was left out")
    parser.add_argument("--out", metavar="FILE", help="write the sound boards here: LIN if it ends in .lin, else PBN")
    parser.add_argument(
        "--links", action="store_true", help="print a link to Bridge Base Online's viewer for each board"
    )
    parser.set_defaults(handler=_read)


def _read(args: argparse.Namespace) -> int:
    from bridge_env.records.board import Board
    from bridge_env.records.lin import viewer_link, write_lin
    from bridge_env.records.pbn import write_boards
    from bridge_env.records.read import Report, iter_records

    report, boards = Report(), []
    for path in args.files:
        report.files += 1
        for item in iter_records(path):
            report.add(item)
            if isinstance(item, Board) and args.links:
                print(viewer_link(item))
            if isinstance(item, Board) and args.out:
                boards.append(item)
    if args.problems:
        for problem in report.problems:
            print(problem)
    print(report)
    if not report.read:
        raise ValueError(f"no board could be read from {', '.join(args.files[:3])}{', ...' * (len(args.files) > 3)}")
    if args.out:
        lin = args.out.lower().removesuffix(".gz").endswith(".lin")
        if lin:
            for board, why in write_lin(args.out, boards):
                place = f"board {board.number}" if board.number else "a board"
                print(f"{args.out}: {place} (line {board.line}) is written without its play: {why}", file=sys.stderr)
        else:
            write_boards(args.out, boards)
        print(f"{args.out}: {len(boards):,} boards")
    return 0
