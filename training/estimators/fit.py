"""Fit a trick estimator to solved deals: maximum likelihood, AdamW, resumable after each epoch.

A run folder holds ``checkpoint.npz`` (weights and the optimizer's moments, plain arrays), ``metrics.jsonl`` (a row each
epoch) and, at the end, ``estimator.npz`` and ``results.json``.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bridge_env.double_dummy.estimator import TrickEstimator, save_estimator
from bridge_env.double_dummy.library import Library, builtin_library
from bridge_env.io.files import atomic_write
from bridge_env.rng import streams
from training.estimators.config import EstimatorConfig
from training.estimators.judge import Hits, judge
from training.estimators.network import Network
from training.runtime import checkpoint, runs
from training.runtime.progress import Progress
from training.runtime.supervised import gradient_steps

CHECKPOINT, ESTIMATOR, RESULTS = "checkpoint.npz", "estimator.npz", "results.json"
_RISE = 0.1  # the share of the steps in which the learning rate rises
_HELD_OUT = 0.02  # of the training deals, for the curve
_CLIP = 1.0


class State(TypedDict):
    """Hold the state in a checkpoint: epochs and seconds so far, and a row of figures for each epoch."""

    epoch: int
    seconds: float
    metrics: list[dict[str, Any]]


@dataclass(frozen=True)
class Deals:
    """Hold solved deals."""

    owner: NDArray[np.uint8]  # (N, 52)
    tricks: NDArray[np.int8]  # (N, 5, 4) [strain, declarer]

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return suits bool (N, 4, 4 seats * 13 ranks) and tricks int8 (N, 5, 4)."""
        suits = self.owner.reshape(-1, 4, 1, 13) == np.arange(4, dtype=np.uint8)[:, None]
        return torch.from_numpy(suits.reshape(-1, 4, 52)), torch.from_numpy(self.tricks)


@dataclass(frozen=True)
class EstimatorResult:
    """Hold the result of a run."""

    folder: Path
    estimator: TrickEstimator
    hits: tuple[Hits, ...]  # on the judging deals
    file: Path  # of the estimator


def fit_estimator(
    config: EstimatorConfig, out: Path | None = None, *, resume: Path | None = None, progress: Progress | None = None
) -> EstimatorResult:
    """Fit an estimator and judge it on the judging deals of its library.

    Args:
        out: a new folder for the run; None: a new one below ``results/estimators``.
        resume: the folder of a run to go on with.

    Raises:
        ValueError: a setting makes no sense, or the library has too few deals.
        RunError: a folder cannot be used, or a checkpoint is damaged or of another network.
    """
    config.check()
    progress = progress or Progress()
    training_deals(config)  # faulty settings are an error before there is a folder
    folder = resume or runs.results_folder(out, "estimators")
    if resume is None and (folder / CHECKPOINT).exists():
        raise runs.RunError(f"{folder} holds a run; continue it with --resume {folder}, or choose another --out")
    progress.folder(folder)
    estimator = fit(folder, config, progress)
    hits = judge(estimator, _library(config))
    atomic_write(folder / RESULTS, json.dumps({"hits": [asdict(hit) for hit in hits]}, indent=1) + "\n")
    return EstimatorResult(folder, estimator, hits, folder / ESTIMATOR)


def _library(config: EstimatorConfig) -> Library:
    return Library.open(config.library) if config.library else builtin_library()


def training_deals(config: EstimatorConfig) -> tuple[Deals, Deals]:
    """Return the deals to learn from, and those held out for the curve; none is a judging deal.

    Raises:
        ValueError: the library has too few.
    """
    library = _library(config)
    rows = library.split("training")
    rows = rows[np.argsort(streams.draws(streams.key(config.seed, "estimator deals")[0], len(rows)))]
    if config.deals > len(rows):
        raise ValueError(f"--deals is {config.deals}, but {library!r} has only {len(rows)} training deals")
    rows = rows[: config.deals or None]
    held = max(1, int(_HELD_OUT * len(rows)))
    if len(rows) - held < config.batch:
        raise ValueError(f"{len(rows)} training deals are too few: {held} are held out, and --batch is {config.batch}")
    learn, held_out = (
        Deals(library.owners(part), np.ascontiguousarray(library.tricks_at(part).transpose(0, 2, 1)))
        for part in (rows[held:], rows[:held])
    )
    return learn, held_out


def fit(folder: Path, config: EstimatorConfig, progress: Progress) -> TrickEstimator:
    """Train in a folder, from its checkpoint on, with a checkpoint after each epoch; write and return the estimator.

    Raises:
        RunError: the checkpoint is damaged or of another network.
    """
    torch.set_num_threads(config.threads)
    network, optimizer, state = load_state(folder, config)
    learn, held = training_deals(config)
    progress.stage("learning", unit="%")
    if not state["epoch"]:
        runs.write_manifest(folder, runs.manifest(asdict(config)))
    suits, tricks = learn.tensors()

    def loss(rows: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(network(suits[rows].float()).flatten(0, 2), tricks[rows].flatten().long())

    for epoch in range(state["epoch"], config.epochs):
        began = time.perf_counter()
        network.train()
        batches = _batches(config, len(suits), epoch, optimizer, progress)
        mean = float(np.mean([*gradient_steps(optimizer, batches, loss, _CLIP)]))
        seconds = state["seconds"] + time.perf_counter() - began
        row = {"epoch": epoch + 1, "seconds": round(seconds, 1), "loss": mean} | _measure(network, held)
        state = State(epoch=epoch + 1, seconds=seconds, metrics=[*state["metrics"], row])
        checkpoint.save(folder / CHECKPOINT, checkpoint.learner_arrays("network", network, optimizer), state)
        runs.write_metrics(folder, state["metrics"])
        exact = f"exact {100 * row['exact_suits']:.1f} %, no trump {100 * row['exact_notrump']:.1f} %"
        progress.note(f"epoch {epoch + 1}, loss {row['held_out_loss']:.3f}, {exact}")
    trained: dict[str, Any] = {"config": asdict(config), "deals": len(learn.owner)}
    trained["temperature"] = temperature = _temperature(network, held)
    weights = network.weights()
    weights |= {name: weights[name] / np.float32(temperature) for name in ("read", "read_bias")}
    estimator = TrickEstimator(weights, trained)
    save_estimator(estimator, folder / ESTIMATOR)
    return estimator


def load_state(folder: Path, config: EstimatorConfig) -> tuple[Network, torch.optim.AdamW, State]:
    """Return the network, its optimizer and the state after a run's last epoch, or at its beginning.

    Raises:
        RunError: the checkpoint is damaged or of another network.
    """
    network = Network(config.hidden, config.depth, config.width, config.blocks, config.seed)
    weights = [p for p in network.parameters() if p.dim() > 1]
    biases = [p for p in network.parameters() if p.dim() == 1]
    groups = [{"params": weights, "weight_decay": config.weight_decay}, {"params": biases, "weight_decay": 0.0}]
    optimizer, path = torch.optim.AdamW(groups, lr=config.learning_rate), folder / CHECKPOINT
    if not path.exists():
        return network, optimizer, State(epoch=0, seconds=0.0, metrics=[])
    arrays, state = checkpoint.load(path, State)
    try:
        checkpoint.load_learner("network", arrays, network, optimizer)
    except (KeyError, RuntimeError) as error:
        raise runs.RunError(f"{path}: {error}") from None
    return network, optimizer, state


def _batches(
    config: EstimatorConfig, deals: int, epoch: int, optimizer: torch.optim.Optimizer, progress: Progress
) -> Iterator[torch.Tensor]:
    """Yield the rows of each batch of an epoch, in an order of its own, and set the learning rate of its step."""
    count = deals // config.batch
    key = streams.key(config.seed, "estimator order", epoch)[0]
    order = torch.from_numpy(np.argsort(streams.draws(key, deals)))
    for number in range(count):
        share = (epoch + number / count) / config.epochs
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * _pace(share)
        progress.to(100 * share)
        yield order[number * config.batch : (number + 1) * config.batch]


def _pace(share: float) -> float:
    """Return the learning rate as a share of its highest: a line up, half a cosine down."""
    if share < _RISE:
        return share / _RISE
    return 0.5 * (1 + math.cos(math.pi * (share - _RISE) / (1 - _RISE)))


def _temperature(network: Network, deals: Deals) -> float:
    """Return the divisor of the outputs that calibrates probabilities on held-out deals, since overfitting is too sure.

    Temperature scaling, after Guo et al., "On Calibration of Modern Neural Networks" (2017).
    """
    outputs, tricks = _outputs(network, deals), torch.from_numpy(deals.tricks).flatten().long()
    found = min(
        (functional.cross_entropy(outputs.flatten(0, 2) / t, tricks).item(), t)
        for t in np.arange(0.8, 3.0, 0.02).tolist()
    )
    return float(round(found[1], 2))


def _outputs(network: Network, deals: Deals) -> torch.Tensor:
    """Return outputs before the softmax: (N, 5, 4, 14)."""
    network.eval()
    with torch.no_grad():
        return torch.cat([network(part.float()) for part in deals.tensors()[0].split(1000)])


def _measure(network: Network, deals: Deals) -> dict[str, float]:
    """Return the loss and the shares of exact medians on held-out deals, suits and no trump."""
    outputs, tricks = _outputs(network, deals), torch.from_numpy(deals.tricks)
    loss = functional.cross_entropy(outputs.flatten(0, 2), tricks.flatten().long()).item()
    medians = (outputs.softmax(-1).cumsum(-1)[..., :-1] < 0.5).sum(-1)
    exact = (medians == tricks).float().mean((0, 2))
    return {"held_out_loss": loss, "exact_suits": exact[:4].mean().item(), "exact_notrump": exact[4].item()}
