"""Train in the form of CleanRL's PPO, which is copied: the legal calls go to the agent.

Needs torch.
"""

import time
from dataclasses import dataclass

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class Args:
    total_timesteps: int = 200_000
    num_envs: int = 512
    num_steps: int = 16
    learning_rate: float = 1e-3
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 2
    clip_coef: float = 0.2
    ent_coef: float = 0.01


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(480, 64), nn.ReLU(), nn.Linear(64, 1))
        self.actor = nn.Sequential(nn.Linear(480, 64), nn.ReLU(), nn.Linear(64, 38))

    def get_value(self, x):
        return self.critic(x)[:, 0]

    def get_action_and_value(self, x, mask, action=None):
        probs = Categorical(logits=self.actor(x).masked_fill(~mask, -1e9))
        action = probs.sample() if action is None else action
        return action, probs.log_prob(action), probs.entropy(), self.get_value(x)


args, agent = Args(), Agent()
torch.set_num_threads(1)
setting = {"learner": "NS", "opponents": "pass", "reward": "imps_vs_par", "dtype": "float32"}
envs = gymnasium.make_vec("bridge_env:bridge_env/Bidding-v0", args.num_envs, autoreset_mode="SameStep", **setting)
optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
shape = args.num_steps, args.num_envs
obs, masks = torch.zeros(*shape, 480), torch.zeros(*shape, 38, dtype=torch.bool)
actions, logprobs, rewards, dones, values = torch.zeros(*shape, dtype=torch.int64), *torch.zeros(4, *shape)
next_obs, info = envs.reset(seed=1)
began, paid = time.perf_counter(), []
iterations = args.total_timesteps // (args.num_steps * args.num_envs)
for _ in range(iterations):
    for step in range(args.num_steps):
        obs[step] = torch.as_tensor(next_obs)
        masks[step] = torch.as_tensor(info["action_mask"]) > 0  # of the call to make now
        with torch.no_grad():
            actions[step], logprobs[step], _, values[step] = agent.get_action_and_value(obs[step], masks[step])
        next_obs, reward, terminations, truncations, info = envs.step(actions[step].numpy())
        rewards[step], dones[step] = torch.as_tensor(reward) / 8, torch.as_tensor(terminations)
        paid += reward[terminations].tolist()
    with torch.no_grad():
        next_value, lastgaelam = agent.get_value(torch.as_tensor(next_obs)), 0.0
        advantages = torch.zeros_like(rewards)
        for t in reversed(range(args.num_steps)):
            nextnonterminal = 1 - dones[t]
            delta = rewards[t] + next_value * nextnonterminal - values[t]
            advantages[t] = lastgaelam = delta + args.gae_lambda * nextnonterminal * lastgaelam
            next_value = values[t]
        returns = advantages + values
    batch = [part.flatten(0, 1) for part in (obs, masks, actions, logprobs, advantages, returns)]
    for _ in range(args.update_epochs):
        for inds in torch.randperm(len(batch[0])).chunk(args.num_minibatches):
            x, mask, action, old, advantage, target = (part[inds] for part in batch)
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(x, mask, action)
            ratio = (newlogprob - old).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            pg_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
            loss = pg_loss - args.ent_coef * entropy.mean() + 0.5 * (newvalue - target).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
speed = iterations * args.num_steps * args.num_envs / (time.perf_counter() - began)
print(f"{speed:,.0f} steps/s, learning included, {sum(paid[-2000:]) / 2000:.2f} IMPs a board")
