"""Define ``reason:SYSTEM``: it makes the system's call, unless sampled deals favour another one.

Everything is seen from the seat to call, which is turned to N: a hand in the same auction is thought over in the same
way wherever it sits, and the reading of an auction serves all four seats.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.candidates import best_of_all, by_sample, by_system, near_calls, worth_thinking
from agents.lookahead.deals import as_they_double, fitting_deals, trusts
from agents.lookahead.options import Options
from agents.lookahead.player_models import PlayerModel
from agents.lookahead.valuation import by_minimax, by_systems, contract_values, of_all_calls, smooth_imps
from agents.systems.bidder import HierarchyBidder, deal_features
from agents.systems.inference.shown import Memory
from bridge_env.bidders.view import BidView
from bridge_env.rules.auction import FIRST_NAMER, Auctions
from bridge_env.rules.calls import PASS
from bridge_env.sampling import Sample

_FIRST_LOOK = 16  # deals after which candidates that fall far behind are dropped
_HOPELESS = 2.0  # so many standard errors behind the system's call


@dataclass(frozen=True, eq=False)
class SystemDecision:
    """A chosen call with the reasons for it."""

    call: int
    usual: int  # the system's call
    calls: list[int]  # the candidates, ``usual`` first
    # (C,), what each is worth, in the units of the options, against the field
    average: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    gain: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (C,), its advantage over ``usual``
    error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (C,), the standard error of that
    # (C, S), to my side on each deal; NaN where a candidate was dropped before
    points: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    # the deals, seen from the seat to call as N; None where there was nothing to think about
    sample: Sample | None = None
    # (C,), fell far behind on the first deals
    dropped: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))


class SystemLookahead:
    """Thinks before it calls. A ``Bidder``.

    Args:
        reader: the systems of all seats as ``HierarchyBidder`` has them.
        player_models: of partner and the two opponents, the one at N or E first.
    """

    slow = True

    def __init__(
        self,
        reader: HierarchyBidder,
        options: Options,
        player_models: tuple[PlayerModel, PlayerModel, PlayerModel] = (PlayerModel(),) * 3,
    ) -> None:
        self.reader, self.options, self.player_models = reader, options, player_models
        self._awake = False
        self.free = not reader.own.system.lines  # a root that allows every call
        partner, low, high = player_models
        # As I see the table: left-hand opponent, partner, right-hand opponent follow me.
        frame = reader, (PlayerModel(), low, partner, high), Memory()
        self._frames = frame, frame
        if low != high or reader.opponents[0] is not reader.opponents[1]:
            turned_reader = HierarchyBidder(reader.own, reader.partner, reader.opponents[::-1])
            self._frames = frame, (turned_reader, (PlayerModel(), high, partner, low), Memory())

    def __getstate__(self) -> dict[str, object]:
        return {"reader": self.reader, "options": self.options, "player_models": self.player_models}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        calls = np.empty(len(view), np.int8)
        for frame in (0, 1):
            rows = np.flatnonzero(np.isin(view.seat, (1, 2)) == bool(frame))
            if rows.size:
                calls[rows] = [t.call for t in self._think_all(turned(view.take(rows)), key[rows], frame)]
        return calls

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``."""
        from agents.lookahead.explain import explain

        return explain(self, view, self.think(view, key))

    def think(self, view: BidView, key: NDArray[np.uint64]) -> SystemDecision:
        """Find the call for the one row of ``view``, with the reasons; its deals have the seat to call at N."""
        return self._think_all(turned(view), key, int(view.seat[0] in (1, 2)))[0]

    def compare(self, view: BidView, key: NDArray[np.uint64], calls: list[int]) -> SystemDecision:
        """Weigh some calls, and any that the deals suggest, for the one row of ``view``: each beside the first."""
        frame = int(view.seat[0] in (1, 2))
        return self._think_on(frame, turned(view), key[0], calls, self.options.samples)

    def _think_all(self, view: BidView, key: NDArray[np.uint64], frame: int) -> list[SystemDecision]:
        bidder = self._frames[frame][0]
        usual = np.full(len(view), PASS) if self.free else bidder.call(view)
        near = None if self.free else near_calls(bidder, view)
        thoughts = []
        for row in range(len(view)):
            calls = [PASS]
            if near is not None:
                calls = by_system(int(usual[row]), near[row], view.mask[row], self.options)
            if worth_thinking(view, row, calls, self.free):
                thoughts.append(self._think(frame, view.take(np.array([row])), key[row], calls))
            else:
                thoughts.append(SystemDecision(calls[0], calls[0], calls[:1]))
        return thoughts

    def _think(self, frame: int, view: BidView, key: np.uint64, calls: list[int]) -> SystemDecision:
        """Think within the budget."""
        if not self.options.seconds:
            return self._think_on(frame, view, key, calls, self.options.samples)
        if not self._awake:  # the first thought loads kernels and weights, which says nothing of its speed
            self._think_on(frame, view, key, calls, _FIRST_LOOK)
            self._awake = True
        began, samples = time.perf_counter(), _FIRST_LOOK
        while True:
            start = time.perf_counter()
            thought = self._think_on(frame, view, key, calls, samples)
            now = time.perf_counter()
            if now - began + 2 * (now - start) > self.options.seconds:
                return thought
            samples *= 2

    def _think_on(self, frame: int, view: BidView, key: np.uint64, calls: list[int], count: int) -> SystemDecision:
        bidder, player_models, memory = self._frames[frame]
        options, trust = self.options, trusts(player_models, self.options)
        sample = fitting_deals(bidder, player_models, view, key, count, options, memory)
        leaves = contract_values(sample.owner, int(view.vulnerability[0]))
        if options.look == "minimax":
            leaves = as_they_double(leaves, player_models)
        if self.free:
            suggested = best_of_all(of_all_calls(view, leaves, trust), sample.weight, options.candidates)
        else:
            suggested = by_sample(leaves, sample.weight, view.mask[0], *_contract_now(view))
        calls = list(dict.fromkeys([*calls, *suggested]))
        features = deal_features(sample.owner) if options.look == "systems" else None
        seats = (bidder.own, bidder.opponents[0], bidder.partner, bidder.opponents[1])

        def look(which: list[int], part: slice) -> NDArray[np.float64]:
            if features is None:
                return by_minimax(view, which, leaves[part], trust)
            return by_systems(seats, view, which, features[part], leaves[part])

        points = np.full((len(calls), len(sample)), np.nan)
        first, rest = slice(0, _FIRST_LOOK), slice(_FIRST_LOOK, None)
        points[:, first] = look(calls, first)
        gain, error = self._gains(points[:, first], sample.weight[first])
        dropped = gain + _HOPELESS * error < 0
        dropped[0] = False
        if len(sample) > _FIRST_LOOK and not dropped[1:].all():
            remaining = np.flatnonzero(~dropped)
            points[remaining, rest] = look([calls[k] for k in remaining], rest)
        return self._choose(calls, points, sample, dropped)

    def _gains(
        self, points: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the advantage of each candidate over the first, and its standard error."""
        share = weight / weight.sum()
        difference = smooth_imps(points - points[0])
        gain = difference @ share
        error = np.sqrt(np.square((difference - gain[:, None]) * share).sum(axis=1))
        return gain, error

    def _choose(
        self, calls: list[int], points: NDArray[np.float64], sample: Sample, dropped: NDArray[np.bool_]
    ) -> SystemDecision:
        """Return the best of the field among the calls that are surely better than the system's."""
        options, n = self.options, len(calls)
        gain, error, average = np.full(n, np.nan), np.full(n, np.nan), np.full(n, np.nan)
        first = slice(0, _FIRST_LOOK)
        gain[dropped], error[dropped] = (part[dropped] for part in self._gains(points[:, first], sample.weight[first]))
        remaining = np.flatnonzero(~dropped)
        if len(remaining) > 1:
            gain[remaining], error[remaining] = self._gains(points[remaining], sample.weight)
            for k in remaining:
                others = remaining[remaining != k]
                average[k] = (smooth_imps(points[k] - points[others]) @ sample.weight).mean()
        better = remaining[(gain[remaining] > options.caution * error[remaining]) & (gain[remaining] > options.margin)]
        chosen = int(better[average[better].argmax()]) if len(remaining) > 1 and len(better) else 0
        return SystemDecision(calls[chosen], calls[0], calls, average, gain, error, points, sample, dropped)


def turned(view: BidView) -> BidView:
    """Rotate rows so that the seat to call is N."""
    swap = (view.seat & 1 == 1) & ((view.vulnerability == 1) | (view.vulnerability == 2))
    vulnerability = np.where(swap, 3 - view.vulnerability, view.vulnerability).astype(np.int16)
    return BidView(
        view.hand, view.history, view.length, ((view.dealer - view.seat) & 3).astype(np.int16), vulnerability,
        np.zeros_like(view.seat), view.mask,
    )  # fmt: skip


def _contract_now(view: BidView) -> tuple[NDArray[np.int16], tuple[int, int, int]]:
    """Return the declarer of each strain if I bid it, and the present contract, of the one row of a turned view."""
    auction = Auctions.replay(view.history[:, : int(view.length[0])], view.dealer, view.vulnerability)
    namers = auction.state[0, FIRST_NAMER : FIRST_NAMER + 5]
    contract = auction.contracts().at(0)
    return np.maximum(namers, 0), (contract.bid, contract.declarer, contract.doubling)
