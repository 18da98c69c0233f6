"""Price how far a learner departs from the system that it bids by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided, departs, misdescriptions, with_book
from agents.networks.inputs import Sparse
from agents.networks.tables import Deals
from agents.systems.engine.state_cache import Queries
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS


@dataclass(frozen=True)
class Penalties:
    """Hold penalties in IMPs."""

    departure: float = 0.0  # of a call that is not the system's own
    misinformation: float = 0.0  # of each point or card by which the hand misses what a call shows by the system


@dataclass(frozen=True, eq=False)
class SystemPenalty:
    """Price a learner's calls by what its system added to its outputs."""

    player: SystemGuided
    penalties: Penalties
    greedy_logits: NDArray[np.float32]  # (K, 38), added at its decisions in likeliest auctions
    index: NDArray[np.int32]  # (R, L), which of them a call of a likeliest auction is; -1 for none
    later_logits: NDArray[np.float32]  # (M, 38), added at its decisions in sampled auctions after the likeliest

    def cost(self, logits: NDArray[np.float32], calls: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the cost in IMPs, float32 (N,), of calls int8 (N,) to whose outputs (N, 38) was added."""
        own = logits[np.arange(len(calls)), calls]
        departed = np.float32(self.penalties.departure) * departs(own)
        misled: NDArray[np.float32] = np.float32(self.penalties.misinformation) * misdescriptions(
            own, self.player.terms
        )
        return misled + departed

    def cost_difference(
        self, likeliest: Auctions, sampled: Auctions, board: NDArray[np.int64], side: NDArray[np.int64],
        left: NDArray[np.int64], rows: NDArray[np.int64], calls: NDArray[np.int8],
    ) -> NDArray[np.float32]:  # fmt: skip
        """Return what sampled auctions cost more than the likeliest, from where they part: float32 (D,), in IMPs.

        Args:
            board, side, left: int64 (D,): the board, the sampling side, and the calls before it left the likeliest.
            rows, calls: (M,), the sampled auction of each later decision, and the call.
        """
        first = self.greedy_logits[self.index[board, left]]
        out = self.cost(first, sampled.history[np.arange(len(board)), left])
        np.add.at(out, rows, self.cost(self.later_logits, calls))
        return out - self._remaining_cost(likeliest)[board, side, left]

    def _remaining_cost(self, likeliest: Auctions) -> NDArray[np.float32]:
        """Return what the likeliest auctions cost each side from every call on: float32 (R, 2, L)."""
        boards, place = np.nonzero(self.index >= 0)
        which = self.index[boards, place]
        costs = np.zeros((len(self.index), 2, self.index.shape[1]), np.float32)
        turn = (likeliest.dealer[boards] + place) & 1
        costs[boards, turn, place] = self.cost(self.greedy_logits[which], likeliest.history[boards, place])
        out: NDArray[np.float32] = costs[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        return out

    def inputs(self, auctions: Auctions, deals: Deals, board: NDArray[np.int64], own: Sparse) -> Sparse:
        """Return the learner's ``own`` inputs at ``auctions`` together with those of its system."""
        asked = Queries.of_auctions(auctions, deals.features, board)
        return with_book(own, asked.seat, self.player.book.look(asked))


def concatenated(logits: Sequence[NDArray[np.float32] | None]) -> NDArray[np.float32]:
    """Return all logits that are not None in one array, float32 (N, 38)."""
    return np.concatenate([np.empty((0, NUM_CALLS), np.float32), *(part for part in logits if part is not None)])
