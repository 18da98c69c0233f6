"""Command line: ``bridge-env play``. The handler parses and calls, nothing else."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.cli.arguments import natural, words_of
from training.cli.progress import Bar

PLAYERS = """\
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

_DECEPTIVE = "deceptive?when=always&depth=3&solves=1000000&sure=0&risk=1000"

_EXAMPLES = f"""\
{PLAYERS}
examples:
  bridge-env play                                   watch montecarlo play a board that system:sayc bid
  bridge-env play --board 7 --seat S                take a seat: type cards such as HQ, or ? for help
  bridge-env play --contract "4S N" --deals event.pbn --board 3 --explain
  bridge-env play --declarer montecarlo --defence rule
  bridge-env play --reads policy:champion --boards 300 --player "montecarlo?deals=6"
  bridge-env play --problems tests/problems/deception.pbn --out results/play    compare plain and deceptive cards
"""


def add_play(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "play",
        help="play the hand of a board at the terminal: watch, or take a seat",
        description="Bid a board (or take its contract from --contract), and play its cards, one trick a line.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("--board", type=int, default=1, metavar="N", help="number of the board (1)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the boards and the players (1)")
    parser.add_argument("--deals", metavar="FILE.pbn", help="take the board from this PBN file")
    parser.add_argument("--bidder", metavar="SPEC", default="system:sayc", help="bid with this bidder (system:sayc)")
    parser.add_argument("--contract", metavar="'4S N'", help="play this contract without an auction")
    parser.add_argument("--player", metavar="PLAYER", default="montecarlo", help="card player, see below (montecarlo)")
    parser.add_argument("--declarer", metavar="PLAYER", help="card player for declarer and dummy (--player)")
    parser.add_argument("--defence", metavar="PLAYER", help="card player for the defenders (--player)")
    parser.add_argument("--seat", metavar="SEAT", help="bid and play N, E, S or W yourself (as declarer, dummy too)")
    parser.add_argument("--explain", action="store_true", help="explain each card")
    parser.add_argument("--pbn", metavar="FILE", help="write the board with its play")
    reading = parser.add_argument_group("what the opening leader gains by reading the calls of a bidder")
    reading.add_argument("--reads", metavar="SPEC", help="measure it on --boards training boards that SPEC bids")
    reading.add_argument("--boards", type=int, default=1000, metavar="N", help="number of those boards (1000)")
    reading.add_argument(
        "--beside", metavar="SPEC", help="compare with reading its calls as SPEC's (with not reading them)"
    )
    problems = parser.add_argument_group("problems: boards of a PBN file that are played up to a decision")
    problems.add_argument(
        "--problems", metavar="FILE.pbn", help="compare the cards of --player and --deceptive on each problem"
    )
    problems.add_argument("--deceptive", metavar="PLAYER", default=_DECEPTIVE, help=f"the other player ({_DECEPTIVE})")
    problems.add_argument(
        "--seeds", type=natural, default=5, metavar="N", help="number of times to play each board (5)"
    )
    problems.add_argument("--out", metavar="FOLDER", type=Path, help="write problems.md to this folder")
    parser.set_defaults(handler=_play)


def _judge_reading(args: argparse.Namespace) -> int:
    from training.cardplay.reading import judge_reading

    with Bar(args.boards, "board", brief=True) as bar:
        found = judge_reading(args.reads, args.beside, args.player, args.boards, args.seed, progress=bar.add)
    print(f"{args.player}, {len(found.imps):,} opening leads, calls of {args.reads} read, and read as {args.beside}")
    for name, read, otherwise, gain, error in found.rows():
        print(f"  {name:<12} {read:8.3f} {otherwise:8.3f} {gain:+8.3f} ± {error:.3f}")
    return 0


def _solve_problems(args: argparse.Namespace) -> int:
    from training.cardplay.problem_page import problem_page, summary
    from training.cardplay.problems import read_problems, solve_problems

    problems = read_problems(args.problems)
    with Bar(len(problems), "problem", brief=True) as bar:
        solved = solve_problems(
            problems, args.player, args.deceptive, args.bidder, seed=args.seed, seeds=args.seeds, progress=bar.add
        )
    print(summary(solved))
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        usual = {"player": "montecarlo", "deceptive": _DECEPTIVE, "bidder": "system:sayc", "seed": 1, "seeds": 5}
        words = ["bridge-env", "play", "--problems", args.problems, "--out", str(args.out), *words_of(args, usual)]
        page = problem_page(solved, shlex.join(words), args.player, args.deceptive, args.bidder)
        atomic_write(args.out / "problems.md", page)
    return 0


def _play(args: argparse.Namespace) -> int:
    if args.reads is not None:
        return _judge_reading(args)
    if args.problems is not None:
        return _solve_problems(args)
    from training.cardplay.person import Left
    from training.cardplay.table import Setup, play_board

    setup = Setup(
        board=args.board,
        seed=args.seed,
        deals=args.deals,
        bidder=args.bidder,
        contract=args.contract,
        declarer=args.declarer or args.player,
        defence=args.defence or args.player,
        seat=args.seat,
        explain=args.explain,
        pbn=args.pbn,
    )
    try:
        play_board(setup)
    except Left as left:
        print(left)
    return 0
