"""The metric of a case base, learned (torch): the body of a network that names the recorded call.

The network's heads are thrown away: states with the same call come to lie together, so that near states are those
that were bid alike. A second head names what the other three seats hold, because what an auction tells is that.
Networks learn first from everybody's auctions, each source with a shift of its own, then from those of the base alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.metric import Layer
from bridge_env.calls import NUM_CALLS
from bridge_env.features import HCP_AND_LENGTHS, hand_features

_NARROW = 4.0  # inputs are divided by their spread, but none is multiplied by more
_MIDDLE = np.tile(np.array([10.0, 3.25, 3.25, 3.25, 3.25], np.float32), 3)
_SPREAD = np.tile(np.array([4.0, 1.5, 1.5, 1.5, 1.5], np.float32), 3)


@dataclass(frozen=True)
class Lessons:
    """Recorded calls to learn from."""

    rows: NDArray[np.int8]  # (N, SIZE), the states
    called: NDArray[np.int8]  # (N,)
    # (N, 15), points and lengths (C D H S) of the next, the partner and the last seat, to scale
    others: NDArray[np.float32]
    source: NDArray[np.int64]  # (N,), whose auctions they are; 0 those of the base

    def __len__(self) -> int:
        return len(self.called)


@dataclass(frozen=True)
class Schooling:
    """How networks learn (AdamW, one cycle of the rate a stage)."""

    members: int = 2  # networks that share in a metric, each with coordinates of its own
    hidden: tuple[int, ...] = (768, 384)  # units of the layers of one
    dimensions: int = 48  # coordinates that one adds to a point
    first_epochs: int = 8  # passes over everybody's auctions
    epochs: int = 8  # then over those of the base
    first_rate: float = 2e-3  # of learning in each stage
    rate: float = 1e-3
    batch: int = 512
    decay: float = 0.01
    dropout: float = 0.3
    smoothing: float = 0.02
    others: float = 0.3  # what an error in the hands of the other seats weighs beside one in the call
    seed: int = 1


def hands_of_others(owner: NDArray[np.uint8], board: NDArray[np.int64], seat: NDArray[Any]) -> NDArray[np.float32]:
    """``Lessons.others`` of calls: deals uint8 (B, 52), and int64 (N,) which deal and who calls."""
    held = np.stack([hand_features(owner == s)[:, HCP_AND_LENGTHS] for s in range(4)], axis=1)
    seats = (seat.astype(np.int64)[:, None] + np.arange(1, 4)) % 4
    told = held[board[:, None], seats].reshape(len(board), 15).astype(np.float32)
    spread: NDArray[np.float32] = (told - _MIDDLE) / _SPREAD
    return spread


def metric(lessons: Lessons, how: Schooling, progress: Callable[[float], None]) -> list[list[Layer]]:
    """The layers of each member, for inputs as they stand in ``rows``."""
    out: list[list[Layer]] = []
    for member in range(how.members):

        def told(share: float, before: int = member) -> None:
            progress((before + share) / how.members)

        out.append(learned(lessons, how, how.seed + 1000 * member, told))
    return out


def learned(lessons: Lessons, how: Schooling, seed: int, progress: Callable[[float], None]) -> list[Layer]:
    """The layers of one network."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    widths = [lessons.rows.shape[1], *how.hidden]
    linear = [nn.Linear(a, b) for a, b in zip(widths, [*how.hidden, how.dimensions], strict=True)]
    shift = nn.Embedding(int(lessons.source.max()) + 1, widths[1])
    nn.init.zeros_(shift.weight)
    heads = nn.Linear(how.dimensions, NUM_CALLS), nn.Linear(widths[-1], lessons.others.shape[1])
    parts = nn.ModuleList([*linear, shift, *heads])
    scale, centre = (torch.from_numpy(a) for a in _scale(lessons.rows))
    rows, called, others, source = (
        torch.from_numpy(a) for a in (lessons.rows, lessons.called.astype(np.int64), lessons.others, lessons.source)
    )
    named = nn.CrossEntropyLoss(label_smoothing=how.smoothing)

    def loss(some: Any) -> Any:
        signal = linear[0]((rows[some].float() - centre) * scale) + shift(source[some])
        for layer in linear[1:]:
            signal = nn.functional.dropout(torch.relu(signal), how.dropout)
            last, signal = signal, layer(signal)
        wrong = (heads[1](last) - others[some]).square().mean()
        return named(heads[0](nn.functional.softsign(signal)), called[some]) + how.others * wrong

    everybody, own = torch.arange(len(lessons)), torch.from_numpy(np.flatnonzero(lessons.source == 0))
    stages = [(everybody, how.first_epochs, how.first_rate), (own, how.epochs, how.rate)]
    _taught(parts, loss, stages, how, progress)
    out = [(p.weight.detach().double().numpy().T, p.bias.detach().double().numpy()) for p in linear]
    weight = out[0][0] * scale.double().numpy()[:, None]
    bias = out[0][1] + shift.weight[0].detach().double().numpy() - centre.double().numpy() @ weight
    return [(weight, bias), *out[1:]]


def _taught(
    parts: Any, loss: Callable[[Any], Any], stages: Sequence[tuple[Any, int, float]], how: Schooling,
    progress: Callable[[float], None],
) -> None:  # fmt: skip
    """Stage by stage: which examples, how many passes, at what rate."""
    import torch

    total, done = sum(len(rows) * epochs for rows, epochs, _ in stages), 0
    for rows, epochs, rate in stages:
        if not epochs:
            continue
        optimizer = torch.optim.AdamW(parts.parameters(), lr=rate, weight_decay=how.decay)
        steps = epochs * -(-len(rows) // how.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.15)
        for _ in range(epochs):
            for some in rows[torch.randperm(len(rows))].split(how.batch):
                wrong = loss(some)
                optimizer.zero_grad()
                wrong.backward()
                optimizer.step()
                schedule.step()
                done += len(some)
                progress(done / total)


def _scale(rows: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What inputs are multiplied by, and their middle: counts one over their spread and their mean, marks 1 and 0."""
    columns = [rows[:, column].astype(np.float32) for column in range(rows.shape[1])]
    spread, mean = np.array([c.std() for c in columns]), np.array([c.mean() for c in columns])
    counts = np.abs(rows).max(axis=0) > 1
    scale = np.where(counts, np.minimum(1 / np.maximum(spread, 1e-3), _NARROW), 1.0)
    return scale.astype(np.float32), np.where(counts, mean, 0.0).astype(np.float32)
