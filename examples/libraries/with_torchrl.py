"""Collect batches from 512 tables with TorchRL.

Needs torchrl.
"""

import time

import gymnasium
import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor

torch.set_num_threads(1)
setting = {"learner": "NS", "opponents": "pass", "reward": "imps_vs_par", "masked": True, "dtype": "float32"}
tables = gymnasium.make_vec("bridge_env:bridge_env/Bidding-v0", num_envs=512, autoreset_mode="Disabled", **setting)
env = GymWrapper(tables, categorical_action_encoding=True)
network = torch.nn.Sequential(torch.nn.Linear(480, 64), torch.nn.ReLU(), torch.nn.Linear(64, 38))
policy = ProbabilisticActor(
    TensorDictSequential(
        TensorDictModule(network, ["observation"], ["logits"]),
        TensorDictModule(lambda mask: mask > 0, ["action_mask"], ["mask"]),
    ),
    in_keys=["logits", "mask"],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
env.rollout(20)  # loads what is compiled
began, steps = time.perf_counter(), 0
for batch in Collector(env, policy, frames_per_batch=512 * 16, total_frames=512 * 16 * 20):
    steps += batch.numel()  # your loss, for instance torchrl.objectives.ClipPPOLoss
    paid = batch["next", "reward"][batch["next", "done"]]
print(f"{steps / (time.perf_counter() - began):,.0f} steps/s, {paid.mean():.2f} IMPs a board")
