"""Price how far a learner strays from the book that it bids by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.fast.positions import Asked
from agents.networks.book import ByBook, departs, untruths, with_book
from agents.networks.inputs import Sparse
from agents.networks.tables import Deals
from bridge_env.auction import Auctions
from bridge_env.calls import NUM_CALLS


@dataclass(frozen=True)
class Prices:
    """Prices in IMPs."""

    departure: float = 0.0  # of a call that is not the book's own
    untruth: float = 0.0  # of each point or card by which the hand misses what a call tells by the book


@dataclass(frozen=True, eq=False)
class Strayed:
    """What the book added to a learner's outputs: at decisions in likeliest auctions, and in drawn ones."""

    player: ByBook
    prices: Prices  # of what it may do
    best: NDArray[np.float32]  # (K, 38), of its decisions in likeliest auctions
    at: NDArray[np.int32]  # (R, L), which of them a call of a likeliest auction is; -1 none
    later: NDArray[np.float32]  # (M, 38), of its decisions in drawn auctions after they left the likeliest

    def cost(self, part: NDArray[np.float32], calls: NDArray[np.int8]) -> NDArray[np.float32]:
        """IMPs that calls int8 (N,) cost, of what the book added (N, 38): float32 (N,)."""
        own = part[np.arange(len(calls)), calls]
        departed = np.float32(self.prices.departure) * departs(own)
        misled: NDArray[np.float32] = np.float32(self.prices.untruth) * untruths(own, self.player.terms)
        return misled + departed

    def price(
        self, likeliest: Auctions, drawn: Auctions, board: NDArray[np.int64], side: NDArray[np.int64],
        left: NDArray[np.int64], rows: NDArray[np.int64], calls: NDArray[np.int8],
    ) -> NDArray[np.float32]:  # fmt: skip
        """What drawn auctions cost more than the likeliest, from where they part: float32 (D,).

        Args:
            board, side, left: int64 (D,): whose board, which side drew, and after how many calls it left the likeliest.
            rows, calls: (M,), the drawn auction of each later decision, and the call.
        """
        every = np.arange(len(board))
        parting = self.best[self.at[board, left]]
        out = self.cost(parting, drawn.history[every, left])
        np.add.at(out, rows, self.cost(self.later, calls))
        return out - self._rest(likeliest)[board, side, left]

    def _rest(self, likeliest: Auctions) -> NDArray[np.float32]:
        """What the likeliest auctions cost each side from every call on: float32 (R, 2, L)."""
        boards, place = np.nonzero(self.at >= 0)
        which = self.at[boards, place]
        costs = np.zeros((len(self.at), 2, self.at.shape[1]), np.float32)
        turn = (likeliest.dealer[boards] + place) & 1
        costs[boards, turn, place] = self.cost(self.best[which], likeliest.history[boards, place])
        rest: NDArray[np.float32] = costs[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        return rest

    def inputs(self, auctions: Auctions, deals: Deals, board: NDArray[np.int64], own: Sparse) -> Sparse:
        """All inputs that are on at ``auctions``, of the learner's ``own``."""
        asked = Asked.of_auctions(auctions, deals.features, board)
        return with_book(own, asked.seat, self.player.book.look(asked))


def joined(parts: Sequence[NDArray[np.float32] | None]) -> NDArray[np.float32]:
    """Parts one behind the other, float32 (N, 38)."""
    return np.concatenate([np.empty((0, NUM_CALLS), np.float32), *(part for part in parts if part is not None)])
