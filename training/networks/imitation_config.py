"""What a fit of a network to recorded auctions depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.networks.ppo_config import widths


@dataclass(frozen=True)
class ImitationConfig:
    """What a fit depends on."""

    layers: str = field(default="640,384,384", metadata={"help": "widths of the hidden layers"})
    epochs: int = field(default=8, metadata={"help": "passes over the calls"})
    batch: int = field(default=1024, metadata={"help": "calls in each gradient step"})
    learning_rate: float = field(default=1e-3, metadata={"help": "first learning rate; it falls to 0 along a cosine"})
    decay: float = field(default=0.02, metadata={"help": "weight decay"})
    seed: int = field(default=1, metadata={"help": "random seed"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("epochs", 1), ("batch", 1), ("decay", 0), ("seed", 0)):
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")
        if not 0 < self.learning_rate < 1:
            raise ValueError(f"--learning-rate is {self.learning_rate}; it must lie between 0 and 1")
        if not widths(self.layers):
            raise ValueError("--layers: name at least one hidden layer, as in 256,256")
