"""Command line: ``bridge-env solve`` and ``bridge-env library``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from bridge_env import cards

Subparsers = Any  # argparse keeps the type of add_subparsers() private


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def add_solve(subparsers: Subparsers) -> None:
    """Add ``bridge-env solve``."""
    parser = subparsers.add_parser(
        "solve",
        help="work out exact double-dummy tricks: of random deals into a library file, or of a PBN file",
        description="Work out how many tricks each declarer takes in each strain when all four hands are "
        "seen and nobody errs. Random deals go to a library file, about 5 a second for each core; running "
        "the same command again goes on where it stopped. Deals of a PBN file are printed with their tables.",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", metavar="FILE", help="library file to write random solved deals to, or go on with")
    what.add_argument("--deals", metavar="FILE.pbn", help="print the table of every deal in this PBN file")
    parser.add_argument("--n", type=_count, default=100, help="how many random deals the file shall hold (100)")
    parser.add_argument("--seed", type=int, default=0, help="names the endless sequence of random deals (0)")
    parser.add_argument("--start", type=int, default=0, help="number of the first deal in that sequence (0)")
    parser.add_argument("--workers", type=_count, metavar="N", help="processor cores to use (all)")
    parser.set_defaults(handler=_solve)


def _solve(args: argparse.Namespace) -> int:
    return _solve_pbn(args) if args.deals else _solve_random(args)


def _solve_random(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy.exact import ExactDoubleDummy
    from training.solve import solve_random

    bar: tqdm[Any] | None = None

    def progress(deals: int) -> None:
        nonlocal bar
        if bar is None:  # what an earlier run left must not count as speed
            bar = tqdm(total=args.n, initial=deals, unit="deal", desc="solving", smoothing=0.05)
        bar.update(deals - bar.n)

    solver = ExactDoubleDummy(args.workers)
    done = solve_random(args.out, args.n, seed=args.seed, start=args.start, solver=solver, progress=progress)
    if bar is not None:
        bar.close()
    if not done.stopped:
        print(f"{args.out}: {done.deals:,} solved deals")
        return 0
    again = f"bridge-env solve --n {args.n} --seed {args.seed} --start {args.start} --out {shlex.quote(args.out)}"
    print(
        f"Stopped; {args.out} holds {done.deals:,} of {args.n:,} deals. To go on: {again}",
        file=sys.stderr,
    )
    return 130


def _solve_pbn(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import Cascade, ExactDoubleDummy
    from bridge_env.pbn import read_boards
    from training.solve import table_text

    source, read = Cascade(exact=ExactDoubleDummy(args.workers)), read_boards(args.deals)
    for problem in read.problems:
        print(problem, file=sys.stderr)
    for place, board in enumerate(read.boards, start=1):
        print(f"{board.number or place}. {cards.deal_text(board.owner)}")
        print(table_text(source.tricks(board.owner)[0]), flush=True)
    return 0


def add_library(subparsers: Subparsers) -> None:
    """Add ``bridge-env library info | verify | merge | import``."""
    parser = subparsers.add_parser(
        "library",
        help="look into, check, merge and import libraries of solved deals",
        description="A library is a file of deals with their exact double-dummy tables, 23 bytes each.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    info = actions.add_parser("info", help="what a library holds and how it was made")
    info.add_argument("file", metavar="FILE", nargs="?", help="a library file (the one that is built in)")
    info.set_defaults(handler=_library_info)

    verify = actions.add_parser("verify", help="check a library: every byte, and a sample solved again")
    verify.add_argument("file", metavar="FILE", nargs="?", help="a library file (the one that is built in)")
    verify.add_argument("--sample", type=_count, default=20, help="random deals to solve again (20)")
    _add_sample_options(verify)
    verify.set_defaults(handler=_library_verify)

    merge = actions.add_parser("merge", help="one library of several, each deal once")
    merge.add_argument("files", metavar="FILE", nargs="+", help="library files")
    merge.add_argument("--out", metavar="FILE", required=True, help="library file to write")
    merge.set_defaults(handler=_library_merge)

    take_in = actions.add_parser(
        "import",
        help="make a library of a NumPy file with solved deals",
        description="Read arrays 'owner' uint8 (N, 52) and 'tricks' int8 (N, 4, 5) from a .npz file, solve a "
        "sample again, and write the library if every table of the sample is right.",
    )
    take_in.add_argument("file", metavar="FILE.npz", help="NumPy file with arrays 'owner' and 'tricks'")
    take_in.add_argument("--out", metavar="FILE", required=True, help="library file to write")
    take_in.add_argument("--source", metavar="TEXT", help="where the deals come from, for the library's record")
    take_in.add_argument("--verify", type=_count, default=200, help="random deals to solve again first (200)")
    _add_sample_options(take_in)
    take_in.set_defaults(handler=_library_import)


def _add_sample_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="names the random sample (0)")
    parser.add_argument("--workers", type=_count, metavar="N", help="processor cores to use (all)")


def _library_info(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import embedded, maintenance

    facts = maintenance.info(args.file or embedded().path)
    for name in ("file", "bytes", "deals", "training", "judging"):
        value = facts[name]
        print(f"{name:>9}  {value:,}" if isinstance(value, int) else f"{name:>9}  {value}")
    print(f"{'made':>9}  {json.dumps(facts['made'], sort_keys=True)}")
    return 0


def _library_verify(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import embedded, maintenance

    path = args.file or embedded().path
    solved = maintenance.verify(path, args.sample, threads=args.workers, seed=args.seed)
    print(f"{path}: sound; {solved:,} deals solved again, all tables right")
    return 0


def _library_merge(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import maintenance

    print(f"{args.out}: {maintenance.merge(args.files, args.out):,} solved deals")
    return 0


def _library_import(args: argparse.Namespace) -> int:
    from bridge_env.double_dummy import maintenance

    made = {"source": args.source or Path(args.file).name}
    deals = maintenance.import_npz(args.file, args.out, made, sample=args.verify, threads=args.workers, seed=args.seed)
    print(f"{args.out}: {deals:,} solved deals, {args.verify:,} of them solved again and right")
    return 0
