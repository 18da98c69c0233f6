"""Pretrain a network from random weights on the value of every legal call if all pass after it.

Opponents are silent. The exact table has the score of every contract, so each state teaches about all calls at once,
not about one that was tried. In minutes a network learns to bid what its hand and partner's calls suggest; what else
calls are good for, it learns in the league.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, take_rows
from agents.networks.network import Network, quantized
from agents.networks.shipped import START
from agents.networks.tables import Deals, look, play_on, rewind
from bridge_env.rng import streams
from bridge_env.rules.auction import FIRST_NAMER, Auctions
from bridge_env.rules.calls import FIRST_BID, NUM_BIDS, NUM_CALLS
from bridge_env.rules.scoring import SCORE_TABLE, imps
from training.configs import LeagueConfig, widths
from training.league.deal_pool import solved_deals
from training.league.decision_log import DecisionLog
from training.league.rollout import draw_deals
from training.networks.model import Perceptron, random_layers
from training.runtime.supervised import gradient_steps, shuffled

ROLLOUTS = 200
_IMPS = 2.0  # outputs are in units of this many IMPs: what is worth so much less is called e times less often


def call_values(auctions: Auctions, deals: Deals, board: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the IMPs of every call over passing, if all pass after it and opponents are silent: float32 (N, 38)."""
    rows, bids, seat = np.arange(len(board)), np.arange(NUM_BIDS), auctions.turn
    side = seat & 1
    namer = auctions.state[:, FIRST_NAMER : FIRST_NAMER + 10].reshape(-1, 2, 5)[rows, side]
    declarer = np.where(namer < 0, seat[:, None], namer)[:, bids % 5]
    took, vulnerable = deals.tricks[board[:, None], declarer, bids % 5], (deals.vulnerability[board] >> side) & 1
    passed = deals.points(auctions, board, np.zeros(len(board), np.bool_)) * (1 - 2 * side)  # of our contract, if any
    out = np.zeros((len(board), NUM_CALLS), np.int64)
    out[:, FIRST_BID:] = SCORE_TABLE[bids, 0, vulnerable[:, None], took] - passed[:, None]
    return imps(out).astype(np.float32)


def pretrain(config: LeagueConfig, progress: Callable[[float], None] = lambda share: None) -> Networks:
    """Return a network after ``ROLLOUTS`` rollouts of pretraining; ``progress`` is called with the share done, 0..1."""
    model = Perceptron(random_layers([NUM_INPUTS, *widths(config.layers), NUM_CALLS], config.seed))
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    for number in range(ROLLOUTS):
        policy = quantized(model.floats(), MOST_ON)
        key = streams.key("lessons", config.seed, number)
        deals = draw_deals(streams.key(key, np.arange(config.boards)), solved_deals())
        auctions, board = _visited_states(policy, deals, key)
        rows, mask = look(auctions, deals, board, np.arange(len(board)))
        value = call_values(auctions, deals, board) / np.float32(_IMPS)
        order = shuffled(len(board), key, "order")
        batches = np.array_split(order, max(1, len(order) // config.batch))
        for _ in gradient_steps(adam, batches, partial(_loss, model, rows, mask, value)):
            pass
        progress((number + 1) / ROLLOUTS)
    return Networks(quantized(model.floats(), MOST_ON), None, {"by": "contract pretraining", "role": START})


def _loss(
    model: Perceptron, rows: Sparse, mask: NDArray[np.bool_], value: NDArray[np.float32], batch: NDArray[np.int64]
) -> torch.Tensor:
    error = (model(take_rows(rows, batch)) - torch.from_numpy(value[batch])) * torch.from_numpy(mask[batch])
    return error.square().mean()


def _visited_states(policy: Network, deals: Deals, key: NDArray[np.uint64]) -> tuple[Auctions, NDArray[np.int64]]:
    """Let the network draw its calls against silent opponents; return all its auctions so far, and their boards."""
    n = len(deals)
    side = (np.arange(n) % 2).astype(np.int8)
    seated = np.ones((n, 2), np.int8)
    seated[np.arange(n), side] = 0
    auctions = Auctions(deals.dealer, deals.vulnerability)
    log, boards = DecisionLog(auctions), np.arange(n)
    play_on(auctions, deals, boards, [policy, None], seated, side, streams.key(key, "play", boards), log.note)
    made = log.decisions()
    return rewind(auctions, made.row, made.length), made.row
