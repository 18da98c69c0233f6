"""Let two bidders sit opposite each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder
from bridge_env.bidders.protocols import Bidder, BidderGroup
from bridge_env.bidders.view import BidView


@dataclass(frozen=True)
class PairBidder:
    """Two bidders opposite each other."""

    first: Bidder  # at N or E
    second: Bidder  # at S or W

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        calls = np.empty(len(view), np.int8)
        for bidder, mine in ((self.first, view.seat < 2), (self.second, view.seat >= 2)):
            if mine.any():
                calls[mine] = bidder.bid(view.take(mine), key[mine])
        return calls

    def player(self, seat: int) -> Bidder:
        """Return the player that calls at ``seat``, 0..3."""
        return self.first if seat < 2 else self.second

    def group(self, seats: Sequence[Bidder | None], tables: int) -> BidderGroup | None:
        """Return the group of systems among ``seats`` (N, E, S, W), if one of the two players is one."""
        one = self.first if type(self.first) is HierarchyBidder else self.second
        return one.group(seats, tables) if type(one) is HierarchyBidder else None

    @property
    def systems(self) -> tuple[HierarchyBidder, HierarchyBidder] | None:
        """Return the two players if both follow systems, else None."""
        one, two = self.first, self.second
        return (one, two) if type(one) is HierarchyBidder and type(two) is HierarchyBidder else None
