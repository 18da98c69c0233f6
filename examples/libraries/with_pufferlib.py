"""Play 1,024 tables that write to PufferLib's memory. (``pufferlib-core`` is its interface as a wheel.)

Needs pufferlib-core.
"""

import time

import pufferlib.vector
import torch

from training.integrations.puffer import BiddingPufferEnv

torch.set_num_threads(1)
setting = {"num_envs": 1024, "learner": "NS", "opponents": "pass", "reward": "imps_vs_par"}
vecenv = pufferlib.vector.make(BiddingPufferEnv, env_kwargs=setting, num_envs=1, backend=pufferlib.vector.Serial)
network = torch.nn.Sequential(torch.nn.Linear(480, 64), torch.nn.ReLU(), torch.nn.Linear(64, 38))


def policy(observations):
    seen = torch.as_tensor(observations).float()
    return torch.distributions.Categorical(logits=network(seen[:, :480]) + (seen[:, 480:] - 1) * 1e9)


vecenv.async_reset(seed=1)
began, steps, returns = time.perf_counter(), 0, []
for _ in range(1000):
    observations, rewards, terminals, truncations, *_, infos, ids, masks = vecenv.recv()
    with torch.no_grad():
        vecenv.send(policy(observations).sample().numpy())
    steps += len(observations)
    returns += [info["episode_return"] for info in infos]
print(f"{steps / (time.perf_counter() - began):,.0f} steps/s, {sum(returns) / len(returns):.2f} IMPs a board")
