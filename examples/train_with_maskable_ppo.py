"""Train MaskablePPO on a thousand tables at a time, then play a match with what it learned.

Needs the extra ``rl``: pip install -e ".[rl]" -c constraints.txt. Run it with a number of calls to learn from:

    python examples/train_with_maskable_ppo.py 2000000
"""

import sys

import torch
from sb3_contrib import MaskablePPO

from bridge_env.envs.vector import BiddingVectorEnv
from training.integrations.sb3 import SB3VecEnv


def main(calls: int = 200_000, tables: int = 1024) -> float:
    """Learn from ``calls`` calls; return the average reward of the learned policy, in IMPs."""
    torch.set_num_threads(1)  # more only slow such small networks down
    envs = SB3VecEnv(
        BiddingVectorEnv(tables, learner="NS", opponents="pass", control="pass", autoreset_mode="SameStep")
    )
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=4096, gamma=1.0, seed=1, device="cpu")
    model.learn(calls)
    rewards, observations = [], envs.reset()
    while len(rewards) < 2_000:
        actions, _ = model.predict(observations, action_masks=envs.env_method("action_masks"), deterministic=True)
        observations, reward, done, _ = envs.step(actions)
        rewards += reward[done].tolist()
    envs.close()
    return sum(rewards) / len(rewards)


if __name__ == "__main__":
    print(f"{main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000):+.2f} IMPs a board against a pair that passes")
