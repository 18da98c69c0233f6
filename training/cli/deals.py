"""``bridge-env deal``, ``solve`` and ``library``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from bridge_env import cards
from bridge_env.optional_dependencies import how_to_install
from training.cli.arguments import add_address, natural, positive, words_of
from training.cli.progress import Bar
from training.running.cluster import Cluster, installed

_FEW = 200  # deals that are solved before Ray has started


_DEAL_EXAMPLES = """\
examples:
  bridge-env deal                            one random deal
  bridge-env deal --n 4 --seed 7             deals 1 to 4 of the sequence that seed 7 names
  bridge-env deal --n 64 --pbn deals.pbn     64 deals into a PBN file
"""


def add_deal(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "deal",
        help="deal random hands, as diagrams or into a PBN file",
        description="Deal random hands. The same seed gives the same deals; dealer and vulnerability follow\n"
        "the board numbers.",
        epilog=_DEAL_EXAMPLES,
    )
    parser.add_argument("--n", type=positive, default=1, help="number of deals (1)")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the deals (0)")
    parser.add_argument("--start", type=natural, default=0, help="number of deals to skip first (0)")
    parser.add_argument("--pbn", metavar="FILE", help="write the deals to this PBN file (gzipped if it ends in .gz)")
    parser.set_defaults(handler=_deal)


def _deal(args: argparse.Namespace) -> int:
    from bridge_env.cards import board_dealer, board_vulnerability, random_deals

    numbers = range(args.start + 1, args.start + args.n + 1)
    deals = zip(
        numbers,
        random_deals(args.seed, args.start, args.n),
        board_dealer(numbers).tolist(),
        board_vulnerability(numbers).tolist(),
        strict=True,
    )
    if args.pbn:
        from bridge_env.records.board import Board
        from bridge_env.records.pbn import write_boards

        write_boards(args.pbn, [Board(owner, dealer, vul, number) for number, owner, dealer, vul in deals])
        print(f"{args.pbn}: {args.n:,} deals")
        return 0
    from bridge_env.render import deal_diagram

    print("\n\n".join(deal_diagram(owner, dealer, vul, number) for number, owner, dealer, vul in deals))
    return 0


_SOLVE_DESCRIPTION = """\
Find how many tricks each declarer takes in each strain with perfect play and all four hands visible.
--out solves random deals into a library file, about 4 a second on each core; repeat the command to continue.
--deals prints the deals of a PBN file with their tables, exact or estimated.
"""
_SOLVE_EPILOG = """\
examples:
  bridge-env solve --n 100000 --out mine.bdl                  solve on all cores of this machine
  bridge-env solve --n 200000 --out mine.bdl                  later: add 100,000 deals to the same file
  bridge-env solve --n 1000000 --out big.bdl --address auto   solve on the Ray cluster that this machine belongs to
  bridge-env solve --n 50000 --start 50000 --out b.bdl        solve the second half on another machine; then
  bridge-env library merge a.bdl b.bdl --out whole.bdl        merge both into one file

Solved deals are saved every half minute and on Ctrl-C; the same command goes on. The file is the same for any
number of workers and interruptions, and can be read at any moment.
"""


def add_solve(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "solve",
        help="solve double-dummy tricks of random deals into a library file, or of a PBN file",
        description=_SOLVE_DESCRIPTION,
        epilog=_SOLVE_EPILOG,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", metavar="FILE", help="write random solved deals to this library file, or add to it")
    what.add_argument("--deals", metavar="FILE.pbn", help="print the table of every deal in this PBN file")
    parser.add_argument(
        "--tricks", choices=("exact", "estimate"), default="exact",
        help="with --deals: solve exactly, or estimate by a network, about a thousand times as fast (exact)",
    )  # fmt: skip
    parser.add_argument(
        "--n", type=positive, default=100, help="number of random deals that the file should hold (100)"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed of the deals (0)")
    parser.add_argument("--start", type=int, default=0, help="number of deals to skip first (0)")
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="processor cores to use (all); 1 works without Ray"
    )
    add_address(parser)
    parser.set_defaults(handler=_solve)


def _solve(args: argparse.Namespace) -> int:
    if args.tricks == "estimate" and not args.deals:
        raise ValueError("--tricks estimate goes with --deals: a library holds exact tricks only")
    return _solve_pbn(args) if args.deals else _solve_random(args)


def _solve_random(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import ExactDoubleDummy, maintenance
    from training.solve import solve_random

    args.kept = args.out, _again(args)
    cluster, bar = _solving_cluster(args), Bar(args.n, "deal", "solving")

    try:
        done = solve_random(
            args.out, args.n, seed=args.seed, start=args.start,
            solver=ExactDoubleDummy(1 if cluster else args.workers), cluster=cluster, progress=bar.to,
        )  # fmt: skip
    except KeyboardInterrupt:
        done = None
    bar.close()
    if done is None:
        print(f"Stopped; {_so_far(args)}. To go on: {_again(args)}", file=sys.stderr)
        return 130
    facts = maintenance.info(args.out)
    print(f"{args.out}: {done.deals:,} solved deals, {facts['training']:,} for training, {facts['judging']:,} judging")
    if done.new:
        print(f"{done.new:,} solved now, {done.new / done.seconds:.1f} deals/s")
    return 0


def _solving_cluster(args: argparse.Namespace) -> Cluster | None:
    """Choose Ray if asked for, or if installed and worth it for so many deals; None means threads of this process."""
    if args.address is None:
        if args.workers == 1 or args.n < _FEW:
            return None
        if not installed():
            print(
                f"Ray is not installed ({how_to_install('ray')}); solving with threads of this process", file=sys.stderr
            )
            return None
    return Cluster(args.workers, args.address)


def _so_far(args: argparse.Namespace) -> str:
    from bridge_env.double_dummy import Library

    held = len(Library.open(args.out)) if Path(args.out).exists() else 0
    return f"{args.out} holds {held:,} of {args.n:,} deals"


def _again(args: argparse.Namespace) -> str:
    words = ["bridge-env", "solve", "--n", args.n, "--seed", args.seed, "--start", args.start, "--out", args.out]
    return shlex.join(map(str, [*words, *words_of(args, {"workers": None, "address": None})]))


def _solve_pbn(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import ExactDoubleDummy, LibraryThenSolver
    from bridge_env.double_dummy.estimator import builtin_estimator
    from bridge_env.records.read import read_records
    from bridge_env.render import trick_table
    from training.solve import estimate_text

    source, read = LibraryThenSolver(exact=ExactDoubleDummy(args.workers)), read_records(args.deals)
    for problem in read.problems:
        print(problem, file=sys.stderr)
    if args.tricks == "estimate":
        print("estimates of a network: mean tricks ± standard deviation")
    for place, board in enumerate(read.boards, start=1):
        print(f"{board.number or place}. {cards.deal_text(board.owner)}")
        if args.tricks == "estimate":
            text = estimate_text(builtin_estimator().distribution(board.owner[None])[0])
        else:
            text = trick_table(source.tricks(board.owner)[0])
        print(text, flush=True)
    return 0


def add_library(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "library",
        help="inspect, check, merge and import libraries of solved deals",
        description="A library is a file of deals with their exact double-dummy tables, 23 bytes each.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    info = actions.add_parser("info", help="show what a library holds and how it was made")
    info.add_argument("file", metavar="FILE", nargs="?", help="a library file (the one in the package)")
    info.set_defaults(handler=_library_info)

    verify = actions.add_parser("verify", help="check every byte of a library, and solve a sample again")
    verify.add_argument("file", metavar="FILE", nargs="?", help="a library file (the one in the package)")
    verify.add_argument("--sample", type=positive, default=20, help="random deals to solve again (20)")
    _add_sample_options(verify)
    verify.set_defaults(handler=_library_verify)

    merge = actions.add_parser("merge", help="merge several libraries into one, without duplicate deals")
    merge.add_argument("files", metavar="FILE", nargs="+", help="library files")
    merge.add_argument("--out", metavar="FILE", required=True, help="library file to write")
    merge.set_defaults(handler=_library_merge)

    importing = actions.add_parser(
        "import",
        help="make a library from a NumPy file with solved deals",
        description="Read arrays 'owner' uint8 (N, 52) and 'tricks' int8 (N, 4, 5) from a .npz file, solve a "
        "sample again, and write the library if every table of the sample is right.",
    )
    importing.add_argument("file", metavar="FILE.npz", help="NumPy file with arrays 'owner' and 'tricks'")
    importing.add_argument("--out", metavar="FILE", required=True, help="library file to write")
    importing.add_argument("--source", metavar="TEXT", help="where the deals come from, for the library's record")
    importing.add_argument("--verify", type=positive, default=200, help="random deals to solve again first (200)")
    _add_sample_options(importing)
    importing.set_defaults(handler=_library_import)


def _add_sample_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="random seed of the sample (0)")
    parser.add_argument("--workers", type=positive, metavar="N", help="processor cores to use (all)")


def _library_info(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import builtin_library, maintenance

    facts = maintenance.info(args.file or builtin_library().path)
    for name in ("file", "bytes", "deals", "training", "judging"):
        value = facts[name]
        print(f"{name:>9}  {value:,}" if isinstance(value, int) else f"{name:>9}  {value}")
    print(f"{'made':>9}  {json.dumps(facts['made'], sort_keys=True)}")
    return 0


def _library_verify(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import ExactDoubleDummy, builtin_library, maintenance

    path = args.file or builtin_library().path
    solved = maintenance.verify(path, args.sample, solver=ExactDoubleDummy(args.workers), seed=args.seed)
    print(f"{path}: sound; {solved:,} deals solved again, all tables right")
    return 0


def _library_merge(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import maintenance

    print(f"{args.out}: {maintenance.merge(args.files, args.out):,} solved deals")
    return 0


def _library_import(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import ExactDoubleDummy
    from bridge_env.double_dummy.maintenance import import_npz

    made = {"source": args.source or Path(args.file).name}
    deals = import_npz(
        args.file, args.out, made, sample=args.verify, solver=ExactDoubleDummy(args.workers), seed=args.seed
    )
    print(f"{args.out}: {deals:,} solved deals, {args.verify:,} of them solved again and right")
    return 0
