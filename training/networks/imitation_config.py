"""What a fit of a network to recorded auctions depends on."""

from __future__ import annotations

from dataclasses import dataclass

from training.networks.ppo_config import widths
from training.running.settings import RATE, check_bounds, least, setting


@dataclass(frozen=True)
class ImitationConfig:
    """What a fit depends on."""

    layers: str = setting("640,384,384", "widths of the hidden layers")
    epochs: int = setting(8, "passes over the calls", least(1))
    batch: int = setting(1024, "calls in each gradient step", least(1))
    learning_rate: float = setting(1e-3, "first learning rate; it falls to 0 along a cosine", RATE)
    decay: float = setting(0.02, "weight decay", least(0))
    seed: int = setting(1, "random seed", least(0))

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        check_bounds(self)
        if not widths(self.layers):
            raise ValueError("--layers: name at least one hidden layer, as in 256,256")
