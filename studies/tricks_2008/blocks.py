"""Perceptrons whose first layers may keep the hands apart, trained by Rprop on the whole batch.

An architecture is written as the study writes it: see ``architecture``.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from studies.tricks_2008.architecture import Bands, apart, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

INITIAL_STEP, LARGEST_STEP, WEIGHT_DECAY = 0.1, 50.0, 1e-4
_ROWS = 4096  # examples at a time: faster than fewer or all at once
_LOOK_EVERY = 5  # epochs between two looks at the deals held out


class _Layer(nn.Module):
    """Units that see their own group, or all of the layer before."""

    def __init__(self, before: Bands, after: Bands, generator: torch.Generator) -> None:
        super().__init__()
        self.apart = apart(before, after)
        outs = [width for _, width in after] if self.apart else [after[0][1]] * len(before)
        seen = sum(groups * width for groups, width in before)
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for (groups, width), out in zip(before, outs, strict=True):
            bound = (width if self.apart else seen) ** -0.5
            drawn = torch.rand(groups, width, out, generator=generator)
            self.weights.append(nn.Parameter((2 * drawn - 1) * bound))
        for groups, width in after:
            self.biases.append(nn.Parameter(torch.zeros(groups, 1, width)))

    def forward(self, bands: Sequence[Tensor]) -> list[Tensor]:
        if self.apart:
            return [torch.baddbmm(*three) for three in zip(self.biases, bands, self.weights, strict=True)]
        total = self.biases[0]
        for band, weight in zip(bands, self.weights, strict=True):
            total = total + torch.bmm(band, weight).sum(0, keepdim=True)
        return [total]


class BlockNetwork(nn.Module):
    """A network of an architecture: parts (groups, N, width) to outputs (N,).

    Weights start uniform within one over the root of a unit's inputs, biases at 0.

    Args:
        architecture: as the study writes it; the last layer is one unit.
        tanh: all units are tanh, not the logistic function.
        seed: of the first weights.
    """

    def __init__(self, architecture: str, tanh: bool, seed: int) -> None:
        super().__init__()
        self.bands = parse(architecture)
        self.bend = torch.tanh if tanh else torch.sigmoid
        generator = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList(_Layer(before, after, generator) for before, after in pairwise(self.bands))

    def forward(self, parts: Sequence[Tensor]) -> Tensor:
        """Outputs (N,) of parts (groups, N, width)."""
        values = list(parts)
        for layer in self.layers:
            values = [self.bend(value) for value in layer(values)]
        return values[0][0, :, 0]

    def size(self) -> int:
        """Number of weights and biases."""
        return sum(parameter.numel() for parameter in self.parameters())


@dataclass(frozen=True)
class Examples:
    """Parts float32 (groups, N, width) and the outputs (N,) they should give."""

    parts: list[Tensor]
    wanted: Tensor

    def __len__(self) -> int:
        return len(self.wanted)

    def chunks(self) -> Iterator[tuple[list[Tensor], Tensor]]:
        """All in pieces of fixed size: sums over them do not depend on the machine's memory."""
        for first in range(0, len(self), _ROWS):
            piece = slice(first, first + _ROWS)
            yield [part[:, piece] for part in self.parts], self.wanted[piece]


@dataclass(frozen=True)
class Fit:
    """How training went: the mean squared error on the examples held out, at each look (epoch, error), and the best."""

    looks: list[tuple[int, float]]
    best_epoch: int
    best_error: float
    seconds: float  # of the processor


def predict(network: BlockNetwork, given: Examples) -> Tensor:
    """Outputs (N,)."""
    with torch.no_grad():
        return torch.cat([network(parts) for parts, _ in given.chunks()])


def _error(network: BlockNetwork, given: Examples) -> float:
    return float((predict(network, given) - given.wanted).double().square().mean())


def train(
    network: BlockNetwork, fit: Examples, held_out: Examples, epochs: int, tick: Callable[[], None] = lambda: None
) -> Fit:
    """Rprop on all examples at once; the network is left with its best weights on the examples held out.

    The gradient is that of half the sum of squared errors plus ``WEIGHT_DECAY`` times the weight, as in SNNS, whose
    defaults the study took.

    Args:
        network: to train.
        fit: what the gradient is of.
        held_out: what chooses among the weights on the way, looked at every few epochs.
        epochs: steps to make.
        tick: called after every step.
    """
    began = time.process_time()
    weights = list(network.parameters())
    steps = torch.optim.Rprop(weights, lr=INITIAL_STEP, step_sizes=(1e-6, LARGEST_STEP))
    looks: list[tuple[int, float]] = []
    best, kept = (0, float("inf")), copy.deepcopy(network.state_dict())
    for epoch in range(1, epochs + 1):
        steps.zero_grad()
        for parts, wanted in fit.chunks():
            (0.5 * (network(parts) - wanted).square().sum()).backward()
        for weight in weights:
            assert weight.grad is not None
            weight.grad.add_(weight.detach(), alpha=WEIGHT_DECAY)
        steps.step()
        if epoch % _LOOK_EVERY == 0 or epoch == epochs:
            looks.append((epoch, _error(network, held_out)))
            if looks[-1][1] < best[1]:
                best, kept = looks[-1], copy.deepcopy(network.state_dict())
        tick()
    network.load_state_dict(kept)
    return Fit(looks, *best, time.process_time() - began)


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch computes in one thread: the same sums on every machine, and no fight over the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
