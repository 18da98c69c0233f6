"""Train DQN of Tianshou, whose vector envs hold single envs and whose policies find the legal calls in ``obs.mask``.

Needs tianshou.
"""

import time

import gymnasium
import torch
from gymnasium.spaces import Dict
from gymnasium.wrappers import TransformObservation
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

torch.set_num_threads(1)


def make():
    setting = {"learner": "NS", "opponents": "pass", "reward": "imps_vs_par", "masked": True, "dtype": "float32"}
    env = gymnasium.make("bridge_env:bridge_env/Bidding-v0", **setting)
    space = Dict(obs=env.observation_space["observation"], mask=env.observation_space["action_mask"])
    return TransformObservation(env, lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"]}, space)


envs, actions = DummyVectorEnv([make for _ in range(16)]), make().action_space
policy = DiscreteQLearningPolicy(
    model=Net(state_shape=480, action_shape=38, hidden_sizes=[64]), action_space=actions, eps_training=0.1
)
algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0)
collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, 16), exploration_noise=True)
collector.reset()
began = time.perf_counter()
stats = collector.collect(n_step=8_000)
print(
    f"{stats.n_collected_steps / (time.perf_counter() - began):,.0f} steps/s, {stats.returns.mean():.2f} IMPs a board"
)
algorithm.run_training(
    OffPolicyTrainerParams(
        training_collector=collector, max_epochs=1, epoch_num_steps=1_600, collection_step_num_env_steps=160
    )
)
