"""Send the metrics of runs to Weights & Biases, MLflow or TensorBoard too: ``--track``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from training.runtime import runs

Track = Literal["wandb", "mlflow", "tensorboard"]
Log = Callable[[dict[str, float], int], object]  # takes metrics and the step
_STEPS = ("steps", "iteration", "generation", "epoch")  # what counts the steps of a learner
_PROJECT = "bridge-env"


@contextmanager
def tracked(kind: Track | None) -> Iterator[None]:
    """Send the metrics of all runs in this block to a tracker, a run each; raise ``RunError`` where its package is
    missing.
    """
    if kind is None:
        yield
        return
    runs.require(*{"tensorboard": ("rl", "tensorboard", "torch")}.get(kind, ("track", kind)))
    tracker = _Tracker({"wandb": _wandb, "mlflow": _mlflow, "tensorboard": _tensorboard}[kind])
    runs.LISTENERS.append(tracker.log)
    try:
        yield
    finally:
        runs.LISTENERS.remove(tracker.log)
        tracker.close()


def flat(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a row of metrics, those of inner dicts by ``name/inner``."""
    out: dict[str, float] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            out |= {f"{name}/{inner}": number for inner, number in flat(value).items()}
        elif isinstance(value, int | float):
            out[name] = float(value)
    return out


class _Tracker:
    """Sends the rows of run folders, one folder at a time, each row once."""

    def __init__(self, begin: Callable[[Path, dict[str, Any]], tuple[Log, Callable[[], object]]]) -> None:
        self._begin, self._folder, self._sent = begin, Path(), 0
        self._log: Log = lambda row, step: None
        self.close: Callable[[], object] = lambda: None

    def log(self, folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        if folder != self._folder:
            self.close()
            self._log, self.close = self._begin(folder, runs.read_manifest(folder).get("config", {}))
            self._folder, self._sent = folder, 0
        for number, row in enumerate(rows[self._sent :], self._sent):
            self._log(flat(row), int(next((row[name] for name in _STEPS if name in row), number)))
        self._sent = len(rows)


def _name(folder: Path) -> str:
    return "/".join(folder.parts[-2:])


def _wandb(folder: Path, config: dict[str, Any]) -> tuple[Log, Callable[[], object]]:
    import wandb  # optional

    run = wandb.init(project=_PROJECT, name=_name(folder), dir=str(folder), config=config)
    return lambda row, step: run.log(row, step=step), run.finish


def _mlflow(folder: Path, config: dict[str, Any]) -> tuple[Log, Callable[[], object]]:
    import mlflow  # optional

    mlflow.set_experiment(_PROJECT)
    mlflow.start_run(run_name=_name(folder))
    mlflow.log_params(config)
    return lambda row, step: mlflow.log_metrics(row, step=step), mlflow.end_run


def _tensorboard(folder: Path, config: dict[str, Any]) -> tuple[Log, Callable[[], object]]:
    from torch.utils.tensorboard import SummaryWriter

    writer: Any = SummaryWriter(folder / "tensorboard")

    def log(row: dict[str, float], step: int) -> None:
        for name, value in row.items():
            writer.add_scalar(name, value, step)
        writer.flush()

    return log, writer.close
