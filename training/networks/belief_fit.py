"""Fit a network's belief to the true hands in its own auctions, against itself and against strangers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.belief import OUTPUTS
from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, inputs_of, take_rows
from agents.networks.network import Network, quantized
from training.configs import BeliefConfig, widths
from training.evaluation.boards import Boards, library_boards
from training.evaluation.duplicate import bid_out, seat_teams
from training.evaluation.recorded_calls import positions
from training.networks.model import Perceptron, random_layers
from training.runtime.supervised import cosine_rate, gradient_steps, moving_average, shuffled

_PART = 4096  # boards bid and learned at a time


def states(spec: str, opponent: str, boards: Boards, seed: int) -> tuple[Sparse, NDArray[np.int8]]:
    """Bid boards at both tables; return the inputs that were on at N decisions of ``spec``, and the holder of each
    card, int8 (N, 52): 0 left, 1 partner, 2 right, -1 the caller.
    """
    auctions = bid_out(*seat_teams(spec, opponent), boards, seed)
    ours = np.repeat(np.eye(2, dtype=bool), len(boards), axis=0)  # North-South at the first table
    owner = np.tile(boards.owner, (2, 1))
    view, which, _ = positions(auctions, owner, ours)
    held = ((owner[which].astype(np.int16) - view.seat[:, None]) % 4 - 1).astype(np.int8)
    return inputs_of(view), held


def fit_belief(
    spec: str, opponents: Sequence[str], config: BeliefConfig, progress: Callable[[float, float], None]
) -> tuple[Network, float]:
    """Fit a belief for the network ``spec``, against itself and ``opponents`` in turn; return it, and the loss on
    judging boards in nats a card. ``progress`` gets the share done, 0..1, and the recent loss.
    """
    model = Perceptron(random_layers([NUM_INPUTS, *widths(config.layers), OUTPUTS], config.seed))
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate, fused=True)
    recent = 0.0
    pairs = [spec, *opponents]
    for part, at in enumerate(range(0, config.boards, _PART)):
        boards = library_boards(min(_PART, config.boards - at), config.seed, "training", start=at)
        rows, held = states(spec, pairs[part % len(pairs)], boards, config.seed)
        order = shuffled(len(held), "belief", config.seed, part)
        optimizer.param_groups[0]["lr"] = cosine_rate(config.learning_rate, at / config.boards)
        batches = np.array_split(order, max(1, len(order) // config.batch))
        for loss in gradient_steps(optimizer, batches, partial(_loss, model, rows, held)):
            recent = moving_average(recent, loss, 0.98)
        progress(min(1.0, (at + _PART) / config.boards), recent)
    rows, held = states(spec, spec, library_boards(2000, config.seed), config.seed)
    with torch.no_grad():
        return quantized(model.floats(), MOST_ON), float(_loss(model, rows, held, np.arange(len(held))))


def _loss(model: Perceptron, rows: Sparse, held: NDArray[np.int8], batch: NDArray[np.int64]) -> torch.Tensor:
    outputs = model(take_rows(rows, batch)).reshape(-1, 3)
    holder = torch.from_numpy(held[batch].reshape(-1).astype(np.int64))
    return torch.nn.functional.cross_entropy(outputs, holder, ignore_index=-1)
