"""Run auctions, a batch of tables at a time: legal calls, doubling, passes, the final contract.

The laws of the auction (Laws 17 to 22 and 41 of duplicate bridge) stand here once, as numba kernels over
rows. One table is a batch of one. Each row is

- ``history`` int8 (N, 319): the calls, padded with -1. This is the truth. 319 is the longest legal auction.
- ``state`` int16 (N, 18): derived from the history; the columns are named below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import (
    CALL_NAMES,
    DOUBLE,
    FIRST_BID,
    NUM_BIDS,
    NUM_CALLS,
    PASS,
    REDOUBLE,
    Contract,
    call_text,
)
from bridge_env.rules.cards import SEATS

MAX_CALLS = 319

# Columns of ``state``.
DEALER, VULNERABILITY, LENGTH, LAST_BID, LAST_BIDDER, DOUBLING, PASSES, DONE, FIRST_NAMER = range(9)
STATE_COLUMNS = FIRST_NAMER + 10  # first seat to name each strain: [side, strain], -1 = nobody

_BEGIN = np.array([0, 0, 0, -1, -1, 0, 0, 0, *[-1] * 10], np.int16)  # of a row before its first call

# Row i: the bids from number i up, as a mask of calls. Copying a row is several times faster than making one.
_BIDS_FROM = (np.arange(NUM_CALLS) >= FIRST_BID + np.arange(NUM_BIDS + 1)[:, None]).astype(np.int8)

Int16Array = NDArray[np.int16]
Int8Array = NDArray[np.int8]
BoolArray = NDArray[np.bool_]


class IllegalCall(ValueError):
    """A call that the laws do not allow here; the message shows the auction so far.

    Attributes:
        row, call: the table and the call; None where they are not known.
    """

    row: int | None = None
    call: int | None = None


@njit(forceinline=True)
def row_turn(state):  # type: ignore[no-untyped-def]
    """Return the seat to call."""
    return (state[DEALER] + state[LENGTH]) & 3


@njit(forceinline=True)
def row_legal(state, call):  # type: ignore[no-untyped-def]
    """Return whether the seat to call may make this call. A finished row allows Pass only."""
    if call == PASS:
        return True
    if state[DONE]:
        return False
    if call >= FIRST_BID:
        return call < NUM_CALLS and call - FIRST_BID > state[LAST_BID]
    if state[LAST_BID] < 0:
        return False
    ours = ((row_turn(state) ^ state[LAST_BIDDER]) & 1) == 0
    if call == DOUBLE:
        return not ours and state[DOUBLING] == 0
    return call == REDOUBLE and ours and state[DOUBLING] == 1


@njit(forceinline=True)
def row_mask(state, mask):  # type: ignore[no-untyped-def]
    """Write the legal calls of a row to ``mask`` (38,)."""
    bids = _BIDS_FROM[NUM_BIDS if state[DONE] else state[LAST_BID] + 1]
    for call in range(NUM_CALLS):
        mask[call] = bids[call]
    doubling = -1 if state[DONE] or state[LAST_BID] < 0 else state[DOUBLING]
    ours = ((row_turn(state) ^ state[LAST_BIDDER]) & 1) == 0
    mask[PASS] = True
    mask[DOUBLE] = doubling == 0 and not ours
    mask[REDOUBLE] = doubling == 1 and ours


@njit(forceinline=True)
def row_start(state, history, dealer, vulnerability):  # type: ignore[no-untyped-def]
    """Empty a row."""
    for i in range(MAX_CALLS):  # to numba cheaper than a slice, here and below
        history[i] = -1
    for column in range(FIRST_NAMER):
        state[column] = 0
    state[DEALER] = dealer
    state[VULNERABILITY] = vulnerability
    state[LAST_BID] = -1
    state[LAST_BIDDER] = -1
    for column in range(FIRST_NAMER, STATE_COLUMNS):
        state[column] = -1


@njit(forceinline=True)
def row_step(state, history, call):  # type: ignore[no-untyped-def]
    """Make a legal call. A finished row stays as it is."""
    if state[DONE]:
        return
    seat = row_turn(state)
    history[state[LENGTH]] = call
    state[LENGTH] += 1
    if call == PASS:
        state[PASSES] += 1
        state[DONE] = state[PASSES] == (3 if state[LAST_BID] >= 0 else 4)
        return
    state[PASSES] = 0
    if call == DOUBLE:
        state[DOUBLING] = 1
    elif call == REDOUBLE:
        state[DOUBLING] = 2
    else:
        bid = call - FIRST_BID
        state[LAST_BID] = bid
        state[LAST_BIDDER] = seat
        state[DOUBLING] = 0
        namer = FIRST_NAMER + (seat & 1) * 5 + bid % 5
        if state[namer] < 0:
            state[namer] = seat


@njit(forceinline=True)
def row_declarer(state):  # type: ignore[no-untyped-def]
    """Return the declarer of the last bid: the first of its side to name its strain; -1 without a bid."""
    if state[LAST_BID] < 0:
        return -1
    return state[FIRST_NAMER + (state[LAST_BIDDER] & 1) * 5 + state[LAST_BID] % 5]


@njit
def _mask_all(state, mask):  # type: ignore[no-untyped-def]
    for i in range(len(state)):
        row_mask(state[i], mask[i])


@njit
def _step_rows(state, history, rows, calls):  # type: ignore[no-untyped-def]
    """Step the rows in order; return the position of the first illegal call, or -1 (then all were made)."""
    for i in range(len(rows)):
        if not row_legal(state[rows[i]], calls[i]):
            return i
    for i in range(len(rows)):
        row_step(state[rows[i]], history[rows[i]], calls[i])
    return -1


@njit
def _replay_all(state, history, table, faults):  # type: ignore[no-untyped-def]
    """Make the calls ``table`` (N, L), padded with -1, up to each row's first illegal one (index to ``faults``)."""
    for i in range(len(state)):
        faults[i] = -1
        for k in range(table.shape[1]):
            if table[i, k] < 0:
                break
            if state[i, DONE] or not row_legal(state[i], table[i, k]):
                faults[i] = k
                break
            row_step(state[i], history[i], table[i, k])


@njit
def _contracts(state, out):  # type: ignore[no-untyped-def]
    for i in range(len(state)):
        out[0, i] = state[i, LAST_BID]
        out[1, i] = state[i, DOUBLING]
        out[2, i] = row_declarer(state[i])


class Contracts(NamedTuple):
    """Contracts of a batch of auctions, each int8 (N,): ``bid`` -1 where passed out (then declarer -1)."""

    bid: Int8Array
    doubling: Int8Array
    declarer: Int8Array

    def at(self, row: int) -> Contract:
        """Return one contract as an object."""
        return Contract(int(self.bid[row]), int(self.doubling[row]), int(self.declarer[row]))


class Auctions:
    """N auctions side by side.

    Args:
        dealer: seats 0..3, scalar or (N,).
        vulnerability: codes 0..3, scalar or (N,).
    """

    __slots__ = ("history", "state")

    def __init__(self, dealer: ArrayLike, vulnerability: ArrayLike) -> None:
        d, v = np.broadcast_arrays(np.atleast_1d(dealer), np.atleast_1d(vulnerability))
        if d.ndim != 1 or ((d < 0) | (d > 3) | (v < 0) | (v > 3)).any():
            raise ValueError("dealer and vulnerability are numbers 0..3, one for each auction")
        self.state: Int16Array = np.empty((len(d), STATE_COLUMNS), np.int16)
        self.state[:] = _BEGIN
        self.state[:, DEALER], self.state[:, VULNERABILITY] = d, v
        self.history: Int8Array = np.full((len(d), MAX_CALLS), -1, np.int8)

    @classmethod
    def over(cls, state: Int16Array, history: Int8Array) -> Auctions:
        """Make auctions of these arrays, (N, 18) and (N, 319), which are not copied."""
        out = object.__new__(cls)
        out.state, out.history = state, history
        return out

    @classmethod
    def replay(cls, history: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike) -> Auctions:
        """Build auctions from ``history`` (N, L), padded with -1.

        Raises:
            IllegalCall: where a call of it is not legal.
        """
        table = np.ascontiguousarray(np.atleast_2d(np.asarray(history, np.int64)))
        auctions = cls(np.broadcast_to(dealer, len(table)), np.broadcast_to(vulnerability, len(table)))
        faults = np.empty(len(table), np.int16)
        _replay_all(auctions.state, auctions.history, table, faults)
        bad = np.flatnonzero(faults >= 0)
        if bad.size:
            row = int(bad[0])
            if auctions.done[row]:
                raise IllegalCall(f"auction {row} goes on after it has ended: {auctions.text(row)}")
            raise auctions.illegal_call_error(row, int(table[row, faults[row]]))
        return auctions

    def __len__(self) -> int:
        return len(self.state)

    @property
    def dealer(self) -> Int16Array:
        return self.state[:, DEALER]

    @property
    def vulnerability(self) -> Int16Array:
        return self.state[:, VULNERABILITY]

    @property
    def length(self) -> Int16Array:
        """Return the number of calls made, int16 (N,)."""
        return self.state[:, LENGTH]

    @property
    def done(self) -> BoolArray:
        return self.state[:, DONE] != 0

    @property
    def turn(self) -> Int16Array:
        """Return the seat to call, int16 (N,); in a finished row the seat that would have called next."""
        return (self.state[:, DEALER] + self.state[:, LENGTH]) & 3

    def legal(self) -> BoolArray:
        """Return the legal calls, bool (N, 38). Never an all-False row: a finished row allows Pass only."""
        mask = np.empty((len(self.state), NUM_CALLS), np.bool_)
        _mask_all(self.state, mask)
        return mask

    def step(self, calls: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Make one call at each of ``rows`` (default all); finished rows take a Pass and stay as they are.

        Raises:
            IllegalCall: a call is not legal at its table; then no call of the batch was made.
        """
        r = np.arange(len(self.state)) if rows is None else np.asarray(rows, np.int64)
        c = np.array(np.broadcast_to(calls, r.shape), np.int64)  # a read-only view is another type to numba
        bad = int(_step_rows(self.state, self.history, r, c))
        if bad >= 0:
            raise self.illegal_call_error(int(r[bad]), int(c[bad]))

    def illegal_call_error(self, row: int, call: int, where: str | None = None) -> IllegalCall:
        """Return the error for a call that is not legal at a table: ``"1D is not legal after N: 1H Pass"``.

        Args:
            where: replaces ``" at table ROW"``; may be empty.
        """
        name = call_text(call) if 0 <= call < NUM_CALLS else str(call)
        place = f" at table {row}" if where is None else where
        error = IllegalCall(f"{name} is not legal{place} after {self.text(row) or 'no call'}")
        error.row, error.call = row, call
        return error

    def contracts(self) -> Contracts:
        """Return the present contracts: final where ``done``."""
        out = np.empty((3, len(self.state)), np.int8)
        _contracts(self.state, out)
        return Contracts(*out)

    def calls(self, row: int) -> tuple[int, ...]:
        """Return the calls of one auction."""
        return tuple(self.history[row, : self.state[row, LENGTH]].tolist())

    def text(self, row: int) -> str:
        """Write one auction: ``"N: 1C Pass 1H"``; empty before the first call."""
        words = " ".join([CALL_NAMES[c] for c in self.calls(row)])
        return f"{SEATS[self.state[row, DEALER]]}: {words}" if words else ""

    def take(self, rows: NDArray[np.int64] | BoolArray) -> Auctions:
        """Copy some rows."""
        return Auctions.over(self.state[rows], self.history[rows])

    @classmethod
    def joined(cls, parts: Sequence[Auctions]) -> Auctions:
        """Concatenate several batches."""
        return cls.over(np.concatenate([p.state for p in parts]), np.concatenate([p.history for p in parts]))


def one_auction(calls: Iterable[int] | Sequence[int], dealer: int, vulnerability: int = 0) -> Auctions:
    """Build a batch of one auction from ``calls``.

    Raises:
        IllegalCall: a call is not legal, or follows the end of the auction.
    """
    return Auctions.replay(np.array([list(calls)], np.int64).reshape(1, -1), dealer, vulnerability)
