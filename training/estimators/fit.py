"""Fit a trick estimator to solved deals: maximum likelihood, AdamW; some minutes.

A run folder holds ``estimator.npz`` and ``results.json``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from bridge_env.double_dummy.estimator import OUTCOMES, ROLES, TrickEstimator, layer_names, save_estimator
from bridge_env.double_dummy.library import Library, builtin_library
from bridge_env.rng import streams
from training.configs import EstimatorConfig
from training.estimators.judge import Hits, judge
from training.runtime import runs
from training.runtime.runs import Progress
from training.runtime.supervised import gradient_steps

ESTIMATOR = "estimator.npz"
_RISE = 0.1  # the share of the steps in which the learning rate rises
_HELD_OUT = 0.02  # of the training deals, to calibrate
_CLIP = 1.0


class SeatLinear(nn.Module):
    """Map channels of the four seats linearly, (n, 4 * inputs) to (n, 4 * outputs); rotated seats rotate the output.

    A seat's output depends on the seats 0 to 3 places further on by four matrices. Sums and differences of opposite
    seats need half of the products: the weights are the matrices of those.
    """

    def __init__(self, inputs: int, outputs: int, gain: float, chance: torch.Generator) -> None:
        super().__init__()
        to = torch.randn(4, inputs, outputs, generator=chance) * (gain / (4 * inputs)) ** 0.5  # seats further on
        pairs = torch.stack([to[0] + to[2], to[1] + to[3], to[0] - to[2], to[1] - to[3]]) / 2
        self.weight = nn.Parameter(pairs)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        p0, p1, q0, q1 = self.weight
        front, back = signal.chunk(2, -1)
        sums = (front + back) @ torch.cat([torch.cat([p0, p1], 1), torch.cat([p1, p0], 1)])
        sums = sums + self.bias.repeat(2)
        differences = (front - back) @ torch.cat([torch.cat([q0, q1], 1), torch.cat([-q1, q0], 1)])
        return torch.cat([sums + differences, sums - differences], -1)


class Network(nn.Module):
    """Compute the outputs of ``TrickEstimator`` before the softmax."""

    def __init__(self, hidden: int, depth: int, width: int, blocks: int, seed: int) -> None:
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        self.depth, self.blocks = depth, blocks
        self.layers = nn.ModuleDict()
        for name in layer_names(depth, blocks):
            role, _, number = name.rpartition("_")
            inputs = 13 if number == "0" and role in ROLES else hidden if role in ROLES else width
            last = role in ROLES and number == str(depth - 1)
            outputs = OUTCOMES if name == "read" else width if role == "block" or last else hidden
            gain = 0.1 if name == "read" else 0.5 if last else 2.0
            self.layers[name] = SeatLinear(inputs, outputs, gain, chance)

    def forward(self, suits: torch.Tensor) -> torch.Tensor:
        """Return outputs (n, 5 strains, 4 declarers, 14) of suits (n, 4, 4 seats * 13 ranks), zeros and ones."""
        trump, side, notrump = (self._encode(role, suits) for role in ROLES)
        coloured = trump + side.sum(1, keepdim=True) - side
        signal = functional.relu(torch.cat([coloured, notrump.sum(1, keepdim=True)], 1))
        for number in range(self.blocks):
            signal = signal + functional.relu(self.layers[f"block_{number}"](signal))
        outputs: torch.Tensor = self.layers["read"](signal)
        return outputs.view(len(suits), 5, 4, OUTCOMES)

    def _encode(self, role: str, suits: torch.Tensor) -> torch.Tensor:
        signal = functional.relu(self.layers[f"{role}_0"](suits))
        for number in range(1, self.depth - 1):
            signal = signal + functional.relu(self.layers[f"{role}_{number}"](signal))
        return self.layers[f"{role}_{self.depth - 1}"](signal)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the layers as ``TrickEstimator`` takes them: ``block_0``, and its bias ``block_0_bias``."""
        out = {}
        for name, value in self.named_parameters():
            _, layer, kind = name.split(".")
            out[layer if kind == "weight" else f"{layer}_bias"] = value.detach().numpy().copy()
        return out


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
    config: EstimatorConfig, out: Path | None = None, *, progress: Progress = Progress()
) -> EstimatorResult:
    """Fit an estimator and judge it on the judging deals of its library.

    Args:
        out: the folder of ``estimator.npz`` and ``results.json``; None: a new one below ``results/estimators``.

    Raises:
        ValueError: a setting makes no sense, or the library has too few deals.
    """
    config.check()
    training_deals(config)  # faulty settings are an error before there is a folder
    folder = runs.results_folder(out, "estimators")
    estimator = fit(config, progress)
    save_estimator(estimator, folder / ESTIMATOR)
    hits = judge(estimator, _library(config))
    runs.write_results(folder, manifest=runs.manifest(asdict(config)), hits=[asdict(hit) for hit in hits])
    return EstimatorResult(folder, estimator, hits, folder / ESTIMATOR)


def _library(config: EstimatorConfig) -> Library:
    return Library.open(config.library) if config.library else builtin_library()


def training_deals(config: EstimatorConfig) -> tuple[Deals, Deals]:
    """Return training deals to learn from, and others to calibrate; raise ``ValueError`` where there are too few."""
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


def fit(config: EstimatorConfig, progress: Progress) -> TrickEstimator:
    """Train and return an estimator."""
    torch.set_num_threads(config.threads)
    network = Network(config.hidden, config.depth, config.width, config.blocks, config.seed)
    weights, biases = ([p for p in network.parameters() if (p.dim() > 1) == wide] for wide in (True, False))
    groups = [{"params": weights, "weight_decay": config.weight_decay}, {"params": biases, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=config.learning_rate)
    learn, held = training_deals(config)
    progress.stage("learning", unit="%")
    suits, tricks = learn.tensors()

    def loss(rows: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(network(suits[rows].float()).flatten(0, 2), tricks[rows].flatten().long())

    for epoch in range(config.epochs):
        network.train()
        for _ in gradient_steps(optimizer, _batches(config, len(suits), epoch, optimizer, progress), loss, _CLIP):
            pass
        found = functional.cross_entropy(*_outputs(network, held)).item()  # nats an entry
        progress.note(f"epoch {epoch + 1}, loss {found:.3f} on deals held out")
    temperature = _temperature(network, held)
    arrays = network.weights()
    arrays |= {name: arrays[name] / np.float32(temperature) for name in ("read", "read_bias")}
    trained = {"config": asdict(config), "deals": len(learn.owner), "temperature": temperature}
    return TrickEstimator(arrays, trained)


def _batches(
    config: EstimatorConfig, deals: int, epoch: int, optimizer: torch.optim.Optimizer, progress: Progress
) -> Iterator[torch.Tensor]:
    """Yield the rows of each batch of an epoch, in an order of its own, and set the learning rate of its step."""
    count = deals // config.batch
    key = streams.key(config.seed, "estimator order", epoch)[0]
    order = torch.from_numpy(np.argsort(streams.draws(key, deals)))
    for number in range(count):
        share = (epoch + number / count) / config.epochs
        falling = 0.5 * (1 + math.cos(math.pi * (share - _RISE) / (1 - _RISE)))  # half a cosine, after a line up
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * (share / _RISE if share < _RISE else falling)
        progress.to(100 * share)
        yield order[number * config.batch : (number + 1) * config.batch]


def _temperature(network: Network, deals: Deals) -> float:
    """Return the divisor of the outputs that calibrates probabilities on held-out deals, since overfitting is too sure.

    Temperature scaling, after Guo et al., "On Calibration of Modern Neural Networks" (2017).
    """
    outputs, tricks = _outputs(network, deals)
    losses = [(functional.cross_entropy(outputs / t, tricks).item(), t) for t in np.arange(0.8, 3.0, 0.02).tolist()]
    return float(round(min(losses)[1], 2))


def _outputs(network: Network, deals: Deals) -> tuple[torch.Tensor, torch.Tensor]:
    """Return outputs before the softmax, (20 N, 14), and the true tricks, (20 N,)."""
    suits, tricks = deals.tensors()
    network.eval()
    with torch.no_grad():
        outputs = torch.cat([network(part.float()) for part in suits.split(1000)])
    return outputs.flatten(0, 2), tricks.flatten().long()
