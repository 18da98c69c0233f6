"""Train four Python agents of OpenSpiel, which take time steps.

Needs open-spiel.
"""

import time

import gymnasium
import numpy as np
from open_spiel.python.pytorch.policy_gradient import PolicyGradient
from open_spiel.python.rl_environment import StepType, TimeStep


class Environment:
    def __init__(self, **setting):
        self.env = gymnasium.make("bridge_env:bridge_env/Bidding-v0", learner="all", **setting)

    def reset(self, seed=None):
        _, self.info = self.env.reset(seed=seed)
        return self._time_step(StepType.FIRST)

    def step(self, actions):
        _, _, over, _, self.info = self.env.step(actions[0])
        return self._time_step(StepType.LAST if over else StepType.MID)

    def _time_step(self, kind):
        legal = np.flatnonzero(self.info["action_mask"]).tolist()
        seen = {
            "info_state": [self.env.seen_by(seat) for seat in range(4)],
            "legal_actions": [legal] * 4,
            "current_player": self.info["seat"],
        }
        return TimeStep(seen, self.info["seat_rewards"].tolist(), [1.0] * 4, kind)


env = Environment()
agents = [PolicyGradient(seat, info_state_size=480, num_actions=38, hidden_layers_sizes=[64]) for seat in range(4)]
began, steps = time.perf_counter(), 0
for episode in range(100):
    now = env.reset(**({"seed": 1} if episode == 0 else {}))
    while not now.last():
        now = env.step([agents[now.observations["current_player"]].step(now).action])
        steps += 1
    for agent in agents:
        agent.step(now)
print(f"{steps / (time.perf_counter() - began):,.0f} steps/s, learning included")
