"""A network learns to make the recorded calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, inputs_of, stacked, take_rows
from agents.networks.network import quantized
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.calls import NUM_CALLS, PASS, call_indices, first_calls
from bridge_env.schema import Number, Whole
from bridge_env.view import view_of
from training.match.situations import KINDS, OPENING, kinds_of
from training.networks.configs import ImitationConfig, widths
from training.networks.model import Perceptron
from training.networks.recorded import Recorded, held_out
from training.running import checkpoint

CHECKPOINT, POLICY = "checkpoint.npz", "policy.npz"
_PART = 20_000  # auctions turned into inputs at a time

_CHECKPOINT = {"epoch": Whole(0), "seconds": Number(0), "config": {...: Any}}


@dataclass(frozen=True)
class Calls:
    """Recorded calls and what their callers saw."""

    rows: Sparse  # the inputs that are on
    mask: NDArray[np.bool_]  # (N, 38), the legal calls
    called: NDArray[np.int8]  # (N,)
    kind: NDArray[np.int8]  # (N,), of ``training.match.situations``
    turn: NDArray[np.int16]  # (N,), how many calls the caller has made before

    def __len__(self) -> int:
        return len(self.called)


def calls_of(recorded: Recorded) -> Calls:
    """Every call to learn of the auctions."""
    parts = [
        _calls(recorded.take(np.arange(at, min(at + _PART, len(recorded))))) for at in range(0, len(recorded), _PART)
    ]
    rest = ("mask", "called", "kind", "turn")
    return Calls(
        stacked([p.rows for p in parts]), *(np.concatenate([getattr(p, name) for p in parts]) for name in rest)
    )


def _calls(recorded: Recorded) -> Calls:
    length = (recorded.history >= 0).sum(axis=1)
    which, number = call_indices(length)
    side = (recorded.dealer[which] + number) & 1
    wanted = recorded.learned[which, side]
    which, number = which[wanted], number[wanted]
    history = first_calls(recorded.history[which], number)
    auctions = Auctions.replay(history, recorded.dealer[which], recorded.vulnerability[which])
    view = view_of(auctions, recorded.owner[which])
    return Calls(
        inputs_of(view), view.mask, recorded.history[which, number], kinds_of(history, number),
        (number // 4).astype(np.int16),
    )  # fmt: skip


class Fit:
    """A network on its way; ``run`` takes it on."""

    def __init__(self, config: ImitationConfig, start: Any = None) -> None:
        sizes = [NUM_INPUTS, *widths(config.layers), NUM_CALLS]
        self.config, self.epoch, self.seconds = config, 0, 0.0
        self.model = Perceptron(sizes, config.seed)
        if start is not None:
            self.model.load_floats(start)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=config.learning_rate, weight_decay=config.decay, fused=True
        )

    def run(self, calls: Calls, folder: Path, tell: Callable[[float, float], None]) -> None:
        """Learn to the last epoch, with a checkpoint after each.

        Args:
            tell: hears of the share done and of the mean loss lately.
        """
        steps = -(-len(calls) // self.config.batch)
        lately = 0.0
        began = time.perf_counter() - self.seconds
        while self.epoch < self.config.epochs:
            order = np.argsort(
                streams.key("imitation", self.config.seed, self.epoch, np.arange(len(calls))), kind="stable"
            )
            for step in range(steps):
                share = (self.epoch + step / steps) / self.config.epochs
                self.optimizer.param_groups[0]["lr"] = self.config.learning_rate * 0.5 * (1 + np.cos(np.pi * share))
                loss = self._step(calls, order[step * self.config.batch : (step + 1) * self.config.batch])
                lately = loss if not lately else 0.99 * lately + 0.01 * loss
                if step % 50 == 0:
                    tell(share, lately)
            self.epoch += 1
            self.seconds = time.perf_counter() - began
            self.save(folder)
        tell(1.0, lately)

    def _step(self, calls: Calls, rows: NDArray[np.int64]) -> float:
        outputs = self.model(take_rows(calls.rows, rows))
        outputs = outputs.masked_fill(torch.from_numpy(~calls.mask[rows]), -1e9)
        loss = torch.nn.functional.cross_entropy(outputs, torch.from_numpy(calls.called[rows].astype(np.int64)))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def save(self, folder: Path) -> None:
        arrays = checkpoint.learner_arrays("policy", self.model, self.optimizer)
        state = {"epoch": self.epoch, "seconds": self.seconds, "config": asdict(self.config)}
        checkpoint.save(folder / CHECKPOINT, arrays, state)

    def resume(self, folder: Path) -> None:
        """Go on from the checkpoint, if there is one.

        Raises:
            ValueError: it is of other settings.
        """
        path = folder / CHECKPOINT
        if not path.exists():
            return
        arrays, state = checkpoint.load(path, _CHECKPOINT)
        if state["config"] != asdict(self.config):
            raise ValueError(f"{path} was begun with other settings; give another --out, or remove it")
        checkpoint.load_learner("policy", arrays, self.model, self.optimizer)
        self.epoch, self.seconds = int(state["epoch"]), float(state["seconds"])

    def networks(self, trained: dict[str, Any]) -> Networks:
        """The network in whole numbers."""
        return Networks(quantized(self.model.floats(), MOST_ON), None, trained)


def split(recorded: Recorded) -> tuple[Recorded, Recorded]:
    """The auctions to learn from, and those that are held out."""
    out = held_out(recorded.owner)
    return recorded.take(~out), recorded.take(out)


def agreement(networks: Networks, calls: Calls) -> dict[str, dict[str, float]]:
    """Return how often the network makes the recorded call: by kind of call, ``{"right": share, "calls": N}`` each."""
    made = np.empty(len(calls), np.int8)
    for at in range(0, len(calls), 4096):
        rows = np.arange(at, min(at + 4096, len(calls)))
        outputs = networks.policy.outputs(*take_rows(calls.rows, rows))
        outputs[~calls.mask[rows]] = -np.inf
        made[rows] = outputs.argmax(axis=1)
    right = made == calls.called
    out = {"all calls": right, "calls that are no pass": right[calls.called != PASS]}
    out["openings"] = right[calls.kind == OPENING]
    out["openings that are no pass"] = right[(calls.kind == OPENING) & (calls.called != PASS)]
    for number, kind in enumerate(KINDS[1:], 1):
        out[kind] = right[calls.kind == number]
    for turn in range(4):
        out[f"the caller's call number {turn + 1}" if turn < 3 else "later calls of the caller"] = right[
            calls.turn == turn if turn < 3 else calls.turn >= turn
        ]
    return {name: {"right": float(r.mean()) if len(r) else float("nan"), "calls": len(r)} for name, r in out.items()}
