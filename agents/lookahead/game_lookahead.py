"""Define ``reason:empty``: a bidder without a system, which looks ahead in the game with open hands.

Others' calls show the hands on which their system makes them (``agents.systems.inference.shown``), and calls of a
bidder without a system that they seemed best to it. So each deal counts by how good they look from that hand: the
other three hands are dealt anew, the game of ``agents.lookahead.game`` is solved there, and what a call costs against
the best one, in IMPs, makes the hand less likely. One such deal says little; a straight line through all of them, over
the hand's points and lengths, says more.

Everything is seen from the seat to call, which is turned to N.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.call_models import shown_by_others
from agents.lookahead.game import call_values
from agents.lookahead.importance_sampling import WeightedDeals, from_north
from agents.lookahead.lookahead import Decision, choose
from agents.lookahead.options import Options
from agents.lookahead.player_models import AS_BEST, BY_SYSTEM, NOTHING, PlayerModel
from agents.lookahead.valuation import contract_values, smooth_imps
from agents.systems.bidder import HierarchyBidder
from agents.systems.inference.shown import OPPONENTS_WEIGHT, PARTNERS_WEIGHT, Memory, shown_by_calls
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hands
from bridge_env.hands.features import FEATURES, HCP, LENGTH, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS, PASS, first_calls
from bridge_env.sampling import KnownCards, Sample, sample_deals

_POOL = 2  # deals for each that is wanted, where they are weighed by earlier calls
_RIDGE = 1.0
_TWO_NOTRUMP = 9
_HIGH = 3  # from this level on a double of their contract may pay
_WEAK = 8  # with fewer points, and no six-card suit, silence needs no thought before partner has spoken


class GameLookahead:
    """Thinks before it calls, by no system. A ``Bidder``.

    Args:
        reader: reads the calls of those that have a system.
        player_models: of me, the left opponent, partner and the right opponent.
        options: ``samples``, ``caution``, ``margin``, ``candidates``, ``trust``, ``recall``.
    """

    slow = True

    def __init__(self, reader: HierarchyBidder, player_models: Sequence[PlayerModel], options: Options) -> None:
        self.reader, self.player_models, self.options = reader, tuple(player_models), options
        self._memory = Memory()

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        rows = (np.array([row]) for row in range(len(view)))
        return np.array([self.think(view.take(row), key[row]).call for row in rows], np.int8)

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``."""
        from agents.lookahead.explain import explain

        return explain(self, view, self.think(view, key))

    def think(self, view: BidView, key: NDArray[np.uint64]) -> Decision:
        """Find the call for the one row of ``view``, with the reasons."""
        if _worth_thinking(view):
            return self._weigh(from_north(view), key[0], None)
        return Decision(PASS, PASS, [PASS])

    def compare(self, view: BidView, key: NDArray[np.uint64], calls: list[int]) -> Decision:
        """Weigh some calls for the one row of ``view``: what each is worth beside the first."""
        return self._weigh(from_north(view), key[0], calls)

    def shown(self, view: BidView) -> list[str]:
        """Describe what each other seat has shown, for the one row of ``view``, seat by seat to the left."""
        words = {AS_BEST: "that its calls seemed best", NOTHING: "nothing"}
        models = (self.player_models[k].inference for k in (1, 2, 3))
        lines = zip(shown_by_others(self.reader, view), models, strict=True)
        return [line if model == BY_SYSTEM else f"{line[0]}  {words[model]}" for line, model in lines]

    def _weigh(self, view: BidView, key: np.uint64, calls: list[int] | None) -> Decision:
        """Weigh ``calls``, or Pass and those that are worth most on the deals."""
        options = self.options
        sample = self.fitting_deals(view, key)
        state = Auctions.replay(view.history[:, : int(view.length[0])], view.dealer, view.vulnerability).state
        worth = self._worth(np.repeat(state, len(sample), axis=0), self._leaves(sample.owner, view))
        if calls is None:
            mean = sample.weight @ worth
            best = np.argsort(-mean, kind="stable")[: options.candidates]
            calls = list(dict.fromkeys([PASS, *(int(call) for call in best if mean[call] > -1e8)]))
        points = worth[:, calls].T.astype(np.float64)
        effective = 1 / float(np.square(sample.weight).sum())
        drawn = WeightedDeals(sample.owner, np.zeros(len(sample), np.int64), sample.weight, effective)
        found = Decision(calls[0], calls[0], calls)
        return choose(found, drawn, points, np.arange(len(calls)), options)

    def fitting_deals(self, view: BidView, key: np.uint64) -> Sample:
        """Return ``samples`` deals for the one row of a turned view."""
        inferences = [model.inference for model in self.player_models]
        count, recall = self.options.samples, self.options.recall
        caller = (int(view.dealer[0]) + np.arange(int(view.length[0]))) & 3
        recalled = [s for s in (2, 1, 3) if inferences[s] == AS_BEST and recall and (caller == s).any()]
        shown = {}
        if any(inferences[s] == BY_SYSTEM and (caller == s).any() for s in (1, 2, 3)):
            shown = shown_by_calls(self.reader, view, memory=self._memory)
        wanted = count * _POOL if recalled else count
        sample = sample_deals(
            KnownCards.seen({0: view.hand[0]}),
            {s: c for s, c in shown.items() if inferences[s] == BY_SYSTEM}, wanted, key,
            weights={1: OPPONENTS_WEIGHT, 2: PARTNERS_WEIGHT, 3: OPPONENTS_WEIGHT}, limit=2_000 + 100 * wanted,
        )  # fmt: skip
        if not recalled:
            return sample
        cost = np.sum([self._cost(sample.owner, seat, caller == seat, view, key) for seat in recalled], axis=0)
        weight = sample.weight * np.exp(-(cost - cost.min()) / recall)
        best = np.sort(np.argsort(-weight, kind="stable")[:count])
        weight = weight[best] / weight[best].sum()
        return Sample(sample.owner[best], sample.violation[best], weight, sample.tried, sample.method)

    def _cost(
        self, owner: NDArray[np.uint8], seat: int, mine: NDArray[np.bool_], view: BidView, key: np.uint64
    ) -> NDArray[np.float64]:
        """Return what the calls ``mine`` of a seat seem to have cost on each deal, in IMPs: float64 (S,)."""
        deals = _dealt_anew(owner, seat, np.uint64(streams.key(key, "recall", seat)[0]))
        leaves = self._leaves(deals, view)
        positions, calls = _positions(view), view.history[0, : len(mine)]
        hand = hand_features(hands(owner, np.full(len(owner), seat))).astype(np.float64)
        total = np.zeros(len(owner))
        for number in np.flatnonzero(mine):
            worth = self._worth(np.repeat(positions[None, number], len(owner), axis=0), leaves)
            lost = smooth_imps((worth.max(axis=1) - worth[:, calls[number]]).astype(np.float64))
            total += np.maximum(_smoothed(hand, lost), 0)
        return total

    def _worth(self, states: NDArray[np.int16], leaves: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what each call is worth to its side in positions int16 (S, STATE_COLUMNS): float32 (S, 38)."""
        trust = np.array([self.options.trust if model.active else 0.0 for model in self.player_models])
        worth = np.empty((len(states), NUM_CALLS), np.float32)
        call_values(states, np.arange(len(states)), leaves, trust, worth)
        return worth

    def _leaves(self, owner: NDArray[np.uint8], view: BidView) -> NDArray[np.float32]:
        """Return ``contract_values`` of deals; undoubled contracts from 2NT up count as doubled if opponents do so."""
        leaves = contract_values(owner, int(view.vulnerability[0]))
        for side in (0, 1):
            if self.player_models[1 - side].doubles and self.player_models[3 - side].doubles:
                leaves[:, side::2, _TWO_NOTRUMP:, 0] = leaves[:, side::2, _TWO_NOTRUMP:, 1]
        return leaves


def _worth_thinking(view: BidView) -> bool:
    """Return whether another call than Pass may be right for the one row of ``view``."""
    features, history = hand_features(view.hand)[0], view.history[0, : int(view.length[0])]
    strong = features[HCP] >= _WEAK or features[FEATURES["longest"]] >= 6
    partner_has_called = (history[-2::-4] != PASS).any()
    return bool(strong or partner_has_called or (history >= FIRST_BID + 5 * (_HIGH - 1)).any())


def _smoothed(hand: NDArray[np.float64], lost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a straight line through what was lost, over the hand's features."""
    lengths = hand[:, LENGTH : LENGTH + 4]
    x = np.column_stack([hand[:, HCP], hand[:, HCP] ** 2 / 10, lengths, np.maximum(lengths - 4, 0),
                         lengths * hand[:, [HCP]] / 10])  # fmt: skip
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-9)
    middle = lost.mean()
    weights = np.linalg.solve(x.T @ x + _RIDGE * np.eye(x.shape[1]), x.T @ (lost - middle))
    return middle + x @ weights


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
