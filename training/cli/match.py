"""``bridge-env match``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.files import atomic_write
from training.cli.arguments import SPECS, add_board_options, boards_of, positive
from training.cli.config import add_config_file
from training.cli.progress import Bar
from training.cli.terminal import write_json

if TYPE_CHECKING:
    from training.cardplay.result import PlayedMatch
    from training.match.duplicate import MatchResult

_EXAMPLES = f"""\
{SPECS}
examples:
  bridge-env match system:sayc pass
  bridge-env match reason:sayc system:sayc --boards 500 --workers 2
  bridge-env match system:mine.bidding system:sayc --boards 10000 --seed 2 --json result.json
  bridge-env match policy:champion system:sayc --boards 5000 --report match.html
  bridge-env match python:mybots:make_bot system:sayc --deals event.pbn --scoring mp
  bridge-env match system:sayc system:sayc --boards 50 --play montecarlo --play-b rule --keep match.jsonl --workers 2
  bridge-env match system:sayc system:sayc --boards 900 --play deceptive+montecarlo --play-b montecarlo --only down-1

Every board is bid twice: A sits North-South at one table and East-West at the other; B sits in the other seats.
The score is A's gain in IMPs at exact double-dummy tricks. Without --deals, the match uses solved boards that
training never sees. With --play, card players also play each hand, seeing only what a player may see. The score at
the tricks taken is then printed beside the double-dummy score.

A PLAYER plays cards:
  montecarlo              plays the best card on average over sampled deals, each solved double dummy
  montecarlo?deals=80     options: deals, score=imps|points|tricks, inference=facts|auction|all,
                          lead=convention|solved
  montecarlo?lead=solved  the plain algorithm: leads are chosen as any other card
  deceptive               plays the best card if the next opponent plays for the deals that seem possible to it
  deceptive?when=always   also where the contract can be made; real, imagined, depth, lines, solves limit the search
  deceptive?sure=2&risk=0 only if it gains two standard errors and costs nothing when seen through (1, 0.3)
  rule                    rules of thumb, quick
  random                  any legal card
  seat:URL                another program, asked over HTTP: seat:http://127.0.0.1:8085
  python:module:factory   your own: factory() gives an object with play(view, key)
  deceptive+montecarlo    the first where its side declares, the second where it defends
"""


def add_match(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "match",
        help="play a duplicate match of two bidders; report IMPs per board and standard error",
        description="Play a duplicate match of teams of four, A against B.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("a", metavar="A", help="SPEC of the first team, see below")
    parser.add_argument("b", metavar="B", help="SPEC of the second team")
    add_board_options(parser, "1000, or all of FILE.pbn")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="write the result and a row for every board; -: to standard output"
    )
    parser.add_argument("--report", metavar="FILE.html", type=Path,
                        help="write a page: where the IMPs were won and lost, and boards to click through")  # fmt: skip
    parser.add_argument("--scoring", choices=("imps", "mp", "points"), default="imps",
                        help="report IMPs (the default), or matchpoints or points as well")  # fmt: skip
    parser.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="number of processes; does not change the result (1)"
    )
    parser.add_argument(
        "--keep", metavar="FILE", type=Path,
        help="save each board to this file, and resume from it: its auctions, or with --play its cards",
    )  # fmt: skip
    play = parser.add_argument_group("playing the hands")
    play.add_argument("--play", metavar="PLAYER", help="play every hand with this card player, see below")
    play.add_argument("--play-b", metavar="PLAYER", help="card player for B (the same)")
    play.add_argument(
        "--only",
        choices=("all", "makes", "down-1", "down-more"),
        default="all",
        help="play only boards whose contract makes, or goes down, double dummy at both tables (all)",
    )
    add_config_file(parser)
    parser.set_defaults(handler=_match)


def _match(args: argparse.Namespace) -> int:
    from training.match.board_text import match_text
    from training.match.duplicate import match, seat_teams

    seat_teams(args.a, args.b)  # a faulty spec is an error before any work
    if args.play is None and (args.play_b or args.only != "all"):
        raise ValueError("--play-b and --only go with --play")
    for option in ("keep", "json", "report"):
        path = getattr(args, option)
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"--{option} {path}: there is no folder {path.parent}")
    boards = boards_of(args, 1000)
    args.kept = args.keep, args.again
    with Bar(len(boards), "board", brief=True) as bar:
        result = match(
            args.a, args.b, boards, args.seed, scoring=args.scoring, workers=args.workers,
            log=args.keep if args.play is None else None, progress=bar.add,
        )  # fmt: skip
    print(match_text(result))
    played = _play_hands(args, result) if args.play is not None else None
    if args.json is not None:
        _write_json(args, result, played)
    if args.report is not None:
        _write_report(args.report, result, played)
    return 0


def _play_hands(args: argparse.Namespace, result: MatchResult) -> PlayedMatch:
    from training.cardplay.match import Teams, play_hands
    from training.cardplay.result import boards_of_fate

    teams = Teams((args.a, args.b), (args.play, args.play_b or args.play))
    rows = boards_of_fate(result, args.only)
    if not len(rows):
        raise ValueError(f"none of {len(result.boards)} boards fits --only {args.only}; ask for more --boards")
    with Bar(len(rows), "board", brief=True) as bar:
        played = play_hands(result, teams, rows=rows, log=args.keep, workers=args.workers, progress=bar.add)
    print(played)
    return played


def _write_json(args: argparse.Namespace, result: MatchResult, played: PlayedMatch | None) -> None:
    content = {**result.summary(), "rows": result.rows()}
    if played is not None:
        content["play"] = {**played.summary(), "rows": played.rows()}
    write_json(args, content)


def _write_report(path: Path, result: MatchResult, played: PlayedMatch | None) -> None:
    from training.match.report.page import report

    with Bar(None, "board", "report", brief=True) as bar:
        made = report(result, played, progress=bar.add)
    atomic_write(path, made.page)
    print(f"{path}: a page with {made.kept:,} of {made.boards:,} boards")
