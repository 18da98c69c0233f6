"""Describe calls of networks by sampled deals: hands as likely as the auction makes them.

For calls that are too rare to be measured, and for networks whose calls nobody measured. The samples depend on the
auction alone, so everybody at the table may see them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.networks.annealed_sampling import Evidence, kibitzer_deals
from agents.networks.book import SystemGuided
from agents.networks.likelihood import Calls, chances_of
from agents.networks.network import Network
from agents.systems.explain.measured_text import TAIL
from bridge_env.bidders.view import public_view
from bridge_env.hands.features import HCP_AND_LENGTHS, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import PASS

HANDS = 100
NEVER_PASSED = 0.02  # a call that partner passes less often is called forcing
_SURPRISING = 0.1  # chance of a call with a hand, below which the hand is left out of what the call shows
_FEWEST_HANDS = 15.0  # effective sample size that a range needs

Seated = tuple[Network | SystemGuided | None, ...]
"""The networks at N E S W; None: another bidder, which is not read."""


@dataclass(frozen=True, eq=False)
class SampledMeanings:
    """Deals after an auction."""

    networks: Seated  # the bidders
    calls: tuple[int, ...]  # from the dealer on
    dealer: int
    vulnerability: int
    owner: NDArray[np.uint8]  # (HANDS, 52), each as likely as the calls make it

    def held(self, seat: int) -> NDArray[np.int16]:
        """Return the hands of a seat, int16 (HANDS, NUM_FEATURES)."""
        return hand_features(self.owner == seat)

    def callers(self, seat: int) -> NDArray[np.int16]:
        """Return the hands of a seat with which none of its calls is a surprise, int16 (N, NUM_FEATURES). Earlier calls
        that leave few of them do not count; where the last one does, or few of the hands differ, there is none.
        """
        if len(np.unique(self.owner == seat, axis=0)) < _FEWEST_HANDS:
            return self.held(seat)[:0]
        likely = np.ones(len(self.owner), np.bool_)
        own = range((seat - self.dealer) & 3, len(self.calls), 4) if self.networks[seat] is not None else range(0)
        for number in reversed(own):
            now = likely & (self._chances(self.calls[:number])[:, self.calls[number]] >= _SURPRISING)
            if now.sum() >= _FEWEST_HANDS:
                likely = now
            elif number == own[-1]:
                return self.held(seat)[:0]
        return self.held(seat)[likely]

    def ranges(self, seat: int) -> NDArray[np.uint8] | None:
        """Return least and most that 19 in 20 ``callers`` hold, uint8 (5, 2): points, then cards of C D H S; None
        without any.
        """
        callers = self.callers(seat)[:, HCP_AND_LENGTHS]
        return _ranges(callers, np.ones(len(callers))) if len(callers) else None

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """Return how likely each call comes next with each of the hands, float64 (HANDS, 38)."""
        return self._chances(self.calls)

    def next_ranges(self, call: int) -> NDArray[np.uint8] | None:
        """Return the ranges of the hands with which ``call`` comes next; None where those hands hardly make it."""
        weight = self.chances[:, call]
        if weight.sum() ** 2 < _FEWEST_HANDS * np.square(weight).sum() or weight.sum() < 1:
            return None
        return _ranges(self.held((self.dealer + len(self.calls)) & 3)[:, HCP_AND_LENGTHS], weight)

    @cached_property
    def pass_chance(self) -> float:
        """Return how often partner passes the last call if the next player passes; 1 where the auction is over."""
        after = (*self.calls, PASS)
        over = bool(one_auction(after, self.dealer, self.vulnerability).done[0])
        return 1.0 if over else float(self._chances(after)[:, PASS].mean())

    def _chances(self, calls: tuple[int, ...]) -> NDArray[np.float64]:
        """Return how likely each call is after ``calls`` with each of the hands; all equally without a network."""
        one = public_view(one_auction(calls, self.dealer, self.vulnerability))
        seat = int(one.seat[0])
        network = self.networks[seat]
        if network is None:
            return np.repeat(one.mask / one.mask.sum(), len(self.owner), axis=0)
        seen = replace(one.take(np.zeros(len(self.owner), np.int64)), hand=self.owner == seat)
        return chances_of(network, seen)


@lru_cache(maxsize=64)  # some 50 KB each
def sampled_meanings(networks: Seated, calls: tuple[int, ...], dealer: int, vulnerability: int) -> SampledMeanings:
    """Draw deals after an auction, always the same ones; the latest auctions are cached."""
    evidence = Evidence(
        Calls.of(calls, dealer, vulnerability),
        {seat: [network] for seat, network in enumerate(networks) if network is not None},
    )
    key = streams.key("drawn", dealer, vulnerability, len(calls), *calls)[0]
    return SampledMeanings(networks, calls, dealer, vulnerability, kibitzer_deals(evidence, HANDS, key))


def _ranges(held: NDArray[np.int16], weight: NDArray[np.float64]) -> NDArray[np.uint8]:
    out = np.empty((held.shape[1], 2), np.uint8)
    for quantity in range(held.shape[1]):
        order = np.argsort(held[:, quantity], kind="stable")
        below = np.cumsum(weight[order]) / weight.sum()
        out[quantity] = held[order, quantity][[(below > TAIL).argmax(), (below >= 1 - TAIL - 1e-9).argmax()]]
    return out
