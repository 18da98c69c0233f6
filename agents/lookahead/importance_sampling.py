"""Draw deals that fit auctions, for many positions at once: by a belief, and weigh them by the others' calls.

Partner's calls are judged by what the player and its partner play, the opponents' by their
system or network, or by a mixture of networks, as nobody knows how a stranger bids. A share of surprise keeps every
call possible.

How likely a call was depends on the caller's hand alone. So partner's hands are found first: deals are drawn by a
network's belief, and weighed by partner's calls. Then the opponents' cards are dealt again, several times beside each
hand of partner's, and weighed by the opponents' calls. Bids count before passes, as they say more. After each call
the deals are thinned: a likely one stays as it is, of the unlikely ones a few are drawn and count for the rest. So
most of the work is done on deals that matter, and averages stay right.

Everything is seen from the seat to call, which is turned to N. The deals of a position do not depend on the
positions beside it: weights are products and ratios, which are rounded alike everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.call_models import CallModel
from agents.lookahead.options import Options
from agents.networks import belief
from agents.networks.book import SystemGuided
from agents.networks.likelihood import chance_of
from agents.networks.network import Network
from agents.systems.bidder import HierarchyBidder
from bridge_env.bidders.view import BidView
from bridge_env.compiled.jit import njit
from bridge_env.hands.deals import hands
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import PASS

_SURPRISE = 0.02  # of all calls, the share that follows no network
_DRAWN = 4  # deals drawn for each that is wanted, and again once partner was heard
_ALIVE = 1  # deals for each that is wanted, which are left after a call was heard


Model = Network | SystemGuided | HierarchyBidder
"""What an opponent may be playing."""


class WeightedDeals(NamedTuple):
    """Deals that fit one position, each with the opponents' model that explains their calls on it."""

    owner: NDArray[np.uint8]  # (D, 52), the deals, seen from the seat to call as 0
    deal: NDArray[np.int64]  # (S,), which deal a sample has
    model: NDArray[np.int64]  # (S,), which model a sample has
    weight: NDArray[np.float64]  # (S,), how much it counts; they add up to 1
    effective: float  # as many deals of equal weight carry the same information

    def and_more(self, more: WeightedDeals) -> WeightedDeals:
        """Add deals that were drawn for the same position on their own; both count by their effective numbers."""
        effective = self.effective + more.effective
        weight = np.concatenate([self.weight * self.effective, more.weight * more.effective]) / effective
        return WeightedDeals(
            np.concatenate([self.owner, more.owner]), np.concatenate([self.deal, len(self.owner) + more.deal]),
            np.concatenate([self.model, more.model]), weight, effective,
        )  # fmt: skip


class _Calls(NamedTuple):
    """Calls of others that are heard together: of several positions, one each."""

    position: NDArray[np.int64]  # (K,), whose
    call: NDArray[np.int8]  # (K,)
    before: Auctions  # the auctions in which they were made, seen by nobody yet


def weighted_deals(
    view: BidView,
    key: NDArray[np.uint64],
    call_model: CallModel,
    belief_network: Network,
    models: Sequence[Model],
    options: Options,
) -> list[WeightedDeals]:
    """Draw deals for every row of a turned view.

    Args:
        key: uint64 (N,), the random stream of each.
        call_model: how partner calls. belief_network: the belief. models: what the opponents may be playing.
    """
    odds = (1 - call_model.mixed) * belief.chances(belief_network, view) + call_model.mixed / 3
    drawn, alive = _DRAWN * options.samples, _ALIVE * options.samples
    owners, weights = [], []
    for row in range(len(view)):
        owner, log_odds = belief.draw_deals(view.hand[row], odds[row], drawn, streams.key(key[row], "deals")[0])
        owners.append(owner)
        weights.append(np.exp(log_odds.min() - log_odds))

    def thin(row: int, share: NDArray[np.float64], *why: int | str) -> None:
        at = streams.uniforms(streams.key(key[row], "thinned", *why), 1)[0, 0]
        chosen, by = thin_weights(share, alive, at)
        owners[row], weights[row] = owners[row][chosen], weights[row][chosen]
        weights[row] = weights[row] / (by if weights[row].ndim == 1 else by[:, None])
        weights[row] /= weights[row].max()

    partners = _calls_heard(view, partner=True)
    spoken = partners[0].position if partners else ()
    for row in spoken:
        weights[row] = weight_of_partner(owners[row], odds[row])
    for number, calls in enumerate(partners):
        for row, chance in _chances(calls, owners, lambda seen, made: [call_model.chance(seen, made)]):
            weights[row] *= chance[:, 0]
            thin(row, weights[row], "partner", number)
    for row in spoken:
        numbers = streams.uniforms(streams.key(key[row], "split", np.arange(len(owners[row]))), 26 * (drawn // alive))
        owners[row], factor = redeal_opponents(owners[row], odds[row], numbers)
        weights[row] = np.repeat(weights[row], drawn // alive) * factor
        weights[row] /= weights[row].max()
    for row, weight in enumerate(weights):
        weights[row] = np.repeat(weight[:, None], len(models), axis=1)
    for number, calls in enumerate(_calls_heard(view, partner=False)):
        for row, chance in _chances(calls, owners, lambda seen, made: [chance_of(m, seen, made) for m in models]):
            weights[row] = weights[row] * chance
            thin(row, weights[row].sum(axis=1), "opponents", number)
    return [_sampled(*pair, options.samples, key[row]) for row, pair in enumerate(zip(owners, weights, strict=True))]


def from_north(view: BidView) -> BidView:
    """Rotate rows so that the seat to call is N."""
    swap = (view.seat & 1 == 1) & ((view.vulnerability == 1) | (view.vulnerability == 2))
    vulnerability = np.where(swap, 3 - view.vulnerability, view.vulnerability).astype(np.int16)
    return BidView(
        view.hand, view.history, view.length, ((view.dealer - view.seat) & 3).astype(np.int16), vulnerability,
        np.zeros_like(view.seat), view.mask,
    )  # fmt: skip


@njit
def _ways(owner, odds, cards, table):  # type: ignore[no-untyped-def]
    """Count all ways to deal the cards of one deal that are neither mine nor partner's.

    Args:
        cards: written, int64 (26,), these cards.
        table: written, (27, 15): at [i, 1 + a] the sum of the odds of all ways to deal cards i .. 25 to left, with
            room for a, and to right. Column 0 is and stays 0.
    """
    n = 0
    for card in range(52):
        if owner[card] != 0 and owner[card] != 2:
            cards[n] = card
            n += 1
    for a in range(15):
        table[26, a] = 1.0 if a == 1 else 0.0
    for i in range(25, -1, -1):
        left, right = odds[cards[i], 0], odds[cards[i], 2]
        for a in range(1, 15):
            table[i, a] = left * table[i + 1, a - 1] + right * table[i + 1, a]


@njit
def _weigh_partner(owner, odds, cards, table, weight):  # type: ignore[no-untyped-def]
    for d in range(len(owner)):
        _ways(owner[d], odds, cards, table)
        total = table[0, 14]
        for card in range(52):
            if owner[d, card] == 2:
                total *= odds[card, 1]
        weight[d] = 1.0 / total


def weight_of_partner(owner: NDArray[np.uint8], odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much more often partner would hold his cards of deals if they were dealt at random: float64 (D,)."""
    weight = np.empty(len(owner))
    _weigh_partner(owner, odds, np.empty(26, np.int64), np.zeros((27, 15)), weight)
    return np.asarray(weight / weight.max(), np.float64)


@njit
def _deal_again(owner, odds, numbers, cards, table, out, weight):  # type: ignore[no-untyped-def]
    copies = len(out) // max(1, len(owner))
    for row in range(len(out)):
        deal, copy = row // copies, row % copies
        if copy == 0:
            _ways(owner[deal], odds, cards, table)
        for card in range(52):
            out[row, card] = owner[deal, card]
        room, factor = 14, table[0, 14]
        for i in range(26):
            left = odds[cards[i], 0] * table[i + 1, room - 1]
            if numbers[deal, 26 * copy + i] * table[i, room] < left:
                out[row, cards[i]] = 1
                factor /= odds[cards[i], 0]
                room -= 1
            else:
                out[row, cards[i]] = 3
                factor /= odds[cards[i], 2]
        weight[row] = factor


def redeal_opponents(
    owner: NDArray[np.uint8], odds: NDArray[np.float64], numbers: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Deal the opponents' cards again, several times for each deal.

    Args:
        numbers: float64 (D, 26 * K), random numbers from 0 to 1.

    Returns:
        owner uint8 (D * K, 52) and float64 (D * K,), how much more often they would be dealt so at random.
    """
    rows = len(owner) * (numbers.shape[1] // 26)
    out, weight = np.empty((rows, 52), np.uint8), np.empty(rows)
    _deal_again(owner, odds, numbers, np.empty(26, np.int64), np.zeros((27, 15)), out, weight)
    return out, weight


def _sampled(owner: NDArray[np.uint8], weights: NDArray[np.float64], count: int, key: np.uint64) -> WeightedDeals:
    """Return at most ``count`` pairs of a deal and a model, of weights (D, M)."""
    at = streams.uniforms(streams.key(key, "chosen"), 1)[0, 0]
    chosen, by = thin_weights(weights.ravel(), count, at)
    weight = weights.ravel()[chosen] / by
    weight /= weight.sum()
    used, deal = np.unique(chosen // weights.shape[1], return_inverse=True)
    effective = 1 / float(np.square(np.bincount(deal, weight)).sum())
    return WeightedDeals(owner[used], deal, chosen % weights.shape[1], weight, effective)


def thin_weights(weight: NDArray[np.float64], count: int, at: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose ``count`` of weighed things, the heavy ones surely, so that weighed averages stay right on average.

    Args:
        weight: float64 (N,), not all 0. at: a random number from 0 to 1.

    Returns:
        the chosen ones, int64, rising, and the chance that each of them had: divide its weight by it.
    """
    if len(weight) <= count:
        return np.arange(len(weight)), np.ones(len(weight))
    order = np.argsort(-weight, kind="stable")
    falling = weight[order]
    rest = np.cumsum(falling[::-1])[::-1]  # what this one and the lighter ones weigh together
    sure = int((falling[:count] * (count - np.arange(count)) > rest[:count]).argmin())
    chance = np.ones(len(weight))
    if rest[sure] > 0:
        chance[sure:] = np.minimum(falling[sure:] * ((count - sure) / rest[sure]), 1.0)
    steps = np.cumsum(chance[sure:])
    drawn = sure + np.minimum(np.searchsorted(steps, at + np.arange(count - sure)), len(steps) - 1)
    chosen = np.unique(np.concatenate([np.arange(sure), drawn]))
    rising = np.argsort(order[chosen], kind="stable")
    return order[chosen][rising], chance[chosen][rising]


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


_Hearing = Callable[[BidView, NDArray[np.int8]], Sequence[NDArray[np.float64]]]
"""How likely calls (N,) are with the hands of a view: float64 (N,), one or several models."""


def _chances(
    calls: _Calls, owners: Sequence[NDArray[np.uint8]], hear: _Hearing
) -> list[tuple[int, NDArray[np.float64]]]:
    """Return how likely each of ``calls`` was on the deals of its position: which position, and float64 (D, M), never
    0.
    """
    sizes = [len(owners[row]) for row in calls.position]
    rows = np.repeat(np.arange(len(sizes)), sizes)
    auctions, turn, legal = calls.before, calls.before.turn, calls.before.legal()
    longest = int(auctions.length.max(initial=0))
    seen = BidView(
        hands(np.concatenate([owners[row] for row in calls.position]), turn[rows]), auctions.history[rows, :longest],
        auctions.length[rows], auctions.dealer[rows], auctions.vulnerability[rows], turn[rows], legal[rows],
    )  # fmt: skip
    chance = np.stack(hear(seen, calls.call[rows]), axis=1)
    surprise = _SURPRISE / legal.sum(axis=1)
    parts = np.split(chance, np.cumsum(sizes)[:-1])
    return [
        (int(row), (1 - _SURPRISE) * part + least)
        for row, part, least in zip(calls.position, parts, surprise, strict=True)
    ]
