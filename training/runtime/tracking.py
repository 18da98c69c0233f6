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
    """Send the metrics of all runs in this block to a tracker, a run for each folder and each row once; raise
    ``RunError`` where its package is missing.
    """
    if kind is None:
        yield
        return
    runs.require(*{"tensorboard": ("rl", "tensorboard", "torch")}.get(kind, ("track", kind)))
    begin = {"wandb": _wandb, "mlflow": _mlflow, "tensorboard": _tensorboard}[kind]
    log: Log = lambda row, step: None  # noqa: E731
    close: Callable[[], object] = lambda: None  # noqa: E731
    current, sent = Path(), 0

    def listen(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        nonlocal log, close, current, sent
        if folder != current:
            close()
            log, close = begin(folder, runs.read_manifest(folder).get("config", {}))
            current, sent = folder, 0
        for number, row in enumerate(rows[sent:], sent):
            log(flat(row), int(next((row[name] for name in _STEPS if name in row), number)))
        sent = len(rows)

    runs.LISTENERS.append(listen)
    try:
        yield
    finally:
        runs.LISTENERS.remove(listen)
        close()


def flat(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a row of metrics, those of inner dicts by ``name/inner``."""
    out: dict[str, float] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            out |= {f"{name}/{inner}": number for inner, number in flat(value).items()}
        elif isinstance(value, int | float):
            out[name] = float(value)
    return out


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
