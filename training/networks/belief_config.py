"""What a fit of a belief depends on."""

from __future__ import annotations

from dataclasses import dataclass

from training.networks.ppo_config import widths
from training.running.settings import RATE, check_bounds, least, setting


@dataclass(frozen=True)
class BeliefConfig:
    """What a fit of a belief depends on."""

    boards: int = setting(100_000, "training boards to learn from, each bid at two tables", least(2))
    layers: str = setting("256,256", "widths of the hidden layers")
    batch: int = setting(1024, "states in each gradient step", least(1))
    learning_rate: float = setting(1e-3, "first learning rate; it falls to 0 along a cosine", RATE)
    seed: int = setting(1, "random seed", least(0))

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        check_bounds(self)
        widths(self.layers)
