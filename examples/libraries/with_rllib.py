"""Train PPO of RLlib without a mask: illegal calls have a penalty.

Needs ray[rllib].
"""

from pathlib import Path

from ray.rllib.algorithms.ppo import PPOConfig

from training.integrations.rllib import register_with_ray

register_with_ray()
config = PPOConfig().environment("bridge_env/Bidding-v0", env_config={"learner": "S", "reward": "imps_vs_par"})
algorithm = config.env_runners(num_env_runners=2, sample_timeout_s=600).build_algo()
for _ in range(10):
    print(algorithm.train()["env_runners"]["episode_return_mean"])
algorithm.save_to_path(Path("mine").resolve())
