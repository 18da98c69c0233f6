"""Let a network bid: it makes the legal call with the highest output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided
from agents.networks.file import Networks
from agents.networks.inputs import inputs_of
from agents.networks.meaning import Meanings, meanings_of
from agents.networks.network import Network
from agents.systems.engine.state_cache import Queries
from bridge_env.bidders.view import BidView

_ROWS = 4096  # evaluated at a time, to bound memory


@dataclass(frozen=True, eq=False)
class NetworkBidder:
    """Makes the legal call with the highest output, the lowest such call in a tie. It uses no random numbers."""

    networks: Networks
    path: Path | None = None  # of its file, beside which lies what its calls mean
    # of a call, by play-outs: the look-ahead imports networks, not networks the look-ahead
    explanation: Callable[[NetworkBidder, BidView, NDArray[np.uint64]], str] | None = None

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return self.outputs(view).argmax(axis=1).astype(np.int8)

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``; with a belief or a book, also give the results of play-outs."""
        if self.explanation is not None:
            return self.explanation(self, view, key)
        from agents.networks.call_reader import explain

        return explain(self, view)

    def meanings(self) -> Meanings | None:
        """Return the measured meanings of its calls, if there are any."""
        return None if self.path is None else meanings_of(self.path)

    def outputs(self, view: BidView) -> NDArray[np.float32]:
        """Return the outputs for every call, float32 (N, 38); minus infinity where it is not legal."""
        out = np.empty(view.mask.shape, np.float32)
        for start in range(0, len(view), _ROWS):
            rows = np.arange(start, min(start + _ROWS, len(view)))
            out[rows] = outputs_of(self.networks.player, view.take(rows))
        out[~view.mask] = -np.inf
        return out

    def probabilities(self, view: BidView) -> NDArray[np.float64]:
        """Return the network's probability of every call, float64 (N, 38); 0 where it is not legal."""
        outputs = self.outputs(view).astype(np.float64)
        powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


def outputs_of(player: Network | SystemGuided, view: BidView) -> NDArray[np.float32]:
    """Return the outputs of a network for every call, float32 (N, 38), with the part of its book; not masked."""
    if isinstance(player, SystemGuided):
        return player.judge(inputs_of(view), view.mask, Queries.of_view(view))[0]
    return player.outputs(*inputs_of(view))
