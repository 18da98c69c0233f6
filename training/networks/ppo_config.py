"""What a PPO run depends on."""

from __future__ import annotations

from dataclasses import dataclass

from training.running.listed import listed
from training.running.settings import RATE, check_bounds, least, setting


@dataclass(frozen=True)
class PPOConfig:
    """What a run depends on. With ``steps`` as its limit, the same machine and threads give the same policy."""

    minutes: float = setting(15.0, "stop after this many minutes, evaluations included; 0 = no limit", least(0))
    steps: int = setting(0, "stop after this many calls; 0 = no limit", least(0))
    seed: int = setting(1, "random seed of weights, deals and exploration")
    opponents: str = setting("pass", "bidder that sits East-West while the policy learns")
    control: str = setting("pass", "bidder of the control pair, which the policy should beat")
    tables: int = setting(1024, "tables to play at a time", least(1))
    rollout: int = setting(8, "calls at each table between updates", least(1))
    batch: int = setting(1024, "calls in each gradient step", least(2))
    epochs: int = setting(4, "passes over each rollout", least(1))
    learning_rate: float = setting(1.5e-3, "first learning rate; it falls to a tenth", RATE)
    entropy: float = setting(0.02, "first weight of the entropy bonus; it falls to a tenth", least(0))
    layers: str = setting("256,128", "widths of the policy's hidden layers, as in 256,128")
    critic: str = setting("128", "widths of the critic's hidden layers")
    shyness: float = setting(0.2, "how much an untrained policy prefers each lower bid")
    threads: int = setting(1, "threads for torch; more are slower where cores are busy", least(1))
    evaluate: int = setting(2000, "training boards for each point of the curve", least(2))
    every: float = setting(60.0, "seconds between evaluations, each with a checkpoint", least(0))
    judge: int = setting(5000, "unseen boards that judge the policy at the end", least(2))

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        check_bounds(self)
        if not (self.minutes or self.steps):
            raise ValueError("give --minutes or --steps: with both at 0 the run would never end")
        if self.tables * self.rollout < 2:
            raise ValueError("--tables times --rollout must be 2 or more: PPO compares the calls of a rollout")
        widths(self.layers), widths(self.critic)


def widths(text: str) -> list[int]:
    """The widths of hidden layers in words, as in ``256,128``; empty for none.

    Raises:
        ValueError: it does not say widths.
    """
    parts = listed(text)
    if not all(part.isdecimal() and 0 < int(part) <= 4096 for part in parts) or len(parts) > 8:
        raise ValueError(f"{text!r}: write the widths of at most 8 layers, 1 to 4096 each, as in 256,128")
    return [int(part) for part in parts]
