"""``bridge-env deal``, ``read``, ``solve`` and ``library``."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cyclopts import App

from training.cli.options import Count, CountOrZero, Seed
from training.cli.output import Bar, can_resume, print_problems

if TYPE_CHECKING:
    from bridge_env.records.board import Board


def deal(
    *,
    n: Count = 1,
    seed: Seed = 0,
    start: CountOrZero = 0,
    pbn: Path | None = None,
    solve: bool = False,
    deals: Path | None = None,
    spec: str = "system:two-over-one",
) -> int:
    """Deal random hands, as diagrams or into a PBN file; or complete the partial deals of a file.

    The same seed makes the same deals; dealer and vulnerability follow the board numbers.

        bridge-env deal                            one random deal
        bridge-env deal --n 4 --seed 7             deals 1 to 4 of the sequence that seed 7 names
        bridge-env deal --n 64 --pbn deals.pbn     64 deals into a PBN file
        bridge-env deal --deals hands.pbn --n 10   ten deals for each board of hands.pbn, with the hands it knows

    With --deals, the hands that a board leaves out fit its auction: calls are read by the system of --spec.

    Args:
        n: number of deals, with --deals for each board
        seed: random seed of the deals
        start: number of deals to skip first
        pbn: write the deals to this PBN file (gzipped if it ends in .gz)
        solve: with --pbn, write the double-dummy table of each deal too
        deals: complete the partial deals of this PBN or LIN file
        spec: with --deals, the bidder by whose system calls are read
    """
    from bridge_env.display.text import board_text
    from bridge_env.records.board import Board

    if solve and pbn is None:
        raise ValueError("--solve writes tables into a PBN file; give --pbn FILE too")
    if deals is not None:
        if start:
            raise ValueError("--start is for random deals, --deals for those of a file")
        boards = _completed(deals, n, seed, spec)
    else:
        from bridge_env.hands.deals import random_deals
        from bridge_env.rules.cards import board_dealer, board_vulnerability

        numbers = range(start + 1, start + n + 1)
        dealers, vulnerabilities = board_dealer(numbers).tolist(), board_vulnerability(numbers).tolist()
        rows = zip(random_deals(seed, start, n), dealers, vulnerabilities, numbers, strict=True)
        boards = [Board(*row) for row in rows]
    if pbn is not None:
        from bridge_env.records.pbn import write_boards

        if solve:
            from bridge_env.double_dummy import ExactDoubleDummy

            source = ExactDoubleDummy(library=True)
            boards = [replace(board, table=source.tricks(board.owner)[0]) for board in boards]
        write_boards(pbn, boards)
        print(f"{pbn}: {len(boards):,} deals")
        return 0
    print("\n\n".join(map(board_text, boards)))
    return 0


def _completed(path: Path, count: int, seed: int, spec: str) -> list[Board]:
    """Return the partial deals of a file, each completed ``count`` times."""
    from bridge_env.records.read import read_records
    from training.deals import complete_deals

    result = read_records(path)
    if not result.partial:
        raise ValueError(f"{path} has no partial deal, one of which one or two hands are known")
    if result.boards:
        print(f"note: {path}: {len(result.boards):,} complete deals are left out", file=sys.stderr)
    boards: list[Board] = []
    for place, board in enumerate(result.partial, 1):
        completed, fitting = complete_deals(board, count, seed, spec)
        boards += completed
        if not fitting:
            name = board.number or board.tags.get("Board", place)
            print(f"note: {path}:{board.line}: board {name}: few or no deals fit its calls by {spec}; "
                  "these come closest", file=sys.stderr)  # fmt: skip
    return boards


def read(
    file: Path, /, *files: Path, problems: bool = False, check: bool = False, out: Path | None = None,
    links: bool = False,
) -> int:  # fmt: skip
    """Read records of play board by board; count the sound boards and list the faults of the others.

        bridge-env read *.pbn                        count the sound boards
        bridge-env read --problems old.pbn.gz        list every bad board with its file, line and reason
        bridge-env read --check hands.pbn            solve the deals, and list the double-dummy tables that are wrong
        bridge-env read match.lin --out match.pbn    convert LIN to PBN, or PBN to LIN
        bridge-env read club.pbn --links             print a web link to each board

    A file may hold PBN, LIN, links to Bridge Base Online's viewer, or deals 'N:AK... ...', whatever its name. A bad
    board does not affect the others. What follows from other facts is derived, such as the result from the play; what
    was mended, lost or contradicts itself is listed with its line.

    Args:
        file: PBN or LIN, gzipped or not
        files: more of them
        problems: list every bad board and everything that was mended
        check: solve the deals of boards with a double-dummy table, a fifth of a second each, and compare
        out: write the sound boards and partial deals here: LIN if it ends in .lin, else PBN
        links: print a link to Bridge Base Online's viewer for each board
    """
    from bridge_env.records.board import Problem, ReadResult
    from bridge_env.records.lin_writer import lin_losses, write_lin
    from bridge_env.records.links import viewer_link
    from bridge_env.records.pbn import write_boards
    from bridge_env.records.read import read_records, report
    from bridge_env.records.tables import check_tables

    found, boards = ReadResult([], []), []
    as_lin = out is not None and out.name.lower().removesuffix(".gz").endswith(".lin")
    for path in (file, *files):
        result = read_records(path)
        of_file = sorted(result.boards + result.partial, key=lambda board: board.line)
        notes = [(board, reason, "double-dummy table") for board, reason in (check_tables(of_file) if check else ())]
        for board in of_file if as_lin else ():
            if lost := lin_losses(board):
                notes.append((board, f"LIN has no place for {', '.join(lost)}", "lost in LIN"))
        found.problems.extend(result.problems)
        found.problems.extend(Problem(str(path), board.line, reason, kind, False) for board, reason, kind in notes)
        found.boards.extend(result.boards)
        found.partial.extend(result.partial)
        boards.extend(of_file)
    for board in found.boards if links else ():
        print(viewer_link(board))
    if problems:
        print(*found.problems, sep="\n", end="\n" * bool(found.problems))
    print(report(found))
    if not boards:
        raise ValueError(f"no board could be read from {', '.join(map(str, (file, *files)))}")
    if out is not None:
        (write_lin if as_lin else write_boards)(out, boards)
        print(f"{out}: {len(boards):,} boards")
    return 0


def solve(
    *,
    out: Path | None = None,
    deals: Path | None = None,
    tricks: Literal["exact", "estimate"] = "exact",
    n: Count = 100,
    seed: Seed = 0,
    start: CountOrZero = 0,
    workers: Count | None = None,
    address: str | None = None,
) -> int:
    """Find how many tricks each declarer takes in each strain with perfect play and all four hands visible.

    --out solves random deals into a library file, about 4 a second on each core; repeat the command to continue.
    --deals prints the deals of a PBN file with their tables, exact or estimated; with --out it writes the boards with
    their exact tables to a PBN file.

        bridge-env solve --n 100000 --out mine.bdl                  solve on all cores of this machine
        bridge-env solve --n 200000 --out mine.bdl                  later: add 100,000 deals to the same file
        bridge-env solve --n 1000000 --out big.bdl --address auto   solve on the Ray cluster of this machine
        bridge-env solve --n 50000 --start 50000 --out b.bdl        solve the second half on another machine; then
        bridge-env library merge a.bdl b.bdl --out both.bdl         merge both into one file
        bridge-env solve --deals club.pbn --out solved.pbn          write the boards of a file with their tables

    Solved deals are saved every half minute and on Ctrl-C; the same command goes on. The file is the same for any
    number of workers and interruptions, and can be read at any moment.

    Args:
        out: write random solved deals to this library file, or add to it; with --deals, write this PBN file
        deals: print the table of every deal in this PBN file
        tricks: with --deals, solve exactly, or estimate by a network, about a thousand times as fast
        n: number of random deals that the file should hold
        seed: random seed of the deals
        start: number of deals to skip first
        workers: processor cores to use (default all)
        address: address of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT
    """
    if out is None and deals is None:
        raise ValueError("give --out FILE to solve random deals, or --deals FILE.pbn to solve those of a file")
    if deals is not None:
        if out is not None and (tricks == "estimate" or not out.name.lower().removesuffix(".gz").endswith(".pbn")):
            raise ValueError("--deals with --out writes exact tables to a PBN file; name a FILE.pbn")
        return _solve_pbn(deals, tricks, workers, out)
    if tricks == "estimate":
        raise ValueError("--tricks estimate goes with --deals: a library holds exact tricks only")
    assert out is not None
    return _solve_random(out, n, seed, start, workers, address)


def _solve_random(out: Path, n: int, seed: int, start: int, workers: int | None, address: str | None) -> int:
    from bridge_env.double_dummy import ExactDoubleDummy, maintenance
    from training.deals import solve_random
    from training.runtime.cluster import Cluster

    can_resume(out)
    cluster = None if address is None else Cluster(workers, address)
    solver = ExactDoubleDummy(1 if cluster else workers)
    with Bar(n, "deal", "solving") as bar:
        done = solve_random(out, n, seed=seed, start=start, solver=solver, cluster=cluster, progress=bar.to)
    facts = maintenance.info(out)
    print(f"{out}: {done.deals:,} solved deals, {facts['training']:,} for training, {facts['judging']:,} judging")
    if done.new:
        print(f"{done.new:,} solved now, {done.new / done.seconds:.1f} deals/s")
    return 0


def _solve_pbn(path: Path, tricks: str, workers: int | None, out: Path | None) -> int:
    from bridge_env.display.text import trick_table
    from bridge_env.double_dummy import ExactDoubleDummy
    from bridge_env.double_dummy.estimator import builtin_estimator
    from bridge_env.hands.deals import deal_text
    from bridge_env.records.board import problem_texts
    from bridge_env.records.pbn import write_boards
    from bridge_env.records.read import read_records
    from bridge_env.records.tables import wrong_tricks
    from training.deals import estimate_text

    source, records = ExactDoubleDummy(workers, library=True), read_records(path)
    print_problems(problem_texts(records.problems))
    if not records.boards:
        raise ValueError(f"{path} has no complete deal")
    solved = []
    if tricks == "estimate":
        print("estimates of a network: mean tricks ± standard deviation")
    for place, board in enumerate(records.boards, start=1):
        print(f"{board.number or board.tags.get('Board', place)}. {deal_text(board.owner)}")
        if tricks == "estimate":
            text = estimate_text(builtin_estimator().distribution(board.owner[None])[0])
        else:
            table = source.tricks(board.owner)[0]
            if wrong := wrong_tricks(board, table):
                print_problems([f"{path}:{board.line}: {wrong}"])
            solved.append(replace(board, table=table))
            text = trick_table(table)
        print(text, flush=True)
    if out is not None:
        write_boards(out, solved)
        print(f"{out}: {len(solved):,} boards with their tables")
    return 0


library = App(
    name="library",
    help_format="markdown",
    help="A library is a file of deals with their exact double-dummy tables, 23 bytes each.",
)


@library.command
def info(file: Path | None = None, /) -> int:
    """Show what a library holds and how it was made.

    Args:
        file: a library file (default: the one in the package)
    """
    from bridge_env.double_dummy import builtin_library, maintenance

    facts = maintenance.info(file or builtin_library().path)
    for name in ("file", "bytes", "deals", "training", "judging"):
        value = facts[name]
        print(f"{name:>9}  {value:,}" if isinstance(value, int) else f"{name:>9}  {value}")
    print(f"{'made':>9}  {json.dumps(facts['made'], sort_keys=True)}")
    return 0


@library.command
def verify(file: Path | None = None, /, *, sample: Count = 20, seed: Seed = 0, workers: Count | None = None) -> int:
    """Check every byte of a library, and solve a sample again.

    Args:
        file: a library file (default: the one in the package)
        sample: random deals to solve again
        seed: random seed of the sample
        workers: processor cores to use (default all)
    """
    from bridge_env.double_dummy import ExactDoubleDummy, builtin_library, maintenance

    path = file or builtin_library().path
    solved = maintenance.verify(path, sample, solver=ExactDoubleDummy(workers), seed=seed)
    print(f"{path}: sound; {solved:,} deals solved again, all tables right")
    return 0


@library.command
def merge(file: Path, /, *files: Path, out: Path) -> int:
    """Merge several libraries into one, without duplicate deals.

    Args:
        file: a library file
        files: more of them
        out: library file to write
    """
    from bridge_env.double_dummy import maintenance

    print(f"{out}: {maintenance.merge([file, *files], out):,} solved deals")
    return 0


@library.command(name="import")
def import_(
    file: Path, /, *, out: Path, source: str | None = None, verify: Count = 200, seed: Seed = 0,
    workers: Count | None = None,
) -> int:  # fmt: skip
    """Make a library of arrays 'owner' uint8 (N, 52) and 'tricks' int8 (N, 4, 5) in a .npz file.

    A sample is solved again, and the library is written if every table of the sample is right.

    Args:
        file: NumPy file with arrays 'owner' and 'tricks'
        out: library file to write
        source: where the deals come from, for the library's record
        verify: random deals to solve again first
        seed: random seed of the sample
        workers: processor cores to use (default all)
    """
    from bridge_env.double_dummy import ExactDoubleDummy
    from bridge_env.double_dummy.maintenance import import_npz

    solver = ExactDoubleDummy(workers)
    deals = import_npz(file, out, {"source": source or file.name}, sample=verify, solver=solver, seed=seed)
    print(f"{out}: {deals:,} solved deals, {verify:,} of them solved again and right")
    return 0
