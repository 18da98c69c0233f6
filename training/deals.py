"""Solve random deals into a library, in this process or on Ray; and complete partial deals at random.

The work is cut into ranges of deals, each a pure function of (seed, first deal, count). They may finish in any
order; the file always holds the deals from the first on without a gap, so that its bytes do not depend on workers and
interruptions. It is replaced as a whole every half minute (a million deals are 23 MB, and take 0.1 s).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from agents.registry import system_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.inference.shown import shown_by_calls
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import views_before
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import Library, write_records
from bridge_env.hands.deals import random_deals
from bridge_env.hands.packing import DEAL_BYTES, RECORD_BYTES, pack_deals, pack_records
from bridge_env.io.files import FileError
from bridge_env.records.board import Board
from bridge_env.rng import streams
from bridge_env.rules.calls import STRAINS, histories_of
from bridge_env.rules.cards import SEATS, UInt8Array
from bridge_env.sampling import KnownCards, sample_deals
from training.runtime.cluster import Cluster
from training.runtime.runs import hold

BATCH = 40  # deals a range in this process, on all threads: some seconds
TASK = 20  # deals a range on Ray, on one thread each: some seconds too
SAVE_EVERY = 30.0  # seconds
_OF_THE_DEAL = ("Score", "Optimum", "Minimax", "ParContract", "PlayTime")  # begin names of tags
_SOLVER = "bridge_env.double_dummy.solver"


class SolveError(FileError):
    """Report a file that does not begin with the wanted deals; the message names its record."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Hold the number of deals in the file, of those solved by this call, and the seconds it took."""

    deals: int
    new: int
    seconds: float


def solve_random(
    out: str | os.PathLike[str], count: int, *, seed: int, start: int, solver: ExactDoubleDummy,
    cluster: Cluster | None = None, progress: Callable[[int], None] = lambda deals: None,
) -> Solved:  # fmt: skip
    """Solve deals ``start .. start + count - 1`` of ``bridge_env.hands.deals.random_deals(seed)`` into a library.

    A file that holds the first of them already is continued, and the bytes at the end are the same as those of one
    uninterrupted run, for any number of workers. Ctrl-C saves the deals that are solved; a kill loses at most those of
    half a minute. The file stays locked until this process ends.

    Args:
        out: the library file.
        solver: the source of the tables, such as ``ExactDoubleDummy()``; with a cluster it is sent to the workers.
        cluster: where to solve; it is entered only if there is something to solve. None: in this process.
        progress: called with the number of deals solved, at the beginning and after every range.

    Raises:
        SolveError: ``out`` is a library of other deals.
        LibraryError: ``out`` is there and is not an undamaged library.
        ClusterError: there is no such cluster.
        InUse: another process solves into the file.
    """
    path, began = Path(out), time.monotonic()
    hold(path)  # two that write one file would undo each other's work
    records = _solved_before(path, seed, start)
    before = len(records) // RECORD_BYTES
    progress(before)
    if before >= count:
        return Solved(before, 0, time.monotonic() - began)

    def save() -> None:
        provenance = {"source": "random_deals", "seed": seed, "start": start, "solver": _SOLVER}
        write_records(path, records, provenance | {"count": len(records) // RECORD_BYTES})

    save()  # so that a place that cannot be written to is reported now
    size, end = TASK if cluster else BATCH, start + count
    tasks = [(solver, seed, at, min(size, end - at)) for at in range(start + before, end, size)]
    early: dict[int, UInt8Array] = {}  # ranges that came before their turn
    following, due = 0, time.monotonic() + SAVE_EVERY
    with cluster or contextlib.nullcontext():
        try:
            here = enumerate(solve_range(*task) for task in tasks)
            for number, solved in cluster.map(solve_range, tasks) if cluster else here:
                early[number] = solved
                while following in early:
                    records += early.pop(following).tobytes()
                    following += 1
                progress(len(records) // RECORD_BYTES + sum(map(len, early.values())))
                if time.monotonic() >= due:
                    save()
                    due = time.monotonic() + SAVE_EVERY
        finally:
            save()
    deals = len(records) // RECORD_BYTES
    return Solved(deals, deals - before, time.monotonic() - began)


def solve_range(solver: ExactDoubleDummy, seed: int, first: int, count: int) -> UInt8Array:
    """Return deals ``first .. first + count - 1`` of ``seed`` with their tables, packed: uint8 (count, 23)."""
    deals = random_deals(seed, first, count)
    return pack_records(deals, solver.tricks(deals))


def _solved_before(path: Path, seed: int, start: int) -> bytearray:
    """Return the records in a file, none without a file; raise ``SolveError`` where they are of other deals."""
    if not path.exists():
        return bytearray()
    library = Library.open(path)
    if not np.array_equal(library.records[:, :DEAL_BYTES], pack_deals(random_deals(seed, start, len(library)))):
        raise SolveError(
            f"{path} holds other deals than those of seed {seed} from number {start}: its record says "
            f"{library.provenance}. Name another file, or the seed and start it was begun with"
        )
    return bytearray(library.records.tobytes())


def estimate_text(distribution: ArrayLike) -> str:
    """Return estimated tricks, chances (4, 5, 14), as five lines: means and standard deviations."""
    chances = np.asarray(distribution, np.float64)
    number = np.arange(chances.shape[-1])
    mean = chances @ number
    spread = np.sqrt(np.maximum(chances @ number**2 - mean**2, 0))
    lines = ["   " + "".join(f"{strain:>10}" for strain in STRAINS)]
    for seat in (0, 2, 1, 3):
        cells = (f"{m:5.1f} ± {s:.1f}" for m, s in zip(mean[seat], spread[seat], strict=True))
        lines.append(f"{SEATS[seat]:>3}" + "".join(f"{cell:>10}" for cell in cells))
    return "\n".join(lines)


def complete_deals(board: Board, count: int, seed: int, spec: str = "system:two-over-one") -> tuple[list[Board], bool]:
    """Return a partial deal completed ``count`` times, as close to its calls, read by the system of ``spec``, as there
    is; and whether all fit. Raise ``SpecError`` where ``spec`` has no system.

    Result, scores and tables of tricks are of the deal as it was, and left out.
    """
    key = streams.key("complete", seed, board.number or 0)
    shown = {}
    if board.auction:
        system = system_of(spec)
        if system is None:
            raise SpecError(f"{spec} has no bidding system by which calls are read; name one, such as system:sayc")
        bidder = HierarchyBidder(system, system, (system, system))
        view = views_before(
            board.owner[None], histories_of([board.auction]), np.array([len(board.auction)]), np.array([board.dealer]),
            np.array([board.vulnerability]),
        )  # fmt: skip
        calls = shown_by_calls(bidder, view, me=True)
        shown = {seat: fit for seat, fit in calls.items() if SEATS[seat] in board.unknown_seats}
    sample = sample_deals(KnownCards.of(board.owner), shown, count, key)
    tags = {name: value for name, value in board.tags.items() if not name.startswith(_OF_THE_DEAL)}
    sections = {name: rows for name, rows in board.sections.items() if not name.startswith(_OF_THE_DEAL)}
    board = replace(board, tricks=None, table=None, tags=tags, sections=sections)
    return [replace(board, owner=owner) for owner in sample.owner], bool(sample.fitting == count)
