"""``bridge_env.double_dummy.estimator`` in torch, to be fitted: the same layers under the same names."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from bridge_env.double_dummy.estimator import OUTCOMES, ROLES, layer_names


class SeatLinear(nn.Module):
    """Map channels of the four seats linearly, (n, 4 * inputs) to (n, 4 * outputs); rotated seats rotate the output.

    A seat's output depends on the seats 0 to 3 places further on by four matrices. Sums and differences of opposite
    seats need half of the products: the weights are the matrices of those.
    """

    def __init__(self, inputs: int, outputs: int, gain: float, chance: torch.Generator) -> None:
        super().__init__()
        to = torch.randn(4, inputs, outputs, generator=chance) * (gain / (4 * inputs)) ** 0.5  # seats further on
        pairs = torch.stack([to[0] + to[2], to[1] + to[3], to[0] - to[2], to[1] - to[3]]) / 2
        self.weight = nn.Parameter(pairs)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        p0, p1, q0, q1 = self.weight
        front, back = signal.chunk(2, -1)
        sums = (front + back) @ torch.cat([torch.cat([p0, p1], 1), torch.cat([p1, p0], 1)])
        sums = sums + self.bias.repeat(2)
        differences = (front - back) @ torch.cat([torch.cat([q0, q1], 1), torch.cat([-q1, q0], 1)])
        return torch.cat([sums + differences, sums - differences], -1)


class Network(nn.Module):
    """Compute the outputs of ``TrickEstimator`` before the softmax."""

    def __init__(self, hidden: int, depth: int, width: int, blocks: int, seed: int) -> None:
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        self.depth, self.blocks = depth, blocks
        self.layers = nn.ModuleDict()
        for name in layer_names(depth, blocks):
            role, _, number = name.rpartition("_")
            inputs = 13 if number == "0" and role in ROLES else hidden if role in ROLES else width
            last = role in ROLES and number == str(depth - 1)
            outputs = OUTCOMES if name == "read" else width if role == "block" or last else hidden
            gain = 0.1 if name == "read" else 0.5 if last else 2.0
            self.layers[name] = SeatLinear(inputs, outputs, gain, chance)

    def forward(self, suits: torch.Tensor) -> torch.Tensor:
        """Return outputs (n, 5 strains, 4 declarers, 14) of suits (n, 4, 4 seats * 13 ranks), zeros and ones."""
        trump, side, notrump = (self._encode(role, suits) for role in ROLES)
        coloured = trump + side.sum(1, keepdim=True) - side
        signal = functional.relu(torch.cat([coloured, notrump.sum(1, keepdim=True)], 1))
        for number in range(self.blocks):
            signal = signal + functional.relu(self.layers[f"block_{number}"](signal))
        outputs: torch.Tensor = self.layers["read"](signal)
        return outputs.view(len(suits), 5, 4, OUTCOMES)

    def _encode(self, role: str, suits: torch.Tensor) -> torch.Tensor:
        signal = functional.relu(self.layers[f"{role}_0"](suits))
        for number in range(1, self.depth - 1):
            signal = signal + functional.relu(self.layers[f"{role}_{number}"](signal))
        encoded: torch.Tensor = self.layers[f"{role}_{self.depth - 1}"](signal)
        return encoded

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the layers as ``TrickEstimator`` takes them: ``block_0``, and its bias ``block_0_bias``."""
        out = {}
        for name, value in self.named_parameters():
            _, layer, kind = name.split(".")
            out[layer if kind == "weight" else f"{layer}_bias"] = value.detach().numpy().copy()
        return out
