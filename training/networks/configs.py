"""Define the settings of imitation, beliefs and MaskablePPO. Nothing here needs torch."""

from __future__ import annotations

from dataclasses import dataclass

from training.runtime.settings import AtLeast2, Count, CountOrZero, NonNegative, Rate, Seed, Settings, listed


def widths(text: str) -> list[int]:
    """Return the widths of hidden layers from a text such as ``256,128``, none of an empty text.

    Raises:
        ValueError: the text does not list at most 8 widths of 1 to 4096.
    """
    parts = listed(text)
    if not all(part.isdecimal() and 0 < int(part) <= 4096 for part in parts) or len(parts) > 8:
        raise ValueError(f"{text!r}: write the widths of at most 8 layers, 1 to 4096 each, as in 256,128")
    return [int(part) for part in parts]


@dataclass(frozen=True)
class ImitationConfig(Settings):
    """Hold the settings of a network's fit to recorded auctions."""

    layers: str = "640,384,384"
    """widths of the hidden layers"""
    epochs: Count = 8
    """passes over the calls"""
    batch: Count = 1024
    """calls in each gradient step"""
    learning_rate: Rate = 1e-3
    """first learning rate; it falls to 0 along a cosine"""
    decay: NonNegative = 0.02
    """weight decay"""
    seed: CountOrZero = 1
    """random seed"""

    def check(self) -> None:
        super().check()
        if not widths(self.layers):
            raise ValueError("--layers: name at least one hidden layer, as in 256,256")


@dataclass(frozen=True)
class BeliefConfig(Settings):
    """Hold the settings of a belief's fit."""

    boards: AtLeast2 = 100_000
    """training boards to learn from, each bid at two tables"""
    layers: str = "256,256"
    """widths of the hidden layers"""
    batch: Count = 1024
    """states in each gradient step"""
    learning_rate: Rate = 1e-3
    """first learning rate; it falls to 0 along a cosine"""
    seed: CountOrZero = 1
    """random seed"""

    def check(self) -> None:
        super().check()
        widths(self.layers)


@dataclass(frozen=True)
class PPOConfig(Settings):
    """Hold the settings of PPO. With ``steps`` as its limit, the same machine and threads give the same policy."""

    minutes: NonNegative = 15.0
    """stop after this many minutes, evaluations included; 0 = no limit"""
    steps: CountOrZero = 0
    """stop after this many calls; 0 = no limit"""
    seed: Seed = 1
    """random seed of weights, deals and exploration, 0 to 4,294,967,295"""
    opponents: str = "pass"
    """bidder that sits East-West while the policy learns"""
    control: str = "pass"
    """bidder of the control pair, which the policy should beat"""
    tables: Count = 1024
    """tables to play at a time"""
    rollout: Count = 8
    """calls at each table between updates"""
    batch: AtLeast2 = 1024
    """calls in each gradient step"""
    epochs: Count = 4
    """passes over each rollout"""
    learning_rate: Rate = 1.5e-3
    """first learning rate; it falls to a tenth"""
    entropy: NonNegative = 0.02
    """first weight of the entropy bonus; it falls to a tenth"""
    layers: str = "256,128"
    """widths of the policy's hidden layers, as in 256,128"""
    evaluate: AtLeast2 = 2000
    """training boards for each point of the curve"""
    every: NonNegative = 60.0
    """seconds between evaluations, each with a checkpoint"""
    judge: AtLeast2 = 5000
    """unseen boards that judge the policy at the end"""

    def check(self) -> None:
        super().check()
        if not (self.minutes or self.steps):
            raise ValueError("give --minutes or --steps: with both at 0 the run would never end")
        if self.tables * self.rollout < 2:
            raise ValueError("--tables times --rollout must be 2 or more: PPO compares the calls of a rollout")
        widths(self.layers)
