"""Systems that bid together: one kernel makes the calls of all their seats, at many tables at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.fast.calling import nothing_noted
from agents.hierarchy.fast.positions import HasCompiled, positions_among
from bridge_env.auction import Auctions

if TYPE_CHECKING:
    from agents.hierarchy.bidder import HierarchyBidder


class SystemsAtTables:
    """A ``Company``: the systems at some seats of N tables. Their calls are those of each ``HierarchyBidder`` alone.

    Args:
        players: who bids N, E, S, W; None: nobody of the company.
        tables: N.
    """

    def __init__(self, players: Sequence[HierarchyBidder | None], tables: int) -> None:
        self.seats = np.array([player is not None for player in players])
        readings: list[tuple[HasCompiled, ...]] = []
        self._asked = np.full(4, -1, np.int8)
        for seat, player in enumerate(players):
            if player is not None:
                reading = player.reading(seat)
                if reading not in readings:
                    readings.append(reading)
                self._asked[seat] = readings.index(reading)
        self._positions, numbers = positions_among([system for reading in readings for system in reading])
        self._read_by = numbers.reshape(-1, 4).copy()
        self._stands = nothing_noted(tables, len(readings))
        self._edition = self._positions.edition

    def deal(self, rows: NDArray[np.intp]) -> None:
        """Forget the deals that lay at tables ``rows``."""
        self._stands.known[rows] = False

    def call(self, auctions: Auctions, owner: NDArray[np.uint8], rows: NDArray[np.intp]) -> None:
        """Make calls at tables ``rows`` until their auctions are over, or a seat outside the company is to call."""
        with self._positions.lock:
            edition = self._positions.make_room()
            if edition != self._edition:
                self._stands.followed[:] = 0
                self._edition = edition
            self._positions.call_at_tables(self._read_by, self._asked, rows, auctions, owner, self._stands)
