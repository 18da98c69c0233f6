"""The learner of the league: PPO on experience from rollouts, a critic, and the average of weights that plays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.book import BOOK_INPUTS, BOOK_ON
from agents.networks.inputs import MOST_ON, NUM_INPUTS
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env import streams
from bridge_env.calls import NUM_CALLS
from training.networks.configs import LeagueConfig, widths
from training.networks.critic_inputs import CRITIC_INPUTS, CRITIC_ON
from training.networks.model import Perceptron, widened
from training.networks.rollout import Experience
from training.networks.shards import IMPS, CriticShard, Hands, PolicyShard, Step, apply, cut
from training.running.checkpoint import Arrays, learner_arrays, load_learner


class Learner:
    """A policy and a critic that learn; ``layers`` are those of the policy to start from, None for random weights."""

    def __init__(self, config: LeagueConfig, layers: Sequence[FloatLayer] | None) -> None:
        self.config = config = config.settled(1)
        self.inputs, self.most_on = (BOOK_INPUTS, MOST_ON + BOOK_ON) if config.book else (NUM_INPUTS, MOST_ON)
        if layers is not None and config.widen:
            layers = widened(layers, widths(config.widen), config.seed + 2)
        hidden = widths(config.layers) if layers is None else [len(bias) for _, bias in layers[:-1]]
        self.policy = Perceptron([self.inputs, *hidden, NUM_CALLS], config.seed)
        if layers is not None:
            self.policy.load_floats(layers)
        self.critic = Perceptron([CRITIC_INPUTS, *widths(config.critic), 1], config.seed + 1)
        self.average = [p.detach().clone() for p in self.policy.parameters()]
        self.slow = [p.clone() for p in self.average] if config.slow else self.average
        self.policy_adam = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate, eps=1e-6, fused=True)
        self.critic_adam = torch.optim.Adam(self.critic.parameters(), lr=config.critic_rate, eps=1e-6, fused=True)

    def learn(self, experience: Experience, iteration: int, hands: Hands | None = None) -> dict[str, float]:
        """One pass over the experience of a rollout, policy and critic side by side; returns figures to tell of.

        Args:
            hands: what computes gradients; None: this process. The weights are the same.
        """
        config, hands = self.config, hands or Hands()
        share = iteration / config.iterations
        self.policy_adam.param_groups[0]["lr"] = config.learning_rate * (1 - share * (1 - config.last_rate))
        policy = self._cut("learn", len(experience.call), iteration)
        critic = self._cut("critic", len(experience.target), iteration)
        figures = np.zeros(2)
        for ours, theirs in zip_longest(policy, critic):
            steps: list[Step] = []
            for model, rows, make in (
                (self.policy, ours, self.policy_shard),
                (self.critic, theirs, CriticShard.of),
            ):
                if rows is not None:
                    count = sum(len(part) for part in rows)
                    steps.append((model, [make(experience, part) for part in rows], count))
            found = iter(hands.gradients(steps))
            if ours is not None:
                told = apply(self.policy, self.policy_adam, next(found), config.most_gradient)
                figures += told / sum(len(part) for part in ours) / len(policy)
                self.follow()
            if theirs is not None:
                apply(self.critic, self.critic_adam, next(found))
        return {"clipped": figures[0], "moved": figures[1], "steps": float(len(policy))}

    def _cut(self, purpose: str, count: int, iteration: int) -> list[list[NDArray[np.int64]]]:
        """The decisions of each step, in shards."""
        if not count:  # no auction left the likeliest: there is nothing to learn
            return []
        order = np.argsort(streams.key(purpose, self.config.seed, iteration, np.arange(count)), kind="stable")
        return cut(order, self.config.batch, self.config.shard)

    def policy_shard(self, experience: Experience, rows: NDArray[np.int64]) -> PolicyShard:
        """Some of the decisions of a rollout, to be learned from as the settings say."""
        return PolicyShard.of(experience, rows, self.config.clip, self.config.entropy)

    def follow(self) -> None:
        """Let the averages of weights follow."""
        config = self.config
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.policy.parameters()), 1 - config.average)
            if config.slow:
                torch._foreach_lerp_(self.slow, list(self.policy.parameters()), 1 - config.slow)

    def players(self) -> tuple[Network, Network]:
        """Return what plays now: the average policy, and the critic in IMPs, in whole numbers."""
        layers = self.critic.floats()
        weight, bias = layers[-1]
        return self._policy(self.average), quantized([*layers[:-1], (weight * IMPS, bias * IMPS)], CRITIC_ON)

    def best(self) -> Network:
        """Return the policy to judge and to save: the slower average of weights."""
        return self._policy(self.slow)

    def _policy(self, parameters: Sequence[torch.Tensor]) -> Network:
        floats = [p.numpy() for p in parameters]
        half = len(floats) // 2
        return quantized(list(zip(floats[:half], floats[half:], strict=True)), self.most_on)

    def arrays(self) -> Arrays:
        """All that is needed to go on."""
        out = learner_arrays("policy", self.policy, self.policy_adam)
        out |= learner_arrays("critic", self.critic, self.critic_adam)
        for name, parameters in self._averages().items():
            out |= {f"{name}.{i}": a.numpy().copy() for i, a in enumerate(parameters)}
        return out

    def _averages(self) -> dict[str, list[torch.Tensor]]:
        return {"average": self.average} | ({"slow": self.slow} if self.config.slow else {})

    def load(self, arrays: Arrays) -> None:
        """Take over what ``arrays`` gave."""
        load_learner("policy", arrays, self.policy, self.policy_adam)
        load_learner("critic", arrays, self.critic, self.critic_adam)
        for name, parameters in self._averages().items():
            for i, parameter in enumerate(parameters):
                parameter.copy_(torch.from_numpy(arrays[f"{name}.{i}"]))
