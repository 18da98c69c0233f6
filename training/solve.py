"""Solve random deals into a library, in this process or on Ray; stop at any moment and resume later.

The work is cut into ranges of deals, each a pure function of (seed, first deal, count). They may finish in any
order; the file always holds the deals from the first on without a gap, so that its bytes say nothing of who solved
what when. It is written anew each time, beside the old one and renamed over it: whoever opens it at any moment, or
after a kill at any moment, finds a whole library. Half a minute apart and never for more than a hundredth of the
time, this costs less than it would to keep a journal (a million deals are 23 MB, and take 0.1 s).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bridge_env.calls import STRAINS
from bridge_env.cards import SEATS, UInt8Array, random_deals
from bridge_env.double_dummy import maintenance
from bridge_env.double_dummy.library import Library, write_records
from bridge_env.double_dummy.packing import DEAL_BYTES, RECORD_BYTES, pack_deals, pack_records
from bridge_env.files import FileError
from bridge_env.protocols import DoubleDummy
from bridge_env.schema import Whole, check_shape
from training.running import stopping
from training.running.cluster import Cluster
from training.running.lock import held

BATCH = 40  # deals a range in this process, on all threads: some seconds, and the longest that Ctrl-C has to wait
TASK = 20  # deals a range on Ray, on one thread each: some seconds too
SAVE_EVERY = 30.0  # seconds
SAVING_SHARE = 0.01  # of the time, at most
_CHECKED_AT_A_TIME = 1 << 14  # deals


class SolveError(FileError):
    """The file to go on with is not the one that was begun; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What :func:`solve_random` did."""

    deals: int  # in the file now
    new: int  # of them, solved by this call
    seconds: float  # that it took
    verified: int  # deals that were solved again at the end, and right
    stopped: bool  # before the end was reached


def solve_random(
    out: str | os.PathLike[str],
    count: int,
    *,
    seed: int,
    start: int,
    solver: DoubleDummy,
    cluster: Cluster | None = None,
    verify: int = 0,
    checker: DoubleDummy | None = None,
    progress: Callable[[int], None] = lambda deals: None,
    tell: Callable[[str], None] = lambda text: None,
) -> Solved:
    """Solve deals ``start .. start + count - 1`` of ``bridge_env.cards.random_deals(seed)`` into a library.

    A file that holds the first of them already is gone on with, and the bytes at the end are the same as
    those of one uninterrupted run, for any number of workers. Ctrl-C (and SIGTERM) end it after the ranges in
    hand; a kill loses at most what half a minute solved.

    Args:
        out: the library file.
        solver: what gives the tables, such as ``ExactDoubleDummy()``; with a cluster it is sent to the workers.
        cluster: where to solve; it is entered only if there is something to solve. None: in this process.
        verify: random deals to solve again at the end, and before going on with a file.
        checker: what solves them again; None = DDS, which shares no line with the solver of the package.
        progress: called with the number of deals solved, at the beginning and after every range.
        tell: called with a line of text when something else goes on.

    Raises:
        SolveError: ``out`` is a library of other deals.
        LibraryError: ``out`` is there and is not a sound library, or a table is wrong.
        ClusterError: there is no such cluster.
        InUse: another process solves into the file.
    """
    path = Path(out)
    with held(path):  # two that write one file would undo each other's work
        book = _Book(path, seed, start)
        before = book.deals
        if 0 < before < count and verify:
            tell(f"{out} holds {before:,} deals; solving {min(verify, before)} of them again")
            maintenance.verify(path, verify, solver=checker)
        progress(before)
        began = time.monotonic()
        if before < count:
            _solve(book, start + count, solver, cluster, progress)
        seconds = time.monotonic() - began
        stopped = book.deals < count
        if not stopped and book.made.get("verified", 0) < min(verify, book.deals):
            tell(f"solving {min(verify, book.deals)} of {book.deals:,} deals again")
            book.save(verified=maintenance.verify(path, verify, solver=checker))
        return Solved(book.deals, book.deals - before, seconds, book.made.get("verified", 0), stopped)


def solve_range(solver: DoubleDummy, seed: int, first: int, count: int) -> UInt8Array:
    """The task: deals ``first .. first + count - 1`` of ``seed`` with their tables, packed: uint8 (count, 23)."""
    deals = random_deals(seed, first, count)
    return pack_records(deals, solver.tricks(deals))


def _solve(
    book: _Book, end: int, solver: DoubleDummy, cluster: Cluster | None, progress: Callable[[int], None]
) -> None:
    """Solve from where the book ends up to deal number ``end``, or until a signal."""
    book.save()  # a place that cannot be written to is told now
    with cluster or contextlib.nullcontext(), _stop_signals() as stop:
        size = TASK if cluster else BATCH
        first = book.start + book.deals

        def tasks() -> Iterator[tuple[DoubleDummy, int, int, int]]:
            for at in range(first, end, size):
                if stop.is_set():
                    return
                yield solver, book.seed, at, min(size, end - at)

        try:
            here = enumerate(solve_range(*task) for task in tasks())
            for number, records in cluster.map(solve_range, tasks()) if cluster else here:
                book.add(number, records)
                progress(book.solved)
                book.save_if_due()
        finally:
            book.save()


class _Book:
    """The library file that grows: what is solved without a gap, and the ranges that came before their turn.

    Raises:
        SolveError, LibraryError: as in :func:`solve_random`.
    """

    def __init__(self, path: Path, seed: int, start: int) -> None:
        self.path, self.seed, self.start = path, seed, start
        self.made: dict[str, Any] = {}
        self._records, self._saved = bytearray(), -1
        self._early: dict[int, UInt8Array] = {}
        self._next, self._due = 0, time.monotonic() + SAVE_EVERY
        if path.exists():
            library = Library.open(path)
            _check_deals(library, seed, start)
            self.made, self._saved = library.made, len(library)
            self._records += library.records.tobytes()

    @property
    def deals(self) -> int:
        """Deals solved without a gap."""
        return len(self._records) // RECORD_BYTES

    @property
    def solved(self) -> int:
        return self.deals + sum(map(len, self._early.values()))

    def add(self, number: int, records: UInt8Array) -> None:
        """Take range ``number`` (0, 1 ... from where the file ended), which may come before its turn."""
        self._early[number] = records
        while self._next in self._early:
            self._records += self._early.pop(self._next).tobytes()
            self._next += 1

    def save_if_due(self) -> None:
        """Save if the last time is long enough ago."""
        began = time.monotonic()
        if began >= self._due:
            self.save()
            now = time.monotonic()
            self._due = now + max(SAVE_EVERY, (now - began) / SAVING_SHARE)

    def save(self, verified: int = 0) -> None:
        """Write the file, unless it stands so already."""
        if self.deals == self._saved and not verified:
            return
        before = self.made.get("solver", maintenance.OUR_SOLVER)
        self.made = {
            "source": "bridge_env.cards.random_deals",
            "seed": self.seed,
            "start": self.start,
            "count": self.deals,
            "solver": before if before.endswith(maintenance.OUR_SOLVER) else f"{before}, then {maintenance.OUR_SOLVER}",
        }
        if verified:
            self.made |= {"verified": verified, "verified_seed": 0}
        write_records(self.path, self._records, self.made)
        self._saved = self.deals


def _check_deals(library: Library, seed: int, start: int) -> None:
    """Are the library's deals those of ``seed`` from number ``start`` on?"""
    path, made = library.path, library.made
    if (made.get("seed"), made.get("start")) != (seed, start):
        raise SolveError(
            f"{path} holds other deals than those of seed {seed} from number {start}: its record says "
            f"{made}. Name another file, or the seed and start it was begun with"
        )
    check_shape(made, {"solver?": str, "verified?": Whole(0)}, f"{path}: its record", SolveError)
    for at in range(0, len(library), _CHECKED_AT_A_TIME):
        here = library.records[at : at + _CHECKED_AT_A_TIME, :DEAL_BYTES]
        if not np.array_equal(here, pack_deals(random_deals(seed, start + at, len(here)))):
            raise SolveError(
                f"{path} says that it holds the deals of seed {seed} from number {start}, but it holds others; "
                "name another file"
            )


@contextlib.contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C, SIGTERM and SIGHUP set instead of breaking in; a second one breaks in after all."""
    stop = threading.Event()

    def ask_to_stop(number: int, frame: FrameType | None) -> None:
        stopping.note(number)
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        with contextlib.suppress(OSError):  # the terminal may be gone
            os.write(2, b"\nstopping after the deals in hand; once more to stop at once\n")  # print is not safe here

    with stopping.handling(ask_to_stop, (signal.SIGINT, *stopping.endings())):
        yield stop


def table_text(tricks: ArrayLike) -> str:
    """A table int8 (4, 5) as five lines, N S E W down and C D H S NT across."""
    table = np.asarray(tricks)
    lines = ["   " + "".join(f"{strain:>3}" for strain in STRAINS)]
    lines += [f"{SEATS[s]:>3}" + "".join(f"{n:3d}" for n in table[s]) for s in (0, 2, 1, 3)]
    return "\n".join(lines)


def estimate_text(distribution: ArrayLike) -> str:
    """Estimated tricks, chances (4, 5, 14), as five lines: means and standard deviations."""
    chances = np.asarray(distribution, np.float64)
    number = np.arange(chances.shape[-1])
    mean = chances @ number
    spread = np.sqrt(np.maximum(chances @ number**2 - mean**2, 0))
    lines = ["   " + "".join(f"{strain:>10}" for strain in STRAINS)]
    for seat in (0, 2, 1, 3):
        cells = (f"{m:5.1f} ± {s:.1f}" for m, s in zip(mean[seat], spread[seat], strict=True))
        lines.append(f"{SEATS[seat]:>3}" + "".join(f"{cell:>10}" for cell in cells))
    return "\n".join(lines)
