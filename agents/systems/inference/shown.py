"""Constrain ``bridge_env.sampling`` by calls: exactly the hands on which each system makes its calls.

``meaning`` sums that up as ranges for people. Here a call is replayed: passing denies what would have bid, and a bid
all that another rule before it would have bid. How far a hand is from those that make a call:

- 0 on those hands;
- else the least over the rules that make it: the distances to their ranges, summed over all that must hold, and the
  least of alternatives; and ``DENIED`` (2) more if the hand would have made another call by an earlier rule.

Where no hand can make a call, because other rules always come before, its own rules are looked at alone; and where
no rule makes it, a bid of a suit shows four cards there (three behind partner's four), another call nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.systems.bidder import HierarchyBidder
from agents.systems.engine.shown_ranges import natural_cards
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.inference.hand_classes import EXACT, NATURAL, UNDENIED, class_rows, violation_rows
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import NUM_FEATURES, hand_features
from bridge_env.rules.auction import DEALER, STATE_COLUMNS, VULNERABILITY
from bridge_env.rules.calls import FIRST_BID
from bridge_env.rules.cards import SUITS
from bridge_env.sampling import KnownCards, Sample, hand, sample_deals
from bridge_env.sampling.constraints import hull, shape_features

PARTNERS_WEIGHT, OPPONENTS_WEIGHT = 2.0, 1.0


@dataclass(frozen=True, eq=False)
class CallsShow:
    """A constraint of ``bridge_env.sampling``: on this hand the seat's system makes the seat's calls."""

    states: StateCache
    systems: NDArray[np.int32]  # (4,), which of its systems N, E, S and W play
    before: Queries  # the auction before each of the seat's calls
    calls: NDArray[np.int8]  # (L,), these calls
    readings: NDArray[np.int8]  # (L,), how each of them is read
    points: tuple[int, int]  # the least and most high-card points of hands that may make these calls
    lengths: NDArray[np.int64]  # (4, 2), the least and most cards of C D H S of such hands
    _classes: NDArray[np.uint64]

    def classes(self) -> NDArray[np.uint64]:
        return self._classes

    def fits(self, hands: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return self._off(hands, degree=False) == 0

    def violation(self, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
        return self._off(hands, degree=True)

    def _off(self, hands: NDArray[np.bool_], degree: bool) -> NDArray[np.float32]:
        features = hand_features(hands)
        return violation_rows(self.states, self.systems, self.before, self.calls, self.readings, features, degree)


class _Auction(NamedTuple):
    """An auction, and the systems by which its calls are read."""

    states: StateCache
    systems: NDArray[np.int32]
    state: NDArray[np.int16]  # (STATE_COLUMNS,), of which dealer and vulnerability are set
    calls: NDArray[np.int8]

    def before(self, numbers: NDArray[np.int64]) -> Queries:
        """Return the auction as it was before some of its calls."""
        none, n = np.zeros((1, 4, NUM_FEATURES), np.int16), len(numbers)
        return Queries(none, np.zeros(n, np.int64), np.tile(self.state, (n, 1)), np.tile(self.calls, (n, 1)), numbers)


@dataclass(eq=False)
class Memory:
    """A cache of readings for one ``HierarchyBidder``: its auctions share their beginnings."""

    size: int = 512  # 22 KB each
    _known: OrderedDict[tuple[bytes, ...], tuple[int, NDArray[np.uint64]]] = field(default_factory=OrderedDict)

    def read(self, auction: _Auction, number: int) -> tuple[int, NDArray[np.uint64]]:
        """Return how call ``number`` of an auction is read, and the classes of hands that fit it."""
        key = (auction.systems.tobytes(), auction.state.tobytes(), auction.calls[: number + 1].tobytes())
        found = self._known.pop(key, None)
        if found is None:
            found = _read_call(auction, number)
            if len(self._known) >= self.size:
                self._known.popitem(last=False)
        self._known[key] = found
        return found


def shown_by_calls(
    bidder: HierarchyBidder, view: BidView, row: int = 0, me: bool = False, memory: Memory | None = None,
    numbers: Collection[int] | None = None,
) -> dict[int, CallsShow]:  # fmt: skip
    """Return what calls in one row of ``view`` show of every other seat that called: partner, then left, right.

    Each seat's calls are read by the system that ``bidder`` knows it to play. With ``me``, what my own calls show
    comes last. With ``numbers``, only these calls of the auction are read.
    """
    own, calls = int(view.seat[row]), view.history[row, : int(view.length[row])].astype(np.int8)
    state = np.zeros(STATE_COLUMNS, np.int16)
    state[DEALER], state[VULNERABILITY] = view.dealer[row], view.vulnerability[row]
    auction = _Auction(*bidder.states(own), state, calls)
    read = np.ones(len(calls), np.bool_) if numbers is None else np.isin(np.arange(len(calls)), list(numbers))
    caller = np.where(read, (state[DEALER] + np.arange(len(calls))) & 3, -1)
    seats = [(own + offset) % 4 for offset in (2, 1, 3, 0)]
    seats = [seat for seat in (seats if me else seats[:3]) if (caller == seat).any()]
    memory = memory or Memory()
    return {seat: _read(auction, np.flatnonzero(caller == seat), memory) for seat in seats}


def sample_view(bidder: HierarchyBidder, view: BidView, count: int, key: ArrayLike, row: int = 0) -> Sample:
    """Sample deals for the seat to call in one row of ``view``: its own cards, and others that fit their calls.

    Args:
        count, key: as for ``bridge_env.sampling.sample_deals``.
    """
    me = int(view.seat[row])
    weights = {(me + offset) % 4: PARTNERS_WEIGHT if offset == 2 else OPPONENTS_WEIGHT for offset in (1, 2, 3)}
    places = KnownCards.seen({me: view.hand[row]})
    return sample_deals(places, shown_by_calls(bidder, view, row), count, key, weights=weights)


def _read(auction: _Auction, numbers: NDArray[np.int64], memory: Memory) -> CallsShow:
    """Return how each call of a seat is read (``numbers`` of the auction), and the classes that fit them all."""
    read = [memory.read(auction, int(number)) for number in numbers]
    together = read[-1][1]
    for _, fit in read[-2::-1]:  # where calls contradict one another, the later are believed
        both = together & fit
        together = both if both.any() else together
    points, lengths = hull(together)
    readings = np.array([reading for reading, _ in read], np.int8)
    before = auction.before(numbers)
    return CallsShow(
        auction.states, auction.systems, before, auction.calls[numbers], readings, points, lengths, together
    )


def _read_call(auction: _Auction, number: int) -> tuple[int, NDArray[np.uint64]]:
    call, before = int(auction.calls[number]), auction.before(np.array([number]))
    for reading in (EXACT, UNDENIED):
        fit = class_rows(auction.states, auction.systems, before, call, reading, *shape_features())
        if fit.any():
            return reading, fit
    shown = auction.states.look(before, auction.systems)[2][0]
    least = natural_cards(shown[before.seat[0] ^ 2], call)
    suit = SUITS[(call - FIRST_BID) % 5] if least else "C"
    return NATURAL, hand({suit: (int(least), 13)}).classes()
