"""Define the settings of the fit of a case base."""

from __future__ import annotations

from dataclasses import dataclass

from training.runtime.settings import Count, Integer, Settings


@dataclass(frozen=True)
class CasesConfig(Settings):
    """Hold the settings of the fit of a case base."""

    epochs: Count = 8
    """passes over the cases to learn the metric"""
    members: Count = 2
    """number of networks that make up the metric"""
    trees: Count = 64
    """trees in each forest"""
    seed: Integer = 1
    """random seed"""
