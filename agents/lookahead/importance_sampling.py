"""Draw deals that fit auctions, for many positions at once: by a belief, and weigh them by the others' calls.

Partner's calls are judged by what the player and its partner play, the opponents' by their system or network, or by a
mixture of networks, as nobody knows how a stranger bids: each deal has one of these models. A share of surprise keeps
every call possible.

How likely a call was depends on the caller's hand alone. So partner's hands are found first: deals are drawn by a
network's belief, and weighed by partner's calls. Then the opponents' cards are dealt again, several times beside each
hand of partner's, and weighed by the opponents' calls. Bids count before passes, as they say more. After the first
call the deals are thinned: a likely one stays as it is, of the unlikely ones a few are drawn and count for the rest. So
most of the work is done on deals that matter, and averages stay right.

Everything is seen from the seat to call, which is turned to N. The deals of a position do not depend on the
positions beside it: weights are products and ratios, which are rounded alike everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.call_models import CallModel
from agents.networks import belief
from agents.networks.book import SystemGuided
from agents.networks.likelihood import chance_of
from agents.networks.network import Network
from agents.systems.bidder import HierarchyBidder
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hands
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import PASS

_SURPRISE = 0.02  # of all calls, the share that follows no network
_DRAWN = 4  # deals drawn for each that is wanted, and again beside each of partner's hands
_PER_EFFECTIVE = 2.0  # deals that are thought over for each that they count for

Model = Network | SystemGuided | HierarchyBidder
"""What an opponent may be playing."""


class WeightedDeals(NamedTuple):
    """Deals that fit one position, each with the opponents' model that explains their calls on it."""

    owner: NDArray[np.uint8]  # (S, 52), seen from the seat to call as 0
    model: NDArray[np.int64]  # (S,), which model the opponents of a deal follow
    weight: NDArray[np.float64]  # (S,), how much it counts; they add up to 1
    effective: float  # as many deals of equal weight carry the same information

    @classmethod
    def thinned(
        cls, owner: NDArray[np.uint8], model: NDArray[np.int64], weight: NDArray[np.float64], at: float
    ) -> WeightedDeals:
        """Return those that matter of deals that were drawn together: twice as many as they count for."""
        count = math.ceil(_PER_EFFECTIVE * weight.sum() ** 2 / np.square(weight).sum())
        ((chosen,), (chance,)) = thin_weights(weight[None], min(count, len(weight)), np.array([[at]]))
        share = weight[chosen] / chance
        share /= share.sum()
        return cls(owner[chosen], model[chosen], share, 1 / float(np.square(share).sum()))

    def and_more(self, more: WeightedDeals) -> WeightedDeals:
        """Add deals that were drawn for the same position on their own; both count by their effective numbers."""
        effective = self.effective + more.effective
        weight = np.concatenate([self.weight * self.effective, more.weight * more.effective]) / effective
        owner, model = np.concatenate([self.owner, more.owner]), np.concatenate([self.model, more.model])
        return WeightedDeals(owner, model, weight, effective)


class _Deals(NamedTuple):
    """D deals for each of N positions."""

    owner: NDArray[np.uint8]  # (N, D, 52)
    model: NDArray[np.int64]  # (N, D)
    weight: NDArray[np.float64]  # (N, D)

    def weighed(self, calls: Sequence[_Calls], hear: _Hearing, count: int, key: NDArray[np.uint64]) -> _Deals:
        """Return ``count`` deals of each position, weighed by calls and thinned after the first of them."""
        if calls:
            self.weight[calls[0].position] *= calls[0].chances(self, hear)
        chosen, by = thin_weights(self.weight, count, streams.uniforms(key, 1))
        rows = np.arange(len(chosen))[:, None]
        weight = self.weight[rows, chosen] / by
        deals = _Deals(self.owner[rows, chosen], self.model[rows, chosen], weight / weight.max(axis=1, keepdims=True))
        for more in calls[1:]:
            deals.weight[more.position] *= more.chances(deals, hear)
        return deals


_Hearing = Callable[[BidView, NDArray[np.int8], NDArray[np.int64]], NDArray[np.float64]]
"""How likely calls int8 (M,) are with the hands of a view, by the models int64 (M,) of the deals: float64 (M,)."""


class _Calls(NamedTuple):
    """Calls of others that are heard together: of several positions, one each."""

    position: NDArray[np.int64]  # (K,), whose
    call: NDArray[np.int8]  # (K,)
    before: Auctions  # the auctions in which they were made, seen by nobody yet

    def chances(self, deals: _Deals, hear: _Hearing) -> NDArray[np.float64]:
        """Return how likely each call was on the deals of its position, float64 (K, D), never 0."""
        owner, model = deals.owner[self.position], deals.model[self.position]
        shape = model.shape
        rows = np.repeat(np.arange(shape[0]), shape[1])
        auctions, turn, legal = self.before, self.before.turn, self.before.legal()
        longest = int(auctions.length.max(initial=0))
        seen = BidView(
            hands(owner.reshape(-1, 52), turn[rows]), auctions.history[rows, :longest], auctions.length[rows],
            auctions.dealer[rows], auctions.vulnerability[rows], turn[rows], legal[rows],
        )  # fmt: skip
        chance = hear(seen, self.call[rows], model.ravel()).reshape(shape)
        return (1 - _SURPRISE) * chance + _SURPRISE / legal.sum(axis=1, keepdims=True)


def weighted_deals(
    view: BidView,
    key: NDArray[np.uint64],
    call_model: CallModel,
    belief_network: Network,
    models: Sequence[Model],
    count: int,
) -> list[WeightedDeals]:
    """Draw ``count`` deals for every row of a turned view.

    Args:
        key: uint64 (N,), the random stream of each.
        call_model: how partner calls. belief_network: the belief. models: what the opponents may be playing.
    """
    odds = (1 - call_model.mixed) * belief.chances(belief_network, view) + call_model.mixed / 3
    drawn = _DRAWN * count
    owner, weight = np.empty((len(view), drawn, 52), np.uint8), np.empty((len(view), drawn))
    for row, stream in enumerate(streams.key(key, "deals")):
        owner[row], log = belief.draw_deals(view.hand[row], odds[row], drawn, stream)
        weight[row] = np.exp(log.min() - log)
    model = np.broadcast_to(np.arange(drawn) % len(models), weight.shape)

    spoken = np.flatnonzero(view.length > ((2 - view.dealer) & 3))  # positions where partner has called
    if spoken.size:
        held = _Deals(owner[spoken], model[spoken], weight_of_partner(owner[spoken], odds[spoken]))
        calls = _calls_heard(view.take(spoken), partner=True)
        held = held.weighed(
            calls, lambda seen, made, _: call_model.chance(seen, made), count, streams.key(key[spoken], "partner")
        )
        numbers = streams.uniforms(streams.key(key[spoken, None], "split", np.arange(count)), 26 * _DRAWN)
        owner[spoken], factor = redeal_opponents(held.owner, odds[spoken], numbers)
        weight[spoken] = np.repeat(held.weight, _DRAWN, axis=1) * factor

    def by_models(seen: BidView, made: NDArray[np.int8], which: NDArray[np.int64]) -> NDArray[np.float64]:
        chance = np.empty(len(made))
        for number, player in enumerate(models):
            mine = np.flatnonzero(which == number)
            if mine.size:
                chance[mine] = chance_of(player, seen.take(mine), made[mine])
        return chance

    calls = _calls_heard(view, partner=False)
    deals = _Deals(owner, model, weight).weighed(calls, by_models, count, streams.key(key, "opponents"))
    last = streams.uniforms(streams.key(key, "kept"), 1)[:, 0]
    return [WeightedDeals.thinned(*each) for each in zip(*deals, last, strict=True)]


def from_north(view: BidView) -> BidView:
    """Rotate rows so that the seat to call is N."""
    swap = (view.seat & 1 == 1) & ((view.vulnerability == 1) | (view.vulnerability == 2))
    vulnerability = np.where(swap, 3 - view.vulnerability, view.vulnerability).astype(np.int16)
    return BidView(
        view.hand, view.history, view.length, ((view.dealer - view.seat) & 3).astype(np.int16), vulnerability,
        np.zeros_like(view.seat), view.mask,
    )  # fmt: skip


class _Ways(NamedTuple):
    """Ways to deal the 26 cards that are neither mine nor partner's, in each of D deals of N positions."""

    cards: NDArray[np.int64]  # (N, D, 26), these cards
    left: NDArray[np.float64]  # (N, D, 26), the odds that left holds each
    right: NDArray[np.float64]  # and right
    # (27, N, D, 14): at [i, ..., a] the sum of the odds of all ways to deal cards i .. 25, a of them to left
    sums: NDArray[np.float64]


def _ways(owner: NDArray[np.uint8], odds: NDArray[np.float64]) -> _Ways:
    """Count the ways, of deals (N, D, 52) and the odds (N, 52, 3) of each position."""
    cards = np.nonzero(owner & 1)[2].reshape(*owner.shape[:2], 26)
    row = np.arange(len(owner))[:, None, None]
    left, right = odds[row, cards, 0], odds[row, cards, 2]
    sums = np.zeros((27, *owner.shape[:2], 14))
    sums[26, ..., 0] = 1
    for i in range(25, -1, -1):
        np.multiply(right[..., i, None], sums[i + 1], out=sums[i])
        sums[i, ..., 1:] += left[..., i, None] * sums[i + 1, ..., :-1]
    return _Ways(cards, left, right, sums)


def weight_of_partner(owner: NDArray[np.uint8], odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by deals (N, D, 52) how much more often partner would hold his cards by chance: float64 (N, D)."""
    weight = 1 / (_ways(owner, odds).sums[0, ..., 13] * np.where(owner == 2, odds[:, None, :, 1], 1.0).prod(axis=2))
    return np.asarray(weight / weight.max(axis=1, keepdims=True), np.float64)


def redeal_opponents(
    owner: NDArray[np.uint8], odds: NDArray[np.float64], numbers: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Deal the opponents' cards again, several times for each deal.

    Args:
        owner: (N, D, 52); odds: (N, 52, 3), of each position.
        numbers: float64 (N, D, 26 * K), random numbers from 0 to 1.

    Returns:
        owner uint8 (N, D * K, 52) and float64 (N, D * K), how much more often they would be dealt so at random.
    """
    cards, left, right, sums = _ways(owner, odds)
    numbers = numbers.reshape(*owner.shape[:2], -1, 26)
    out = np.repeat(owner[:, :, None], numbers.shape[2], axis=2)
    room, factor = np.full(numbers.shape[:3], 13), np.repeat(sums[0, ..., 13, None], numbers.shape[2], axis=2)
    for i in range(26):
        one, other = left[..., i, None], right[..., i, None]
        with_left = np.where(room > 0, one * np.take_along_axis(sums[i + 1], np.maximum(room - 1, 0), 2), 0.0)
        is_left = numbers[..., i] * np.take_along_axis(sums[i], room, 2) < with_left
        np.put_along_axis(out, cards[:, :, None, i, None], np.where(is_left, 1, 3)[..., None].astype(np.uint8), 3)
        factor /= np.where(is_left, one, other)
        room -= is_left
    shape = len(owner), -1
    return out.reshape(*shape, 52), factor.reshape(shape)


def thin_weights(
    weight: NDArray[np.float64], count: int, at: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose ``count`` of the weighed things of each row, the heavy ones surely, so that averages stay right.

    Args:
        weight: float64 (N, D), D at least ``count``, no row all 0.
        at: float64 (N, 1), random numbers from 0 to 1.

    Returns:
        the chosen ones, int64 (N, count), and the chance that each of them had: divide its weight by it.
    """
    order = np.argsort(-weight, axis=1, kind="stable")
    falling = np.take_along_axis(weight, order, 1)
    rest = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1]  # what this one and the lighter ones weigh together
    places = count - np.arange(count)
    surely = np.append(falling[:, :count] * places > rest[:, :count], np.zeros((len(weight), 1), bool), axis=1)
    sure = surely.argmin(axis=1)[:, None]  # the heaviest, of which each stands for itself
    left = np.take_along_axis(np.append(rest, np.ones((len(weight), 1)), axis=1), sure, 1)
    share = np.minimum(falling * ((count - sure) / np.where(left > 0, left, 1.0)), 1.0)
    chance = np.where(np.arange(weight.shape[1]) < sure, 1.0, share)
    steps = np.ceil(np.cumsum(chance, axis=1) - at)
    drawn = np.diff(steps, axis=1, prepend=np.ceil(-at)) > 0
    chosen = np.argsort(~drawn, axis=1, kind="stable")[:, :count]
    by = np.where(np.take_along_axis(drawn, chosen, 1), np.take_along_axis(chance, chosen, 1), np.inf)
    return np.take_along_axis(order, chosen, 1), by


def _calls_heard(view: BidView, *, partner: bool) -> list[_Calls]:
    """Return the calls of partner or of the opponents, in the order in which they are heard: bids before passes."""
    length = view.length.astype(np.int64)
    number = np.arange(int(length.max(initial=0)))
    caller = (view.dealer[:, None] + number) & 3
    history = view.history[:, : len(number)]
    theirs = (number < length[:, None]) & ((caller == 2) if partner else (caller & 1 == 1))
    order = np.argsort(np.where(theirs, history == PASS, 2), axis=1, kind="stable")
    out = []
    for place in range(int(theirs.sum(axis=1).max(initial=0))):
        position = np.flatnonzero(theirs.sum(axis=1) > place)
        at = order[position, place]
        before = np.where(number < at[:, None], history[position], -1)
        auctions = Auctions.replay(before, view.dealer[position], view.vulnerability[position])
        out.append(_Calls(position, history[position, at], auctions))
    return out
