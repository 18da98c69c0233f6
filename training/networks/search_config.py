"""Define the settings of a run in which a network learns from its own search."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.networks.ppo_config import widths


@dataclass(frozen=True)
class SearchConfig:
    """The settings of a run. The same settings and machine give the same weights, for any number of workers."""

    start: str = field(default="policy:champion", metadata={"help": "network to begin with; it needs a belief"})
    pool: str = field(default="policy:two-over-one-met,policy:acol-met", metadata={"help": "networks to meet besides "
                      "itself; the search reads opponents' calls by them"})  # fmt: skip
    rounds: int = field(default=1, metadata={"help": "rounds of search and learning; it stops where one gains nothing"})
    boards: int = field(default=100_000, metadata={"help": "training boards to search in each round"})
    samples: int = field(
        default=24, metadata={"help": "deals to weigh each decision on; few deals and many decisions teach most"}
    )
    epochs: int = field(default=4, metadata={"help": "passes over the decisions of a round and those before it"})
    near: float = field(default=1.0, metadata={"help": "IMPs that a nat of divergence from its former calls costs"})
    batch: int = field(default=1024, metadata={"help": "uncertain decisions in each gradient step, and as many others"})
    learning_rate: float = field(default=1e-4, metadata={"help": "first learning rate; it falls along a cosine"})
    widen: str = field(default="", metadata={"help": "widths to grow the hidden layers to, as in 1024,512,512"})
    gate: int = field(default=10_000, metadata={"help": "training boards of the match against its former self, which a "
                      "round must win"})  # fmt: skip
    seed: int = field(default=1, metadata={"help": "random seed"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("rounds", 1), ("boards", 1000), ("samples", 2), ("epochs", 1), ("near", 0), ("batch", 2),
                            ("gate", 2), ("seed", 0)):  # fmt: skip
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")
        if not 0 < self.learning_rate < 1:
            raise ValueError(f"--learning-rate is {self.learning_rate}; it must lie between 0 and 1")
        if self.widen:
            widths(self.widen)
