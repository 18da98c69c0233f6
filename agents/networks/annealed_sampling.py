"""Draw deals where networks bid: each as often as the players' calls are likely with it.

A belief network proposes deals, as if each card lay by itself. They are brought step by step to what calls and cards
say of the hands (annealed importance sampling: Neal, 2001): the deals are drawn again by the next part of their
weight, and then walk. A walk exchanges one to three cards between two hidden hands, and the exchange is accepted with
the chance that keeps the frequencies right (Metropolis). So all deals count the same in the end.

A network's calls weigh by how likely it makes them with the hand, a system's by how far the hand is from those that
make them, and what cards suggest by the cards that the hand is off. A kibitzer sees no hand: it begins with random
deals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agents.networks import belief
from agents.networks.book import SystemGuided
from agents.networks.likelihood import Calls, chance_of
from agents.networks.network import Network
from bridge_env.hands.deals import deals_of
from bridge_env.rng import streams
from bridge_env.rules.cards import UNKNOWN
from bridge_env.sampling import Constraint, KnownCards, Sample

# Of all calls, the share that follows no network; ten times as many leave a 1NT opener any hand in 11%.
_SURPRISE = 0.002
_PROPOSED = 16  # deals for each that is wanted
_EFFECTIVE = 0.5  # of the deals, so many stay different each time that they are drawn again
_WALK, _LAST_WALK = 8, 24  # exchanges for each deal, after each drawing and after the last: 1.5 times the error of
_EXCHANGED = (1, 2, 1, 1, 3)  # independent deals at the opening lead, 1.2 times with dummy in sight
_LEAST_STEP = 0.02
_VAGUE = 0.05  # share of knowing nothing in the first belief
_TOLERANCE = 2.0  # a system's hand that is off by this counts for 1/e
_OFF = 2.0  # what a card counts by which a hand is off what the play suggests, in powers of e
_CARD_BITS = np.uint64(1) << np.arange(52, dtype=np.uint64)

Hands = NDArray[np.bool_]


class Suggestion(Protocol):
    """What cards suggest of the hand at ``seat``."""

    @property
    def seat(self) -> int: ...

    def violation(self, hands: Hands) -> NDArray[np.float32]:
        """Return by how many cards each hand, bool (N, 52), is off: float32 (N,)."""
        ...


@dataclass(frozen=True, eq=False)
class Evidence:
    """What calls and cards say of the hands."""

    calls: Calls
    networks: Mapping[int, Sequence[Network | SystemGuided]]  # seat -> those that may have made its calls
    shown: Mapping[int, Constraint] = field(default_factory=dict)  # seat -> what its calls show by its system
    suggestions: Sequence[Suggestion] = ()  # what the cards suggest

    def log(self, seat: int, hands: Hands, least: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the logarithm of how well hands bool (N, 52) fit, float64 (N,); below ``least`` any such number."""
        # Late in the play few hands are possible, and all deals hold these.
        _, first, which = np.unique(hands @ _CARD_BITS, return_index=True, return_inverse=True)
        if least is not None:
            lowest = np.full(len(first), np.inf)
            np.minimum.at(lowest, which, least)
            least = lowest
        return self._log_of_each(seat, hands[first], least)[which]

    def _log_of_each(self, seat: int, hands: Hands, least: NDArray[np.float64] | None) -> NDArray[np.float64]:
        log = np.zeros(len(hands))
        if seat in self.shown:
            log -= self.shown[seat].violation(hands) / _TOLERANCE
        for hypothesis in self.suggestions:
            if hypothesis.seat == seat:
                log -= _OFF * hypothesis.violation(hands)
        if seat in self.networks:
            models = [partial(chance_of, network) for network in self.networks[seat]]
            each = self.calls.log_chance(seat, hands, models, _SURPRISE, None if least is None else least - log)
            log += np.logaddexp.reduce(each, axis=1) - np.log(len(models))
        return log

    def odds(self, network: Network, places: KnownCards, seat: int, hand: Hands) -> NDArray[np.float64]:
        """Return the chances (52, 3) of a belief network at ``seat`` that left, partner, right hold each card."""
        view = self.calls.last_of(seat)
        vague = np.full((52, 3), 1 / 3)
        odds = vague
        if view is not None:
            odds = (1 - _VAGUE) * belief.chances(network, replace(view, hand=hand[None]))[0] + _VAGUE * vague
        may_hold = places.may_hold[(seat + np.arange(1, 4)) & 3].T
        return np.where(may_hold.sum(axis=1, keepdims=True) == 1, may_hold, odds * may_hold)


def annealed_deals(
    places: KnownCards, seat: int, hand: Hands, evidence: Evidence, network: Network, count: int, key: np.uint64
) -> Sample:
    """Draw ``count`` deals as ``seat`` sees them, each as likely as the evidence makes it.

    Args:
        places: where each card may lie.
        hand: bool (52,), the thirteen cards of the seat.
        network: the belief that proposes deals.
    """
    odds = evidence.odds(network, places, seat, hand)
    owner, prior = belief.draw_deals(hand, odds, _PROPOSED * count, streams.key(key, "proposed")[0])
    by_seat = np.ones((52, 4))
    by_seat[:, (seat + np.arange(1, 4)) & 3] = odds
    walk = _Walk(places, evidence, np.log(np.maximum(by_seat, 1e-300)), key)
    resamplings = walk.anneal(((owner + seat) & 3).astype(np.uint8), prior, count)
    weight = np.full(count, 1 / max(1, count))
    return Sample(resamplings, np.zeros(count, np.float32), weight, (_PROPOSED + walk.steps) * count, "weighed")


def kibitzer_deals(evidence: Evidence, count: int, key: np.uint64) -> NDArray[np.uint8]:
    """Draw ``count`` deals as a kibitzer imagines them, without a card in sight: uint8 (count, 52)."""
    walk = _Walk(KnownCards.of(np.full(52, UNKNOWN)), evidence, np.zeros((52, 4)), key)
    owner = deals_of(streams.key(key, "proposed", np.arange(_PROPOSED * count)))
    return walk.anneal(owner, np.zeros(len(owner)), count)


@dataclass(frozen=True, eq=False)
class _Deals:
    """Deals uint8 (N, 52), how well the hands of each seat fit, float64 (N, 4), and the logarithm of their odds."""

    owner: NDArray[np.uint8]
    fit: NDArray[np.float64]
    prior: NDArray[np.float64]

    @property
    def gain(self) -> NDArray[np.float64]:
        """Return the logarithm of what each counts for, beyond how often it was proposed."""
        return self.fit.sum(axis=1) - self.prior

    def again(self, log: NDArray[np.float64], count: int, key: NDArray[np.uint64]) -> _Deals:
        """Return ``count`` of them, drawn by their weights."""
        points = (streams.uniforms(key, 1)[0, 0] + np.arange(count)) / count
        at = np.minimum(np.searchsorted(np.cumsum(_shares(log)), points), len(log) - 1)
        return _Deals(self.owner[at], self.fit[at], self.prior[at])


@dataclass(eq=False)
class _Walk:
    """Lets deals walk; ``odds`` (52, 4) are the logarithms of those by which they were proposed."""

    places: KnownCards
    evidence: Evidence
    odds: NDArray[np.float64]
    key: np.uint64
    steps: int = 0

    def anneal(self, owner: NDArray[np.uint8], prior: NDArray[np.float64], count: int) -> NDArray[np.uint8]:
        """Return ``count`` deals as the evidence makes them likely, of those proposed with ``prior`` odds."""
        hidden = np.flatnonzero((self.places.may_hold & (self.places.may_hold.sum(axis=0) > 1)).any(axis=1)).tolist()
        pairs = [(a, b) for i, a in enumerate(hidden) for b in hidden[i + 1 :]]
        fit = np.zeros((len(owner), 4))
        for seat in hidden:
            fit[:, seat] = self.evidence.log(seat, owner == seat)
        deals, heat, resamplings = _Deals(owner, fit, prior), 0.0, 0
        while heat < 1.0:
            new = _next_heat(deals, heat, count * _EFFECTIVE if resamplings else count)
            deals = deals.again((new - heat) * deals.gain, count, streams.key(self.key, "again", resamplings))
            heat, resamplings = new, resamplings + 1
            for _ in range(len(pairs) and (_WALK if heat < 1.0 else _LAST_WALK)):
                pair = pairs[self.steps % len(pairs)]
                deals = self._step(deals, heat, pair, _EXCHANGED[self.steps % len(_EXCHANGED)])
                self.steps += 1
        return deals.owner

    def _step(self, deals: _Deals, heat: float, pair: tuple[int, int], number: int) -> _Deals:
        """Exchange ``number`` cards between two seats, where that is accepted."""
        n, movable = len(deals.owner), self.places.may_hold.sum(axis=0) > 1
        chance = streams.uniforms(streams.key(self.key, "walk", self.steps, np.arange(n)), 105)
        given, may = [], np.ones(n, np.bool_)
        for seat, other, order in ((*pair, chance[:, :52]), (*pair[::-1], chance[:, 52:104])):
            order = np.where((deals.owner == seat) & movable, order, 2.0)
            cards = np.argsort(order, axis=1)[:, :number]
            may &= (np.take_along_axis(order, cards, 1) < 1).all(axis=1)
            may &= self.places.may_hold[other, cards].all(axis=1)
            given.append(cards)
        rows = np.flatnonzero(may)
        new = deals.owner[rows]
        for cards, other in zip(given, pair[::-1], strict=True):
            np.put_along_axis(new, cards[rows], np.uint8(other), axis=1)
        prior = self.odds[np.arange(52), new].sum(axis=1)
        log_chance = np.log(np.maximum(chance[rows, 104], 1e-300))
        # What the two hands must come to; neither comes to more than 0, so most exchanges are settled by one of them.
        wanted = deals.fit[rows][:, pair].sum(axis=1) + (log_chance - (1 - heat) * (prior - deals.prior[rows])) / heat
        fit = deals.fit[rows]
        one, other = pair
        fit[:, one] = self.evidence.log(one, new == one, wanted)
        open_ = np.flatnonzero(fit[:, one] > wanted)
        fit[:, other] = -np.inf
        fit[open_, other] = self.evidence.log(other, new[open_] == other, (wanted - fit[:, one])[open_])
        accepted = fit[:, pair].sum(axis=1) > wanted
        out, changed = _Deals(deals.owner.copy(), deals.fit.copy(), deals.prior.copy()), rows[accepted]
        out.owner[changed], out.fit[changed], out.prior[changed] = new[accepted], fit[accepted], prior[accepted]
        return out


def _shares(log: NDArray[np.float64]) -> NDArray[np.float64]:
    weight = np.exp(log - log.max())
    return weight / weight.sum()


def _next_heat(deals: _Deals, heat: float, wanted: float) -> float:
    """Return how far the weights may go at once so that ``wanted`` deals stay effective; 1 at most."""

    def effective(to: float) -> float:
        return 1 / float(np.square(_shares((to - heat) * deals.gain)).sum())

    low, high = heat, 1.0
    if effective(high) >= wanted:
        return high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if effective(middle) >= wanted else (low, middle)
    return min(1.0, max(low, heat + _LEAST_STEP))
