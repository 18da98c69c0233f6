"""Price how far a learner departs from the system that it bids by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import Terms, departs, misdescriptions
from training.league.config import LeagueConfig
from training.league.decision_log import GreedyAuctions, SampledAuctions


def call_costs(
    guidance: NDArray[np.float32], calls: NDArray[np.int8], terms: Terms, config: LeagueConfig
) -> NDArray[np.float32]:
    """Return the penalties of calls in IMPs, float32 (N,).

    Args:
        guidance: float32 (N, 38), what the book added to the outputs.
        calls: int8 (N,).
    """
    own = guidance[np.arange(len(calls)), calls]
    departed = np.float32(config.departure) * departs(own)
    misled: NDArray[np.float32] = np.float32(config.misinformation_penalty) * misdescriptions(own, terms)
    return misled + departed


def extra_costs(
    greedy: GreedyAuctions, sampled: SampledAuctions, terms: Terms, config: LeagueConfig
) -> NDArray[np.float32]:
    """Return the penalties in IMPs of sampled auctions less those of the greedy ones, float32 (D,).

    The calls count from where the sampled auction leaves the greedy one.
    """
    first = greedy.decisions.guidance[greedy.index[sampled.board, sampled.left]]
    out = call_costs(first, sampled.auctions.history[np.arange(len(sampled.board)), sampled.left], terms, config)
    later = sampled.decisions
    np.add.at(out, later.row, call_costs(later.guidance, later.call, terms, config))
    own = greedy.decisions
    costs = np.zeros((len(greedy.index), 2, greedy.index.shape[1]), np.float32)
    turn = (greedy.auctions.dealer[own.row] + own.length) & 1
    costs[own.row, turn, own.length] = call_costs(own.guidance, own.call, terms, config)
    remaining = costs[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]  # of each side from every call on
    return np.asarray(out - remaining[sampled.board, sampled.side, sampled.left], np.float32)
