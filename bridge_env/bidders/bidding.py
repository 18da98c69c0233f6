"""Bid with bidders at many tables: each is called once a round for all tables where it is its turn.

Envs and matches bid by ``bid_round`` or ``complete_auctions``. (Systems alone bid along cached auction states in
``agents.systems.engine``, and networks that learn record their calls in ``agents.networks.tables``.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.errors import BidderError, call_bidder
from bridge_env.bidders.protocols import Bidder, BidderGroup, Groupable
from bridge_env.bidders.registry import implements
from bridge_env.bidders.view import view_of
from bridge_env.compiled.jit import njit
from bridge_env.rng.streams_numba import row_key
from bridge_env.rules.auction import LENGTH, Auctions, IllegalCall


@njit
def _call_keys(key, state, rows):  # type: ignore[no-untyped-def]
    """Return the streams of the next calls at some rows, ``streams.key(key, number of the call)``.

    The table is no part of it: at both tables of a duplicate board, the same bidder in the same position
    makes the same call, whatever chance it uses.
    """
    out = np.empty(len(rows), np.uint64)
    for i in range(len(rows)):
        out[i] = row_key(key[rows[i]], state[rows[i], LENGTH])
    return out


def bidder_group(seats: Sequence[Bidder | None], tables: int) -> BidderGroup | None:
    """Return the bidders among those of N, E, S, W that can call together at N tables, or None."""
    for bidder in seats:
        group: BidderGroup | None = bidder.group(seats, tables) if implements(bidder, Groupable) else None  # type: ignore[union-attr]
        if group is not None:
            return group
    return None


def ask(
    bidder: Bidder, auctions: Auctions, owner: NDArray[np.uint8], rows: NDArray[np.intp], key: NDArray[np.uint64]
) -> NDArray[np.integer[Any]]:
    """Return the calls of a bidder at some tables, whole numbers (len(rows),); they may be illegal.

    Args:
        bidder: it sees the auctions and the hands of the seats to call, and nothing else.
        auctions: N of them; owner: uint8 (N, 52).
        rows: the tables where it is to call.
        key: uint64 (len(rows),), the calls' own streams.

    Raises:
        BidderError: it returned something else, or raised an exception; ``row`` is the table, if it is one.
    """
    try:
        return call_bidder(bidder, view_of(auctions, owner, rows), key)
    except BidderError as fault:
        if fault.row is not None:
            fault.row = int(rows[fault.row])
        raise


def bid_round(
    auctions: Auctions,
    owner: NDArray[np.uint8],
    key: NDArray[np.uint64],
    rows: NDArray[np.intp],
    numbers: NDArray[np.integer[Any]],
    bidders: Sequence[Bidder],
) -> None:
    """Make one call at each of ``rows``, of bidder number ``numbers`` (len(rows),).

    Args:
        auctions: N of them; owner: uint8 (N, 52).
        key: uint64 (N,), each auction's stream; its calls draw from ``streams.key(key, number of the call)``.

    Raises:
        BidderError: a call is not legal, or no call; those of the bidders before it have been made.
    """
    for number, bidder in enumerate(bidders):
        mine = rows[numbers == number]
        if not mine.size:
            continue
        calls = ask(bidder, auctions, owner, mine, _call_keys(key, auctions.state, mine))
        try:
            auctions.step(calls, mine)
        except IllegalCall as error:
            fault = BidderError(f"the bidder {bidder!r} made an illegal call: {error}")
            fault.row, fault.call = error.row, error.call
            raise fault from error


def complete_auctions(
    auctions: Auctions,
    owner: NDArray[np.uint8],
    key: NDArray[np.uint64],
    seats: NDArray[np.integer[Any]],
    bidders: Sequence[Bidder],
) -> None:
    """Bid all auctions to their ends, from where they stand.

    All advance together: a round calls each bidder once for all the seats that it holds.

    Args:
        auctions: N of them; owner: uint8 (N, 52); key: uint64 (N,), as in ``bid_round``.
        seats: (N, 4), the number of the bidder at N, E, S, W of each.
        bidders: by number.

    Raises:
        BidderError: as ``bid_round``.
    """
    while (rows := np.flatnonzero(~auctions.done)).size:
        bid_round(auctions, owner, key, rows, seats[rows, auctions.turn[rows]], bidders)
