"""Fit the metric of a case base (torch): the body of a network that predicts the recorded call.

Without its heads the network maps states with the same call close to each other. A second head predicts the hands of
the other three seats, of which the auction informs. Networks learn first from the auctions of all sources, each with a
shift of its own, then from those of the base alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.features import Layer
from bridge_env.hands.features import HCP_AND_LENGTHS, hand_features
from bridge_env.rules.calls import NUM_CALLS
from training.cases.config import CasesConfig
from training.runtime.progress import Progress

HIDDEN, DIMENSIONS = (768, 384), 48  # units of the layers of a network, and its coordinates
FIRST_EPOCHS = 8  # passes over the auctions of all sources, before those over the auctions of the base
FIRST_RATE, RATE = 2e-3, 1e-3  # highest learning rate of each stage (AdamW, one cycle)
BATCH, DECAY, DROPOUT, SMOOTHING = 512, 0.01, 0.3, 0.02
HANDS_WEIGHT = 0.3  # of the error in the hands of the other seats, beside that in the call
_NARROW = 4.0  # inputs are divided by their spread, but none is multiplied by more
_MIDDLE = np.tile(np.array([10.0, 3.25, 3.25, 3.25, 3.25], np.float32), 3)
_SPREAD = np.tile(np.array([4.0, 1.5, 1.5, 1.5, 1.5], np.float32), 3)


@dataclass(frozen=True)
class MetricExamples:
    """Hold recorded calls to learn from."""

    rows: NDArray[np.int8]  # (N, SIZE), the states
    called: NDArray[np.int8]  # (N,)
    # (N, 15), points and lengths (C D H S) of the next, the partner and the last seat, to scale
    others: NDArray[np.float32]
    source: NDArray[np.int64]  # (N,), the number of the source of the auctions, 0 for the base

    def __len__(self) -> int:
        return len(self.called)


def hands_of_others(owner: NDArray[np.uint8], board: NDArray[np.int64], seat: NDArray[Any]) -> NDArray[np.float32]:
    """Return ``MetricExamples.others`` of calls: deals uint8 (B, 52), and int64 (N,) the deal and the seat of each."""
    held = np.stack([hand_features(owner == s)[:, HCP_AND_LENGTHS] for s in range(4)], axis=1)
    seats = (seat.astype(np.int64)[:, None] + np.arange(1, 4)) % 4
    counts = held[board[:, None], seats].reshape(len(board), 15).astype(np.float32)
    scaled: NDArray[np.float32] = (counts - _MIDDLE) / _SPREAD
    return scaled


def fit_metric(examples: MetricExamples, config: CasesConfig, progress: Progress) -> list[list[Layer]]:
    """Return the layers of each member, for inputs as in ``rows``."""
    calls = len(examples) * FIRST_EPOCHS + int((examples.source == 0).sum()) * config.epochs
    progress.stage("learning the metric", calls * config.members, "call")
    return [_fit_network(examples, config, config.seed + 1000 * member, progress) for member in range(config.members)]


def _fit_network(examples: MetricExamples, config: CasesConfig, seed: int, progress: Progress) -> list[Layer]:
    """Return the layers of one network."""
    import torch  # optional: the extra ``rl``
    from torch import nn

    from training.runtime.supervised import gradient_steps

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    widths = [examples.rows.shape[1], *HIDDEN]
    linear = [nn.Linear(a, b) for a, b in zip(widths, [*HIDDEN, DIMENSIONS], strict=True)]
    shift = nn.Embedding(int(examples.source.max()) + 1, widths[1])
    nn.init.zeros_(shift.weight)
    heads = nn.Linear(DIMENSIONS, NUM_CALLS), nn.Linear(widths[-1], examples.others.shape[1])
    parts = nn.ModuleList([*linear, shift, *heads])
    scale, centre = (torch.from_numpy(a) for a in _scale(examples.rows))
    rows, called, others, source = (
        torch.from_numpy(a) for a in (examples.rows, examples.called.astype(np.int64), examples.others, examples.source)
    )
    call_loss = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)

    def loss(some: Any) -> Any:
        signal = linear[0]((rows[some].float() - centre) * scale) + shift(source[some])
        for layer in linear[1:]:
            signal = nn.functional.dropout(torch.relu(signal), DROPOUT)
            last, signal = signal, layer(signal)
        hand_loss = (heads[1](last) - others[some]).square().mean()
        return call_loss(heads[0](nn.functional.softsign(signal)), called[some]) + HANDS_WEIGHT * hand_loss

    def batches(stage: Any, epochs: int, optimizer: Any, rate: float) -> Iterator[Any]:
        steps = -(-len(stage) // BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps * epochs, pct_start=0.15)
        for _ in range(epochs):
            for some in stage[torch.randperm(len(stage))].split(BATCH):
                yield some
                schedule.step()

    stages = [
        (torch.arange(len(examples)), FIRST_EPOCHS, FIRST_RATE),
        (torch.from_numpy(np.flatnonzero(examples.source == 0)), config.epochs, RATE),
    ]
    for stage, epochs, rate in stages:
        optimizer = torch.optim.AdamW(parts.parameters(), lr=rate, weight_decay=DECAY)
        for _ in gradient_steps(optimizer, batches(stage, epochs, optimizer, rate), loss):
            progress.add(BATCH)
    out = [(p.weight.detach().double().numpy().T, p.bias.detach().double().numpy()) for p in linear]
    weight = out[0][0] * scale.double().numpy()[:, None]
    bias = out[0][1] + shift.weight[0].detach().double().numpy() - centre.double().numpy() @ weight
    return [(weight, bias), *out[1:]]


def _scale(rows: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return factors and centres of inputs: of counts one over their spread and their mean, of marks 1 and 0."""
    columns = [rows[:, column].astype(np.float32) for column in range(rows.shape[1])]
    spread, mean = np.array([c.std() for c in columns]), np.array([c.mean() for c in columns])
    counts = np.abs(rows).max(axis=0) > 1
    scale = np.where(counts, np.minimum(1 / np.maximum(spread, 1e-3), _NARROW), 1.0)
    return scale.astype(np.float32), np.where(counts, mean, 0.0).astype(np.float32)
