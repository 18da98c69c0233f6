"""What a fit of a belief depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.networks.ppo_config import widths


@dataclass(frozen=True)
class BeliefConfig:
    """What a fit of a belief depends on."""

    boards: int = field(default=100_000, metadata={"help": "training boards to learn from, each bid at two tables"})
    layers: str = field(default="256,256", metadata={"help": "widths of the hidden layers"})
    batch: int = field(default=1024, metadata={"help": "states in each gradient step"})
    learning_rate: float = field(default=1e-3, metadata={"help": "first learning rate; it falls to 0 along a cosine"})
    seed: int = field(default=1, metadata={"help": "random seed"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("boards", 2), ("batch", 1), ("seed", 0)):
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")
        if not 0 < self.learning_rate < 1:
            raise ValueError(f"--learning-rate is {self.learning_rate}; it must lie between 0 and 1")
        widths(self.layers)
