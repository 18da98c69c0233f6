"""Bidders at many tables: each is asked once a round for all that it has to call, and its calls are checked and made.

Whoever lets bidders bid does it by ``bid_round`` or ``bid_on``: the envs, matches, and what is learned from either.
(Systems alone bid along positions, ``agents.hierarchy.fast``, and networks that learn note what they draw,
``agents.networks.tables``.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env import streams
from bridge_env.auction import LENGTH, Auctions, IllegalCall
from bridge_env.bidder_errors import BidderError, call_bidder
from bridge_env.bidders import implements
from bridge_env.chance import row_key
from bridge_env.kernels import njit
from bridge_env.protocols import Bidder, BidderGroup, Groupable
from bridge_env.view import view_of


def call_keys(keys: NDArray[np.uint64], number: ArrayLike) -> NDArray[np.uint64]:
    """The stream of call ``number`` (0, 1, ...) of each auction; uint64 (N,).

    The table is no part of it: at both tables of a duplicate board, the same bidder in the same position
    makes the same call, whatever chance it uses.
    """
    return streams.key(keys, number)


@njit
def _call_keys_at(key, state, rows):  # type: ignore[no-untyped-def]
    """``call_keys`` of the next calls at some rows."""
    out = np.empty(len(rows), np.uint64)
    for i in range(len(rows)):
        out[i] = row_key(key[rows[i]], state[rows[i], LENGTH])
    return out


def bidder_group(seats: Sequence[Bidder | None], tables: int) -> BidderGroup | None:
    """Return those among who bids N, E, S, W that can call together at N tables; None: nobody."""
    for bidder in seats:
        group: BidderGroup | None = bidder.group(seats, tables) if implements(bidder, Groupable) else None  # type: ignore[union-attr]
        if group is not None:
            return group
    return None


def ask(
    bidder: Bidder, auctions: Auctions, owner: NDArray[np.uint8], rows: NDArray[np.intp], key: NDArray[np.uint64]
) -> NDArray[np.integer[Any]]:
    """The calls of a bidder at some tables, whole numbers (len(rows),), of which nobody has seen if they are legal.

    Args:
        bidder: it is shown the auctions and the hands of those to call, and nothing else.
        auctions: N of them; owner: uint8 (N, 52).
        rows: where it is to call.
        key: uint64 (len(rows),), the calls' own streams.

    Raises:
        InvalidOutput: it gave something else.
        BidderRaised: it gave nothing; ``row`` is the table, if it is one.
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
    who: NDArray[np.integer[Any]],
    bidders: Sequence[Bidder],
) -> None:
    """One call at each of ``rows``, made by bidder number ``who`` (len(rows),).

    Args:
        auctions: N of them; owner: uint8 (N, 52).
        key: uint64 (N,), each auction's stream; calls have ``call_keys`` of it.

    Raises:
        BidderError: a call is not legal, or no call; those of the bidders before it have been made.
    """
    for number, bidder in enumerate(bidders):
        mine = rows[who == number]
        if not mine.size:
            continue
        calls = ask(bidder, auctions, owner, mine, _call_keys_at(key, auctions.state, mine))
        try:
            auctions.step(calls, mine)
        except IllegalCall as error:
            fault = BidderError(f"the bidder {bidder!r} made an illegal call: {error}")
            fault.row, fault.call = error.row, error.call
            raise fault from error


def bid_on(
    auctions: Auctions,
    owner: NDArray[np.uint8],
    key: NDArray[np.uint64],
    seats: NDArray[np.integer[Any]],
    bidders: Sequence[Bidder],
) -> None:
    """Bid all auctions to their ends, from where they stand.

    All advance together: a round asks each bidder once for all the seats that it holds.

    Args:
        auctions: N of them; owner: uint8 (N, 52); key: uint64 (N,), as in ``bid_round``.
        seats: (N, 4), the number of the bidder at N, E, S, W of each.
        bidders: by number.

    Raises:
        BidderError: as ``bid_round``.
    """
    while (rows := np.flatnonzero(~auctions.done)).size:
        bid_round(auctions, owner, key, rows, seats[rows, auctions.turn[rows]], bidders)
