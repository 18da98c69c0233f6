"""Define the protocols of bidders and card players. All take and return arrays, one row a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.view import BidView
from bridge_env.rules.auction import Auctions


@runtime_checkable
class Bidder(Protocol):
    """A player that calls. It has no state between calls: it knows only the view."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Choose one legal call for every row of ``view``: int8 (N,).

        Args:
            view: the knowledge of the acting seats; rows may be at different seats, auctions and vulnerabilities.
            key: uint64 (N,), each row's own random stream (``bridge_env.rng.streams``). A bidder that uses
                chance draws from it and from nothing else, so that a batch equals its rows one by one.
        """
        ...


@runtime_checkable
class Explains(Protocol):
    """A bidder that can explain its call, as ``bridge-env bid`` prints it."""

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``: the call on the first line, the reason below it."""
        ...


@runtime_checkable
class SlowBidder(Protocol):
    """A slow bidder: a match gives it fewer boards at a time, so that progress shows.

    Attributes:
        slow: True.
    """

    slow: bool


@runtime_checkable
class Partnership(Protocol):
    """A bidder whose calls come from different players, by seat."""

    def player(self, seat: int) -> Bidder:
        """Return the player that calls at ``seat``, 0..3."""
        ...


class BidderGroup(Protocol):
    """Bidders at the same tables that call together, in one compiled loop, each as it would alone.

    Attributes:
        seats: bool (4,), which of N, E, S, W they hold.
    """

    seats: NDArray[np.bool_]

    def deal(self, rows: NDArray[np.intp]) -> None:
        """Start new deals at tables ``rows``."""
        ...

    def call(self, auctions: Auctions, owner: NDArray[np.uint8], rows: NDArray[np.intp]) -> None:
        """Make calls at tables ``rows`` until their auctions are over, or a seat outside the group is to call.

        Args:
            auctions: N of them; owner: uint8 (N, 52).
        """
        ...


@runtime_checkable
class Groupable(Protocol):
    """A bidder that can call in a group."""

    def group(self, seats: Sequence[Bidder | None], tables: int) -> BidderGroup | None:
        """Return those of ``seats`` (at N, E, S, W) that can call together at some tables; None if there are none."""
        ...


@runtime_checkable
class CardPlayer(Protocol):
    """A player that plays cards. It has no state between cards: it knows only the view."""

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Choose one legal card for every row of ``view``: int8 (N,).

        Args:
            view: the knowledge of the players to choose; rows may be of different contracts, seats and tricks.
            key: uint64 (N,), each row's own random stream, as for a ``Bidder``.
        """
        ...
