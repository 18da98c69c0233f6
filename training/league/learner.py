"""Learn from rollouts by PPO: a policy, a critic, and the averages of weights that play and that are judged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.book import BOOK_INPUTS, BOOK_ON
from agents.networks.inputs import MOST_ON, NUM_INPUTS
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env.rng import streams
from bridge_env.rules.calls import NUM_CALLS
from training.league.config import LeagueConfig
from training.league.critic_inputs import CRITIC_INPUTS, CRITIC_ON
from training.league.gradients import IMPS, CriticShard, GradientBackend, PolicyShard, Step, split_shards, take_step
from training.league.rollout import Experience
from training.networks.configs import widths
from training.networks.model import Perceptron
from training.runtime.checkpoint import Arrays, learner_arrays, load_learner

CRITIC_LAYERS, CRITIC_RATE = (256, 256), 5e-4
GRADIENT_NORM = 1.0  # at which the policy's gradient is clipped


class Learner:
    """A policy and a critic that learn.

    Args:
        layers: those of the policy to start from; None for random weights.
    """

    def __init__(self, config: LeagueConfig, layers: Sequence[FloatLayer] | None) -> None:
        self.config = config = config.for_cores(1)
        inputs, self.most_on = (BOOK_INPUTS, MOST_ON + BOOK_ON) if config.book else (NUM_INPUTS, MOST_ON)
        hidden = widths(config.layers) if layers is None else [len(bias) for _, bias in layers[:-1]]
        self.policy = Perceptron([inputs, *hidden, NUM_CALLS], config.seed)
        if layers is not None:
            self.policy.load_floats(layers)
        self.critic = Perceptron([CRITIC_INPUTS, *CRITIC_LAYERS, 1], config.seed + 1)
        self.average = [p.detach().clone() for p in self.policy.parameters()]
        self.eval_average = [p.clone() for p in self.average] if config.eval_ema else self.average
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
        policy_steps = self._split("learn", len(experience.call), iteration)
        critic_steps = self._split("critic", len(experience.target), iteration)
        figures = np.zeros(2)
        for policy_rows, critic_rows in zip_longest(policy_steps, critic_steps):
            steps: list[Step] = []
            if policy_rows is not None:
                shards = [PolicyShard.of(experience, part, config.entropy) for part in policy_rows]
                steps.append((self.policy, shards, sum(map(len, policy_rows))))
            if critic_rows is not None:
                targets = [CriticShard.of(experience, part) for part in critic_rows]
                steps.append((self.critic, targets, sum(map(len, critic_rows))))
            gradients = iter(backend.gradients(steps))
            if policy_rows is not None:
                sums = take_step(self.policy, self.policy_adam, next(gradients), GRADIENT_NORM)
                figures += sums / sum(map(len, policy_rows)) / len(policy_steps)
                self.update_averages()
            if critic_rows is not None:
                take_step(self.critic, self.critic_adam, next(gradients))
        return {"clipped": figures[0], "moved": figures[1], "steps": float(len(policy_steps))}

    def _split(self, purpose: str, count: int, iteration: int) -> list[list[NDArray[np.int64]]]:
        """Return the decisions of each step, in shards."""
        if not count:  # no auction left the likeliest: there is nothing to learn
            return []
        order = np.argsort(streams.key(purpose, self.config.seed, iteration, np.arange(count)), kind="stable")
        return split_shards(order, self.config.batch, self.config.shard)

    def update_averages(self) -> None:
        """Move the averages of weights towards the weights."""
        pairs = [(self.average, self.config.average)]
        if self.config.eval_ema:
            pairs.append((self.eval_average, self.config.eval_ema))
        with torch.no_grad():
            for averages, decay in pairs:
                for average, weight in zip(averages, self.policy.parameters(), strict=True):
                    average.lerp_(weight, 1 - decay)

    def players(self) -> tuple[Network, Network]:
        """Return what plays rollouts, in whole numbers: the average policy, and the critic in IMPs."""
        layers = self.critic.floats()
        weight, bias = layers[-1]
        return self._quantized(self.average), quantized([*layers[:-1], (weight * IMPS, bias * IMPS)], CRITIC_ON)

    def best(self) -> Network:
        """Return the policy to judge and to save, in whole numbers."""
        return self._quantized(self.eval_average)

    def _quantized(self, parameters: Sequence[torch.Tensor]) -> Network:
        floats = [p.numpy() for p in parameters]
        half = len(floats) // 2
        return quantized(list(zip(floats[:half], floats[half:], strict=True)), self.most_on)

    def arrays(self) -> Arrays:
        """Return the weights, the averages and the state of the optimizers by name."""
        out = learner_arrays("policy", self.policy, self.policy_adam)
        out |= learner_arrays("critic", self.critic, self.critic_adam)
        for name, parameters in self._averages().items():
            out |= {f"{name}.{i}": a.numpy().copy() for i, a in enumerate(parameters)}
        return out

    def _averages(self) -> dict[str, list[torch.Tensor]]:
        return {"average": self.average} | ({"slow": self.eval_average} if self.config.eval_ema else {})

    def load(self, arrays: Arrays) -> None:
        """Restore what ``arrays`` returned."""
        load_learner("policy", arrays, self.policy, self.policy_adam)
        load_learner("critic", arrays, self.critic, self.critic_adam)
        for name, parameters in self._averages().items():
            for i, parameter in enumerate(parameters):
                parameter.copy_(torch.from_numpy(arrays[f"{name}.{i}"]))
