"""The two kinds of players that think among strangers: a network, and a system. What each considers, and what its
calls show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.candidates import by_system, near_calls, worth_thinking
from agents.lookahead.options import Options
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided, misdescriptions
from agents.networks.explain import shown
from agents.networks.file import Networks
from agents.networks.inputs import inputs_of
from agents.networks.likelihood import chance_of
from agents.networks.network import Network
from agents.networks.tables import Player
from agents.systems.bidder import HierarchyBidder
from agents.systems.engine.state_cache import Queries
from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import NUM_CALLS

LIKELY = 0.0005  # a call with at least this chance by a network is its candidate: it is sure of most calls
_HINTED = 0.1  # and for a system one with this chance by networks on average

Considered = tuple[list[int], NDArray[np.float64]]
"""Calls, the usual one first, and the chance of each."""


class CallModel(Protocol):
    """How a player calls, and how it reads its partner's calls.

    Attributes:
        player: bids on in play-outs.
        mixed: share of knowing nothing in the belief before any call is weighed.
    """

    player: Player
    mixed: float

    def considers(self, view: BidView, options: Options) -> list[Considered]:
        """Return the calls to consider, row by row; a single call where there is no choice."""
        ...

    def shown(self, view: BidView) -> list[str]:
        """Describe what each other seat has shown, for the one row of ``view``, seat by seat to the left."""
        ...

    def chance(self, view: BidView, calls: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return how likely partner makes ``calls`` (N,), float64 (N,), with the hands of ``view``."""
        ...


class NetworkCallModel:
    """A network: its likely calls, and if it bids by a book, those of them that describe the hand truly by it."""

    mixed = 0.05

    def __init__(self, bidder: NetworkBidder) -> None:
        self.bidder = bidder
        self.network = bidder.networks.player
        self.player: Player = self.network

    def considers(self, view: BidView, options: Options) -> list[Considered]:
        out = []
        untrue = self._untrue(view)
        for row, chance in enumerate(self.bidder.probabilities(view)):
            order = np.argsort(-chance, kind="stable")
            order = order[~untrue[row, order] | (order == order[0])]
            calls = [int(c) for c in order[: options.candidates] if chance[c] >= LIKELY] or [int(order[0])]
            out.append((calls, chance[calls]))
        return out

    def _untrue(self, view: BidView) -> NDArray[np.bool_]:
        """Return the calls that misdescribe the hands by the book, bool (N, 38)."""
        if not isinstance(self.network, SystemGuided):
            return np.zeros(view.mask.shape, np.bool_)
        _, _, part = self.network.judge(inputs_of(view), view.mask, Queries.of_view(view))
        return misdescriptions(part, self.network.terms) > 0

    def shown(self, view: BidView) -> list[str]:
        return shown(self.bidder, view)

    def chance(self, view: BidView, calls: NDArray[np.int8]) -> NDArray[np.float64]:
        return chance_of(self.network, view, calls)


class SystemCallModel:
    """A bidding system: its call, those that the hand nearly fits, and those that networks would make.

    Args:
        bidder: the system; strangers are read by it too.
        hints: networks that suggest calls.
    """

    mixed = 0.15  # a partner with a system of its own shows other things than a network's partner

    def __init__(self, bidder: HierarchyBidder, hints: Sequence[Network]) -> None:
        self.bidder, self.hints = bidder, [NetworkBidder(Networks(network)) for network in hints]
        self.player: Player = bidder
        strangers = bidder.own, bidder.own
        self.partner = HierarchyBidder(bidder.partner, bidder.own, strangers)

    def considers(self, view: BidView, options: Options) -> list[Considered]:
        usual, near, hinted = self.bidder.call(view), near_calls(self.bidder, view), self._hinted(view)
        out = []
        for row in range(len(view)):
            order = np.argsort(-hinted[row], kind="stable")
            likely = [int(c) for c in order if hinted[row, c] >= _HINTED]
            close = by_system(int(usual[row]), near[row], view.mask[row], options)
            calls = list(dict.fromkeys([close[0], *likely, *close]))[: options.candidates]
            if set(likely) <= {close[0]} and not worth_thinking(view, row, close, free=False):
                calls = close[:1]
            out.append((calls, hinted[row, calls]))
        return out

    def _hinted(self, view: BidView) -> NDArray[np.float64]:
        """Return the hints' average chance of every call, float64 (N, 38)."""
        if not self.hints:
            return np.zeros((len(view), NUM_CALLS))
        average: NDArray[np.float64] = np.mean([hint.probabilities(view) for hint in self.hints], axis=0)
        return average

    def shown(self, view: BidView) -> list[str]:
        return []

    def chance(self, view: BidView, calls: NDArray[np.int8]) -> NDArray[np.float64]:
        sure: NDArray[np.float64] = (self.partner.call(view) == calls).astype(np.float64)
        return sure
