"""Learn from rollouts by PPO: a policy, a critic, and the average of the policy's weights, which plays.

A step's gradient is the sum of its shards', computed here, on Ray or on a device, in their order, in float64. So the
weights are the same, bit for bit, for any number of processes, as far as their processors compute alike.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.book import BOOK_INPUTS, BOOK_ON
from agents.networks.inputs import MOST_ON, NUM_INPUTS
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env.rules.calls import NUM_CALLS
from training.configs import LeagueConfig, widths
from training.league.critic_inputs import CRITIC_INPUTS, CRITIC_ON
from training.league.rollout import CriticExamples, Experience, PolicyExamples
from training.networks.model import Perceptron, random_layers
from training.runtime.cluster import Cluster
from training.runtime.supervised import shuffled

_UNIT = 4.0  # advantages and rewards are learned in units of this many IMPs: about their deviation
CLIP = 0.2  # of PPO: how far a probability may move in one pass
_ILLEGAL = -1e9  # the output of an illegal call

Floats = list[NDArray[np.float32]]


ShardGradient = tuple[Floats, NDArray[np.float64]]
"""The gradient of each parameter, and figures (2,): the clipped decisions, and the sum of probability changes."""

GradientFunction = Callable[[Perceptron, Any, int], ShardGradient]
CRITIC_LAYERS, CRITIC_RATE = (256, 256), 5e-4
_PARTS = ("policy", "critic", "policy_adam", "critic_adam")
GRADIENT_NORM = 1.0  # at which the policy's gradient is clipped


@dataclass(frozen=True, eq=False)
class Step:
    """Hold a step of a network: what computes its gradient, and the examples of each shard, int64 (n,)."""

    gradient: GradientFunction
    model: Perceptron
    examples: PolicyExamples | CriticExamples
    shards: Sequence[NDArray[np.int64]]

    @property
    def count(self) -> int:
        """Return the number of examples of the step."""
        return sum(map(len, self.shards))

    def compute(self, rows: NDArray[np.int64]) -> ShardGradient:
        """Return the gradient of a shard."""
        return self.gradient(self.model, self.examples.take(rows), self.count)


def policy_gradient(model: Perceptron, examples: PolicyExamples, count: int, entropy: float) -> ShardGradient:
    """Return a shard's part of the gradient of a policy's step of ``count`` examples, by PPO; ``entropy`` weighs its
    bonus.
    """
    outputs = model(examples.rows)
    device = outputs.device
    if examples.guidance is not None:
        outputs = outputs + torch.from_numpy(examples.guidance).to(device)
    outputs = outputs.masked_fill(torch.from_numpy(~examples.mask).to(device), _ILLEGAL)
    logs = torch.log_softmax(outputs, dim=1)
    calls = torch.from_numpy(examples.call.astype(np.int64)).to(device)
    advantage = torch.from_numpy(examples.advantage / np.float32(_UNIT)).to(device)
    weight = torch.from_numpy(examples.weight).to(device)
    before = torch.from_numpy(examples.log_chance).to(device)
    ratio = (logs.gather(1, calls[:, None])[:, 0] - before).clamp(-10, 10).exp()
    bounded = ratio.clamp(1 - CLIP, 1 + CLIP)
    gain = torch.minimum(ratio * advantage, bounded * advantage)
    uncertainty = -(logs.exp() * logs.clamp_min(-30)).sum(1)
    gradient = _gradient(model, -(weight * (gain + entropy * uncertainty)).sum() / count)
    with torch.no_grad():
        return gradient, np.array([float((ratio != bounded).sum()), float((ratio - 1).abs().sum())])


def critic_gradient(model: Perceptron, examples: CriticExamples, count: int) -> ShardGradient:
    """Return a shard's part of the gradient of a critic's step of ``count`` examples; its figures are 0."""
    outputs = model(examples.rows)[:, 0]
    error = outputs - torch.from_numpy(examples.target / np.float32(_UNIT)).to(outputs.device)
    weight = torch.from_numpy(examples.weight).to(outputs.device)
    return _gradient(model, (weight * error * error).sum() / count), np.zeros(2)


def _gradient(model: Perceptron, loss: torch.Tensor) -> Floats:
    model.zero_grad()
    loss.backward()
    return [p.grad.cpu().numpy().copy() for p in model.parameters() if p.grad is not None]


class Gradients:
    """Compute all gradients in this process, on a ``device`` of torch, such as ``cuda``, if there is one.

    They have other bits there than without a device, and on CUDA differ from run to run, as it adds in any order. The
    networks stay where they are: a copy on the device takes over their weights for each step.
    """

    def __init__(self, device: str | None = None) -> None:
        self._device, self._copies = device, dict[Perceptron, Perceptron]()

    def gradients(self, steps: Sequence[Step]) -> list[list[ShardGradient]]:
        """Return for each step the gradients of its shards in their order."""
        placed = [replace(step, model=self._placed(step.model)) for step in steps]
        return [[step.compute(rows) for rows in step.shards] for step in placed]

    def _placed(self, model: Perceptron) -> Perceptron:
        if self._device is None:
            return model
        if model not in self._copies:
            self._copies[model] = copy.deepcopy(model).to(self._device)
        self._copies[model].load_state_dict(model.state_dict())
        return self._copies[model]


class RayGradients(Gradients):
    """Compute gradients in a cluster's tasks, and some of them here, as this process would wait otherwise."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__()
        self._cluster = cluster

    def gradients(self, steps: Sequence[Step]) -> list[list[ShardGradient]]:
        if all(len(step.shards) == 1 for step in steps):
            return super().gradients(steps)  # nothing to share
        computing = (self._cluster.workers or 0) + 1  # the workers and this process
        submitted: dict[tuple[int, int], Any] = {}
        for number, step in enumerate(steps):
            layers = self._cluster.put(step.model.floats())
            for at, rows in enumerate(step.shards):
                if (at + number) % computing:
                    task = (layers, step.gradient, step.examples.take(rows), step.count)
                    submitted[number, at] = self._cluster.submit(shard_gradient, *task)
        # Those of this process first: the others are under way meanwhile.
        done = {
            (number, at): step.compute(rows)
            for number, step in enumerate(steps)
            for at, rows in enumerate(step.shards)
            if (number, at) not in submitted
        }
        done |= {place: self._cluster.result(reference) for place, reference in submitted.items()}
        return [[done[number, at] for at in range(len(step.shards))] for number, step in enumerate(steps)]


def shard_gradient(
    layers: Sequence[FloatLayer], gradient: GradientFunction, examples: Any, count: int
) -> ShardGradient:
    """Return the gradient of a shard by a network of these layers: a task of the cluster."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    return gradient(Perceptron(layers), examples, count)


def take_step(
    model: Perceptron, adam: torch.optim.Optimizer, gradients: Sequence[ShardGradient], norm: float | None = None
) -> NDArray[np.float64]:
    """Step along the sum of the shards' gradients, in float64 in their order, clipped at ``norm``; return the sum of
    their figures (2,).
    """
    parts = [gradient for gradient, _ in gradients]
    for number, parameter in enumerate(model.parameters()):
        total = parts[0][number].astype(np.float64)
        for part in parts[1:]:
            total += part[number]
        parameter.grad = torch.from_numpy(total.astype(np.float32))
    if norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), norm)
    adam.step()
    return np.sum([figures for _, figures in gradients], axis=0)


def split_shards(order: NDArray[np.int64], batch: int, shard: int) -> list[list[NDArray[np.int64]]]:
    """Split decisions into steps of about ``batch``, and each of these into shards of ``shard`` at most."""
    steps = np.array_split(order, max(1, round(len(order) / batch)))
    return [np.array_split(step, -(-len(step) // shard)) for step in steps]


class Learner:
    """Train a policy, from ``layers`` or random weights, and a critic."""

    def __init__(self, config: LeagueConfig, layers: Sequence[FloatLayer] | None) -> None:
        self.config = config = config.for_cores(1)
        inputs, self.most_on = (BOOK_INPUTS, MOST_ON + BOOK_ON) if config.book else (NUM_INPUTS, MOST_ON)
        if layers is None:
            layers = random_layers([inputs, *widths(config.layers), NUM_CALLS], config.seed)
        self.policy = Perceptron(layers)
        self.critic = Perceptron(random_layers([CRITIC_INPUTS, *CRITIC_LAYERS, 1], config.seed + 1))
        self.average = [p.detach().clone() for p in self.policy.parameters()]
        self.policy_adam = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate, eps=1e-6, fused=True)
        self.critic_adam = torch.optim.Adam(self.critic.parameters(), lr=CRITIC_RATE, eps=1e-6, fused=True)

    def learn(self, experience: Experience, iteration: int, backend: Gradients | None = None) -> dict[str, float]:
        """Pass once over the experience of a rollout, policy and critic side by side; return figures of the pass. The
        weights are the same for any ``backend`` but a device.
        """
        config, backend = self.config, backend or Gradients()
        share = iteration / config.iterations
        self.policy_adam.param_groups[0]["lr"] = config.learning_rate * (1 - share * (1 - config.last_rate))
        policy_gradients = partial(policy_gradient, entropy=config.entropy)
        policy_steps = self._steps(policy_gradients, self.policy, experience.policy, "learn", iteration)
        critic_steps = self._steps(critic_gradient, self.critic, experience.critic, "critic", iteration)
        figures = np.zeros(2)
        for policy_step, critic_step in zip_longest(policy_steps, critic_steps):
            gradients = iter(backend.gradients([step for step in (policy_step, critic_step) if step is not None]))
            if policy_step is not None:
                sums = take_step(self.policy, self.policy_adam, next(gradients), GRADIENT_NORM)
                figures += sums / policy_step.count / len(policy_steps)
                with torch.no_grad():
                    for average, weight in zip(self.average, self.policy.parameters(), strict=True):
                        average.lerp_(weight, 1 - config.average)
            if critic_step is not None:
                take_step(self.critic, self.critic_adam, next(gradients))
        clipped, moved = figures.tolist()
        return {"clipped": clipped, "moved": moved, "steps": float(len(policy_steps))}

    def _steps(
        self, gradient: GradientFunction, model: Perceptron, examples: PolicyExamples | CriticExamples, purpose: str,
        iteration: int,
    ) -> list[Step]:  # fmt: skip
        """Return the steps of a pass, with weights that are 1 on average."""
        if not len(examples):  # no auction left the greedy one: there is nothing to learn
            return []
        order = shuffled(len(examples), purpose, self.config.seed, iteration)
        scale = np.float32(len(examples) / float(examples.weight.sum()))
        examples = replace(examples, weight=examples.weight * scale)
        return [
            Step(gradient, model, examples, shards)
            for shards in split_shards(order, self.config.batch, self.config.shard)
        ]

    def snapshot(self) -> list[NDArray[np.float32]]:
        """Return copies of the weights that play rollouts: the policy's average ones, and the critic's."""
        return [p.detach().numpy().copy() for p in (*self.average, *self.critic.parameters())]

    def players(self, snapshot: Sequence[NDArray[np.float32]] | None = None) -> tuple[Network, Network]:
        """Return the policy and the critic (in IMPs) of a snapshot, or as they are, in whole numbers."""
        arrays = self.snapshot() if snapshot is None else snapshot
        policy, critic = _layers(arrays[: len(self.average)]), _layers(arrays[len(self.average) :])
        weight, bias = critic[-1]
        return quantized(policy, self.most_on), quantized([*critic[:-1], (weight * _UNIT, bias * _UNIT)], CRITIC_ON)

    def state(self) -> dict[str, Any]:
        """Return the weights, their average and the state of the optimizers, for a checkpoint."""
        return {name: getattr(self, name).state_dict() for name in _PARTS} | {"average": self.average}

    def load(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        for name in _PARTS:
            getattr(self, name).load_state_dict(state[name])
        self.average = state["average"]


def _layers(arrays: Sequence[NDArray[np.float32]]) -> list[FloatLayer]:
    """Return layers from all weights, then all biases."""
    half = len(arrays) // 2
    return list(zip(arrays[:half], arrays[half:], strict=True))
