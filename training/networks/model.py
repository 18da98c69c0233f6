"""Train perceptrons over sparse inputs in torch: those of ``agents.networks``, in floats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from agents.networks.inputs import Sparse
from agents.networks.network import TOP, UNIT, FloatLayer, gather_rows
from bridge_env.compiled.jit import njit

MOST = TOP * UNIT  # the largest output of a hidden unit, as of the integer network


@njit
def _scatter_rows(gradient, numbers, starts, out):  # type: ignore[no-untyped-def]
    """Add ``gradient[i]`` to the rows ``numbers[starts[i]:starts[i + 1]]`` of ``out``."""
    for i in range(len(gradient)):
        row = gradient[i]
        for k in range(starts[i], starts[i + 1]):
            to = out[numbers[k]]
            for j in range(len(row)):
                to[j] += row[j]


class _SparseLinear(torch.autograd.Function):
    """Add the weight's rows that are on to the bias. A dense product would mostly multiply by zero."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, bias: torch.Tensor, rows: Sparse) -> torch.Tensor:
        numbers, starts = rows
        out = torch.empty(len(starts) - 1, weight.shape[1])
        gather_rows(weight.detach().numpy(), bias.detach().numpy(), numbers, starts, out.numpy())
        ctx.rows, ctx.shape = rows, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        gradient = gradients[0].contiguous()
        out = torch.zeros(ctx.shape)
        _scatter_rows(gradient.numpy(), *ctx.rows, out.numpy())
        return out, gradient.sum(0), None


def summed_rows(weight: torch.Tensor, bias: torch.Tensor, rows: Sparse) -> torch.Tensor:
    """Return bias plus the sum of the weight's rows that are on, by torch alone, on the weight's device."""
    numbers, starts = (torch.from_numpy(np.asarray(array, np.int64)).to(weight.device) for array in rows)
    return torch.nn.functional.embedding_bag(numbers, weight, starts[:-1], mode="sum") + bias


def random_layers(sizes: Sequence[int], seed: int) -> list[FloatLayer]:
    """Return layers of random weights for networks of sparse inputs; ``sizes``: inputs, hidden units, outputs."""
    chance = torch.Generator().manual_seed(seed)
    out = []
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        scale = 0.1 if number == len(sizes) - 2 else 1.4
        on = 45 if number == 0 else inputs  # what adds up in a sum
        weight = torch.randn(inputs, outputs, generator=chance) * scale / on**0.5
        out.append((weight.numpy(), np.zeros(outputs, np.float32)))
    return out


class Perceptron(torch.nn.Module):
    """Compute ReLU layers, copied as float32, over sparse inputs, cut off at ``MOST`` as in the integer network."""

    def __init__(self, layers: Sequence[FloatLayer]) -> None:
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.tensor(weight, dtype=torch.float32) for weight, _ in layers])
        self.biases = torch.nn.ParameterList([torch.tensor(bias, dtype=torch.float32) for _, bias in layers])

    def forward(self, rows: Sparse) -> torch.Tensor:
        weight, bias = self.weights[0], self.biases[0]
        signal: torch.Tensor = (_SparseLinear.apply if weight.device.type == "cpu" else summed_rows)(weight, bias, rows)
        for weight, bias in zip(list(self.weights)[1:], list(self.biases)[1:], strict=True):
            signal = torch.addmm(bias, torch.nn.functional.hardtanh(signal, 0.0, MOST), weight)
        return signal

    def floats(self) -> list[FloatLayer]:
        """Return copies of the layers as arrays."""
        return [
            (w.detach().numpy().copy(), b.detach().numpy().copy())
            for w, b in zip(self.weights, self.biases, strict=True)
        ]
