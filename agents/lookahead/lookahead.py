"""Look ahead: make a player's usual call, unless deals that fit the auction favour another one.

``reason:SYSTEM`` and ``reason:policy:NAME`` think so. Deals that fit the auction
(``agents.lookahead.importance_sampling``) are bid out after each candidate, by the player's side and by a model of the
opponents that fits the deal, and the contracts are scored by the trick estimator. Where the choice is not clear then,
more deals are drawn.

Everything is seen from the seat to call, which is turned to N: a hand in the same auction is thought over in the same
way wherever it sits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.call_models import CallModel, Candidates
from agents.lookahead.importance_sampling import Model, WeightedDeals, from_north, weighted_deals
from agents.lookahead.options import Options
from agents.lookahead.valuation import contract_values, points_of, smooth_imps
from agents.networks.network import Network
from agents.networks.tables import Deals, play_on
from bridge_env.bidders.view import BidView
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import as_wide

_TOGETHER = 8  # positions that are thought over at a time: more are no faster, and take memory
UNCLEAR = 0.1  # IMPs that a wrong choice is expected to cost: above this, more deals are drawn


@dataclass(frozen=True, eq=False)
class Decision:
    """A chosen call with the reasons for it."""

    call: int
    usual: int  # the call without thinking; of ``compare`` the first of the calls
    calls: list[int]  # the candidates, ``usual`` first
    # (C,), the chance of each by the network, or where a system thinks by the networks that hint; empty without either
    chance: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    # (C,), IMPs over ``usual``; empty where nothing was thought
    gain: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    # (C,), the standard error of that; empty where nothing was thought
    error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    sample: WeightedDeals | None = None  # the deals, seen from the seat to call as 0; None where nothing was thought

    @property
    def num_deals(self) -> int:
        """Return on how many deals the calls were compared."""
        return 0 if self.sample is None else len(self.sample.owner)


def choose(usual: Decision, sample: WeightedDeals, points: NDArray[np.float64], options: Options) -> Decision:
    """Choose the best of the candidates that are surely better than the usual call.

    Args:
        usual: the decision before thinking.
        points: float64 (C, S), what each candidate comes to on each deal of the sample, to my side.
    """
    difference = smooth_imps(points - points[0])
    gain = difference @ sample.weight
    spread = np.square(difference - gain[:, None]) @ sample.weight
    error = np.sqrt(spread / max(1.0, sample.effective - 1))
    better = (gain > options.caution * error) & (gain > options.margin)
    chosen = int(np.where(better, gain, -np.inf).argmax()) if better.any() else 0
    return replace(usual, call=usual.calls[chosen], gain=gain, error=error, sample=sample)


class Lookahead:
    """A player that thinks before it calls. A ``Bidder``.

    Args:
        call_model: how the player calls.
        belief: a network's belief of the other hands.
        models: what the opponents may be playing.
        options: ``samples``, ``looks``, ``caution``, ``margin``, ``candidates``, ``near``.
    """

    slow = True

    def __init__(self, call_model: CallModel, belief: Network, models: Sequence[Model], options: Options) -> None:
        self.call_model, self.belief, self.models, self.options = call_model, belief, tuple(models), options

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.array([found.call for found in self.think_all(view, key)], np.int8)

    def explain(self, view: BidView, key: NDArray[np.uint64], *, acts: bool = True) -> str:
        """Explain the call for the one row of ``view``; if it does not think, explain the usual call."""
        from agents.lookahead.explain import explain

        return explain(self, view, self.think(view, key), acts)

    def think(self, view: BidView, key: NDArray[np.uint64]) -> Decision:
        """Find the call for the one row of ``view``, with the reasons."""
        return self.think_all(view, key)[0]

    def think_all(self, view: BidView, key: NDArray[np.uint64]) -> list[Decision]:
        """Find the call for every row of ``view``, with the reasons; ``key`` uint64 (N,) are their random streams.

        A row's figures depend neither on the rows beside it nor on the seat. Many rows at once are the fastest.
        """
        seen = from_north(view)
        return self._weigh(seen, key, self.call_model.candidates(seen, self.options))

    def compare(self, view: BidView, key: NDArray[np.uint64], calls: list[int]) -> Decision:
        """Weigh some calls for the one row of ``view`` on deals that fit: what each is worth beside the first."""
        return self._weigh(from_north(view), key, [Candidates(calls, np.zeros(0), True)])[0]

    def _weigh(self, seen: BidView, key: NDArray[np.uint64], candidates: Sequence[Candidates]) -> list[Decision]:
        out = [Decision(each.calls[0], each.calls[0], each.calls, each.chance) for each in candidates]
        points: dict[int, NDArray[np.float64]] = {}  # of each row, (C, S)
        hard = np.array([row for row, each in enumerate(candidates) if each.hard], np.int64)
        for look in range(self.options.looks):
            fresh = streams.key(key, "look", look) if look else key
            for start in range(0, len(hard), _TOGETHER):
                rows = hard[start : start + _TOGETHER]
                positions = seen.take(rows)
                drawn = weighted_deals(positions, fresh[rows], self.call_model, self.belief, self.models, self.options)
                leaves = [contract_values(d.owner, int(v)) for d, v in zip(drawn, positions.vulnerability, strict=True)]
                if not look:
                    for row, deals, values in zip(rows, drawn, leaves, strict=True):
                        out[row] = self._with_suggestions(out[row], seen.take(np.array([row])), deals, values)
                        points[row] = np.empty((len(out[row].calls), 0))
                calls = [out[row].calls for row in rows]
                reached = self._played_out(positions, calls, drawn, np.concatenate(leaves), fresh[rows])
                for row, deals, new in zip(rows, drawn, reached, strict=True):
                    before = out[row].sample
                    points[row] = np.concatenate([points[row], new], axis=1)
                    deals = deals if before is None else before.and_more(deals)
                    out[row] = choose(out[row], deals, points[row], self.options)
            hard = np.array([row for row in hard if self._unclear(out[row])], np.int64)
        return out

    def _with_suggestions(
        self, found: Decision, view: BidView, drawn: WeightedDeals, leaves: NDArray[np.float32]
    ) -> Decision:
        """Add the candidates that the deals suggest."""
        weight: NDArray[np.float64] = np.bincount(drawn.deal, drawn.weight, len(drawn.owner)).astype(np.float64)
        calls = list(dict.fromkeys([*found.calls, *self.call_model.suggestions(view, leaves, weight)]))
        chance = np.pad(found.chance, (0, len(calls) - len(found.calls))) if len(found.chance) else found.chance
        return replace(found, calls=calls, chance=chance)

    def _unclear(self, found: Decision) -> bool:
        """Return whether another choice may be better by more than more deals cost."""
        return any(
            expected_loss(gain - self.options.margin, error) > UNCLEAR
            for gain, error in zip(found.gain[1:].tolist(), found.error[1:].tolist(), strict=True)
        )

    def _played_out(
        self,
        view: BidView,
        calls: Sequence[list[int]],
        drawn: Sequence[WeightedDeals],
        leaves: NDArray[np.float32],
        key: NDArray[np.uint64],
    ) -> list[NDArray[np.float64]]:
        """Return what the candidates at each row come to on each sample, in points to my side: float64 (C, S) each.

        All auctions go on together.
        """
        candidates = np.array([len(those) for those in calls])
        branch = np.repeat(np.arange(len(view)), candidates)  # the row of each candidate
        (history,) = as_wide([view.history[branch]], int(view.length.max()) + 1)
        history[np.arange(len(branch)), view.length[branch]] = np.concatenate(calls)
        samples = np.array([len(one.deal) for one in drawn])
        row = np.repeat(np.arange(len(drawn)), [len(one.owner) for one in drawn])  # of each deal
        first = np.concatenate([[0], np.cumsum([len(one.owner) for one in drawn])])
        ours = [(first[at] + one.deal, one.model) for at, one in enumerate(drawn)]
        board, model = (np.concatenate([ours[at][part] for at in branch]) for part in (0, 1))
        auctions = Auctions.replay(history, view.dealer[branch], view.vulnerability[branch])
        auctions = auctions.take(np.repeat(np.arange(len(branch)), samples[branch]))
        seated = np.stack([np.zeros(len(board), np.int8), 1 + model.astype(np.int8)], axis=1)
        owner = np.concatenate([one.owner for one in drawn])
        deals = Deals.of(owner, np.zeros((len(owner), 4, 5), np.int8), view.dealer[row], view.vulnerability[row])
        nobody = np.full(len(board), -1, np.int8)
        play_on(auctions, deals, board, [self.call_model.player, *self.models], seated, nobody, key[row[board]])
        points = np.split(points_of(auctions, leaves, board), np.cumsum(candidates * samples)[:-1])
        return [part.reshape(count, -1) for part, count in zip(points, candidates, strict=True)]


def expected_loss(gain: float, error: float) -> float:
    """Return the average loss by trusting the sign of ``gain``, if the truth is normal around it."""
    if not error > 0:
        return 0.0
    z = abs(gain) / error
    return error * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2)
