"""Command line: ``bridge-env read``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
from typing import Any

_EXAMPLES = """\
examples:
  bridge-env read *.pbn                        count the sound boards, and say what is wrong with the others
  bridge-env read --problems old.pbn.gz        list every bad board with its file, line and reason
  bridge-env read match.lin --out match.pbn    convert LIN to PBN, or PBN to LIN
  bridge-env read club.pbn --links             print a web link to each board

A file is LIN if its name ends in .lin (or .lin.gz), otherwise PBN. A bad board does not affect the others.
"""


def add_read(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "read",
        help="read records of play (PBN, LIN), report bad boards, convert",
        description="Read boards one by one; count the sound ones and say what is wrong with the others.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="PBN or LIN, gzipped or not")
    parser.add_argument("--problems", action="store_true", help="list every bad board")
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
    if not report.boards:
        raise ValueError(f"no board could be read from {', '.join(args.files[:3])}{', ...' * (len(args.files) > 3)}")
    if args.out:
        lin = args.out.lower().removesuffix(".gz").endswith(".lin")
        if lin:
            write_lin(args.out, boards)
        else:
            write_boards(args.out, boards)
        print(f"{args.out}: {len(boards):,} boards")
    return 0
