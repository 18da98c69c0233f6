"""Choose how networks multiply in this process."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from threadpoolctl import threadpool_limits

from agents.networks import products


def multiply_on_one_thread() -> None:
    """Let numpy multiply on one thread in this process, as servers do.

    Products of some hundred rows gain little by a second one, and on a busy machine threads spin and wait for each
    other: a call then took ten seconds.
    """
    threadpool_limits(1)


@cache
def use_fastest() -> bool:
    """Multiply whole numbers as bytes in this process if torch is here and that is faster; returns whether it is.

    It is measured once in a process: where bytes are slow, that takes seconds.
    """
    if find_spec("torch") is None:
        return False
    import torch

    return products.use_fastest(torch)
