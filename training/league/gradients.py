"""Compute the gradients of a step in shards, here, on Ray or on a device.

A step's gradient is the sum of its shards' in their order, in float64. So the weights are the same, bit for bit, for
any number of processes and nodes, as far as their processors compute alike.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.inputs import Sparse, take_rows
from agents.networks.network import FloatLayer
from training.league.rollout import Experience
from training.networks.model import Perceptron

IMPS = 4.0  # advantages and rewards are learned in units of this many IMPs: about their deviation
CLIP = 0.2  # of PPO: how far a probability may move in one pass
_ILLEGAL = -1e9  # the output of an illegal call

Floats = list[NDArray[np.float32]]


@dataclass(frozen=True)
class PolicyShard:
    """Hold decisions to learn from: arrays as in ``rollout.Experience``, weights with a mean of 1 over the rollout."""

    rows: Sparse
    mask: NDArray[np.bool_]
    call: NDArray[np.int8]
    log_chance: NDArray[np.float32]
    advantage: NDArray[np.float32]
    weight: NDArray[np.float32]
    system_logits: NDArray[np.float32] | None
    entropy: float

    @classmethod
    def of(cls, e: Experience, rows: NDArray[np.int64], entropy: float) -> PolicyShard:
        """Return the shard of some decisions of a rollout.

        Args:
            rows: int64 (n,), of the decisions.
            entropy: weight of the entropy bonus.
        """
        scale = len(e.call) / float(e.weight.sum())
        return cls(
            take_rows(e.rows, rows), e.mask[rows], e.call[rows], e.log_chance[rows], e.advantage[rows],
            e.weight[rows] * np.float32(scale), None if e.system_logits is None else e.system_logits[rows], entropy,
        )  # fmt: skip

    def gradient(self, model: Perceptron, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return this shard's part of the gradient of a step, and figures float64 (2,).

        Args:
            count: decisions of the step.

        Returns:
            The gradient of each parameter; the number of clipped decisions and the sum of probability changes.
        """
        outputs = model(self.rows)
        device = outputs.device
        if self.system_logits is not None:
            outputs = outputs + torch.from_numpy(self.system_logits).to(device)
        outputs = outputs.masked_fill(torch.from_numpy(~self.mask).to(device), _ILLEGAL)
        logs = torch.log_softmax(outputs, dim=1)
        calls = torch.from_numpy(self.call.astype(np.int64)).to(device)
        advantage = torch.from_numpy(self.advantage / np.float32(IMPS)).to(device)
        weight = torch.from_numpy(self.weight).to(device)
        before = torch.from_numpy(self.log_chance).to(device)
        ratio = (logs.gather(1, calls[:, None])[:, 0] - before).clamp(-10, 10).exp()
        bounded = ratio.clamp(1 - CLIP, 1 + CLIP)
        gain = torch.minimum(ratio * advantage, bounded * advantage)
        entropy = -(logs.exp() * logs.clamp_min(-30)).sum(1)
        gradient = _gradient(model, -(weight * (gain + self.entropy * entropy)).sum() / count)
        with torch.no_grad():
            return gradient, np.array([float((ratio != bounded).sum()), float((ratio - 1).abs().sum())])


@dataclass(frozen=True)
class CriticShard:
    """Hold rewards that the critic is to predict: arrays as in ``rollout.Experience``, weights with a mean of 1."""

    rows: Sparse
    target: NDArray[np.float32]
    weight: NDArray[np.float32]

    @classmethod
    def of(cls, e: Experience, rows: NDArray[np.int64]) -> CriticShard:
        """Return the shard of some rewards of a rollout, int64 (n,)."""
        scale = len(e.target) / float(e.critic_weight.sum())
        return cls(take_rows(e.critic_rows, rows), e.target[rows], e.critic_weight[rows] * np.float32(scale))

    def gradient(self, model: Perceptron, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """Return this shard's part of the gradient of a step of ``count`` rewards, and zeros (2,)."""
        outputs = model(self.rows)[:, 0]
        error = outputs - torch.from_numpy(self.target / np.float32(IMPS)).to(outputs.device)
        weight = torch.from_numpy(self.weight).to(outputs.device)
        return _gradient(model, (weight * error * error).sum() / count), np.zeros(2)


Shard = PolicyShard | CriticShard
ShardGradient = tuple[Floats, NDArray[np.float64]]
#: A network, the shards of a step by it, and how many decisions these are.
Step = tuple[Perceptron, Sequence[Shard], int]


class GradientBackend:
    """Compute all gradients in this process."""

    def gradients(self, steps: Sequence[Step]) -> Iterable[list[ShardGradient]]:
        """Return for each step the gradients of its shards in their order."""
        return [[shard.gradient(self._placed(model), count) for shard in shards] for model, shards, count in steps]

    def _placed(self, model: Perceptron) -> Perceptron:
        """Return the model where its gradients are computed."""
        return model


class DeviceGradients(GradientBackend):
    """Compute all gradients on a device of torch, such as ``cuda``.

    They have other bits than on the CPU, and on CUDA differ from run to run, as it adds in any order. The networks stay
    where they are: a copy on the device takes over their weights for each step.

    Args:
        by_torch: sum rows by torch's own functions also on the CPU.
    """

    def __init__(self, device: str, by_torch: bool = False) -> None:
        self._device, self._by_torch = torch.device(device), by_torch
        self._copies: dict[int, Perceptron] = {}

    def _placed(self, model: Perceptron) -> Perceptron:
        if id(model) not in self._copies:
            self._copies[id(model)] = copy.deepcopy(model).to(self._device)
            self._copies[id(model)].by_torch |= self._by_torch
        with torch.no_grad():
            for there, here in zip(self._copies[id(model)].parameters(), model.parameters(), strict=True):
                there.copy_(here)
        return self._copies[id(model)]


class RayGradients(GradientBackend):
    """Compute gradients in a cluster's tasks, and some of them here, as this process would wait otherwise.

    Args:
        cluster: ``training.runtime.cluster.Cluster``, open.
    """

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def gradients(self, steps: Sequence[Step]) -> Iterable[list[ShardGradient]]:
        if sum(len(shards) for _, shards, _ in steps) <= len(steps):
            return super().gradients(steps)  # nothing to share
        submitted: dict[tuple[int, int], Any] = {}
        computing = self._cluster.workers + 1  # the workers and this process
        for number, (model, shards, count) in enumerate(steps):
            layers = self._cluster.put(model.floats())
            for at, shard in enumerate(shards):
                if (at + number) % computing:
                    submitted[number, at] = self._cluster.submit(shard_gradient, layers, shard, count)
        # Those of this process first: the others are under way meanwhile.
        here = {
            (number, at): shard.gradient(model, count)
            for number, (model, shards, count) in enumerate(steps)
            for at, shard in enumerate(shards)
            if (number, at) not in submitted
        }
        done = here | {place: self._cluster.result(reference) for place, reference in submitted.items()}
        return [[done[number, at] for at in range(len(shards))] for number, (_, shards, _) in enumerate(steps)]


def shard_gradient(layers: Sequence[FloatLayer], shard: Shard, count: int) -> ShardGradient:
    """Return the gradient of a shard by a network of these layers: a task of the cluster."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    model = _model((*(weight.shape[0] for weight, _ in layers), layers[-1][0].shape[1]))
    model.load_floats(layers)
    return shard.gradient(model, count)


@lru_cache(maxsize=4)
def _model(sizes: tuple[int, ...]) -> Perceptron:
    return Perceptron(sizes, 0)


def _gradient(model: Perceptron, loss: torch.Tensor) -> Floats:
    model.zero_grad()
    loss.backward()
    return [p.grad.cpu().numpy().copy() for p in model.parameters() if p.grad is not None]


def take_step(
    model: Perceptron, adam: torch.optim.Optimizer, gradients: Sequence[ShardGradient], norm: float | None = None
) -> NDArray[np.float64]:
    """Step along the sum of the shards' gradients, in float64 in their order; return the sum of their figures (2,).

    Args:
        norm: the norm at which the gradient is clipped; None for no limit.
    """
    parts = [gradient for gradient, _ in gradients]
    for number, parameter in enumerate(model.parameters()):
        total = parts[0][number]
        if len(parts) > 1:
            doubles = total.astype(np.float64)
            for part in parts[1:]:
                doubles += part[number]
            total = doubles.astype(np.float32)
        parameter.grad = torch.from_numpy(total)
    if norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), norm)
    adam.step()
    figures: NDArray[np.float64] = np.sum([figures for _, figures in gradients], axis=0)
    return figures


def split_shards(order: NDArray[np.int64], batch: int, shard: int) -> list[list[NDArray[np.int64]]]:
    """Split decisions into steps of about ``batch``, and each of these into shards of ``shard`` at most."""
    steps = np.array_split(order, max(1, round(len(order) / batch)))
    return [np.array_split(step, -(-len(step) // shard)) for step in steps]
