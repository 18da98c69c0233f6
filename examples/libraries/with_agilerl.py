"""Train PPO of AgileRL, which takes the legal calls from ``info["action_mask"]``.

Needs agilerl peft.
"""

import time

import gymnasium
import torch
from agilerl.algorithms.ppo import PPO
from agilerl.rollouts.on_policy import collect_rollouts

torch.set_num_threads(1)
setting = {"learner": "NS", "opponents": "pass", "reward": "imps_vs_par", "dtype": "float32"}
envs = gymnasium.make_vec("bridge_env:bridge_env/Bidding-v0", num_envs=256, autoreset_mode="SameStep", **setting)
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    num_envs=256,
    batch_size=512,
    learn_step=4096,
    gamma=1.0,
    update_epochs=2,
    net_config={"encoder_config": {"hidden_size": [64]}},
)
began, last = time.perf_counter(), {}
for _ in range(5):
    scores, *state = collect_rollouts(agent, envs, **last)
    last = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), state, strict=True))
    agent.learn()
speed = 5 * 4096 / (time.perf_counter() - began)
print(f"{speed:,.0f} steps/s, learning included, {sum(scores) / len(scores):.2f} IMPs a board")
