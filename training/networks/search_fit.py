"""A network learns from search: at decisions with a choice it moves to calls that are worth more, near its former self.

Each call that was weighed pulls in proportion to its IMPs, whatever their error: errors of thousands of decisions
cancel out. Decisions without a choice hold the network where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.inputs import take_rows
from agents.networks.network import FloatLayer
from bridge_env import streams
from training.networks.model import Perceptron
from training.networks.search_config import SearchConfig
from training.networks.searched import Searched

_UNWEIGHED = -2.0  # IMPs that a call which was not weighed counts as
_MOST = 6.0  # IMPs that a call counts as at most: beyond lie slams on few deals
_LAST_RATE = 0.05  # of the first learning rate
_ROWS = 8192


class Kept(NamedTuple):
    """What a network gains on decisions that it did not learn, by their own search.

    Attributes:
        gain, error: IMPs a decision with a choice, and the standard error.
        changed: the share of these decisions at which it makes another call than before.
    """

    gain: float
    error: float
    changed: float


class SearchFit:
    """A network that learns from ``found``.

    Args:
        layers: of the network whose decisions these are, widened or not.
        apart: bool (N,), decisions to judge by instead of learning them.
    """

    def __init__(
        self, config: SearchConfig, layers: Sequence[FloatLayer], found: Searched, apart: NDArray[np.bool_]
    ) -> None:
        self.config, self.found = config, found
        sizes = [len(layers[0][0]), *(len(bias) for _, bias in layers)]
        self.model, self._before = Perceptron(sizes, config.seed), Perceptron(sizes, config.seed)
        for model in (self.model, self._before):
            model.load_floats(layers)
        self._optimizer = torch.optim.Adam(self.model.parameters(), lr=config.learning_rate, fused=True)
        self._judged = np.flatnonzero(found.hard & apart)
        self._hard, self._easy = np.flatnonzero(found.hard & ~apart), np.flatnonzero(~found.hard & ~apart)
        self._worth = _worths(found)

    def run(self, tell: Callable[[float, Kept | None], None]) -> Kept:
        """Learn to the last epoch.

        Args:
            tell: hears of the share done, and after each epoch of what the decisions apart say.
        """
        config, size = self.config, self.config.batch
        steps = max(1, len(self._hard) // size)
        found = self.judge()
        for epoch in range(config.epochs):
            hard, easy = (self._order(rows, kind, epoch) for rows, kind in ((self._hard, "hard"), (self._easy, "easy")))
            for step in range(steps):
                share = (epoch + step / steps) / config.epochs
                rate = _LAST_RATE + (1 - _LAST_RATE) * 0.5 * (1 + np.cos(np.pi * share))
                self._optimizer.param_groups[0]["lr"] = config.learning_rate * rate
                others = np.arange(step * size, (step + 1) * size) % max(1, len(easy))
                self._step(hard[step * size : (step + 1) * size], easy[others[: len(easy)]])
                tell(share, None)
            found = self.judge()
            tell((epoch + 1) / config.epochs, found)
        return found

    def _order(self, rows: NDArray[np.int64], kind: str, epoch: int) -> NDArray[np.int64]:
        keys = streams.key("search fit", self.config.seed, kind, epoch, np.arange(len(rows)))
        return rows[np.argsort(keys, kind="stable")]

    def _step(self, hard: NDArray[np.int64], easy: NDArray[np.int64]) -> None:
        rows = np.concatenate([hard, easy])
        logs = self._log_chances(self.model, rows)
        with torch.no_grad():
            before = self._log_chances(self._before, rows)
        worth = (logs[: len(hard)].exp() * self._worth[hard]).sum() / max(1, len(hard))
        left = (before.exp() * (before - logs)).sum(dim=1).mean()
        loss = self.config.near * left - worth
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()

    def _log_chances(self, model: Perceptron, rows: NDArray[np.int64]) -> torch.Tensor:
        outputs = model(take_rows(self.found.rows, rows))
        outputs = outputs.masked_fill(torch.from_numpy(~self.found.mask[rows]), -1e9)
        return torch.log_softmax(outputs, dim=1).clamp(min=-30.0)

    def judge(self) -> Kept:
        """What the network gains by now on the decisions apart."""
        calls, gains = self.found.calls[self._judged], self.found.gain[self._judged]
        made = np.empty(len(calls), np.int64)
        with torch.no_grad():
            for at in range(0, len(made), _ROWS):
                rows = self._judged[at : at + _ROWS]
                made[at : at + _ROWS] = self._log_chances(self.model, rows).argmax(dim=1).numpy()
        gain = np.where(calls == made[:, None], gains, 0).sum(axis=1, dtype=np.float64)
        number = max(1, len(gain))
        return Kept(gain.sum() / number, float(np.sqrt((gain**2).sum()) / number), float((made != calls[:, 0]).mean()))


def _worths(found: Searched) -> torch.Tensor:
    """What each call counts as, in IMPs: (N, 38)."""
    worth = np.full((len(found), found.mask.shape[1]), _UNWEIGHED, np.float32)
    row, place = np.nonzero(found.calls >= 0)
    worth[row, found.calls[row, place]] = np.clip(found.gain[row, place], -_MOST, _MOST)
    return torch.from_numpy(worth)
