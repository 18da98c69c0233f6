"""Solve deals, and the cards of positions, on several threads.

A thread uses its memory for one deal after the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.solver.moves import group_of, list_cards
from bridge_env.double_dummy.solver.search import STOPPED, begin, play, search, tricks_of
from bridge_env.double_dummy.solver.state import (
    ALL,
    COUNT,
    FIRST,
    FLOOR,
    HANDS,
    LISTED,
    MOVES,
    SEAT,
    STOP,
    Int64Array,
    Workspace,
    bottom,
    ranks,
    size,
    untracked_arrays,
)
from bridge_env.double_dummy.solver.transpositions import new_table, write_owners
from bridge_env.rules.cards import UInt8Array

NOT_LEGAL = -1  # or not wanted
ONE_BEST, ALL_BEST, ALL_CARDS = 1, 2, 3  # the cheapest first
_BITS = np.int64(1) << (16 * np.repeat(np.arange(4), 13) + np.tile(np.arange(13), 4))


def hand_bits(owner: UInt8Array) -> Int64Array:
    """Return hands int64 (N, 4), a bit ``16 * suit + rank`` for every card, of deals uint8 (N, 52)."""
    return np.where(owner[:, None, :] == np.arange(4, dtype=np.uint8)[:, None], _BITS, 0).sum(axis=2)


@njit(nogil=True)
def solve_deals(arrays, hands, wanted, tricks):  # type: ignore[no-untyped-def]
    """Write the tricks int8 (N, 4, 5) that are ``wanted`` bool (N, 4, 5) of deals, hands int64 (N, 4).

    Returns:
        the number of deals done.
    """
    state, owners, _, _, _, _, _ = untracked_arrays(arrays)
    start = np.int64(0)  # the number 0 itself is another type to numba, for which the search would be compiled again
    for deal in range(len(hands)):
        write_owners(owners, hands[deal])
        total = size(hands[deal, 0])
        for strain in range(5):
            new_table(state)
            guess = (np.int64(total) + 1) // 2
            for declarer in range(4):
                if not wanted[deal, declarer, strain]:
                    continue
                begin(state, hands[deal], (declarer + 1) & 3)
                found = tricks_of(arrays, strain, total, start, guess)
                if found == STOPPED:
                    return deal
                guess = found
                tricks[deal, declarer, strain] = total - found if declarer & 1 else found
    return len(hands)


@njit(forceinline=True)
def _takes(arrays, strain, total, ply, side, tricks):  # type: ignore[no-untyped-def]
    """Return whether a side takes so many tricks: 1, 0 or STOPPED."""
    need = total - tricks + 1 if side else tricks
    answer = search(arrays, strain, total, ply, need)
    return answer if answer == STOPPED else answer ^ side


@njit(nogil=True)
def solve_cards(arrays, hands, strain, leader, trick, wanted, out):  # type: ignore[no-untyped-def]
    """Write the tricks of the legal cards of positions for the side to play: int8 (N, 52).

    Args:
        hands: int64 (N, 4), with the cards of the present trick.
        strain, leader: (N,).
        trick: int64 (N, 3), its cards as ``16 * suit + rank``, padded with -1.
        wanted: ONE_BEST, ALL_BEST or ALL_CARDS.

    Returns:
        the number of positions done.
    """
    state, owners, _, _, _, _, _ = untracked_arrays(arrays)
    cards = np.empty(LISTED, np.int64)
    for row in range(len(hands)):
        write_owners(owners, hands[row])
        new_table(state)
        begin(state, hands[row], leader[row])
        trump = np.int64(strain[row])
        ply = np.int64(0)
        while ply < 3 and trick[row, ply] >= 0:
            play(state, trump, ply, trick[row, ply])
            ply += 1
        seat, total = state[SEAT + ply], size(hands[row, leader[row]])
        side = seat & 1
        found = tricks_of(arrays, trump, total, ply, (total + 1) // 2)
        if found == STOPPED:
            return row
        best = total - found if side else found
        state[FIRST + ply] = -1
        for suit in range(4):
            state[FLOOR + 4 * ply + suit] = 0
        list_cards(state, trump, ply)
        count = state[COUNT + ply]
        for k in range(count):
            cards[k] = state[MOVES + LISTED * ply + k]
        for k in range(count):
            play(state, trump, ply, cards[k])
            value, answer = best, np.int64(0)
            while value > 0:
                answer = _takes(arrays, trump, total, ply + 1, side, value)
                if answer == STOPPED:
                    return row
                if answer or wanted != ALL_CARDS:
                    break
                value -= 1
            state[HANDS + seat] |= np.int64(1) << cards[k]
            if value == 0 or answer:
                suit = cards[k] >> 4
                mine = ranks(hands[row, seat], suit)
                equal = group_of(mine, ranks(state[ALL], suit) & ~mine, cards[k] & 15)
                while equal:
                    out[row, 13 * suit + bottom(equal)] = value
                    equal &= equal - 1
                if wanted == ONE_BEST:
                    break
    return len(hands)


class WorkspacePool:
    """Workspaces for threads that share work, reused from one call to the next."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._idle: list[Workspace] = []
        self._lock = threading.Lock()

    @contextmanager
    def _workspace(self, busy: list[Workspace]) -> Iterator[Workspace]:
        with self._lock:
            workspace = self._idle.pop() if self._idle else Workspace()
            workspace.state[STOP] = 0
            busy.append(workspace)
        try:
            yield workspace
        finally:
            with self._lock:
                busy.remove(workspace)  # its next user must not be stopped with us
                self._idle.append(workspace)

    def share(self, count: int, work: Callable[[Workspace, slice], int], at_most: int = 1) -> None:
        """Call ``work`` for parts of 0..count - 1, of at most so many, on all threads.

        Ctrl-C, or an error in one of them, stops all within milliseconds; finished parts stay.
        """
        step = max(1, min(at_most, count // (4 * self.threads)))
        parts = [slice(start, min(start + step, count)) for start in range(0, count, step)]
        busy: list[Workspace] = []

        def one(part: slice) -> None:
            with self._workspace(busy) as workspace:
                work(workspace, part)

        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for _ in pool.map(one, parts):
                    pass
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                with self._lock:
                    for workspace in busy:
                        workspace.state[STOP] = 1
                raise
