"""Fitting a case base: the metric is learned from training boards; held-out boards judge it.

The metric is the body of a network that names the recorded call; its head is thrown away. States with the same call
come to lie together, so that near states are those that were bid alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase, check
from agents.cases.features import HAND_SIZE, POSITIONS, SIZE, describe
from agents.cases.metric import Layer, layers_of
from bridge_env.bidders import make
from bridge_env.calls import NUM_CALLS
from bridge_env.double_dummy.canonical import is_judging
from training.cases.states import States

_ROWS = 16_384
_NARROW = 4.0  # inputs are divided by their spread, but none is multiplied by more


@dataclass(frozen=True)
class CasesConfig:
    """How a case base is fitted.

    Attributes:
        k: how many of the nearest cases vote.
        reader: the system by which calls are read.
        members: networks that share in a metric, each with coordinates of its own.
        hidden, opening_hidden: units of the layers of one, of all calls and of openings alone.
        dimensions: coordinates that one adds to a point.
        opening_rate, opening_dropout, opening_epochs: of learning the metric of openings, where fewer calls are known.
        epochs, batch, rate, decay, dropout, smoothing: of learning (AdamW, one cycle of the rate).
        seed: of all chance.
    """

    k: int = 15
    reader: str = "system:sayc"
    members: int = 3
    hidden: tuple[int, ...] = (256, 128)
    opening_hidden: tuple[int, ...] = (256, 64)
    dimensions: int = 16
    epochs: int = 15
    opening_epochs: int = 60
    opening_rate: float = 6e-3
    opening_dropout: float = 0.4
    batch: int = 256
    rate: float = 3e-3
    decay: float = 0.01
    dropout: float = 0.2
    smoothing: float = 0.02
    seed: int = 1

    def opening(self) -> CasesConfig:
        """The same for the metric of openings."""
        return replace(
            self, hidden=self.opening_hidden, epochs=self.opening_epochs, rate=self.opening_rate,
            dropout=self.opening_dropout,
        )  # fmt: skip


def described(states: States, reader: str) -> NDArray[np.int8]:
    """The features of states, int8 (N, SIZE)."""
    bidder: Any = make(reader)
    out = np.empty((len(states), SIZE), np.int8)
    for start in range(0, len(states), _ROWS):
        rows = np.arange(start, min(start + _ROWS, len(states)))
        view = states.view.take(rows)
        suggested, _, shown = bidder.decide(view)
        out[rows] = np.clip(describe(view, shown, suggested), -128, 127)
    return out


def training_rows(states: States) -> NDArray[np.bool_]:
    """Which states belong to boards of the training part of all deals."""
    training: NDArray[np.bool_] = ~is_judging(states.owner)[states.board]
    return training


def case_base(states: States, config: CasesConfig, progress: Callable[[float], None] | None = None) -> CaseBase:
    """A base of all ``states``, with a metric learned from them.

    Raises:
        ValueError: there are fewer openings or other calls than cases that vote.
    """
    if min(int(states.opened.sum()), int((~states.opened).sum())) <= config.k:
        raise ValueError(f"{len(states)} recorded calls are too few for a base in which {config.k} vote")
    rows, done = described(states, config.reader), [0.0, 0.0]

    def tell(kind: int) -> Callable[[float], None]:
        def told(share: float) -> None:
            done[kind] = share
            if progress is not None:
                progress(0.15 * done[0] + 0.85 * done[1])

        return told

    first_calls = np.flatnonzero(~states.opened)
    known_before = np.arange(SIZE) < HAND_SIZE
    known_before[POSITIONS] = True
    openings = layers_of(
        metric(rows[first_calls], states.called[first_calls], known_before, config.opening(), tell(0)), SIZE
    )
    others = np.flatnonzero(states.opened)
    rest = layers_of(metric(rows[others], states.called[others], np.ones(SIZE, np.bool_), config, tell(1)), SIZE)
    return assembled(states, rows, (openings, rest), config)


def assembled(
    states: States, rows: NDArray[np.int8], layers: tuple[tuple[Layer, ...], tuple[Layer, ...]], config: CasesConfig
) -> CaseBase:
    """A base of all ``states``, described in ``rows``, with the metrics of openings and of other calls."""
    boards, board = np.unique(states.board, return_inverse=True)
    first = np.unique(board, return_index=True)[1]  # the first case of each board
    view = states.view
    wide = int(view.length.max()) + 1
    auction = np.full((len(boards), wide), -1, np.int8)
    auction[board, view.length] = states.called
    fitted = {"states": len(states), "boards": len(boards), **asdict(config)}
    base = CaseBase(
        auction=auction, dealer=view.dealer[first].astype(np.uint8),
        vulnerability=view.vulnerability[first].astype(np.uint8), result=states.result[boards].astype(np.int8),
        board=board.astype(np.int32), number=view.length.astype(np.int16), hand=np.packbits(view.hand, axis=1),
        point=np.zeros((len(rows), layers[0][-1][0].shape[1]), np.int16),
        k=config.k, reader=config.reader, layers=layers, fitted=fitted,
    )  # fmt: skip
    parts = [slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS)]
    base = replace(base, point=np.concatenate([base.places(rows[part], states.opened[part]) for part in parts]))
    check(base)
    return base


def metric(
    rows: NDArray[np.int8], called: NDArray[np.int8], columns: NDArray[np.bool_], config: CasesConfig,
    progress: Callable[[float], None],
) -> list[Layer]:  # fmt: skip
    """The layers of a metric in which several networks share, side by side; they see the ``columns`` alone."""
    out: list[Layer] = []
    for member in range(config.members):
        one = learned(
            rows[:, columns], called, replace(config, seed=config.seed + 1000 * member),
            lambda share, before=member: progress((before + share) / config.members),
        )  # fmt: skip
        wide = np.zeros((len(columns), one[0][0].shape[1]))
        wide[columns] = one[0][0]
        one[0] = (wide, one[0][1])
        out = (
            one if not out else [_beside(a, b, number > 0) for number, (a, b) in enumerate(zip(out, one, strict=True))]
        )
    return out


def _beside(first: Layer, other: Layer, apart: bool) -> Layer:
    """Two layers as one: with the same inputs, or each with its own."""
    (a, b), bias = (first[0], other[0]), np.concatenate([first[1], other[1]])
    if not apart:
        return np.concatenate([a, b], axis=1), bias
    out = np.zeros((a.shape[0] + b.shape[0], a.shape[1] + b.shape[1]))
    out[: a.shape[0], : a.shape[1]], out[a.shape[0] :, a.shape[1] :] = a, b
    return out, bias


def learned(
    rows: NDArray[np.int8], called: NDArray[np.int8], config: CasesConfig, progress: Callable[[float], None]
) -> list[Layer]:
    """The layers of one network, for inputs as they stand in ``rows``."""
    import torch
    from torch import nn

    torch.manual_seed(config.seed)
    torch.set_num_threads(1)
    parts: list[nn.Module] = []
    width = rows.shape[1]
    for units in config.hidden:
        parts += [nn.Linear(width, units), nn.ReLU(), nn.Dropout(config.dropout)]
        width = units
    parts += [nn.Linear(width, config.dimensions), nn.Softsign()]
    net = nn.Sequential(*parts, nn.Linear(config.dimensions, NUM_CALLS))
    scale, centre = (torch.from_numpy(a) for a in _scale(rows))
    inputs, target = torch.from_numpy(rows), torch.from_numpy(called.astype(np.int64))
    total = config.epochs * -(-len(rows) // config.batch)
    optimizer = torch.optim.AdamW(net.parameters(), lr=config.rate, weight_decay=config.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, config.rate, total_steps=total)
    loss_of = nn.CrossEntropyLoss(label_smoothing=config.smoothing)
    done = 0
    for _ in range(config.epochs):
        for some in torch.randperm(len(rows)).split(config.batch):
            loss = loss_of(net((inputs[some].float() - centre) * scale), target[some])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            done += 1
            if done % 100 == 0:
                progress(done / total)
    linear = [part for part in parts if isinstance(part, nn.Linear)]
    out = [(p.weight.detach().double().numpy().T, p.bias.detach().double().numpy()) for p in linear]
    weight = out[0][0] * scale.double().numpy()[:, None]
    out[0] = (weight, out[0][1] - centre.double().numpy() @ weight)
    return out


def _scale(rows: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What inputs are multiplied by, and their middle: counts one over their spread and their mean, marks 1 and 0."""
    columns = [rows[:, column].astype(np.float32) for column in range(rows.shape[1])]
    spread, mean = np.array([c.std() for c in columns]), np.array([c.mean() for c in columns])
    counts = np.abs(rows).max(axis=0) > 1
    scale = np.where(counts, np.minimum(1 / np.maximum(spread, 1e-3), _NARROW), 1.0)
    return scale.astype(np.float32), np.where(counts, mean, 0.0).astype(np.float32)
