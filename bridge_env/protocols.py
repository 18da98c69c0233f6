"""What a bidder, a card player and a source of tricks are. Arrays in, arrays out, a batch at a time."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.play_view import PlayView
from bridge_env.view import BidView


@runtime_checkable
class Bidder(Protocol):
    """Anything that calls. It keeps no state between calls beyond what the view says."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """One legal call for every row of ``view``: int8 (N,).

        Args:
            view: what the acting seats know; rows may be at different seats, auctions and vulnerabilities.
            key: uint64 (N,), each row's own random stream (``bridge_env.streams``). A bidder that uses
                chance draws from it and from nothing else, so that a batch equals its rows one by one.
        """
        ...


@runtime_checkable
class Explains(Protocol):
    """A bidder that can tell why it calls as it does. ``bridge-env bid`` asks for it."""

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """The call that it makes with the hand of the one row of ``view``, on a line, and below it why."""
        ...


@runtime_checkable
class Thinks(Protocol):
    """A bidder that takes its time: a match asks it about fewer boards at once, so that progress shows.

    Attributes:
        thinks: True.
    """

    thinks: bool


@runtime_checkable
class Partnership(Protocol):
    """A bidder whose calls come from different players, by seat."""

    def player(self, seat: int) -> Bidder:
        """Who calls at ``seat``, 0..3."""
        ...


@runtime_checkable
class CardPlayer(Protocol):
    """Anything that plays cards. It keeps no state between cards beyond what the view says."""

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """One legal card for every row of ``view``: int8 (N,).

        Args:
            view: what the players to choose know; rows may be of different contracts, seats and tricks.
            key: uint64 (N,), each row's own random stream, as for a ``Bidder``.
        """
        ...


@runtime_checkable
class DoubleDummy(Protocol):
    """A source of exact tricks."""

    def tricks(self, owner: ArrayLike) -> NDArray[np.int8]:
        """Whole tables, int8 (N, 4, 5) [declarer seat, strain], of deals uint8 (N, 52)."""
        ...

    def tricks_for(self, owner: ArrayLike, declarer: ArrayLike, strain: ArrayLike) -> NDArray[np.int8]:
        """Tricks of the given contracts only, int8 (N,): the cheap path."""
        ...
