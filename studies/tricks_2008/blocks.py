"""Networks as the study of 2008 writes them: perceptrons whose first layers may treat each hand alone, and Rprop.

``(52x4)-(26x4)-26-13-1`` has 208 inputs in four groups of 52, four groups of 26 units, each of which sees its own group
alone and has its own weights, then 26, 13 and 1 that see all of the layer before. ``(52x4+84)`` is four groups of 52
beside one of 84.
"""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

INITIAL_STEP, LARGEST_STEP, WEIGHT_DECAY = 0.1, 50.0, 1e-4
_ROWS = 4096  # examples at a time: faster than fewer or all at once
_TRIAL_EVERY = 5  # epochs between two trials on the deals held out

Bands = tuple[tuple[int, int], ...]  # (groups, width) of each part of a layer


def parse(architecture: str) -> list[Bands]:
    """Return the layers of an architecture.

    Raises:
        ValueError: it cannot be read, or two layers do not fit each other.
    """
    layers = []
    for word in architecture.split("-"):
        bands = []
        for part in word.strip("()").split("+"):
            found = re.fullmatch(r"(\d+)(?:x(\d+))?", part)
            if found is None:
                raise ValueError(f"cannot read {part!r} in the architecture {architecture!r}")
            bands.append((int(found[2] or 1), int(found[1])))
        layers.append(tuple(bands))
    for before, after in pairwise(layers):
        sees_all = len(after) == 1 and after[0][0] == 1
        if not (sees_all or is_grouped(before, after)):
            raise ValueError(f"{architecture!r}: groups {after} cannot follow {before}")
    return layers


def is_grouped(before: Bands, after: Bands) -> bool:
    """Return whether each group of a layer sees its own group of the layer before, not all of it."""
    return [groups for groups, _ in before] == [groups for groups, _ in after]


class _Layer(nn.Module):
    """Connect units to their own group, or all of the layer before."""

    def __init__(self, before: Bands, after: Bands, generator: torch.Generator) -> None:
        super().__init__()
        self.grouped = is_grouped(before, after)
        outs = [width for _, width in after] if self.grouped else [after[0][1]] * len(before)
        seen = sum(groups * width for groups, width in before)
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for (groups, width), out in zip(before, outs, strict=True):
            bound = (width if self.grouped else seen) ** -0.5
            uniform = torch.rand(groups, width, out, generator=generator)
            self.weights.append(nn.Parameter((2 * uniform - 1) * bound))
        for groups, width in after:
            self.biases.append(nn.Parameter(torch.zeros(groups, 1, width)))

    def forward(self, bands: Sequence[Tensor]) -> list[Tensor]:
        if self.grouped:
            return [torch.baddbmm(*three) for three in zip(self.biases, bands, self.weights, strict=True)]
        total = self.biases[0]
        for band, weight in zip(bands, self.weights, strict=True):
            total = total + torch.bmm(band, weight).sum(0, keepdim=True)
        return [total]


class BlockNetwork(nn.Module):
    """Compute the outputs of an architecture: parts (groups, N, width) to outputs (N,).

    Weights start uniform within one over the root of the number of a unit's inputs, biases at 0.

    Args:
        architecture: as the study writes it; the last layer is one unit.
        tanh: all units are tanh, not the logistic function.
        seed: of the first weights.
    """

    def __init__(self, architecture: str, tanh: bool, seed: int) -> None:
        super().__init__()
        self.bands = parse(architecture)
        self.activation = torch.tanh if tanh else torch.sigmoid
        generator = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList(_Layer(before, after, generator) for before, after in pairwise(self.bands))

    def forward(self, parts: Sequence[Tensor]) -> Tensor:
        """Return outputs (N,) of parts (groups, N, width)."""
        values = list(parts)
        for layer in self.layers:
            values = [self.activation(value) for value in layer(values)]
        return values[0][0, :, 0]

    def size(self) -> int:
        """Return the number of weights and biases."""
        return sum(parameter.numel() for parameter in self.parameters())


@dataclass(frozen=True)
class Examples:
    """Hold parts of the input, float32 (groups, N, width), and the true outputs, float32 (N,)."""

    parts: list[Tensor]
    outputs: Tensor

    def __len__(self) -> int:
        return len(self.outputs)

    def chunks(self) -> Iterator[tuple[list[Tensor], Tensor]]:
        """Yield all in pieces of fixed size, so that sums over them do not depend on the machine's memory."""
        for first in range(0, len(self), _ROWS):
            piece = slice(first, first + _ROWS)
            yield [part[:, piece] for part in self.parts], self.outputs[piece]


@dataclass(frozen=True)
class Fit:
    """Hold the result of a training: the epoch with the least mean squared error on held-out examples, and its cost."""

    best_epoch: int
    best_error: float
    seconds: float  # of the processor


def predict(network: BlockNetwork, examples: Examples) -> Tensor:
    """Return the network's outputs (N,)."""
    with torch.no_grad():
        return torch.cat([network(parts) for parts, _ in examples.chunks()])


def train(network: BlockNetwork, examples: Examples, held_out: Examples, epochs: int) -> Fit:
    """Train by Rprop on all examples at once; the network gets its best weights on the examples held out.

    The gradient is that of half the sum of squared errors plus ``WEIGHT_DECAY`` times the weight, as in SNNS, whose
    defaults the study took. The examples held out are tried every few epochs.
    """
    began = time.process_time()
    weights = list(network.parameters())
    optimizer = torch.optim.Rprop(weights, lr=INITIAL_STEP, step_sizes=(1e-6, LARGEST_STEP))
    best_epoch, best_error, best_state = 0, float("inf"), copy.deepcopy(network.state_dict())
    for epoch in range(1, epochs + 1):
        optimizer.zero_grad()
        for parts, outputs in examples.chunks():
            (0.5 * (network(parts) - outputs).square().sum()).backward()
        for weight in weights:
            assert weight.grad is not None
            weight.grad.add_(weight.detach(), alpha=WEIGHT_DECAY)
        optimizer.step()
        if epoch % _TRIAL_EVERY == 0 or epoch == epochs:
            error = float((predict(network, held_out) - held_out.outputs).double().square().mean())
            if error < best_error:
                best_epoch, best_error, best_state = epoch, error, copy.deepcopy(network.state_dict())
    network.load_state_dict(best_state)
    return Fit(best_epoch, best_error, time.process_time() - began)
