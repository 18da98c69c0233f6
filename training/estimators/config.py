"""Define the settings of the fit of a trick estimator."""

from __future__ import annotations

from dataclasses import dataclass

from training.running.settings import RATE, Settings, least, setting


@dataclass(frozen=True)
class EstimatorConfig(Settings):
    """The same config, deals, machine and threads give the same network."""

    epochs: int = setting(40, "passes over the training deals", least(1))
    seed: int = setting(1, "random seed of weights and of the order of deals", least(0))
    deals: int = setting(0, "training deals to learn from; 0 = all", least(0))
    library: str = setting("", "library of solved deals; without it, the one in the package")
    hidden: int = setting(48, "channels for each seat in a suit's encoder", least(1))
    depth: int = setting(3, "layers of an encoder, 2 or more", least(2))
    width: int = setting(96, "channels for each seat in a strain's trunk", least(1))
    blocks: int = setting(3, "layers of the trunk", least(0))
    batch: int = setting(512, "deals in each gradient step", least(2))
    learning_rate: float = setting(2e-3, "highest learning rate; it rises, then falls to 0", RATE)
    weight_decay: float = setting(0.1, "weight decay of AdamW, on weights, not on biases", least(0))
    threads: int = setting(1, "threads for torch; more are slower where cores are busy", least(1))
