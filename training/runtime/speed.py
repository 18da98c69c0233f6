"""Choose how networks multiply in this process."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from agents.networks.network import set_matmul


@cache
def use_fast_matmul() -> None:
    """Multiply matrices of networks by torch in this process, where it is installed: a little faster than numpy."""
    if find_spec("torch") is None:
        return
    import torch  # optional, and slow to import

    torch.set_num_threads(1)  # products side by side are faster than threads within them
    set_matmul(lambda a, b: torch.mm(torch.from_numpy(a), torch.from_numpy(b)).numpy())
