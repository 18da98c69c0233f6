"""The learner of the league: PPO on experience from rollouts, a critic, and the average of weights that plays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.book import BOOK_INPUTS, BOOK_ON
from agents.networks.inputs import MOST_ON, NUM_INPUTS, take_rows
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env import streams
from bridge_env.calls import NUM_CALLS
from training.networks.checkpoint import Arrays, learner_arrays, load_learner
from training.networks.critic_inputs import CRITIC_INPUTS, CRITIC_ON
from training.networks.league_config import LeagueConfig
from training.networks.model import Perceptron, widened
from training.networks.ppo_config import widths
from training.networks.rollout import Experience

_IMPS = 4.0  # advantages are learned in units of this many IMPs: about their deviation
_NEVER = -1e9


class Learner:
    """A policy and a critic that learn.

    Args:
        layers: of the policy to start from, or None for random weights.
    """

    def __init__(self, config: LeagueConfig, layers: Sequence[FloatLayer] | None) -> None:
        self.config = config
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

    def learn(self, experience: Experience, iteration: int) -> dict[str, float]:
        """One pass over the experience of a rollout; returns figures to tell of."""
        config = self.config
        share = iteration / config.iterations
        self.policy_adam.param_groups[0]["lr"] = config.learning_rate * (1 - share * (1 - config.last_rate))
        count = len(experience.call)
        if not count:  # no auction left the likeliest: there is nothing to learn
            return {"clipped": 0.0, "moved": 0.0, "steps": 0.0}
        order = np.argsort(streams.key("learn", config.seed, iteration, np.arange(count)), kind="stable")
        scale = count / float(experience.weight.sum())
        clipped = moved = 0.0
        steps = max(1, round(count / config.batch))
        for rows in np.array_split(order, steps):
            one, other = self._policy_step(experience, rows, scale)
            clipped += one / steps
            moved += other / steps
        self._learn_critic(experience, iteration)
        return {"clipped": clipped, "moved": moved, "steps": float(steps)}

    def _policy_step(self, experience: Experience, rows: NDArray[np.int64], scale: float) -> tuple[float, float]:
        config = self.config
        outputs = self.policy(take_rows(experience.rows, rows))
        if experience.part is not None:
            outputs = outputs + torch.from_numpy(experience.part[rows])
        outputs = outputs.masked_fill(torch.from_numpy(~experience.mask[rows]), _NEVER)
        logs = torch.log_softmax(outputs, dim=1)
        calls = torch.from_numpy(experience.call[rows].astype(np.int64))
        before = torch.from_numpy(experience.log_chance[rows])
        advantage = torch.from_numpy(experience.advantage[rows] / np.float32(_IMPS))
        weight = torch.from_numpy(experience.weight[rows] * np.float32(scale))
        ratio = (logs.gather(1, calls[:, None])[:, 0] - before).clamp(-10, 10).exp()
        bounded = ratio.clamp(1 - config.clip, 1 + config.clip)
        gain = torch.minimum(ratio * advantage, bounded * advantage)
        entropy = -(logs.exp() * logs.clamp_min(-30)).sum(1)
        loss = -(weight * (gain + config.entropy * entropy)).mean()
        self.policy_adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.most_gradient)
        self.policy_adam.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.policy.parameters()), 1 - config.average)
            if config.slow:
                torch._foreach_lerp_(self.slow, list(self.policy.parameters()), 1 - config.slow)
            return float((ratio != bounded).float().mean()), float((ratio - 1).abs().mean())

    def _learn_critic(self, experience: Experience, iteration: int) -> None:
        count = len(experience.target)
        if not count:
            return
        order = np.argsort(streams.key("critic", self.config.seed, iteration, np.arange(count)), kind="stable")
        scale = count / float(experience.critic_weight.sum())
        for rows in np.array_split(order, max(1, round(count / self.config.batch))):
            expected = self.critic(take_rows(experience.critic_rows, rows))[:, 0]
            off = expected - torch.from_numpy(experience.target[rows] / np.float32(_IMPS))
            loss = (torch.from_numpy(experience.critic_weight[rows] * np.float32(scale)) * off * off).mean()
            self.critic_adam.zero_grad()
            loss.backward()
            self.critic_adam.step()

    def players(self) -> tuple[Network, Network]:
        """Return what plays now: the average policy, and the critic in IMPs, in whole numbers."""
        layers = self.critic.floats()
        weight, bias = layers[-1]
        return self._policy(self.average), quantized([*layers[:-1], (weight * _IMPS, bias * _IMPS)], CRITIC_ON)

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
