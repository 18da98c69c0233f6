"""Fit a network to recorded calls, and measure how often it makes them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, inputs_of, stack_rows, take_rows
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS
from training.evaluation.agreement import Share, shares
from training.evaluation.recorded_calls import positions
from training.evaluation.situations import KINDS, OPENING, kinds_of
from training.networks.configs import ImitationConfig, widths
from training.networks.model import Perceptron, random_layers
from training.networks.recorded import Recorded
from training.runtime import checkpoint
from training.runtime.supervised import cosine_rate, gradient_steps, moving_average, shuffled

CHECKPOINT = "checkpoint.npz"
_PART = 20_000  # auctions turned into inputs at a time


@dataclass(frozen=True)
class Calls:
    """Hold N recorded calls and what their callers saw."""

    rows: Sparse  # the inputs that are on
    mask: NDArray[np.bool_]  # (N, 38), the legal calls
    called: NDArray[np.int8]  # (N,)
    kind: NDArray[np.int8]  # (N,), of ``training.evaluation.situations``
    turn: NDArray[np.int16]  # (N,), calls that the caller has made before

    def __len__(self) -> int:
        return len(self.called)


def calls_of(recorded: Recorded) -> Calls:
    """Return every call of the auctions that is to be learned."""
    parts = [
        _calls(recorded.take(np.arange(at, min(at + _PART, len(recorded))))) for at in range(0, len(recorded), _PART)
    ]
    rest = ("mask", "called", "kind", "turn")
    return Calls(
        stack_rows([p.rows for p in parts]), *(np.concatenate([getattr(p, name) for p in parts]) for name in rest)
    )


def _calls(recorded: Recorded) -> Calls:
    auctions = Auctions.replay(recorded.history, recorded.dealer, recorded.vulnerability)
    view, which, number = positions(auctions, recorded.owner)
    called, turn = recorded.history[which, number], (number // 4).astype(np.int16)
    return Calls(inputs_of(view), view.mask, called, kinds_of(view.history, number), turn)


def imitate(
    config: ImitationConfig, calls: Calls, folder: Path, start: Sequence[FloatLayer] | None = None,
    progress: Callable[[float, float], None] = lambda share, loss: None,
) -> tuple[Network, float]:  # fmt: skip
    """Fit a network to recorded calls, with a checkpoint in ``folder`` after each epoch, from which a fit goes on.

    Args:
        start: layers to start from; None for random weights.
        progress: called with the share done, 0..1, and the recent mean loss.

    Returns:
        The network, and the seconds that the fit took.

    Raises:
        ValueError: the checkpoint in the folder is of other settings.
        RunError: it is damaged.
    """
    model = Perceptron(start or random_layers([NUM_INPUTS, *widths(config.layers), NUM_CALLS], config.seed))
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate, weight_decay=config.decay, fused=True)
    first, seconds = _resume(folder / CHECKPOINT, config, model, optimizer)
    steps, recent = -(-len(calls) // config.batch), 0.0
    began = time.perf_counter() - seconds

    def loss(rows: NDArray[np.int64]) -> torch.Tensor:
        outputs = model(take_rows(calls.rows, rows)).masked_fill(torch.from_numpy(~calls.mask[rows]), -1e9)
        return torch.nn.functional.cross_entropy(outputs, torch.from_numpy(calls.called[rows].astype(np.int64)))

    def batches(epoch: int) -> Iterator[NDArray[np.int64]]:
        order = shuffled(len(calls), "imitation", config.seed, epoch)
        for step in range(steps):
            share = (epoch + step / steps) / config.epochs
            optimizer.param_groups[0]["lr"] = cosine_rate(config.learning_rate, share)
            yield order[step * config.batch : (step + 1) * config.batch]

    for epoch in range(first, config.epochs):
        for step, value in enumerate(gradient_steps(optimizer, batches(epoch), loss)):
            recent = moving_average(recent, value, 0.99)
            if step % 50 == 0:
                progress((epoch + step / steps) / config.epochs, recent)
        seconds = time.perf_counter() - began
        state = {"epoch": epoch + 1, "seconds": seconds, "config": asdict(config)}
        checkpoint.save(folder / CHECKPOINT, checkpoint.learner_arrays("policy", model, optimizer), state)
    progress(1.0, recent)
    return quantized(model.floats(), MOST_ON), seconds


def _resume(
    path: Path, config: ImitationConfig, model: Perceptron, optimizer: torch.optim.Optimizer
) -> tuple[int, float]:
    """Load the checkpoint, if there is one; return the epochs done and the seconds that they took."""
    if not path.exists():
        return 0, 0.0
    arrays, state = checkpoint.load(path)
    if state["config"] != asdict(config):
        raise ValueError(f"{path} was begun with other settings; give another --out, or remove it")
    checkpoint.load_learner("policy", arrays, model, optimizer)
    return int(state["epoch"]), float(state["seconds"])


def agreement(policy: Network, calls: Calls) -> list[Share]:
    """Return how often a network makes the recorded call, by kind of call."""
    made = np.empty(len(calls), np.int8)
    for rows in np.array_split(np.arange(len(calls)), len(calls) // 4096 + 1):
        outputs = policy.outputs(*take_rows(calls.rows, rows))
        made[rows] = np.where(calls.mask[rows], outputs, -np.inf).argmax(axis=1)
    kinds = {"all calls": np.ones(len(calls), np.bool_), "openings": calls.kind == OPENING}
    kinds |= {kind: calls.kind == number for number, kind in enumerate(KINDS[1:], 1)}
    kinds |= {f"the caller's call number {turn + 1}": calls.turn == turn for turn in range(3)}
    return shares(kinds | {"later calls of the caller": calls.turn >= 3}, made, calls.called)
