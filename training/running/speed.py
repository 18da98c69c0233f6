"""Let networks multiply in the fastest way that this machine has."""

from __future__ import annotations

from importlib.util import find_spec

from agents.networks import products


def use_fastest() -> bool:
    """Multiply whole numbers as bytes in this process if torch is here and that is faster; returns whether it is."""
    if find_spec("torch") is None:
        return False
    import torch

    return products.use_fastest(torch)
