"""Write the curves of a run for TensorBoard, if a writer for it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = "tensorboard"


def can_write() -> bool:
    """Return whether a writer of curves is installed."""
    return bool(_writer_module())


def _writer_module() -> str:
    """Return the module that writes curves, of Ray Tune or of torch with tensorboard; empty if there is none."""
    if find_spec("tensorboardX"):  # first: it loads no torch, which self-play of systems has no use for
        return "tensorboardX"
    return "torch.utils.tensorboard" if find_spec("tensorboard") and find_spec("torch") else ""


class Curves:
    """The curves of a run in its folder; without a writer nothing is written.

    Args:
        kind: the prefix of the curves' names.
        step: the field of a row that counts steps.
    """

    def __init__(self, folder: Path, kind: str, step: str) -> None:
        self.kind, self.step = kind, step
        self._writer = import_module(_writer_module()).SummaryWriter(str(folder / FOLDER)) if can_write() else None

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a point to each curve: of numbers, of the lengths of lists, and of ``mean_imps`` against opponents."""
        if self._writer is None:
            return
        at = row[self.step]
        for name, value in row.items():
            if isinstance(value, Mapping):
                self._writer.add_scalar(f"imps/{name}", value["mean_imps"], at)
            elif isinstance(value, list):
                self._writer.add_scalar(f"{self.kind}/{name}", len(value), at)
            elif name != self.step:
                self._writer.add_scalar(f"{self.kind}/{name}", value, at)
        self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
