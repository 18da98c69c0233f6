"""Sample deals for a reasoner: its own cards, and hands for the others that fit their calls.

A seat with a system has shown the hands on which the system makes its calls (``agents.systems.inference.shown``).
One without has shown that its calls seemed best to it. So each deal counts by how good they look from that hand: the
other three hands are dealt anew, the game of ``agents.lookahead.game`` is solved there, and what a call costs against
the best one, in IMPs, makes the hand less likely. One such deal says little; a straight line through all of them, over
the hand's points and lengths, says more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.game import call_values
from agents.lookahead.options import Options
from agents.lookahead.player_models import AS_BEST, BY_SYSTEM, PlayerModel
from agents.lookahead.valuation import contract_values, smooth_imps
from agents.systems.bidder import HierarchyBidder
from agents.systems.inference.shown import OPPONENTS_WEIGHT, PARTNERS_WEIGHT, Memory, shown_by_calls
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hands
from bridge_env.hands.features import HCP, LENGTH, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import first_calls
from bridge_env.sampling import KnownCards, Sample, sample_deals

_POOL = 2  # deals for each that is wanted, where they are weighed by earlier calls
_RIDGE = 1.0
_TWO_NOTRUMP = 9


def fitting_deals(
    bidder: HierarchyBidder,
    player_models: Sequence[PlayerModel],
    view: BidView,
    key: np.uint64,
    count: int,
    options: Options,
    memory: Memory,
) -> Sample:
    """Return deals for the one row of a turned view; ``player_models`` are those of the four seats, the seat to call
    first.
    """
    length = int(view.length[0])
    caller = (int(view.dealer[0]) + np.arange(length)) & 3
    recalled = [
        s for s in (2, 1, 3) if player_models[s].inference == AS_BEST and options.recall and (caller == s).any()
    ]
    shown = {}
    if any(player_models[s].inference == BY_SYSTEM and (caller == s).any() for s in (1, 2, 3)):
        shown = shown_by_calls(bidder, view, memory=memory)
    wanted = count * _POOL if recalled else count
    sample = sample_deals(
        KnownCards.seen({0: view.hand[0]}),
        {s: c for s, c in shown.items() if player_models[s].inference == BY_SYSTEM}, wanted, key,
        weights={1: OPPONENTS_WEIGHT, 2: PARTNERS_WEIGHT, 3: OPPONENTS_WEIGHT}, limit=2_000 + 100 * wanted,
    )  # fmt: skip
    if not recalled:
        return sample
    cost = np.sum(
        [_cost(sample.owner, seat, caller == seat, player_models, view, key, options) for seat in recalled], axis=0
    )
    weight = sample.weight * np.exp(-(cost - cost.min()) / options.recall)
    best = np.sort(np.argsort(-weight, kind="stable")[:count])
    weight = weight[best] / weight[best].sum()
    return Sample(sample.owner[best], sample.violation[best], weight, sample.tried, sample.method)


def _cost(
    owner: NDArray[np.uint8],
    seat: int,
    mine: NDArray[np.bool_],
    player_models: Sequence[PlayerModel],
    view: BidView,
    key: np.uint64,
    options: Options,
) -> NDArray[np.float64]:
    """Return what the calls ``mine`` (of those made) of a seat seem to have cost on each deal, in IMPs: float64
    (S,).
    """
    deals = _dealt_anew(owner, seat, np.uint64(streams.key(key, "recall", seat)[0]))
    vulnerability = int(view.vulnerability[0])
    leaves = as_they_double(contract_values(deals, vulnerability), player_models)
    positions, calls = _positions(view), view.history[0, : len(mine)]
    hand = hand_features(hands(owner, np.full(len(owner), seat))).astype(np.float64)
    total, rows = np.zeros(len(owner)), np.arange(len(owner))
    for number in np.flatnonzero(mine):
        worth = np.empty((len(owner), 38), np.float32)
        states = np.repeat(positions[None, number], len(owner), axis=0)
        call_values(states, rows, leaves, trusts(player_models, options), worth)
        lost = smooth_imps((worth.max(axis=1) - worth[:, calls[number]]).astype(np.float64))
        total += np.maximum(_smoothed(hand, lost), 0)
    return total


def _smoothed(hand: NDArray[np.float64], lost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a straight line through what was lost, over the hand's features."""
    lengths = hand[:, LENGTH : LENGTH + 4]
    x = np.column_stack([hand[:, HCP], hand[:, HCP] ** 2 / 10, lengths, np.maximum(lengths - 4, 0),
                         lengths * hand[:, [HCP]] / 10])  # fmt: skip
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-9)
    middle = lost.mean()
    weights = np.linalg.solve(x.T @ x + _RIDGE * np.eye(x.shape[1]), x.T @ (lost - middle))
    line: NDArray[np.float64] = middle + x @ weights
    return line


def _positions(view: BidView) -> NDArray[np.int16]:
    """Return the auction's state before each of its calls: int16 (L, STATE_COLUMNS)."""
    number = np.arange(int(view.length[0]))
    before = first_calls(np.tile(view.history[0], (len(number), 1)), number)
    return Auctions.replay(before, view.dealer[0], view.vulnerability[0]).state


def _dealt_anew(owner: NDArray[np.uint8], seat: int, key: np.uint64) -> NDArray[np.uint8]:
    """Return the same deals with the cards of the other three seats dealt anew."""
    order = streams.draws(streams.key(key, np.arange(len(owner))), 52)
    order[owner == seat] = np.uint64(2**64 - 1)  # behind all others
    rank = np.argsort(order, axis=1, kind="stable")
    others = np.array([s for s in range(4) if s != seat], np.uint8)
    out = np.full_like(owner, seat)
    np.put_along_axis(out, rank[:, :39], np.repeat(others, 13)[None, :], axis=1)
    return out


def trusts(player_models: Sequence[PlayerModel], options: Options) -> NDArray[np.float64]:
    """Return the chance that each seat finds its best call in the look-ahead: float64 (4,)."""
    return np.array([options.trust if player_model.active else 0.0 for player_model in player_models])


def as_they_double(leaves: NDArray[np.float32], player_models: Sequence[PlayerModel]) -> NDArray[np.float32]:
    """Adjust the leaves for opponents that double all bids from 2NT up: undoubled contracts there count as doubled."""
    for side in (0, 1):
        if player_models[1 - side].doubles and player_models[3 - side].doubles:
            leaves[:, side::2, _TWO_NOTRUMP:, 0] = leaves[:, side::2, _TWO_NOTRUMP:, 1]
    return leaves
