"""Share caches of auction states in a process, one for each set of systems that bid together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.state_cache import HasCompiled, StateCache
from agents.systems.engine.table_kernels import TableStates, call_at_tables
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.auction import Auctions

CACHE_BYTES = 128 << 20  # bytes of states that a process caches
_LEAST_HELD = 8 << 20  # what any of them holds, the pool and its index with it, however few its states are

_cache: OrderedDict[tuple[HasCompiled, ...], StateCache] = OrderedDict()
_cache_lock = RLock()


def shared_cache(seats: Sequence[HasCompiled]) -> tuple[StateCache, NDArray[np.int32]]:
    """Return this process's cache for the systems of some seats, and the number of each seat's system."""
    distinct = tuple(sorted(set(seats), key=id))  # one order, however they are seated
    with _cache_lock:
        found = _cache.pop(distinct, None)
        if found is None:
            found = StateCache(distinct)
        held = max(found.bytes, _LEAST_HELD)
        for key in reversed(list(_cache)):
            held += max(_cache[key].bytes, _LEAST_HELD)
            if held > CACHE_BYTES:
                del _cache[key]
        _cache[distinct] = found
    return found, np.array([distinct.index(seat) for seat in seats], np.int32)


class SystemsAtTables:
    """A group: systems at some seats of N tables, whose calls one kernel makes, as each would make them alone.

    Args:
        readings: for N, E, S, W the systems by which the player there reads the calls of N, E, S and W; None: a player
            outside the group.
        tables: N.
    """

    def __init__(self, readings: Sequence[Sequence[HasCompiled] | None], tables: int) -> None:
        self.seats = np.array([reading is not None for reading in readings])
        distinct = list(dict.fromkeys(tuple(reading) for reading in readings if reading is not None))
        self._reading_of = np.array([-1 if r is None else distinct.index(tuple(r)) for r in readings], np.int8)
        self._states, numbers = shared_cache([system for reading in distinct for system in reading])
        self._read_by = numbers.reshape(-1, 4).copy()
        self._tables = TableStates(
            np.zeros(tables, np.bool_), np.empty((tables, 4, NUM_FEATURES), np.int16),
            np.zeros((tables, len(distinct)), np.int32), np.zeros((tables, len(distinct)), np.int16),
        )  # fmt: skip
        self._edition = self._states.edition

    def deal(self, rows: NDArray[np.intp]) -> None:
        """Forget the deals that lay at tables ``rows``."""
        self._tables.known[rows] = False

    def call(self, auctions: Auctions, owner: NDArray[np.uint8], rows: NDArray[np.intp]) -> None:
        """Make calls at tables ``rows`` until their auctions are over, or a seat outside the group is to call."""
        with self._states.lock:
            edition = self._states.make_room()
            if edition != self._edition:
                self._tables.followed[:] = 0
                self._edition = edition
            call_at_tables(
                self._states.plan, self._read_by, self._reading_of, rows, auctions.state, auctions.history, owner,
                *self._tables,
            )  # fmt: skip
