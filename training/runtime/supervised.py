"""Take gradient steps over batches, the one loop of all fits to examples, and save and load the state of learners."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bridge_env.io.files import atomic_write
from bridge_env.rng import streams
from training.runtime.runs import RunError

Rows = NDArray[np.int64]


def shuffled(count: int, *key: Any) -> Rows:
    """Return 0 to ``count`` - 1, int64 (count,), in the random order of a stream's key."""
    return np.argsort(streams.key(*key, np.arange(count)), kind="stable")


def cosine_rate(first: float, share: float) -> float:
    """Return a learning rate that falls from ``first`` to 0 along a cosine, after ``share`` (0..1) of the steps."""
    return float(first * 0.5 * (1 + np.cos(np.pi * share)))


def gradient_steps(
    optimizer: torch.optim.Optimizer, batches: Iterable[Any], loss: Callable[[Any], torch.Tensor],
    largest: float | None = None,
) -> Iterator[float]:  # fmt: skip
    """Take a step for each batch of rows, as ``loss`` takes them, and yield its loss; gradients are clipped to the norm
    ``largest``. An iterator may set the learning rate before it yields a batch.
    """
    for rows in batches:
        value = loss(rows)
        optimizer.zero_grad()
        value.backward()
        if largest is not None:
            torch.nn.utils.clip_grad_norm_((p for group in optimizer.param_groups for p in group["params"]), largest)
        optimizer.step()
        yield float(value.detach())


def moving_average(average: float, value: float, decay: float) -> float:
    """Return the exponential moving average after one more value; an average of 0 has had none yet."""
    return value if not average else decay * average + (1 - decay) * value


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write tensors, numbers and texts, in dicts and lists, atomically."""
    content = io.BytesIO()
    torch.save(state, content)
    atomic_write(path, content.getvalue())


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Return the state in a checkpoint, which cannot run code; raise ``RunError`` where it is damaged."""
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
    except (OSError, EOFError, RuntimeError, ValueError, pickle.UnpicklingError) as error:
        raise RunError(f"{path} is no undamaged checkpoint: {error}") from None
    return state
