"""Solving random deals in bulk into a library file: stops at any moment without loss, and goes on later."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.calls import STRAINS
from bridge_env.cards import SEATS, random_deals
from bridge_env.double_dummy.library import Library, write_library
from bridge_env.protocols import DoubleDummy

BATCH = 40  # deals a call of the solver: some seconds, and the longest that Ctrl-C has to wait
SAVE_EVERY = 200  # deals; writing a file of 100,000 takes some tens of milliseconds


class SolveError(ValueError):
    """The file to go on with is not the one that was begun; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What :func:`solve_random` left: deals in the file, and whether it was stopped before the end."""

    deals: int
    stopped: bool


def solve_random(
    out: str | os.PathLike[str],
    count: int,
    *,
    seed: int,
    start: int,
    solver: DoubleDummy,
    progress: Callable[[int], None] = lambda deals: None,
) -> Solved:
    """Solve deals ``start .. start + count - 1`` of ``bridge_env.cards.random_deals(seed)`` into a library.

    A file that holds the first of them already is gone on with, and the bytes at the end are the same as
    those of one uninterrupted run. Ctrl-C (and SIGTERM) end it after the batch in hand; a kill loses at most
    the last 200 deals.

    Args:
        out: the library file.
        solver: what gives the tables, such as ``ExactDoubleDummy()``.
        progress: called with the number of deals in hand, at the beginning and after every batch.

    Raises:
        SolveError: ``out`` is a library of other deals.
        LibraryError: ``out`` is there and is not a sound library.
    """
    tables = list(_begun(Path(out), seed, start))
    saved = len(tables)
    progress(len(tables))
    try:
        with _stop_signals() as stop:
            while len(tables) < count and not stop.is_set():
                deals = random_deals(seed, start + len(tables), min(BATCH, count - len(tables)))
                tables.extend(solver.tricks(deals))
                progress(len(tables))
                if len(tables) - saved >= SAVE_EVERY:
                    _save(out, tables, seed, start)
                    saved = len(tables)
    finally:
        if len(tables) > saved:
            _save(out, tables, seed, start)
    return Solved(len(tables), stopped=len(tables) < count)


def _begun(path: Path, seed: int, start: int) -> NDArray[np.int8]:
    """The tables (N, 4, 5) that the file at ``path`` holds already."""
    if not path.exists():
        return np.empty((0, 4, 5), np.int8)
    library = Library.open(path)
    if (library.made.get("seed"), library.made.get("start")) != (seed, start):
        raise SolveError(
            f"{path} holds other deals than those of seed {seed} from number {start}: its record says "
            f"{library.made}. Name another file, or the seed and start it was begun with"
        )
    if not np.array_equal(library.owners(), random_deals(seed, start, len(library))):
        raise SolveError(f"{path} says seed {seed} from number {start}, but its deals are others; name another file")
    return library.tricks_at()


def _save(out: str | os.PathLike[str], tables: list[NDArray[np.int8]], seed: int, start: int) -> None:
    made: dict[str, Any] = {
        "source": "bridge_env.cards.random_deals",
        "seed": seed,
        "start": start,
        "count": len(tables),
        "solver": f"DDS 2.9 in endplay {metadata.version('endplay')}",
    }
    write_library(out, random_deals(seed, start, len(tables)), np.stack(tables), made)


@contextlib.contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set instead of breaking in; a second Ctrl-C breaks in after all."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield stop
        return

    def ask_to_stop(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def table_text(tricks: ArrayLike) -> str:
    """A table int8 (4, 5) as five lines, N S E W down and C D H S NT across."""
    table = np.asarray(tricks)
    lines = ["   " + "".join(f"{strain:>3}" for strain in STRAINS)]
    lines += [f"{SEATS[s]:>3}" + "".join(f"{n:3d}" for n in table[s]) for s in (0, 2, 1, 3)]
    return "\n".join(lines)
