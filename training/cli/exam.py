"""``bridge-env exam``: put positions of the textbook exam to bidders, and print what they score."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from training.cli.terminal import write_json

_EPILOG = """\
examples:
  bridge-env exam system:sayc system:two-over-one          print the score by area
  bridge-env exam system:mine.bidding --wrong              list every wrong answer, with the reason
  bridge-env exam policy:champion --area openings slam     ask in these areas only
  bridge-env exam system:mine.bidding --file mine.exam     sit another exam: a file, or a folder of .exam files

The textbook exam holds positions in which books on five-card majors agree, with the calls that they accept: ten points
for a best call, five for a reasonable one. Some positions are for Standard American (sayc) or two over one (2/1) only.
The header of a system names its key; without one, either answer counts. A system is asked only what it has the
conventions for, as the notes of its lines name them. All four seats play the bidder's system. The
exam measures agreement with the books, not strength: a system of another family follows its own books.
"""


def add_exam(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "exam",
        help="compare a bidder's calls with the textbooks",
        description="Let bidders answer the textbook exam, and print their scores by area.",
        epilog=_EPILOG,
    )
    parser.add_argument("specs", nargs="+", metavar="SPEC", help="the bidders ('bridge-env match --help' lists them)")
    parser.add_argument(
        "--key", choices=("sayc", "2/1", "all"), help="use this key (default: the one that the system names)"
    )
    parser.add_argument("--area", nargs="+", metavar="AREA", help="ask in these areas only; a wrong name lists them")
    parser.add_argument("--file", nargs="+", metavar="FILE", type=Path, help="sit this exam instead of the textbook's")
    parser.add_argument("--wrong", action="store_true", help="list the wrong answers, with the reasons")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="write scores and answers to this file too; -: to standard output"
    )
    parser.set_defaults(handler=_run)


def _run(args: argparse.Namespace) -> int:
    from training.exam.report import wrong_text
    from training.exam.run import ExamConfig, exam

    result = exam(ExamConfig(args.specs, args.key, args.area or (), args.file or ()))
    print("\n\n".join([str(result), *(wrong_text(paper) for paper in result.papers if args.wrong)]))
    if args.json is not None:
        write_json(args, result.record())
    return 0
