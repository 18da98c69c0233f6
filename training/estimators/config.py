"""Define the settings of the fit of a trick estimator."""

from __future__ import annotations

from dataclasses import dataclass

from training.runtime.settings import AtLeast2, Count, CountOrZero, NonNegative, Rate, Settings


@dataclass(frozen=True)
class EstimatorConfig(Settings):
    """Hold the settings of a fit; with the same deals, machine and threads they make the same network."""

    epochs: Count = 40
    """passes over the training deals"""
    seed: CountOrZero = 1
    """random seed of weights and of the order of deals"""
    deals: CountOrZero = 0
    """training deals to learn from; 0 = all"""
    library: str = ""
    """library of solved deals; without it, the one in the package"""
    hidden: Count = 48
    """channels for each seat in a suit's encoder"""
    depth: AtLeast2 = 3
    """layers of an encoder, 2 or more"""
    width: Count = 96
    """channels for each seat in a strain's trunk"""
    blocks: CountOrZero = 3
    """layers of the trunk"""
    batch: AtLeast2 = 512
    """deals in each gradient step"""
    learning_rate: Rate = 2e-3
    """highest learning rate; it rises, then falls to 0"""
    weight_decay: NonNegative = 0.1
    """weight decay of AdamW, on weights, not on biases"""
    threads: Count = 1
    """threads for torch; more are slower where cores are busy"""
