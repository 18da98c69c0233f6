"""Fit a trick estimator to solved deals: maximum likelihood, AdamW, one pass after the other, resumable.

A run folder holds ``checkpoint.npz`` (weights and the optimizer's moments, plain arrays), ``metrics.jsonl``
(a row each epoch) and, at the end, ``estimator.npz``.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bridge_env import streams
from bridge_env.double_dummy.estimator import TrickEstimator, save_estimator
from bridge_env.double_dummy.library import Library, builtin_library
from training.estimators.config import EstimatorConfig
from training.estimators.network import Network
from training.running import checkpoint, runs

CHECKPOINT, ESTIMATOR = "checkpoint.npz", "estimator.npz"


class _State(TypedDict):
    """The state in a checkpoint."""

    epoch: int
    seconds: float
    metrics: list[dict[str, Any]]


_RISE = 0.1  # the share of the steps in which the learning rate rises
_HELD_OUT = 0.02  # of the training deals, for the curve
_CLIP = 1.0

Tick = Callable[[float, "State"], None]


@dataclass(frozen=True)
class Deals:
    """Solved deals to learn from: owner uint8 (N, 52), tricks int8 (N, 5, 4) [strain, declarer]."""

    owner: NDArray[np.uint8]
    tricks: NDArray[np.int8]

    def sha256(self) -> str:
        """Of all of it."""
        return hashlib.sha256(self.owner.tobytes() + self.tricks.tobytes()).hexdigest()


@dataclass
class State:
    """The progress of a run."""

    network: Network
    optimizer: torch.optim.AdamW
    epoch: int = 0
    seconds: float = 0.0
    metrics: list[Mapping[str, Any]] = field(default_factory=list)


def training_deals(config: EstimatorConfig) -> tuple[Deals, Deals]:
    """The deals to learn from, and those held out for the curve; none is a judging deal.

    Raises:
        ValueError: the library has too few.
    """
    library = Library.open(config.library) if config.library else builtin_library()
    rows = library.split("training")
    order = np.argsort(streams.draws(streams.key(config.seed, "estimator deals")[0], len(rows)))
    rows = rows[order]
    if config.deals:
        if config.deals > len(rows):
            raise ValueError(f"--deals is {config.deals}, but {library!r} has only {len(rows)} training deals")
        rows = rows[: config.deals]
    held = max(1, int(_HELD_OUT * len(rows)))
    if len(rows) - held < config.batch:
        raise ValueError(f"{len(rows)} training deals are too few: {held} are held out, and --batch is {config.batch}")
    both = []
    for part in (rows[held:], rows[:held]):
        tricks = np.ascontiguousarray(library.tricks_at(part).transpose(0, 2, 1))
        both.append(Deals(library.owners(part), tricks))
    return both[0], both[1]


def new_state(config: EstimatorConfig) -> State:
    """A network with random weights."""
    network = Network(config.hidden, config.depth, config.width, config.blocks, config.seed)
    weights = [p for p in network.parameters() if p.dim() > 1]
    biases = [p for p in network.parameters() if p.dim() == 1]
    groups = [{"params": weights, "weight_decay": config.weight_decay}, {"params": biases, "weight_decay": 0.0}]
    return State(network, torch.optim.AdamW(groups, lr=config.learning_rate))


def fit(folder: Path, config: EstimatorConfig, state: State, tick: Tick) -> TrickEstimator:
    """Go on until all epochs are done; a checkpoint after each.

    Args:
        state: from :func:`new_state` or :func:`load_state`.
        tick: told the share of the run that is done, now and then.

    Returns:
        the estimator, which is also in the folder.
    """
    torch.set_num_threads(config.threads)
    learn, held = training_deals(config)
    if not state.epoch:
        runs.write_manifest(folder, runs.manifest(asdict(config), learn.sha256()))
    suits, tricks = _tensors(learn)
    while state.epoch < config.epochs:
        began = time.perf_counter()
        loss = _epoch(config, state, suits, tricks, tick)
        state.epoch += 1
        state.seconds += time.perf_counter() - began
        row = {"epoch": state.epoch, "seconds": round(state.seconds, 1), "loss": loss} | _measure(state.network, held)
        state.metrics.append(row)
        told = {"epoch": state.epoch, "seconds": state.seconds, "metrics": state.metrics}
        arrays = checkpoint.learner_arrays("network", state.network, state.optimizer)
        checkpoint.save(folder / CHECKPOINT, arrays, told)
        runs.write_metrics(folder, state.metrics)
        tick(state.epoch / config.epochs, state)
    trained: dict[str, Any] = {"config": asdict(config), "deals": len(learn.owner), "deals_sha256": learn.sha256()}
    trained["temperature"] = temperature = _temperature(state.network, held)
    weights = state.network.weights()
    weights |= {name: weights[name] / np.float32(temperature) for name in ("read", "read_bias")}
    estimator = TrickEstimator(weights, trained)
    save_estimator(estimator, folder / ESTIMATOR)
    return estimator


def _epoch(config: EstimatorConfig, state: State, suits: torch.Tensor, tricks: torch.Tensor, tick: Tick) -> float:
    """One pass over the deals in an order of its own; returns the mean loss."""
    batches = len(suits) // config.batch
    key = streams.key(config.seed, "estimator order", state.epoch)[0]
    order = torch.from_numpy(np.argsort(streams.draws(key, len(suits))))
    state.network.train()
    total = 0.0
    for number in range(batches):
        rows = order[number * config.batch : (number + 1) * config.batch]
        share = (state.epoch + number / batches) / config.epochs
        for group in state.optimizer.param_groups:
            group["lr"] = config.learning_rate * _pace(share)
        outputs = state.network(suits[rows].float())
        loss = functional.cross_entropy(outputs.flatten(0, 2), tricks[rows].flatten().long())
        state.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), _CLIP)
        state.optimizer.step()
        total += loss.item()
        if number % 16 == 15:
            tick(share, state)
    return total / batches


def _pace(share: float) -> float:
    """The learning rate as a share of its highest: a line up, half a cosine down."""
    if share < _RISE:
        return share / _RISE
    return 0.5 * (1 + math.cos(math.pi * (share - _RISE) / (1 - _RISE)))


def _temperature(network: Network, deals: Deals) -> float:
    """By what to divide the outputs so that chances are right on deals held out: what was learned by heart is too sure.

    Temperature scaling, after Guo et al., "On Calibration of Modern Neural Networks" (2017).
    """
    outputs, tricks = _outputs(network, deals), torch.from_numpy(deals.tricks).flatten().long()
    found = min(
        (functional.cross_entropy(outputs.flatten(0, 2) / t, tricks).item(), t)
        for t in np.arange(0.8, 3.0, 0.02).tolist()
    )
    return float(round(found[1], 2))


def _outputs(network: Network, deals: Deals) -> torch.Tensor:
    """Before the softmax: (N, 5, 4, 14)."""
    network.eval()
    suits, _ = _tensors(deals)
    with torch.no_grad():
        return torch.cat([network(part.float()) for part in suits.split(1000)])


def _measure(network: Network, deals: Deals) -> dict[str, float]:
    """Loss and share of exact medians on deals that are held out, suits and no trump."""
    outputs, tricks = _outputs(network, deals), torch.from_numpy(deals.tricks)
    loss = functional.cross_entropy(outputs.flatten(0, 2), tricks.flatten().long()).item()
    medians = (outputs.softmax(-1).cumsum(-1)[..., :-1] < 0.5).sum(-1)
    exact = (medians == tricks).float().mean((0, 2))
    return {"held_out_loss": loss, "exact_suits": exact[:4].mean().item(), "exact_notrump": exact[4].item()}


def _tensors(deals: Deals) -> tuple[torch.Tensor, torch.Tensor]:
    """Suits bool (N, 4, 4 seats * 13 ranks) and tricks int8 (N, 5, 4)."""
    suits = deals.owner.reshape(-1, 4, 1, 13) == np.arange(4, dtype=np.uint8)[:, None]
    return torch.from_numpy(suits.reshape(-1, 4, 52)), torch.from_numpy(deals.tricks)


def load_state(folder: Path, config: EstimatorConfig) -> State:
    """Return where a run stopped; its beginning if it did not finish an epoch.

    Raises:
        RunError: the checkpoint is damaged or of another network.
    """
    state, path = new_state(config), folder / CHECKPOINT
    if path.exists():
        arrays, told = checkpoint.load(path, _State)
        try:
            checkpoint.load_learner("network", arrays, state.network, state.optimizer)
        except (KeyError, RuntimeError) as error:
            raise runs.RunError(f"{path}: {error}") from None
        state.epoch, state.seconds, state.metrics = told["epoch"], told["seconds"], list(told["metrics"])
    return state
