"""Pretrain a network from random weights on the value of every legal call if all pass after it.

Opponents are silent. The exact table gives the score of every contract, so that each state teaches about all calls at
once, not about one that was tried. A network learns so in minutes to bid what its hand and partner's calls suggest;
what calls are good for beyond the contract that they name, it learns in the league.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, take_rows
from agents.networks.network import quantized
from agents.networks.tables import Deals, look, play_on, rewind
from bridge_env.compiled.jit import njit
from bridge_env.rng import streams
from bridge_env.rules.auction import DOUBLING, FIRST_NAMER, LAST_BID, Auctions, row_declarer, row_turn
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS
from bridge_env.rules.cards import UInt8Array
from bridge_env.rules.scoring import SCORE_TABLE, imps
from training.league.config import LeagueConfig
from training.league.deal_pool import solved_deals
from training.league.rollout import draw_deals
from training.networks.configs import widths
from training.networks.model import Perceptron
from training.runtime.supervised import gradient_steps, shuffled

ROLLOUTS = 200
_IMPS = 2.0  # outputs are in units of this many IMPs: what is worth so much less is called e times less often


@njit
def _write_points(state, board, tricks, vulnerability, out):  # type: ignore[no-untyped-def]
    """Write the points of each bid, if all pass after it, less those of a pass, to the caller's side."""
    for i in range(len(board)):
        row, at = state[i], board[i]
        seat = row_turn(row)
        side = seat & 1
        vulnerable = (vulnerability[at] >> side) & 1
        passed = 0
        if row[LAST_BID] >= 0:  # opponents are silent: it is ours
            declarer = row_declarer(row)
            passed = SCORE_TABLE[row[LAST_BID], row[DOUBLING], vulnerable, tricks[at, declarer, row[LAST_BID] % 5]]
        for bid in range(35):
            namer = row[FIRST_NAMER + side * 5 + bid % 5]
            took = tricks[at, seat if namer < 0 else namer, bid % 5]
            out[i, FIRST_BID + bid] = SCORE_TABLE[bid, 0, vulnerable, took] - passed


def call_values(auctions: Auctions, deals: Deals, board: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the IMPs of every call over passing, if all pass after it and opponents are silent: float32 (N, 38)."""
    out = np.zeros((len(board), NUM_CALLS), np.int64)
    _write_points(auctions.state, board, deals.tricks, deals.vulnerability, out)
    return imps(out).astype(np.float32)


def pretrain(
    config: LeagueConfig, tell: Callable[[float], None] = lambda share: None, records: UInt8Array | None = None
) -> Networks:
    """Return a network of random weights after ``ROLLOUTS`` rollouts of pretraining.

    Args:
        tell: called with the share done, 0..1.
        records: the deals uint8 (n, 23); None for the solved ones.
    """
    records = solved_deals() if records is None else records
    model = Perceptron([NUM_INPUTS, *widths(config.layers), NUM_CALLS], config.seed)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    for number in range(ROLLOUTS):
        policy = quantized(model.floats(), MOST_ON)
        key = streams.key("lessons", config.seed, number)
        deals = draw_deals(streams.key(key, np.arange(config.boards)), records)
        auctions, board = _visited_states(policy, deals, key)
        rows, mask = look(auctions, deals, board, np.arange(len(board)))
        value = call_values(auctions, deals, board) / np.float32(_IMPS)
        order = shuffled(len(board), key, "order")
        batches = np.array_split(order, max(1, len(order) // config.batch))
        for _ in gradient_steps(adam, batches, partial(_loss, model, rows, mask, value)):
            pass
        tell((number + 1) / ROLLOUTS)
    return Networks(quantized(model.floats(), MOST_ON), None, {"by": "first lessons", "role": "start"})


def _loss(
    model: Perceptron, rows: Sparse, mask: NDArray[np.bool_], value: NDArray[np.float32], batch: NDArray[np.int64]
) -> torch.Tensor:
    error = (model(take_rows(rows, batch)) - torch.from_numpy(value[batch])) * torch.from_numpy(mask[batch])
    loss: torch.Tensor = error.square().mean()
    return loss


def _visited_states(policy: Any, deals: Deals, key: NDArray[np.uint64]) -> tuple[Auctions, NDArray[np.int64]]:
    """Let the network draw its calls against silent opponents; return all its auctions so far, and their boards."""
    n = len(deals)
    side = (np.arange(n) % 2).astype(np.int8)
    seated = np.ones((n, 2), np.int8)
    seated[np.arange(n), side] = 0
    auctions = Auctions(deals.dealer, deals.vulnerability)
    visited: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def note(rows: Any, chances: Any, calls: Any, system_logits: Any) -> None:
        visited.append((rows, auctions.length[rows].astype(np.int64)))

    play_on(auctions, deals, np.arange(n), [policy, None], seated, side, streams.key(key, "play", np.arange(n)), note)
    board = np.concatenate([rows for rows, _ in visited])
    return rewind(auctions, board, np.concatenate([length for _, length in visited])), board
