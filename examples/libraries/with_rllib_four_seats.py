"""Train four agents of RLlib that share a policy, on PettingZoo's env.

Needs ray[rllib] pettingzoo.
"""

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from bridge_env.envs import aec


class Named(aec.BiddingAEC):
    """With the names that RLlib's action-masking module wants."""

    def observation_space(self, agent):
        space = super().observation_space(agent)
        return type(space)(action_mask=space["action_mask"], observations=space["observation"])

    def observe(self, agent):
        seen = super().observe(agent)
        return {"action_mask": seen["action_mask"], "observations": seen["observation"]}


ray.init(num_cpus=2, include_dashboard=False)
register_env("four-seats", lambda config: PettingZooEnv(Named(dtype="float32")))
module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64]})
config = (
    PPOConfig()
    .environment("four-seats")
    .env_runners(num_env_runners=0)
    .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, episode, **more: "all")
    .rl_module(rl_module_spec=module)
    .training(train_batch_size=1000, minibatch_size=200, num_epochs=2)
)
result = config.build_algo().train()
print(f"{result['env_runners']['num_episodes']} auctions, {result['env_runners']['num_env_steps_sampled']} calls")
