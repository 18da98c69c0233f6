"""What a PPO run depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.running.listed import listed


@dataclass(frozen=True)
class PPOConfig:
    """What a run depends on. With ``steps`` as its limit, the same machine and threads give the same policy."""

    minutes: float = field(
        default=15.0, metadata={"help": "stop after this many minutes, evaluations included; 0 = no limit"}
    )
    steps: int = field(default=0, metadata={"help": "stop after this many calls; 0 = no limit"})
    seed: int = field(default=1, metadata={"help": "random seed of weights, deals and exploration"})
    opponents: str = field(default="pass", metadata={"help": "bidder that sits East-West while the policy learns"})
    control: str = field(default="pass", metadata={"help": "bidder of the control pair, which the policy should beat"})
    tables: int = field(default=1024, metadata={"help": "tables to play at a time"})
    rollout: int = field(default=8, metadata={"help": "calls at each table between updates"})
    batch: int = field(default=1024, metadata={"help": "calls in each gradient step"})
    epochs: int = field(default=4, metadata={"help": "passes over each rollout"})
    learning_rate: float = field(default=1.5e-3, metadata={"help": "first learning rate; it falls to a tenth"})
    entropy: float = field(default=0.02, metadata={"help": "first weight of the entropy bonus; it falls to a tenth"})
    layers: str = field(default="256,128", metadata={"help": "widths of the policy's hidden layers, as in 256,128"})
    critic: str = field(default="128", metadata={"help": "widths of the critic's hidden layers"})
    shyness: float = field(default=0.2, metadata={"help": "how much an untrained policy prefers each lower bid"})
    threads: int = field(default=1, metadata={"help": "threads for torch; more are slower where cores are busy"})
    evaluate: int = field(default=2000, metadata={"help": "training boards for each point of the curve"})
    every: float = field(default=60.0, metadata={"help": "seconds between evaluations, each with a checkpoint"})
    judge: int = field(default=5000, metadata={"help": "unseen boards that judge the policy at the end"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("steps", 0), ("tables", 1), ("rollout", 1), ("batch", 2), ("epochs", 1), ("threads", 1),
                            ("evaluate", 2), ("judge", 2), ("minutes", 0), ("entropy", 0), ("every", 0)):  # fmt: skip
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")
        if not (self.minutes or self.steps):
            raise ValueError("give --minutes or --steps: with both at 0 the run would never end")
        if not 0 < self.learning_rate < 1:
            raise ValueError(f"--learning_rate is {self.learning_rate}; it must lie between 0 and 1")
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
