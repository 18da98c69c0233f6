"""Think among strangers: make a player's usual call, unless deals that fit the auction favour another one.

``reason:policy:NAME`` thinks so always, ``reason:SYSTEM`` where it does not know the opponents' system. Deals that fit
the auction (``agents.lookahead.importance_sampling``) are bid out after each candidate, by the player and by the
opponents' model that explains their calls on that deal, and the contracts are scored by the trick estimator. Where the
choice is not clear then, more deals are drawn.

Everything is seen from the seat to call, which is turned to N, as in ``agents.lookahead.system_lookahead``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.call_models import CallModel, Considered
from agents.lookahead.importance_sampling import WeightedDeals, weighted_deals
from agents.lookahead.options import Options
from agents.lookahead.system_lookahead import turned
from agents.lookahead.valuation import contract_values, points_of, smooth_imps
from agents.networks.book import SystemGuided
from agents.networks.network import Network
from agents.networks.tables import Deals, play_on
from bridge_env.bidders.view import BidView
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import as_wide

_TOGETHER = 8  # positions that are thought over at a time: more are no faster, and take memory
UNCLEAR = 0.1  # IMPs that a wrong choice is expected to cost: above this, more deals are drawn


@dataclass(frozen=True, eq=False)
class NetworkDecision:
    """A chosen call with the reasons for it."""

    call: int
    usual: int  # the player's call without thinking
    calls: list[int]  # the candidates, ``usual`` first
    # (C,), the chance of each by the network, or where a system thinks by the networks that hint
    chance: NDArray[np.float64]
    # (C,), IMPs over ``usual``; empty where nothing was thought
    gain: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    # (C,), the standard error of that; empty where nothing was thought
    error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    drawn: WeightedDeals | None = None  # the deals, seen from the seat to call as 0; None where nothing was thought


class NetworkLookahead:
    """A player that thinks before it calls. A ``Bidder``.

    Args:
        call_model: how the player calls.
        belief: a network's belief of the other hands.
        models: what the opponents may be playing.
        options: ``samples``, ``looks``, ``caution``, ``margin``, ``candidates``.
    """

    slow = True

    def __init__(
        self, call_model: CallModel, belief: Network, models: Sequence[Network | SystemGuided], options: Options
    ) -> None:
        self.call_model, self.belief, self.models, self.options = call_model, belief, tuple(models), options

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.array([found.call for found in self.think_all(view, key)], np.int8)

    def explain(self, view: BidView, key: NDArray[np.uint64], *, acts: bool = True) -> str:
        """Explain the call for the one row of ``view``; if it does not think, explain the usual call."""
        from agents.lookahead.explain import explain_network_lookahead

        return explain_network_lookahead(self, view, self.think(view, key), acts)

    def think(self, view: BidView, key: NDArray[np.uint64]) -> NetworkDecision:
        """Find the call for the one row of ``view``, with the reasons."""
        return self.think_all(view, key)[0]

    def think_all(self, view: BidView, key: NDArray[np.uint64]) -> list[NetworkDecision]:
        """Find the call for every row of ``view``, with the reasons; ``key`` uint64 (N,) are their random streams.

        A row's figures depend neither on the rows beside it nor on the seat. Many rows at once are the fastest.
        """
        seen = turned(view)
        return self._weigh(seen, key, self.call_model.considers(seen, self.options))

    def compare(self, view: BidView, key: NDArray[np.uint64], considered: Considered) -> NetworkDecision:
        """Weigh some calls for the one row of ``view`` on deals that fit: what each is worth beside the first."""
        return self._weigh(turned(view), key, [considered])[0]

    def _weigh(self, seen: BidView, key: NDArray[np.uint64], considered: Sequence[Considered]) -> list[NetworkDecision]:
        out = [NetworkDecision(calls[0], calls[0], calls, chance) for calls, chance in considered]
        points: list[NDArray[np.float64]] = [np.empty((len(found.calls), 0)) for found in out]
        hard = np.array([row for row, found in enumerate(out) if len(found.calls) > 1], np.int64)
        for look in range(self.options.looks):
            fresh = streams.key(key, "look", look) if look else key
            for start in range(0, len(hard), _TOGETHER):
                rows = hard[start : start + _TOGETHER]
                positions = seen.take(rows)
                drawn = weighted_deals(positions, fresh[rows], self.call_model, self.belief, self.models, self.options)
                reached = self._played_out(positions, [out[row].calls for row in rows], drawn, fresh[rows])
                for row, deals, new in zip(rows, drawn, reached, strict=True):
                    before = out[row].drawn
                    points[row] = np.concatenate([points[row], new], axis=1)
                    out[row] = self._chosen(out[row], deals if before is None else before.and_more(deals), points[row])
            hard = np.array([row for row in hard if self._unclear(out[row])], np.int64)
        return out

    def _unclear(self, found: NetworkDecision) -> bool:
        """Return whether another choice may be better by more than more deals cost."""
        return any(
            expected_loss(gain - self.options.margin, error) > UNCLEAR
            for gain, error in zip(found.gain[1:].tolist(), found.error[1:].tolist(), strict=True)
        )

    def _chosen(self, found: NetworkDecision, drawn: WeightedDeals, points: NDArray[np.float64]) -> NetworkDecision:
        """Return the best of the candidates that are surely better than the usual call."""
        difference = smooth_imps(points - points[0])
        gain = difference @ drawn.weight
        spread = np.square(difference - gain[:, None]) @ drawn.weight
        error = np.sqrt(spread / max(1.0, drawn.effective - 1))
        better = (gain > self.options.caution * error) & (gain > self.options.margin)
        chosen = int(np.where(better, gain, -np.inf).argmax()) if better.any() else 0
        return NetworkDecision(found.calls[chosen], found.usual, found.calls, found.chance, gain, error, drawn)

    def _played_out(
        self, view: BidView, calls: Sequence[list[int]], drawn: Sequence[WeightedDeals], key: NDArray[np.uint64]
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
        vulnerable = zip(drawn, view.vulnerability.tolist(), strict=True)
        leaves = np.concatenate([contract_values(one.owner, which) for one, which in vulnerable])
        points = np.split(points_of(auctions, leaves, board), np.cumsum(candidates * samples)[:-1])
        return [part.reshape(count, -1) for part, count in zip(points, candidates, strict=True)]


def expected_loss(gain: float, error: float) -> float:
    """Return the average loss by trusting the sign of ``gain``, if the truth is normal around it."""
    if not error > 0:
        return 0.0
    z = abs(gain) / error
    return error * (math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * math.erfc(z / math.sqrt(2)) / 2)
