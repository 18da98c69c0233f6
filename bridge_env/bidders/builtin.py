"""Define the three trivial bidders: one passes, one calls at random, one doubles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.view import BidView
from bridge_env.rng.streams import choose
from bridge_env.rules.calls import DOUBLE, PASS, bid_call

_TWO_NOTRUMP = bid_call(2, 4)


@dataclass(frozen=True)
class PassBidder:
    """Always passes."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.full(len(view), PASS, np.int8)


@dataclass(frozen=True)
class RandomBidder:
    """Makes each legal call with equal probability."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return choose(key, view.mask).astype(np.int8)


@dataclass(frozen=True)
class DoublerBidder:
    """Passes, but doubles any opposing bid from 2NT up."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        highest = view.history.max(axis=1, initial=PASS)  # bids stand above all other calls, and rise
        double = view.mask[:, DOUBLE] & (highest >= _TWO_NOTRUMP)
        return np.where(double, DOUBLE, PASS).astype(np.int8)
