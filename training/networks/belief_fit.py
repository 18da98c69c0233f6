"""Fit a network's belief to the true hands in its own auctions, against itself and against strangers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.belief import OUTPUTS
from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, inputs_of, take_rows
from agents.networks.network import quantized
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.calls import call_indices, first_calls
from bridge_env.view import view_of
from training.match.boards import Boards, library_boards
from training.match.duplicate import bid_out
from training.networks.configs import BeliefConfig, widths
from training.networks.model import Perceptron

_PART = 4096  # boards bid and learned at a time


def states(spec: str, opponent: str, boards: Boards, seed: int) -> tuple[Sparse, NDArray[np.int8]]:
    """Return what the seats of ``spec`` saw at both tables, and who held each card then.

    Returns:
        inputs that are on, and int8 (N, 52): 0 left, 1 partner, 2 right, -1 me.
    """
    a, b = make(spec, partner=spec, opponents=opponent), make(opponent, partner=opponent, opponents=spec)
    auctions = bid_out(a, b, boards, seed)
    n, length = len(boards), auctions.length.astype(np.int64)
    row, number = call_indices(length)
    side = (auctions.dealer[row] + number) & 1
    ours = side == (row >= n)
    row, number = row[ours], number[ours]
    history = first_calls(auctions.history[row, : int(length.max())], number)
    before = Auctions.replay(history, auctions.dealer[row], auctions.vulnerability[row])
    owner = boards.owner[row % n]
    view = view_of(before, owner)
    held = ((owner.astype(np.int16) - before.turn[:, None]) % 4 - 1).astype(np.int8)
    return inputs_of(view), held


def fit(
    spec: str, opponents: Sequence[str], config: BeliefConfig, tell: Callable[[float, float], None]
) -> tuple[Perceptron, float]:
    """Teach a belief for the network ``spec``.

    Args:
        opponents: whom it meets in turn, besides itself.
        tell: hears of the share done and of the loss lately, in nats a card.

    Returns:
        the belief, and the loss on judging boards against itself.
    """
    model = Perceptron([NUM_INPUTS, *widths(config.layers), OUTPUTS], config.seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate, fused=True)
    lately = 0.0
    everyone = [spec, *opponents]
    for part, at in enumerate(range(0, config.boards, _PART)):
        boards = library_boards(min(_PART, config.boards - at), config.seed, "training", start=at)
        rows, held = states(spec, everyone[part % len(everyone)], boards, config.seed)
        order = np.argsort(streams.key("belief", config.seed, part, np.arange(len(held))), kind="stable")
        for chosen in np.array_split(order, max(1, len(order) // config.batch)):
            optimizer.param_groups[0]["lr"] = config.learning_rate * 0.5 * (1 + np.cos(np.pi * at / config.boards))
            loss = _loss(model, rows, held, chosen)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lately = float(loss.detach()) if not lately else 0.98 * lately + 0.02 * float(loss.detach())
        tell(min(1.0, (at + _PART) / config.boards), lately)
    rows, held = states(spec, spec, library_boards(2000, config.seed), config.seed)
    with torch.no_grad():
        return model, float(_loss(model, rows, held, np.arange(len(held))))


def _loss(
    model: Perceptron,
    rows: Sparse,
    held: NDArray[np.int8],
    chosen: NDArray[np.int64],
) -> torch.Tensor:
    outputs = model(take_rows(rows, chosen)).reshape(-1, 3)
    return torch.nn.functional.cross_entropy(
        outputs, torch.from_numpy(held[chosen].reshape(-1).astype(np.int64)), ignore_index=-1
    )


def with_belief(networks: Networks, model: Perceptron) -> Networks:
    """The same network with this belief."""
    return replace(networks, belief=quantized(model.floats(), MOST_ON))
