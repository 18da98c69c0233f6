"""Learn from rollouts by PPO: a policy, a critic, and the average of the policy's weights, which plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.book import BOOK_INPUTS, BOOK_ON
from agents.networks.inputs import MOST_ON, NUM_INPUTS
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env.rules.calls import NUM_CALLS
from training.league.config import LeagueConfig
from training.league.critic_inputs import CRITIC_INPUTS, CRITIC_ON
from training.league.gradients import (
    IMPS,
    GradientBackend,
    GradientFunction,
    Step,
    critic_gradient,
    policy_gradient,
    split_shards,
    take_step,
)
from training.league.rollout import CriticExamples, Experience, PolicyExamples
from training.networks.configs import widths
from training.networks.model import Perceptron, random_layers
from training.runtime.checkpoint import Arrays, learner_arrays, load_learner
from training.runtime.supervised import shuffled

CRITIC_LAYERS, CRITIC_RATE = (256, 256), 5e-4
GRADIENT_NORM = 1.0  # at which the policy's gradient is clipped


class Learner:
    """Train a policy and a critic.

    Args:
        layers: those of the policy to start from; None for random weights.
    """

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

    def learn(self, experience: Experience, iteration: int, backend: GradientBackend | None = None) -> dict[str, float]:
        """Pass once over the experience of a rollout, policy and critic side by side; return figures of the pass.

        Args:
            backend: computes the gradients; None for this process. The weights are the same, but on a device.
        """
        config, backend = self.config, backend or GradientBackend()
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
                self.update_average()
            if critic_step is not None:
                take_step(self.critic, self.critic_adam, next(gradients))
        return {"clipped": figures[0], "moved": figures[1], "steps": float(len(policy_steps))}

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

    def update_average(self) -> None:
        """Move the average of weights towards the weights."""
        with torch.no_grad():
            for average, weight in zip(self.average, self.policy.parameters(), strict=True):
                average.lerp_(weight, 1 - self.config.average)

    def snapshot(self) -> list[NDArray[np.float32]]:
        """Return copies of the weights that play rollouts: the policy's average ones, and the critic's."""
        return [p.detach().numpy().copy() for p in (*self.average, *self.critic.parameters())]

    def players(self, snapshot: Sequence[NDArray[np.float32]] | None = None) -> tuple[Network, Network]:
        """Return the policy and the critic (in IMPs) of a snapshot, or as they are, in whole numbers."""
        arrays = self.snapshot() if snapshot is None else snapshot
        policy, critic = _layers(arrays[: len(self.average)]), _layers(arrays[len(self.average) :])
        weight, bias = critic[-1]
        return quantized(policy, self.most_on), quantized([*critic[:-1], (weight * IMPS, bias * IMPS)], CRITIC_ON)

    def arrays(self) -> Arrays:
        """Return the weights, their average and the state of the optimizers by name."""
        out = learner_arrays("policy", self.policy, self.policy_adam)
        out |= learner_arrays("critic", self.critic, self.critic_adam)
        return out | {f"average.{i}": a.numpy().copy() for i, a in enumerate(self.average)}

    def load(self, arrays: Arrays) -> None:
        """Restore what ``arrays`` returned."""
        load_learner("policy", arrays, self.policy, self.policy_adam)
        load_learner("critic", arrays, self.critic, self.critic_adam)
        for i, parameter in enumerate(self.average):
            parameter.copy_(torch.from_numpy(arrays[f"average.{i}"]))


def _layers(arrays: Sequence[NDArray[np.float32]]) -> list[FloatLayer]:
    """Return layers from all weights, then all biases."""
    half = len(arrays) // 2
    return list(zip(arrays[:half], arrays[half:], strict=True))
