"""The players that look ahead, a network or a system: the calls that they consider, and what their calls show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.options import Options
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided, misdescriptions
from agents.networks.call_reader import shown
from agents.networks.file import Networks
from agents.networks.inputs import inputs_of
from agents.networks.likelihood import chance_of
from agents.networks.network import Network
from agents.networks.tables import Player
from agents.pair import PairBidder
from agents.systems.bidder import HierarchyBidder
from agents.systems.engine.state_cache import Queries
from agents.systems.explain.auction_reader import shown_by_seats
from agents.systems.inference.hand_classes import near_calls
from bridge_env.bidders.view import BidView
from bridge_env.rules.auction import FIRST_NAMER, Auctions
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS
from bridge_env.rules.cards import SEATS

LIKELY = 0.0005  # a call with at least this chance by a network is its candidate: it is sure of most calls
_HINTED = 0.1  # and for a system one with this chance by networks on average
_SURE = 0.99  # a system's call needs no thought if networks make it with this chance on average
_CONTRACTS = 2  # of ours that the deals suggest
_BY_NETWORK = 0.3  # the share of partner's calls that a network would make: partner looks ahead, and leaves its system


class Candidates(NamedTuple):
    """The calls to consider in a position."""

    calls: list[int]  # the usual one first
    chance: NDArray[np.float64]  # (C,), of each; empty where nobody has one
    hard: bool  # another call than the usual may be better


class NetworkCallModel:
    """A network: its likely calls, and if it bids by a book, those of them that describe the hand truly by it."""

    mixed = 0.05  # share of knowing nothing in the belief before any call is weighed

    def __init__(self, bidder: NetworkBidder) -> None:
        self.bidder = bidder
        self.network = bidder.networks.player
        self.player: Player = self.network  # bids on in play-outs, for both seats of the side

    def candidates(self, view: BidView, options: Options) -> list[Candidates]:
        """Return the calls to consider, row by row."""
        out = []
        untrue = self._untrue(view)
        for row, chance in enumerate(self.bidder.probabilities(view)):
            order = np.argsort(-chance, kind="stable")
            order = order[~untrue[row, order] | (order == order[0])]
            calls = [int(c) for c in order[: options.candidates] if chance[c] >= LIKELY] or [int(order[0])]
            out.append(Candidates(calls, chance[calls], len(calls) > 1))
        return out

    def suggestions(self, view: BidView, leaves: NDArray[np.float32], weight: NDArray[np.float64]) -> list[int]:
        """Return none: its candidates need no deals."""
        return []

    def _untrue(self, view: BidView) -> NDArray[np.bool_]:
        """Return the calls that misdescribe the hands by the book, bool (N, 38)."""
        if not isinstance(self.network, SystemGuided):
            return np.zeros(view.mask.shape, np.bool_)
        _, _, part = self.network.judge(inputs_of(view), view.mask, Queries.of_view(view))
        return misdescriptions(part, self.network.terms) > 0

    def shown(self, view: BidView) -> list[str]:
        """Describe what each other seat has shown, for the one row of ``view``, seat by seat to the left."""
        return shown(self.bidder, view)

    def chance(self, view: BidView, calls: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return how likely partner makes ``calls`` (N,), float64 (N,), with the hands of ``view``."""
        return chance_of(self.network, view, calls)


class SystemCallModel:
    """A bidding system: its call, those that the hand nearly fits, that networks would make and that deals suggest.

    Args:
        bidder: the system, which reads the other seats by theirs.
        hints: networks that suggest calls.
    """

    mixed = 0.15  # a partner with a system of its own shows other things than a network's partner

    def __init__(self, bidder: HierarchyBidder, hints: Sequence[Network]) -> None:
        self.bidder, self.hints = bidder, [NetworkBidder(Networks(network)) for network in hints]
        self.partner = HierarchyBidder(bidder.partner, bidder.own, bidder.opponents)
        self.player: Player = PairBidder(bidder, self.partner) if bidder.partner is not bidder.own else bidder

    def candidates(self, view: BidView, options: Options) -> list[Candidates]:
        """Return the calls to consider, row by row."""
        usual, near = self.bidder.call(view), _near_calls(self.bidder, view)
        hinted = np.mean([hint.probabilities(view) for hint in self.hints], axis=0)  # float64 (N, 38)
        out = []
        for row in range(len(view)):
            order = np.argsort(-hinted[row], kind="stable")
            likely = [int(c) for c in order if hinted[row, c] >= _HINTED]
            order = np.argsort(near[row], kind="stable")
            close = [int(c) for c in order if near[row, c] <= options.near and view.mask[row, c]]
            own = list(dict.fromkeys([int(usual[row]), PASS, *close]))[: options.candidates]
            calls = list(dict.fromkeys([own[0], *likely, *own]))[: options.candidates]
            hard = bool(hinted[row, own[0]] < _SURE)
            out.append(Candidates(calls, hinted[row, calls], hard))
        return out

    def suggestions(self, view: BidView, leaves: NDArray[np.float32], weight: NDArray[np.float64]) -> list[int]:
        """Return the bids of ours with the best average score, and a double that pays, for the one row of ``view``.

        Args:
            leaves: float32 (S, 4, 35, 3), points of each contract to declarer's side; weight: (S,), of the deals.
        """
        auction = Auctions.replay(view.history[:, : int(view.length[0])], view.dealer, view.vulnerability)
        declarers = np.maximum(auction.state[0, FIRST_NAMER : FIRST_NAMER + 5], 0)
        mean = np.tensordot(weight, leaves, 1)
        ours = mean[declarers[np.arange(NUM_BIDS) % 5], np.arange(NUM_BIDS)]
        final = np.where(view.mask[0, FIRST_BID:], np.minimum(ours[:, 0], ours[:, 1]), -np.inf)  # failing, doubled
        best = np.argsort(-final, kind="stable")[:_CONTRACTS]
        calls = [FIRST_BID + int(bid) for bid in best if final[bid] > -np.inf]
        now = auction.contracts().at(0)
        if view.mask[0, DOUBLE] and mean[now.declarer, now.bid, 1] < mean[now.declarer, now.bid, now.doubling]:
            calls.insert(0, DOUBLE)
        return calls

    def shown(self, view: BidView) -> list[str]:
        """Describe what each other seat has shown, for the one row of ``view``, seat by seat to the left."""
        return shown_by_others(self.bidder, view)

    def chance(self, view: BidView, calls: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return how likely partner makes ``calls`` (N,), float64 (N,), with the hands of ``view``."""
        by_system, by_network = (chance_of(one, view, calls) for one in (self.partner, self.hints[0].networks.player))
        return (1 - _BY_NETWORK) * by_system + _BY_NETWORK * by_network


CallModel = NetworkCallModel | SystemCallModel
"""How a player that looks ahead calls, and how it reads its partner's calls."""


def shown_by_others(bidder: HierarchyBidder, view: BidView) -> list[str]:
    """Describe what each other seat has shown by its system, for the one row of ``view``, seat by seat to the left."""
    shown = shown_by_seats(bidder, view)
    return [f"{SEATS[seat]}  {shown.get(seat, 'no call yet')}" for seat in np.add(view.seat[0], [1, 2, 3]) & 3]


def _near_calls(bidder: HierarchyBidder, view: BidView) -> NDArray[np.float32]:
    """Measure how far each hand is from a rule for each call: float32 (N, 38), infinite without a rule."""
    out = np.empty((len(view), NUM_CALLS), np.float32)
    for seat in np.unique(view.seat):
        rows = np.flatnonzero(view.seat == seat)
        out[rows] = near_calls(*bidder.states(int(seat)), Queries.of_view(view.take(rows)))
    return out
