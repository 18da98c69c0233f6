"""Train PPO of RLlib with its action-masking module.

Needs ray[rllib].
"""

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from training.integrations.rllib import register_with_ray

register_with_ray()
masked = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [128, 128]})
config = (
    PPOConfig()
    .environment("bridge_env/Bidding-v0", env_config={"masked": True})
    .env_runners(sample_timeout_s=600)  # a busy machine takes longer than its minute
    .rl_module(rl_module_spec=masked)
)
print(config.build_algo().train()["env_runners"]["episode_return_mean"])
