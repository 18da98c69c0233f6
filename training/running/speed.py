"""Let networks multiply in the fastest way that this machine has."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from agents.networks import products


@cache
def use_fastest() -> bool:
    """Multiply whole numbers as bytes in this process if torch is here and that is faster; returns whether it is.

    It is measured once in a process: where bytes are slow, that takes seconds.
    """
    if find_spec("torch") is None:
        return False
    import torch

    return products.use_fastest(torch)
