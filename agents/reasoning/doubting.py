"""Think among strangers: make a player's usual call, unless deals that fit the auction favour another one.

``reason:policy:NAME`` thinks so always, ``reason:SYSTEM`` where it does not know the opponents' system. Deals are drawn
by a network's belief, and weighed by how likely the calls of the others were with those hands: partner's by what the
player and its partner play, the opponents' by a mixture of networks, as nobody knows how a stranger bids. A share of
surprise keeps every call possible. Each deal is then bid out after each candidate, by the player and by the opponents'
model that explains their calls on that deal, and the contracts are scored by the trick estimator.

Everything is seen from the seat to call, which is turned to N, as in ``agents.reasoning.reasoner``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.networks import belief
from agents.networks.book import ByBook
from agents.networks.likelihood import Calls, Chance, chance_of
from agents.networks.network import Network
from agents.networks.tables import Deals, play_on
from agents.reasoning.leaves import contract_values, smooth_imps
from agents.reasoning.look import points_of
from agents.reasoning.options import Options
from agents.reasoning.reasoner import turned
from agents.reasoning.voices import Considered, Voice
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.view import BidView

_SURPRISE = 0.02  # of all calls, the share that follows no network
_DRAWN = 16  # deals drawn for each that is wanted


@dataclass(frozen=True, eq=False)
class Weighing:
    """A chosen call with the reasons for it.

    Attributes:
        call: what is called; ``usual`` what the player calls without thinking.
        calls: the candidates, ``usual`` first.
        chance: float64 (C,), the chance of each by the network, or where a system thinks by the networks that hint.
        gain, error: float64 (C,), IMPs over ``usual`` and the standard error of that; empty where nothing was thought.
        owner: uint8 (S, 52), the deals, seen from the seat to call as 0.
        model: int64 (S,), which opponents' model each deal was bid out with.
        effective: how many deals of equal weight tell as much.
    """

    call: int
    usual: int
    calls: list[int]
    chance: NDArray[np.float64]
    gain: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    error: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    owner: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((0, 52), np.uint8))
    model: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    effective: float = 0.0


class Doubter:
    """A player that thinks before it calls. A ``Bidder``.

    Args:
        voice: how the player calls.
        belief: a network's belief of who holds what.
        models: what the opponents may be playing.
        options: what to think with: ``samples``, ``caution``, ``margin``, ``candidates``, ``leaves``.
    """

    thinks = True

    def __init__(self, voice: Voice, belief: Network, models: Sequence[Network | ByBook], options: Options) -> None:
        self.voice, self.belief, self.models, self.options = voice, belief, tuple(models), options

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        turned_view = turned(view)
        out = np.empty(len(view), np.int8)
        for row, considered in enumerate(self.voice.considers(turned_view, self.options)):
            one = turned_view.take(np.array([row]))
            out[row] = self._weigh(one, key[row], considered).call
        return out

    def explain(self, view: BidView, key: NDArray[np.uint64], *, acts: bool = True) -> str:
        """Explain the call for the one row of ``view``; if it does not think, explain the usual call."""
        from agents.reasoning.explain_doubt import explain

        return str(explain(self, view, key, acts=acts))

    def think(self, view: BidView, key: NDArray[np.uint64]) -> Weighing:
        """Find the call for the one row of ``view``, with the reasons."""
        seen = turned(view)
        return self._weigh(seen, key[0], self.voice.considers(seen, self.options)[0])

    def compare(self, view: BidView, key: NDArray[np.uint64], considered: Considered) -> Weighing:
        """Weigh some calls for the one row of ``view`` on deals that fit: what each is worth beside the first."""
        return self._weigh(turned(view), key[0], considered)

    def _weigh(self, seen: BidView, key: np.uint64, considered: Considered) -> Weighing:
        calls, chance = considered
        if len(calls) == 1:
            return Weighing(calls[0], calls[0], calls, chance)
        owner, model, effective = self._deals(seen, key)
        points = self._played_out(seen, calls, owner, model, key)
        difference = smooth_imps(points - points[0])
        gain = difference.mean(axis=1)
        # Deals drawn more than once tell no more than once.
        error = difference.std(axis=1, ddof=1) / np.sqrt(max(2.0, min(effective, len(owner))))
        better = (gain > self.options.caution * error) & (gain > self.options.margin)
        chosen = int(np.where(better, gain, -np.inf).argmax()) if better.any() else 0
        return Weighing(calls[chosen], calls[0], calls, chance, gain, error, owner, model, effective)

    # --- the deals ---------------------------------------------------------------------------------------------

    def _deals(self, view: BidView, key: np.uint64) -> tuple[NDArray[np.uint8], NDArray[np.int64], float]:
        """Deals with the opponents' model of each, of equal weight, and how many tell as much: (S, 52), (S,)."""
        wanted, mixed = self.options.samples, self.voice.mixed
        odds = (1 - mixed) * belief.chances(self.belief, view)[0] + mixed / 3
        owner, log_odds = belief.draw_deals(view.hand[0], odds, _DRAWN * wanted, streams.key(key, "deals")[0])
        log = self._likelihood(view, owner) - log_odds[:, None]
        weight = np.exp(log - log.max())
        weight /= weight.sum()
        effective = 1 / float(np.square(weight.sum(axis=1)).sum())
        points = (streams.uniforms(streams.key(key, "chosen"), 1)[0, 0] + np.arange(wanted)) / wanted
        chosen = np.minimum(np.searchsorted(np.cumsum(weight.ravel()), points), weight.size - 1)
        return owner[chosen // weight.shape[1]], chosen % weight.shape[1], effective

    def _likelihood(self, view: BidView, owner: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The logarithm of how likely the others' calls were on each deal under each model: float64 (D, M)."""
        calls = Calls.of(view.history[0, : int(view.length[0])], int(view.dealer[0]), int(view.vulnerability[0]))
        models: list[Chance] = [partial(chance_of, model) for model in self.models]
        log = np.zeros((len(owner), len(models)))
        for seat, players in ((1, models), (2, [self.voice.chance]), (3, models)):
            log += calls.log_chance(seat, owner == seat, players, _SURPRISE)
        return log

    # --- looking ahead -----------------------------------------------------------------------------------------

    def _played_out(
        self, view: BidView, calls: list[int], owner: NDArray[np.uint8], model: NDArray[np.int64], key: np.uint64
    ) -> NDArray[np.float64]:
        """Return what each candidate comes to on each deal, in points to my side: float64 (C, S)."""
        deals, count = _as_deals(owner, view), len(owner)
        length = int(view.length[0])
        history = np.empty((len(calls), length + 1), np.int8)
        history[:, :length] = view.history[0, :length]
        history[:, length] = calls
        each = np.repeat(np.arange(len(calls)), count)
        auctions = Auctions.replay(history, view.dealer[0], view.vulnerability[0]).take(each)
        board = np.tile(np.arange(count), len(calls))
        seated = np.zeros((len(board), 2), np.int8)
        seated[:, 1] = 1 + model[board]
        nobody = np.full(len(board), -1, np.int8)
        play_on(
            auctions, deals, board, [self.voice.player, *self.models], seated, nobody,
            np.full(len(board), key, np.uint64), lambda *heard: None,
        )  # fmt: skip
        leaves = contract_values(owner, int(view.vulnerability[0]), self.options.leaves)
        return points_of(auctions, leaves, board).reshape(len(calls), count)


def _as_deals(owner: NDArray[np.uint8], view: BidView) -> Deals:
    """Imagined deals at the table of the one row of a turned view; nobody knows their tricks."""
    n = len(owner)
    tricks = np.zeros((n, 4, 5), np.int8)
    return Deals.of(owner, tricks, np.repeat(view.dealer, n), np.repeat(view.vulnerability, n))
