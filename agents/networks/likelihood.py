"""Measure how likely the calls of an auction are with some hands, by players that may have made them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import outputs_of
from agents.networks.book import SystemGuided
from agents.networks.network import Network
from agents.networks.tables import decide
from agents.systems.bidder import HierarchyBidder
from bridge_env.bidders.view import BidView, public_view
from bridge_env.rules.auction import Auctions

Chance = Callable[[BidView, NDArray[np.int8]], NDArray[np.float64]]
"""How likely a player makes calls (N,), float64 (N,), with the hands of a view."""


@dataclass(frozen=True, eq=False)
class Calls:
    """An auction."""

    before: tuple[BidView, ...]  # the view of the seat to call before each call, without its hand
    calls: tuple[int, ...]

    @classmethod
    def of(cls, calls: Sequence[int] | NDArray[np.int8], dealer: int, vulnerability: int) -> Calls:
        """Return the calls from the dealer on."""
        made = np.array(calls, np.int8)
        before = (Auctions.replay(made[None, :number], dealer, vulnerability) for number in range(len(made)))
        return cls(tuple(map(public_view, before)), tuple(made.tolist()))

    def last_of(self, seat: int) -> BidView | None:
        """Return what ``seat`` saw before its last call, but for its hand; None where it never called."""
        return next((view for view in self.before[::-1] if int(view.seat[0]) == seat), None)

    def log_chance(
        self,
        seat: int,
        hand: NDArray[np.bool_],
        players: Sequence[Chance],
        surprise: float,
        least: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the logarithm of how likely ``seat`` makes its calls with hands bool (N, 52): float64 (N, players).

        Args:
            surprise: of all calls, the share that follows no player that is known.
            least: float64 (N,); of a hand with which no player exceeds it, any number up to it may be returned.
        """
        log, rows = np.zeros((len(hand), len(players))), np.arange(len(hand))
        for view, call in zip(self.before, self.calls, strict=True):
            if int(view.seat[0]) != seat:
                continue
            seen = replace(view.take(np.zeros(len(rows), np.int64)), hand=hand[rows])
            made = np.full(len(rows), call, np.int8)
            chance = np.stack([player(seen, made) for player in players], axis=1)
            log[rows] += np.log((1 - surprise) * chance + surprise / max(1, int(view.mask.sum())))
            if least is not None:
                rows = rows[log[rows].max(axis=1) > least[rows]]
                if not len(rows):
                    break
        return log


def chances_of(network: Network | SystemGuided, view: BidView) -> NDArray[np.float64]:
    """Return a network's chances of all calls, float64 (N, 38)."""
    return decide(outputs_of(network, view), view.mask, np.full(len(view), -1.0))[0].astype(np.float64)


def chance_of(
    player: Network | SystemGuided | HierarchyBidder, view: BidView, calls: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Return a player's chance of ``calls`` (N,), float64 (N,); a system's is 1 or 0."""
    if isinstance(player, HierarchyBidder):
        return (player.call(view) == calls).astype(np.float64)
    return chances_of(player, view)[np.arange(len(view)), calls]
