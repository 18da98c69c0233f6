"""Fit a trick estimator to solved deals: maximum likelihood, AdamW, resumable after each epoch.

A run folder holds ``checkpoint.npz`` (weights and the optimizer's moments, plain arrays), ``metrics.jsonl`` (a row each
epoch) and, at the end, ``estimator.npz`` and ``results.json``.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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

CHECKPOINT, ESTIMATOR, RESULTS = "checkpoint.npz", "estimator.npz", "results.json"


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
    """Solved deals."""

    owner: NDArray[np.uint8]  # (N, 52)
    tricks: NDArray[np.int8]  # (N, 5, 4) [strain, declarer]

    def sha256(self) -> str:
        """Return the SHA-256 of owners and tricks, in hex."""
        return hashlib.sha256(self.owner.tobytes() + self.tricks.tobytes()).hexdigest()


@dataclass
class State:
    """The progress of a run."""

    network: Network
    optimizer: torch.optim.AdamW
    epoch: int = 0
    seconds: float = 0.0
    metrics: list[Mapping[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class EstimatorResult:
    """The result of a run."""

    folder: Path
    estimator: TrickEstimator
    hits: tuple[Hits, ...]  # on the judging deals
    by_size: dict[int, tuple[Hits, ...]]  # the same after fewer training deals
    file: Path  # of the estimator


def fit_estimator(
    config: EstimatorConfig, out: Path | None = None, *, resume: Path | None = None, sizes: Sequence[int] = (),
    progress: Progress | None = None,
) -> EstimatorResult:  # fmt: skip
    """Fit an estimator and judge it on the judging deals of its library.

    Args:
        out: a new folder for the run; None: a new one below ``results/estimators``.
        resume: the folder of a run to go on with.
        sizes: numbers of training deals to which the same network is fitted too.

    Raises:
        ValueError: a setting makes no sense, or the library has too few deals.
        RunError: a folder cannot be used, or a checkpoint is damaged or of another network.
    """
    config.check()
    progress = progress or Progress()
    for size in (config.deals, *sizes):
        training_deals(replace(config, deals=size))  # faulty settings are an error before there is a folder
    if resume is None:
        folder = runs.results_folder(out, "estimators")
        if (folder / CHECKPOINT).exists():
            raise runs.RunError(f"{folder} holds a run; continue it with --resume {folder}, or choose another --out")
    else:
        folder = resume
    progress.folder(folder)
    library = Library.open(config.library) if config.library else builtin_library()
    estimator = _fit_in(folder, config, progress)
    hits, by_size = judge(estimator, library), {}
    for size in sizes:
        part = folder / "sizes" / str(size)
        part.mkdir(parents=True, exist_ok=True)
        by_size[size] = judge(_fit_in(part, replace(config, deals=size), progress), library)
    content = {
        "hits": [asdict(hit) for hit in hits],
        "by_size": {size: [asdict(hit) for hit in found] for size, found in by_size.items()},
    }
    atomic_write(folder / RESULTS, json.dumps(content, indent=1) + "\n")
    return EstimatorResult(folder, estimator, hits, by_size, folder / ESTIMATOR)


def _fit_in(folder: Path, config: EstimatorConfig, progress: Progress) -> TrickEstimator:
    """Fit in a folder, from its checkpoint on."""
    progress.stage(f"learning {config.deals:,} deals" if config.deals else "learning all deals", unit="%")

    def tick(share: float, state: State) -> None:
        progress.to(100 * share)
        if state.metrics:
            last = state.metrics[-1]
            exact = f"exact {100 * last['exact_suits']:.1f} %, no trump {100 * last['exact_notrump']:.1f} %"
            progress.note(f"epoch {state.epoch}, loss {last['held_out_loss']:.3f}, {exact}")

    return fit(folder, config, load_state(folder, config), tick)


def training_deals(config: EstimatorConfig) -> tuple[Deals, Deals]:
    """Return the deals to learn from, and those held out for the curve; none is a judging deal.

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
    """Return a network with random weights."""
    network = Network(config.hidden, config.depth, config.width, config.blocks, config.seed)
    weights = [p for p in network.parameters() if p.dim() > 1]
    biases = [p for p in network.parameters() if p.dim() == 1]
    groups = [{"params": weights, "weight_decay": config.weight_decay}, {"params": biases, "weight_decay": 0.0}]
    return State(network, torch.optim.AdamW(groups, lr=config.learning_rate))


def fit(folder: Path, config: EstimatorConfig, state: State, tick: Tick) -> TrickEstimator:
    """Train until all epochs are done, with a checkpoint after each; return the estimator, also written to the folder.

    Args:
        state: from :func:`new_state` or :func:`load_state`.
        tick: gets the share of the run that is done, now and then.
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
        content = {"epoch": state.epoch, "seconds": state.seconds, "metrics": state.metrics}
        arrays = checkpoint.learner_arrays("network", state.network, state.optimizer)
        checkpoint.save(folder / CHECKPOINT, arrays, content)
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
    """Make one pass over the deals in an order of its own; return the mean loss."""
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
    suits, _ = _tensors(deals)
    with torch.no_grad():
        return torch.cat([network(part.float()) for part in suits.split(1000)])


def _measure(network: Network, deals: Deals) -> dict[str, float]:
    """Return the loss and the shares of exact medians on held-out deals, suits and no trump."""
    outputs, tricks = _outputs(network, deals), torch.from_numpy(deals.tricks)
    loss = functional.cross_entropy(outputs.flatten(0, 2), tricks.flatten().long()).item()
    medians = (outputs.softmax(-1).cumsum(-1)[..., :-1] < 0.5).sum(-1)
    exact = (medians == tricks).float().mean((0, 2))
    return {"held_out_loss": loss, "exact_suits": exact[:4].mean().item(), "exact_notrump": exact[4].item()}


def _tensors(deals: Deals) -> tuple[torch.Tensor, torch.Tensor]:
    """Return suits bool (N, 4, 4 seats * 13 ranks) and tricks int8 (N, 5, 4)."""
    suits = deals.owner.reshape(-1, 4, 1, 13) == np.arange(4, dtype=np.uint8)[:, None]
    return torch.from_numpy(suits.reshape(-1, 4, 52)), torch.from_numpy(deals.tricks)


def load_state(folder: Path, config: EstimatorConfig) -> State:
    """Return the state of a run after its last epoch, or its beginning.

    Raises:
        RunError: the checkpoint is damaged or of another network.
    """
    state, path = new_state(config), folder / CHECKPOINT
    if path.exists():
        arrays, content = checkpoint.load(path, _State)
        try:
            checkpoint.load_learner("network", arrays, state.network, state.optimizer)
        except (KeyError, RuntimeError) as error:
            raise runs.RunError(f"{path}: {error}") from None
        state.epoch, state.seconds, state.metrics = content["epoch"], content["seconds"], list(content["metrics"])
    return state
