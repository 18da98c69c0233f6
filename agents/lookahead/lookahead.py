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

_TOGETHER = 2048  # deals that are thought over at a time: more are no faster, and take memory
UNCLEAR = 0.1  # IMPs that a call may be expected to gain on the choice so far: above this, more deals are drawn


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


def choose(
    before: Decision, sample: WeightedDeals, points: NDArray[np.float64], live: NDArray[np.int64], options: Options
) -> Decision:
    """Choose the best of the candidates that are surely better than the usual call.

    Args:
        before: the decision so far.
        points: float64 (K, S), what the calls ``live`` come to on each deal of the sample, to my side.
        live: int64 (K,), which candidates: the usual call, 0, and those that may still be better.
    """
    difference = smooth_imps(points - points[0])
    gain, error = np.zeros(len(before.calls)), np.zeros(len(before.calls))
    gain[: len(before.gain)], error[: len(before.error)] = before.gain, before.error
    gain[live] = difference @ sample.weight
    spread = np.square(difference - gain[live, None]) @ sample.weight
    error[live] = np.sqrt(spread / max(1.0, sample.effective - 1))
    better = (gain > options.caution * error) & (gain > options.margin)
    chosen = int(np.where(better, gain, -np.inf).argmax()) if better.any() else 0
    return replace(before, call=before.calls[chosen], gain=gain, error=error, sample=sample)


def still_open(found: Decision, live: NDArray[np.int64], options: Options) -> NDArray[np.int64]:
    """Return which of the candidates ``live`` need more deals: the usual call, and those that may be the best or not.

    Where the choice is clear, the usual call alone is left.
    """
    gain, error = found.gain, found.error
    out = [0]
    for which in live[1:].tolist():
        rival = max([options.margin, *np.delete(gain, [0, which]).tolist()])
        if expected_loss(gain[which] - rival, error[which]) > UNCLEAR:
            out.append(which)
    return np.array(out)


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

    def explain(self, view: BidView, key: NDArray[np.uint64], *, thinks: bool = True) -> str:
        """Explain the call for the one row of ``view``; of a bidder that does not think, the usual call."""
        from agents.lookahead.explain import explain

        return explain(self, view, self.think(view, key), thinks)

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
        points: dict[int, NDArray[np.float64]] = {}  # of each row, (K, S)
        live: dict[int, NDArray[np.int64]] = {}  # of each row, (K,), which of its candidates
        hard = np.array([row for row, each in enumerate(candidates) if each.hard], np.int64)
        for look in range(self.options.looks):
            count = self.options.samples << max(0, look - 1)  # as many as before: each look doubles the deals
            fresh = streams.key(key, "look", look) if look else key
            size = max(1, _TOGETHER // count)
            for start in range(0, len(hard), size):
                rows = hard[start : start + size]
                positions = seen.take(rows)
                drawn = weighted_deals(positions, fresh[rows], self.call_model, self.belief, self.models, count)
                leaves = [contract_values(d.owner, int(v)) for d, v in zip(drawn, positions.vulnerability, strict=True)]
                if not look:
                    for row, deals, values in zip(rows, drawn, leaves, strict=True):
                        out[row] = self._with_suggestions(out[row], seen.take(np.array([row])), deals, values)
                        live[row] = np.arange(len(out[row].calls))
                        points[row] = np.empty((len(live[row]), 0))
                calls = [[out[row].calls[which] for which in live[row]] for row in rows]
                reached = self._played_out(positions, calls, drawn, np.concatenate(leaves), fresh[rows])
                for row, deals, new in zip(rows, drawn, reached, strict=True):
                    before = out[row].sample
                    points[row] = np.concatenate([points[row], new], axis=1)
                    deals = deals if before is None else before.and_more(deals)
                    out[row] = choose(out[row], deals, points[row], live[row], self.options)
                    more = still_open(out[row], live[row], self.options)
                    points[row], live[row] = points[row][np.isin(live[row], more)], more
            hard = np.array([row for row in hard if len(live[row]) > 1], np.int64)
        return out

    def _with_suggestions(
        self, found: Decision, view: BidView, drawn: WeightedDeals, leaves: NDArray[np.float32]
    ) -> Decision:
        """Add the candidates that the deals suggest."""
        calls = list(dict.fromkeys([*found.calls, *self.call_model.suggestions(view, leaves, drawn.weight)]))
        chance = np.pad(found.chance, (0, len(calls) - len(found.calls))) if len(found.chance) else found.chance
        return replace(found, calls=calls, chance=chance)

    def _played_out(
        self,
        view: BidView,
        calls: Sequence[list[int]],
        drawn: Sequence[WeightedDeals],
        leaves: NDArray[np.float32],
        key: NDArray[np.uint64],
    ) -> list[NDArray[np.float64]]:
        """Return the points to my side of each row's candidates on each sample, float64 (C, S) each."""
        branch = np.repeat(np.arange(len(view)), [len(those) for those in calls])  # the row of each candidate
        (history,) = as_wide([view.history[branch]], int(view.length.max()) + 1)
        history[np.arange(len(branch)), view.length[branch]] = np.concatenate(calls)
        auctions = Auctions.replay(history, view.dealer[branch], view.vulnerability[branch])
        size = np.array([len(one.owner) for one in drawn])  # of each row's sample
        first = np.cumsum(size) - size
        auctions = auctions.take(np.repeat(np.arange(len(branch)), size[branch]))
        board = np.concatenate([first[row] + np.arange(size[row]) for row in branch])
        owner, model = np.concatenate([one.owner for one in drawn]), np.concatenate([one.model for one in drawn])
        seated = np.stack([np.zeros(len(board), np.int8), 1 + model[board].astype(np.int8)], axis=1)
        row = np.repeat(np.arange(len(view)), size)  # of each deal
        deals = Deals.of(owner, np.zeros((len(owner), 4, 5), np.int8), view.dealer[row], view.vulnerability[row])
        nobody = np.full(len(board), -1, np.int8)
        play_on(auctions, deals, board, [self.call_model.player, *self.models], seated, nobody, key[row[board]])
        points = np.split(points_of(auctions, leaves, board), np.cumsum(size[branch])[:-1])
        ends = np.cumsum([len(those) for those in calls])[:-1]
        return [np.stack(points[start:end]) for start, end in zip([0, *ends], [*ends, None], strict=True)]


def expected_loss(gain: float, error: float) -> float:
    """Return the average loss by trusting the sign of ``gain``, if the truth is normal around it."""
    if not error > 0:
        return 0.0
    z = abs(gain) / error
    return error * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2)
