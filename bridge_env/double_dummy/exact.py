"""Find exact double-dummy tricks in a cache, in the shipped library, or by the solver.

Compiled code is loaded at the first solve, not before.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.double_dummy.library import builtin_library
from bridge_env.hands.packing import pack_deals
from bridge_env.rules.cards import UInt8Array, check_deals

if TYPE_CHECKING:
    from bridge_env.double_dummy.solver.solve import WorkspacePool
    from bridge_env.double_dummy.solver.state import Workspace

Int8Array = NDArray[np.int8]

_CACHED = 100_000  # deals in the cache, 0.2 kB each; beyond that it is emptied
THREADS_VARIABLE = "BRIDGE_ENV_SOLVER_THREADS"


def default_threads() -> int:
    """Return the default number of threads that solve.

    The variable BRIDGE_ENV_SOLVER_THREADS, if it is set; else one in a worker process (of multiprocessing or
    Ray, where every core has its own worker); else one a core.

    Raises:
        ValueError: the variable is not a positive whole number.
    """
    if count := os.environ.get(THREADS_VARIABLE):
        if not count.isdecimal() or int(count) < 1:
            raise ValueError(f"{THREADS_VARIABLE} must be a positive whole number; it is {count!r}")
        return int(count)
    if multiprocessing.parent_process() is not None or "RAY_RAYLET_PID" in os.environ:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ExactDoubleDummy:
    """Exact tricks of any deal.

    A table costs about 0.2 s of CPU, one (declarer, strain) a fourteenth of it. Solved deals are cached. Ctrl-C
    stops within milliseconds, and deals that are solved stay in the cache.

    Safe to use from several threads: they wait for each other. Pickles as its settings, without the cache.

    Args:
        threads: threads that solve; None = ``default_threads()``, which is one in worker processes. Each
            takes up to 42 MB.
        library: look deals up in the shipped library first, in all 96 symmetries; it is opened at the first call.
    """

    def __init__(self, threads: int | None = None, library: bool = False) -> None:
        self.threads = default_threads() if threads is None else threads
        if self.threads < 1:
            raise ValueError(f"a solver needs at least one thread; got {threads}")
        self._settings, self._library = (threads, library), library
        self._cache: dict[bytes, Int8Array] = {}  # packed deal -> int8 (4, 5), -1 = unknown
        self._lock = threading.Lock()
        self._pool: WorkspacePool | None = None  # made, with its compiled code, at the first solve

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._settings

    def tricks(self, owner: ArrayLike) -> Int8Array:
        """Return tables int8 (N, 4, 5) [declarer seat N E S W, strain C D H S NT] of deals uint8 (N, 52).

        Raises:
            DealError: not deals.
        """
        deals = check_deals(owner)
        return self._complete(deals, np.ones((len(deals), 4, 5), bool))

    def tricks_for(self, owner: ArrayLike, declarer: ArrayLike, strain: ArrayLike) -> Int8Array:
        """Return the tricks int8 (N,) that ``declarer`` takes in ``strain``, scalars or (N,), on deals uint8 (N, 52).

        Only these contracts are solved, and equal rows once.

        Raises:
            DealError: not deals.
            ValueError: not a declarer or a strain.
        """
        deals = check_deals(owner)
        rows = np.arange(len(deals))
        d, s = (np.broadcast_to(np.asarray(numbers, np.intp), len(deals)) for numbers in (declarer, strain))
        if ((d < 0) | (d > 3) | (s < 0) | (s > 4)).any():
            raise ValueError("a declarer is a seat 0..3 (N E S W), and a strain 0..4 (C D H S NT)")
        wanted = np.zeros((len(deals), 4, 5), bool)
        wanted[rows, d, s] = True
        return self._complete(deals, wanted)[rows, d, s]

    def _complete(self, deals: UInt8Array, wanted: NDArray[np.bool_]) -> Int8Array:
        """Return tables int8 (N, 4, 5) in which at least the ``wanted`` (N, 4, 5) entries are known."""
        packed, first, row = np.unique(pack_deals(deals), axis=0, return_index=True, return_inverse=True)
        keys, deals = [key.tobytes() for key in packed], deals[first]
        needed = np.zeros((len(keys), 4, 5), bool)
        np.logical_or.at(needed, row, wanted)
        with self._lock:
            tricks = np.full((len(keys), 4, 5), -1, np.int8)
            known = np.array([key in self._cache for key in keys], bool)
            tricks[known] = [self._cache[key] for key in keys if key in self._cache] or -1
            if self._library and not known.all():
                tricks[~known] = builtin_library().tables_of(deals[~known])
            try:
                self._solve(deals, needed & (tricks < 0), tricks)
            finally:
                new = dict(zip(keys, tricks, strict=True))
                self._cache.update(new)
                if len(self._cache) > _CACHED:
                    self._cache = new
        return tricks[row]

    def _solve(self, deals: UInt8Array, missing: NDArray[np.bool_], tricks: Int8Array) -> None:
        """Write the ``missing`` (N, 4, 5) entries of ``deals`` (N, 52) into ``tricks`` (N, 4, 5)."""
        rows = np.flatnonzero(missing.any(axis=(1, 2)))
        if not rows.size:
            return
        # Compiled code loads at the first solve, not before.
        from bridge_env.double_dummy.solver.solve import WorkspacePool, hand_bits, solve_deals

        if self._pool is None:
            self._pool = WorkspacePool(self.threads)
        hands, wanted = hand_bits(deals[rows]), np.ascontiguousarray(missing[rows])
        found = tricks[rows]

        def work(workspace: Workspace, part: slice) -> int:
            return int(solve_deals(workspace.arrays, hands[part], wanted[part], found[part]))

        try:
            self._pool.share(len(rows), work)
        finally:
            tricks[rows] = found


@cache
def library_then_solver() -> ExactDoubleDummy:
    """Return the one solver of this process that looks deals up in the library, whose cache all callers share."""
    return ExactDoubleDummy(library=True)
