"""``reason:SYSTEM``: the system's call, unless sampled deals say that another one is better.

Everything is seen from the seat to call, which is turned to N: a hand in the same auction is thought over in the same way
wherever it sits, and what was read of an auction serves all four seats.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import HierarchyBidder, deal_features
from agents.hierarchy.shown import Memory, sample_view
from agents.reasoning.candidates import by_sample, by_system, near_calls, worth_thinking
from agents.reasoning.leaves import contract_values, smooth_imps
from agents.reasoning.look import Seats, by_minimax, by_systems
from agents.reasoning.options import Options
from bridge_env.auction import Auctions, FIRST_NAMER
from bridge_env.sampling import Sample
from bridge_env.view import BidView

_FIRST_LOOK = 16  # deals after which candidates that fall far behind are dropped
_HOPELESS = 2.0  # so many standard errors behind the system's call


@dataclass(frozen=True, eq=False)
class Thought:
    """How a call was found.

    Attributes:
        call: what is called.
        usual: what the system calls.
        calls: the candidates, ``usual`` first.
        average: float64 (C,), what each is worth, in the units of the options, against the field.
        gain, error: float64 (C,), its advantage over ``usual`` and the standard error of that.
        points: float64 (C, S), to my side on each deal; NaN where a candidate was dropped before.
        sample: the deals, seen from the seat to call as N; None where there was nothing to think about.
        dropped: bool (C,), fell far behind on the first deals.
    """

    call: int
    usual: int
    calls: list[int]
    average: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    gain: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    points: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    sample: Sample | None = None
    dropped: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))


class Reasoner:
    """Thinks before it calls. A ``Bidder``.

    Args:
        reader: the systems of all seats as ``HierarchyBidder`` has them.
        options: what to think with.
    """

    def __init__(self, reader: HierarchyBidder, options: Options) -> None:
        self.reader, self.options = reader, options
        low, high = reader.opponents
        same = low is high
        turned = reader if same else HierarchyBidder(reader.own, reader.partner, (high, low))
        self._frames = (reader, turned)
        self._memories = (Memory(), Memory())

    def __getstate__(self) -> dict[str, object]:
        return {"reader": self.reader, "options": self.options}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["reader"], state["options"])  # type: ignore[misc]

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        calls = np.empty(len(view), np.int8)
        for frame in (0, 1):
            rows = np.flatnonzero(np.isin(view.seat, (1, 2)) == bool(frame))
            if rows.size:
                calls[rows] = [t.call for t in self._think_all(turned(view.take(rows)), key[rows], frame)]
        return calls

    def think(self, view: BidView, key: NDArray[np.uint64]) -> Thought:
        """How the call of the one row of ``view`` is found; the deals are turned so that the seat to call is N."""
        return self._think_all(turned(view), key, int(view.seat[0] in (1, 2)))[0]

    def _think_all(self, view: BidView, key: NDArray[np.uint64], frame: int) -> list[Thought]:
        bidder = self._frames[frame]
        usual = bidder.call(view)
        near = near_calls(bidder, view)
        thoughts = []
        for row in range(len(view)):
            calls = by_system(int(usual[row]), near[row], view.mask[row], self.options)
            if worth_thinking(view, row, calls, free=False):
                thoughts.append(self._think(bidder, self._memories[frame], view.take(np.array([row])), key[row], calls))
            else:
                thoughts.append(Thought(calls[0], calls[0], calls[:1]))
        return thoughts

    def _think(
        self, bidder: HierarchyBidder, memory: Memory, view: BidView, key: np.uint64, calls: list[int]
    ) -> Thought:
        if not self.options.seconds:
            return self._think_on(bidder, memory, view, key, calls, self.options.samples)
        began, samples = time.perf_counter(), _FIRST_LOOK
        while True:
            start = time.perf_counter()
            thought = self._think_on(bidder, memory, view, key, calls, samples)
            now = time.perf_counter()
            if now - began + 2 * (now - start) > self.options.seconds:
                return thought
            samples *= 2

    def _think_on(
        self, bidder: HierarchyBidder, memory: Memory, view: BidView, key: np.uint64, calls: list[int], count: int
    ) -> Thought:
        options = self.options
        sample = sample_view(bidder, view, count, key, memory=memory, limit=2_000 + 100 * count)
        leaves = contract_values(sample.owner, int(view.vulnerability[0]), options.leaves)
        suggested = by_sample(leaves, sample.weight, view.mask[0], *_contract_now(view))
        calls = list(dict.fromkeys([*calls, *suggested]))
        seats = (bidder.own, bidder.opponents[0], bidder.partner, bidder.opponents[1])
        features = deal_features(sample.owner) if options.look == "systems" else np.empty((len(sample), 4, 0), np.int16)
        points = np.full((len(calls), len(sample)), np.nan)
        first = slice(0, _FIRST_LOOK)
        points[:, first] = self._look(seats, view, calls, features[first], leaves[first])
        gain, error = self._gains(points[:, first], sample.weight[first])
        dropped = gain + _HOPELESS * error < 0
        dropped[0] = False
        if len(sample) > _FIRST_LOOK and not dropped[1:].all():
            kept, rest = np.flatnonzero(~dropped), slice(_FIRST_LOOK, None)
            points[kept, rest] = self._look(seats, view, [calls[k] for k in kept], features[rest], leaves[rest])
        return self._choose(calls, points, sample, dropped)

    def _look(
        self, seats: Seats, view: BidView, calls: list[int], features: NDArray[np.int16], leaves: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        if self.options.look == "minimax":
            return by_minimax(view, calls, leaves, self.options.trust)
        return by_systems(seats, view, calls, features, leaves)

    def _gains(
        self, points: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The advantage of each candidate over the first, and its standard error."""
        share = weight / weight.sum()
        difference = self._compare(points - points[0])
        gain = difference @ share
        error = np.sqrt(np.square((difference - gain[:, None]) * share).sum(axis=1))
        return gain, error

    def _compare(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return smooth_imps(points) if self.options.value == "imps" else points

    def _choose(
        self, calls: list[int], points: NDArray[np.float64], sample: Sample, dropped: NDArray[np.bool_]
    ) -> Thought:
        """The best of the field among the calls that are surely better than the system's."""
        options, n = self.options, len(calls)
        gain, error, average = np.full(n, np.nan), np.full(n, np.nan), np.full(n, np.nan)
        first = slice(0, _FIRST_LOOK)
        gain[dropped], error[dropped] = (part[dropped] for part in self._gains(points[:, first], sample.weight[first]))
        kept = np.flatnonzero(~dropped)
        if len(kept) > 1:
            gain[kept], error[kept] = self._gains(points[kept], sample.weight)
            for k in kept:
                others = kept[kept != k]
                average[k] = (self._compare(points[k] - points[others]) @ sample.weight).mean()
        better = kept[(gain[kept] > options.caution * error[kept]) & (gain[kept] > options.margin)]
        chosen = int(better[average[better].argmax()]) if len(better) else 0
        return Thought(calls[chosen], calls[0], calls, average, gain, error, points, sample, dropped)


def turned(view: BidView) -> BidView:
    """The same rows with the seat to call turned to N."""
    swap = (view.seat & 1 == 1) & ((view.vulnerability == 1) | (view.vulnerability == 2))
    vulnerability = np.where(swap, 3 - view.vulnerability, view.vulnerability).astype(np.int16)
    return BidView(
        view.hand, view.history, view.length, ((view.dealer - view.seat) & 3).astype(np.int16), vulnerability,
        np.zeros_like(view.seat), view.mask,
    )  # fmt: skip


def _contract_now(view: BidView) -> tuple[NDArray[np.int16], tuple[int, int, int]]:
    """Who declares each strain if I bid it, and the contract as it stands, of the one row of a turned view."""
    auction = Auctions.replay(view.history[:, : int(view.length[0])], view.dealer, view.vulnerability)
    namers = auction.state[0, FIRST_NAMER : FIRST_NAMER + 5]
    contract = auction.contracts().at(0)
    return np.maximum(namers, 0), (contract.bid, contract.declarer, contract.doubling)
