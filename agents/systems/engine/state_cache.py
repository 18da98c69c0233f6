"""Cache the auction states met among some systems.

``agents.systems.engine.states`` says what a state is. Calls never depend on the cache.
"""

from __future__ import annotations

import math
import mmap
import sys
from collections.abc import Hashable, Iterator, Sequence
from threading import RLock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import ASKING_BID, FORCES, LAST_CALL, STATUS_COLUMNS
from agents.systems.engine.call_index import index_calls
from agents.systems.engine.compiled import Compiled, pool
from agents.systems.engine.programs import MOST_STEPS, room_for
from agents.systems.engine.queries import feature_rows, misdescription_rows, state_rows
from agents.systems.engine.states import (
    COUNTS,
    LINKS,
    LONGEST,
    MISSED,
    NOTES,
    ROOT_COLUMNS,
    SCHEMA,
    SHAPES,
    SHOWN_AT,
    STATES,
    STATUS_AT,
    STEPS,
    Store,
    room_to_work,
)
from agents.systems.engine.table_kernels import bid_boards
from agents.systems.language.columns import QUANTITIES
from agents.systems.language.vocabulary import NUM_COLUMNS
from bridge_env.bidders.view import BidView
from bridge_env.compiled.array_structs import PointerTable
from bridge_env.hands.features import NUM_FEATURES, hand_features
from bridge_env.rules.auction import DEALER, LENGTH, STATE_COLUMNS, VULNERABILITY, Auctions
from bridge_env.rules.calls import PASS

MOST_STATES, MOST_CODE, MOST_ROOTS = 200_000, 8_000_000, 4096  # that fit; some 135 MB, taken as they are needed
_LARGE = 2 << 20  # bytes of a large page
_ROOTS = 16  # of one system: dealer and vulnerability


class Queries(NamedTuple):
    """Auctions, and the hands of the seats to call there."""

    features: NDArray[np.int16]  # (B, 4, NUM_FEATURES), of which those of the seats to call are read
    boards: NDArray[np.int64]  # (M,), whose
    state: NDArray[np.int16]  # (N, STATE_COLUMNS), of ``bridge_env.rules.auction``
    history: NDArray[np.int8]  # (N, L), of ``bridge_env.rules.auction``
    length: NDArray[np.int64]  # (N,), the calls so far
    begins: NDArray[np.int64] | None = None  # (N + 1,), where the ``boards`` of each begin; None: each has one

    @property
    def seat(self) -> NDArray[np.int16]:
        """Return the seats to call, int16 (N,)."""
        return np.asarray((self.state[:, DEALER] + self.length) & 3, np.int16)

    @classmethod
    def of_view(cls, view: BidView) -> Queries:
        """Return the rows of a view."""
        rows = np.arange(len(view))
        features = np.zeros((len(view), 4, NUM_FEATURES), np.int16)
        features[rows, view.seat] = hand_features(view.hand)
        state = np.zeros((len(view), STATE_COLUMNS), np.int16)
        state[:, DEALER], state[:, VULNERABILITY], state[:, LENGTH] = view.dealer, view.vulnerability, view.length
        return cls(features, rows, state, view.history, view.length.astype(np.int64))

    @classmethod
    def of_auctions(cls, auctions: Auctions, features: NDArray[np.int16], boards: NDArray[np.int64]) -> Queries:
        """Return all rows of ``auctions``."""
        return cls(features, boards, auctions.state, auctions.history, auctions.length.astype(np.int64))


class HasCompiled(Hashable, Protocol):
    @property
    def compiled(self) -> Compiled: ...


def untouched(shape: tuple[int, ...], dtype: type[np.number[Any]]) -> NDArray[Any]:
    """Make an array of zeros that takes memory page by page as it is written to, and is freed with the array.

    ``np.empty`` promises neither: its memory may come from the heap, which never shrinks.
    """
    count = math.prod(shape)
    size = max(count * np.dtype(dtype).itemsize, 1)
    flags = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
    pages = mmap.mmap(-1, size, **flags)
    if size > _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):  # boards jump about in it: a tenth faster with large pages
        pages.madvise(mmap.MADV_HUGEPAGE, _LARGE, size - _LARGE)  # but a few states should not take as much
    return np.frombuffer(pages, dtype, count).reshape(shape)


class StateCache:
    """The auction states met among some systems.

    Args:
        systems: each once; rows of ``bid`` name them by number.

    Attributes:
        pool: the arrays of all systems.
        first_rules: int32 (systems,), the number in the pool of each system's first rule.
        lock: held while states are used, from ``make_room`` on where their numbers are stored.
        edition: how often everything was forgotten; numbers of states are good for one edition.
        plan: what the kernels begin with: the addresses of all records.

    Raises:
        ValueError: a system has more conditions than a program can hold.
    """

    def __init__(self, systems: Sequence[HasCompiled]) -> None:
        compiled = [system.compiled for system in systems]
        self.pool = pool(compiled)
        self.first_rules = np.cumsum([0, *(len(one.rules) for one in compiled)]).astype(np.int32)[:-1]
        longest = room_for(self.pool)
        if longest > MOST_STEPS:
            raise ValueError(f"a system has {longest:,} conditions to look at in one auction; {MOST_STEPS:,} can be")
        self._store = Store(
            untouched((MOST_STATES, LINKS), np.int32), untouched((MOST_STATES, NOTES), np.int16),
            untouched((max(MOST_CODE, longest),), np.int64),
            np.full((MOST_ROOTS, ROOT_COLUMNS), -1, np.int32), np.empty(MOST_ROOTS, np.int32),
            np.full((len(self.pool.blocks), SHAPES), -1, np.int32),
            np.full((len(self.pool.blocks), SHAPES), -1, np.int32),
            np.full(len(self.pool.children), -1, np.int32),
            np.zeros(len(self.pool.children), np.int32), np.zeros(COUNTS, np.int64),
        )  # fmt: skip
        self._store.counts[LONGEST] = longest
        self._table = PointerTable(SCHEMA, self.pool, index_calls(self.pool), self._store, *room_to_work())
        self.plan = self._table.addresses
        self.lock = RLock()
        self.edition = 0

    def __len__(self) -> int:
        return int(self._store.counts[STATES])

    @property
    def bytes(self) -> int:
        """Return the memory in use."""
        states, steps = self._store.counts[[STATES, STEPS]].tolist()
        return int(states * (4 * LINKS + 2 * NOTES) + 8 * steps)

    def clear(self) -> None:
        """Forget everything; the memory stays."""
        with self.lock:
            for table in (self._store.root_keys, self._store.general, self._store.sums, self._store.trees):
                table[:] = -1
            self._store.counts[:LONGEST] = 0
            self.edition += 1

    def make_room(self) -> int:
        """Forget everything where most auctions since found no room; return the edition."""
        with self.lock:
            if self._store.counts[MISSED] > 2 * len(self._store.links):
                self.clear()
            return self.edition

    def bid(
        self,
        systems: NDArray[np.int32],
        features: NDArray[np.int16],
        auctions: Auctions,
        boards: NDArray[np.int64] | None = None,
        calls: NDArray[np.int8] | None = None,
        length: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Finish ``auctions``, fresh ones, and return how many calls each rule of the pool made.

        Args:
            systems: int32 (N, 4), which system each seat plays.
            features: int16 (B, 4, NUM_FEATURES), from ``deal_features``.
            boards: int64 (N,), which of the B deals a row has (default: its own).
            calls: int8 (N, L), legal from the dealer on; length: (N,), how many of them have been made (default: none).
        """
        n = len(auctions)
        used = np.zeros(len(self.pool.rules), np.int64)
        with self.lock:
            self.make_room()
            bid_boards(
                self.plan, systems, features,
                np.arange(n) if boards is None else np.asarray(boards, np.int64),
                np.empty((n, 0), np.int8) if calls is None else np.ascontiguousarray(calls, np.int8),
                np.zeros(n, np.int64) if length is None else np.asarray(length, np.int64),
                auctions.state, auctions.history, used,
            )  # fmt: skip
        return used

    def look(
        self,
        queries: Queries,
        systems: NDArray[np.int32] | None = None,
        answers: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int16]]:
        """Choose the calls of auctions and hands, and find what the seats have shown there.

        Args:
            systems: int32 (4,), which system each seat plays (default: the first in all).
            answers: bool (N,), written: whether partner's last call asks, and the opponents have passed since.

        Returns:
            What the systems call int8 (M,), Pass where an auction is over; the rules that say so int32 (M,), numbered
            in the system of the seat to call, -1 none; and what each seat has shown, int16 (N, 4, QUANTITIES, 2), axes
            as ``HierarchyBidder.meaning``.
        """
        m, shown = len(queries.boards), np.empty((len(queries.length), 4, QUANTITIES, 2), np.int16)
        chosen, rules = np.empty(m, np.int8), np.empty(m, np.int32)
        with self.lock:
            for part, state_ids in self.find(queries, systems, chosen, rules):
                shown[part] = self._store.notes[state_ids, SHOWN_AT:].reshape(-1, 4, QUANTITIES, 2)
                if answers is not None:
                    partner, right = queries.seat[part] ^ 2, (queries.seat[part] + 3) & 3
                    asks = self._status(state_ids, partner, ASKING_BID) != 0
                    answers[part] = asks & (self._status(state_ids, right, LAST_CALL) == PASS)
        first = self.first_rules[_of_seats(systems)[queries.seat]]
        own = first if queries.begins is None else np.repeat(first, np.diff(queries.begins))
        return chosen, np.where(rules >= 0, rules - own, rules), shown

    def feature_rows(
        self, queries: Queries, systems: NDArray[np.int32] | None = None
    ) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Return all words of the language for hands in auctions, and where these are in the tree of the seat to call.

        Returns:
            int16 (N, NUM_COLUMNS); and the nodes int32 (N,), numbered in that seat's system, -1 outside its tree.
        """
        rows = np.empty((len(queries.length), NUM_COLUMNS), np.int16)
        nodes = np.empty(len(rows), np.int32)
        hands = queries.features[queries.boards, queries.seat]
        with self.lock:
            for part, state_ids in self.find(queries, systems):
                feature_rows(self.plan, state_ids, hands[part], rows[part], nodes[part])
        return rows, np.where(nodes >= 0, nodes - self.pool.roots[_of_seats(systems)[queries.seat]], nodes)

    def misdescription(self, queries: Queries, wanted: NDArray[np.bool_]) -> NDArray[np.int16]:
        """Return by how many points, cards and aces calls mislead beyond the ranges shown before: int16 (N, 38).

        Args:
            wanted: bool (N, 38), legal calls of the first system to look at; the others are 0.
        """
        out = np.zeros(wanted.shape, np.int16)
        with self.lock:
            for part, state_ids in self.find(queries):
                systems, boards = np.zeros((len(state_ids), 4), np.int32), queries.boards[part]
                misdescription_rows(self.plan, systems, queries.features, boards, state_ids, wanted[part], out[part])
        return out

    def forced(self, queries: Queries) -> NDArray[np.bool_]:
        """Return whether partner's last call forces, by the first system: bool (N,)."""
        out = np.zeros(len(queries.length), np.bool_)
        with self.lock:
            for part, state_ids in self.find(queries):
                out[part] = self._status(state_ids, queries.seat[part] ^ 2, FORCES) != 0
        return out

    def _status(self, state_ids: NDArray[np.int32], seat: NDArray[np.int16], column: int) -> NDArray[np.int16]:
        """Return a column of the status of ``seat`` (N,) in states, int16 (N,)."""
        return self._store.notes[state_ids, STATUS_AT + seat * STATUS_COLUMNS + column]

    def find(
        self,
        queries: Queries,
        systems: NDArray[np.int32] | None = None,
        chosen: NDArray[np.int8] | None = None,
        rules: NDArray[np.int32] | None = None,
    ) -> Iterator[tuple[slice, NDArray[np.int32]]]:
        """Yield auctions in parts whose states all find room: which, and their states, valid until the next part.

        Callers hold ``lock``.

        Args:
            chosen, rules: written, the calls there and the rules of the pool that say so.
        """
        begins = np.arange(len(queries.length) + 1) if queries.begins is None else queries.begins
        if chosen is None or rules is None:  # nobody wants calls
            begins, chosen, rules = np.zeros_like(begins), np.empty(0, np.int8), np.empty(0, np.int32)
        seats, met = _of_seats(systems), np.cumsum(queries.length + 1)
        room, start, before = max(len(self._store.links) - _ROOTS, 1), 0, 0
        while start < len(queries.length):
            end = max(int(np.searchsorted(met, before + room, side="right")), start + 1)
            n, part = end - start, slice(start, end)
            state_ids = np.empty(n, np.int32)
            if self._store.counts[STATES] + int(met[end - 1]) - before + _ROOTS > len(self._store.links):
                self.clear()
            state_rows(
                self.plan, np.tile(seats, (n, 1)), queries.features, queries.boards, begins[start : end + 1],
                np.ascontiguousarray(queries.history[part], np.int8), np.asarray(queries.length[part], np.int64),
                np.ascontiguousarray(queries.state[part]), state_ids, chosen, rules,
            )  # fmt: skip
            yield part, state_ids
            start, before = end, int(met[end - 1])


def _of_seats(systems: NDArray[np.int32] | None) -> NDArray[np.int32]:
    return np.zeros(4, np.int32) if systems is None else systems
