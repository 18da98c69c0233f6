"""Train PPO of skrl on 512 tables.

Needs skrl.
"""

import time

import gymnasium
import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer

torch.set_num_threads(1)
setting = {"learner": "NS", "opponents": "pass", "reward": "imps_vs_par", "masked": True, "dtype": "float32"}
tables = gymnasium.make_vec("bridge_env:bridge_env/Bidding-v0", num_envs=512, autoreset_mode="SameStep", **setting)
env = wrap_env(tables, wrapper="gymnasium")
spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": "cpu"}


class Policy(CategoricalMixin, Model):
    def __init__(self):
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.net = torch.nn.Sequential(torch.nn.Linear(480, 64), torch.nn.ReLU(), torch.nn.Linear(64, 38))

    def compute(self, inputs, role=""):
        mask, seen = inputs["observations"][:, :38], inputs["observations"][:, 38:]  # skrl sorts and joins them
        return self.net(seen) + (mask - 1) * 1e9, {}


class Value(DeterministicMixin, Model):
    def __init__(self):
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.net = torch.nn.Sequential(torch.nn.Linear(518, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))

    def compute(self, inputs, role=""):
        return self.net(inputs["observations"]), {}


cfg = PPO_CFG(rollouts=16, learning_epochs=2, mini_batches=4, discount_factor=1.0)
cfg.experiment.write_interval = cfg.experiment.checkpoint_interval = 0
agent = PPO(
    models={"policy": Policy(), "value": Value()},
    memory=RandomMemory(memory_size=16, num_envs=512, device="cpu"),
    cfg=cfg,
    **spaces,
)
began, steps = time.perf_counter(), 160
SequentialTrainer(
    env=env, agents=agent, cfg={"timesteps": steps, "headless": True, "disable_progressbar": True}
).train()
print(f"{512 * steps / (time.perf_counter() - began):,.0f} steps/s, learning included")
