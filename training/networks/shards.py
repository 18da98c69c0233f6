"""Gradients of a step in shards, each of the same decisions wherever it is computed.

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
from training.networks.model import Perceptron
from training.networks.rollout import Experience

IMPS = 4.0  # advantages and rewards are learned in units of this many IMPs: about their deviation
_NEVER = -1e9

Floats = list[NDArray[np.float32]]


@dataclass(frozen=True)
class PolicyShard:
    """Decisions to learn from: arrays as in ``rollout.Experience``, weights scaled to a mean of 1 over the rollout."""

    rows: Sparse
    mask: NDArray[np.bool_]
    call: NDArray[np.int8]
    log_chance: NDArray[np.float32]
    advantage: NDArray[np.float32]
    weight: NDArray[np.float32]
    part: NDArray[np.float32] | None
    clip: float
    entropy: float

    @classmethod
    def of(cls, e: Experience, rows: NDArray[np.int64], clip: float, entropy: float) -> PolicyShard:
        """Some of the decisions of a rollout, for whoever computes their gradient."""
        scale = len(e.call) / float(e.weight.sum())
        return cls(
            take_rows(e.rows, rows), e.mask[rows], e.call[rows], e.log_chance[rows], e.advantage[rows],
            e.weight[rows] * np.float32(scale), None if e.part is None else e.part[rows], clip, entropy,
        )  # fmt: skip

    def gradient(self, model: Perceptron, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """This shard's part of the gradient of a step of ``count`` decisions; decisions clipped, and sum of moves."""
        outputs = model(self.rows)
        on = outputs.device
        if self.part is not None:
            outputs = outputs + torch.from_numpy(self.part).to(on)
        outputs = outputs.masked_fill(torch.from_numpy(~self.mask).to(on), _NEVER)
        logs = torch.log_softmax(outputs, dim=1)
        calls = torch.from_numpy(self.call.astype(np.int64)).to(on)
        advantage = torch.from_numpy(self.advantage / np.float32(IMPS)).to(on)
        weight = torch.from_numpy(self.weight).to(on)
        before = torch.from_numpy(self.log_chance).to(on)
        ratio = (logs.gather(1, calls[:, None])[:, 0] - before).clamp(-10, 10).exp()
        bounded = ratio.clamp(1 - self.clip, 1 + self.clip)
        gain = torch.minimum(ratio * advantage, bounded * advantage)
        entropy = -(logs.exp() * logs.clamp_min(-30)).sum(1)
        found = _gradient(model, -(weight * (gain + self.entropy * entropy)).sum() / count)
        with torch.no_grad():
            return found, np.array([float((ratio != bounded).sum()), float((ratio - 1).abs().sum())])


@dataclass(frozen=True)
class CriticShard:
    """Rewards to foretell: arrays as in ``rollout.Experience``, weights scaled to a mean of 1."""

    rows: Sparse
    target: NDArray[np.float32]
    weight: NDArray[np.float32]

    @classmethod
    def of(cls, e: Experience, rows: NDArray[np.int64]) -> CriticShard:
        """Some of the rewards of a rollout."""
        scale = len(e.target) / float(e.critic_weight.sum())
        return cls(take_rows(e.critic_rows, rows), e.target[rows], e.critic_weight[rows] * np.float32(scale))

    def gradient(self, model: Perceptron, count: int) -> tuple[Floats, NDArray[np.float64]]:
        """This shard's part of the gradient of a step of ``count`` rewards; the second is as for a policy's, zeros."""
        outputs = model(self.rows)[:, 0]
        off = outputs - torch.from_numpy(self.target / np.float32(IMPS)).to(outputs.device)
        weight = torch.from_numpy(self.weight).to(outputs.device)
        return _gradient(model, (weight * off * off).sum() / count), np.zeros(2)


Shard = PolicyShard | CriticShard
#: Layers of a network, shards of a step by it, and how many decisions these are.
Step = tuple[Perceptron, Sequence[Shard], int]


class Hands:
    """Compute all gradients here."""

    def gradients(self, steps: Sequence[Step]) -> Iterable[list[tuple[Floats, NDArray[np.float64]]]]:
        """For each step, the gradients of its shards in their order."""
        return [[shard.gradient(self._at_hand(model), count) for shard in shards] for model, shards, count in steps]

    def _at_hand(self, model: Perceptron) -> Perceptron:
        return model


class OnDevice(Hands):
    """Compute all gradients on a device of torch, such as ``cuda``: other bits than on the CPU, and on CUDA not the
    same from run to run, as it adds in any order.

    The networks stay where they are: a copy on the device takes over their weights for each step.

    Args:
        by_torch: sum rows as on any other device also on the CPU.
    """

    def __init__(self, device: str, by_torch: bool = False) -> None:
        self._device, self._by_torch = torch.device(device), by_torch
        self._copies: dict[int, Perceptron] = {}

    def _at_hand(self, model: Perceptron) -> Perceptron:
        if id(model) not in self._copies:
            self._copies[id(model)] = copy.deepcopy(model).to(self._device)
            self._copies[id(model)].by_torch |= self._by_torch
        with torch.no_grad():
            for there, here in zip(self._copies[id(model)].parameters(), model.parameters(), strict=True):
                there.copy_(here)
        return self._copies[id(model)]


class Spread(Hands):
    """Compute gradients in a cluster's tasks, and some of them here, as this process would wait otherwise.

    Args:
        cluster: ``training.running.cluster.Cluster``, open.
    """

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def gradients(self, steps: Sequence[Step]) -> Iterable[list[tuple[Floats, NDArray[np.float64]]]]:
        if sum(len(shards) for _, shards, _ in steps) <= len(steps):
            return super().gradients(steps)  # nothing to share
        away: dict[tuple[int, int], Any] = {}
        every = self._cluster.workers + 1  # as many at work, this process with them
        for number, (model, shards, count) in enumerate(steps):
            layers = self._cluster.put(model.floats())
            for at, shard in enumerate(shards):
                if (at + number) % every:
                    away[number, at] = self._cluster.submit(gradient_of, layers, shard, count)
        found: list[list[tuple[Floats, NDArray[np.float64]]]] = []
        for model, shards, count in steps:  # those of this process first: the others are under way meanwhile
            number = len(found)
            found.append([])
            for at, shard in enumerate(shards):
                mine = (number, at) not in away
                found[-1].append(shard.gradient(model, count) if mine else ([], np.zeros(2)))
        for (number, at), reference in away.items():
            found[number][at] = self._cluster.result(reference)
        return found


def gradient_of(layers: Sequence[FloatLayer], shard: Shard, count: int) -> tuple[Floats, NDArray[np.float64]]:
    """The gradient of a shard by a network of these layers: what a task of the cluster does."""
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


def apply(
    model: Perceptron,
    adam: torch.optim.Optimizer,
    gradients: Sequence[tuple[Floats, NDArray[np.float64]]],
    most: float | None = None,
) -> NDArray[np.float64]:
    """Take a step along the sum of the shards' gradients, float64 in their order; the sum of their figures.

    Args:
        most: the norm at which the gradient is clipped; None: it is not.
    """
    parts = [found for found, _ in gradients]
    for number, parameter in enumerate(model.parameters()):
        total = parts[0][number]
        if len(parts) > 1:
            total = _sum([part[number] for part in parts])
        parameter.grad = torch.from_numpy(total)
    if most is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), most)
    adam.step()
    figures: NDArray[np.float64] = np.sum([figures for _, figures in gradients], axis=0)
    return figures


def _sum(arrays: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    total = arrays[0].astype(np.float64)
    for array in arrays[1:]:
        total += array
    return total.astype(np.float32)


def cut(order: NDArray[np.int64], batch: int, shard: int) -> list[list[NDArray[np.int64]]]:
    """Cut decisions into steps of about ``batch``, and each of these into shards of ``shard`` at most."""
    steps = np.array_split(order, max(1, round(len(order) / batch)))
    return [np.array_split(step, -(-len(step) // shard)) for step in steps]
