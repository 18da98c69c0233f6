"""Define the settings of the fit of a trick estimator."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class EstimatorConfig:
    """The same config, deals, machine and threads give the same network."""

    epochs: int = field(default=40, metadata={"help": "passes over the training deals"})
    seed: int = field(default=1, metadata={"help": "random seed of weights and of the order of deals"})
    deals: int = field(default=0, metadata={"help": "training deals to learn from; 0 = all"})
    library: str = field(default="", metadata={"help": "library of solved deals; none = the one in the package"})
    hidden: int = field(default=48, metadata={"help": "channels for each seat in a suit's encoder"})
    depth: int = field(default=3, metadata={"help": "layers of an encoder, 2 or more"})
    width: int = field(default=96, metadata={"help": "channels for each seat in a strain's trunk"})
    blocks: int = field(default=3, metadata={"help": "layers of the trunk"})
    batch: int = field(default=512, metadata={"help": "deals in each gradient step"})
    learning_rate: float = field(default=2e-3, metadata={"help": "highest learning rate; it rises, then falls to 0"})
    weight_decay: float = field(default=0.1, metadata={"help": "weight decay of AdamW, on weights, not on biases"})
    threads: int = field(default=1, metadata={"help": "threads for torch; more are slower where cores are busy"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("epochs", 1), ("deals", 0), ("hidden", 1), ("depth", 2), ("width", 1), ("blocks", 0),
                            ("batch", 2), ("weight_decay", 0), ("threads", 1), ("seed", 0)):  # fmt: skip
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name.replace('_', '-')} is {getattr(self, name)}; it must be {least} or more")
        if not 0 < self.learning_rate < 1:
            raise ValueError(f"--learning-rate is {self.learning_rate}; it must lie between 0 and 1")
