"""The study of 2008 again: each network is trained and judged, and its result stored at once.

A result depends on the settings and the job alone: one thread, a seed from the job's name, so any number of workers
makes the same figures. Deals for training and for judging have different canonical forms, as everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from bridge_env.double_dummy import Library, builtin_library
from bridge_env.io.files import atomic_write
from bridge_env.io.json_files import read_json
from bridge_env.rng import streams
from studies.tricks_2008.blocks import BlockNetwork, Examples, predict, train, weights
from studies.tricks_2008.codings import code, examples
from studies.tricks_2008.rows import Job, jobs
from training.runtime import runs
from training.runtime.processes import map_in_processes

FOLDER = "networks"
_HELD_OUT_ONE_IN = 10

Record = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """Hold the settings on which the figures depend."""

    deals: int | None = None  # training deals, the first of the library's; None: all
    epochs: int | None = None  # of every network; None: each its own, ``rows.EPOCHS``
    seed: int = 0  # of the first weights
    library: str | None = None  # file of solved deals; None: the one that is built in

    def open(self) -> Library:
        """Return the solved deals."""
        return builtin_library() if self.library is None else Library.open(self.library)


def run(
    settings: Settings, out: Path, names: Sequence[str] | None, workers: int,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> list[Record]:  # fmt: skip
    """Train and judge the networks that have no result yet; return the results, in the order of the study's tables.

    Args:
        settings: on which the figures depend.
        out: folder of the results; each job's is a file in ``networks`` below.
        names: rows of the study; None: all.
        workers: processes.
        progress: called with the number of networks that are done, and that of all.

    Raises:
        ValueError: no such row.
        RunError: a result of other settings lies there, or there are too few deals.
    """
    wanted = jobs(names)
    library = settings.open()
    training, judging = library.split("training")[: settings.deals], library.split("judging")
    if len(training) < _HELD_OUT_ONE_IN or not len(judging):
        raise runs.RunError(f"{library.path} has too few deals: {len(training)} for training, {len(judging)} to judge")
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for record in results(out):
        if record["settings"] != asdict(settings):
            raise runs.RunError(
                f"{folder}/{record['network']}.json was made with {record['settings']}, and now it is "
                f"{asdict(settings)}; give --out another folder, or remove that one"
            )
    missing = [job for job in wanted if not (folder / f"{job.name}.json").exists()]
    missing.sort(key=lambda job: -_cost(settings, job))
    done = len(wanted) - len(missing)
    arguments = [(settings, folder, job) for job in missing]
    for number, _ in enumerate(map_in_processes(_run_job, arguments, workers), done + 1):
        progress(number, len(wanted))
    return [record for record in results(out) if record["network"] in {job.name for job in wanted}]


def results(out: Path) -> list[Record]:
    """Return all results that are stored, in the order of the study's tables."""
    paths = [out / FOLDER / f"{job.name}.json" for job in jobs()]
    return [read_json(path, Record, runs.RunError) for path in paths if path.exists()]


def _cost(settings: Settings, job: Job) -> float:
    """Return about how long a job takes, in some unit."""
    return (settings.epochs or job.row.epochs) * (weights(job.row.architecture) + 1000) * (1 + job.exchange)


def _run_job(settings: Settings, folder: Path, job: Job) -> None:
    """Train and judge one network, and store the result."""
    epochs = settings.epochs or job.row.epochs
    torch.set_num_threads(1)  # the same sums on every machine, and one core for each process
    library = settings.open()
    training, judging = library.split("training")[: settings.deals], library.split("judging")
    held = np.arange(len(training)) % _HELD_OUT_ONE_IN == _HELD_OUT_ONE_IN - 1
    learn, _ = _examples(library, training[~held], job)
    held_out, _ = _examples(library, training[held], job)
    seed = int(streams.key("study 2008", settings.seed, job.name)[0] >> np.uint64(1))
    network = BlockNetwork(job.row.architecture, job.row.tanh, seed)
    fit = train(network, learn, held_out, epochs)
    judged, tricks = _examples(library, judging, job)
    estimates = tricks_of(predict(network, judged).numpy())
    record = {
        "network": job.name, "settings": asdict(settings), "weights": network.size(), "epochs": epochs,
        "training": len(training), "figures": figures(estimates, tricks, len(judging)), "fit": asdict(fit),
    }  # fmt: skip
    atomic_write(folder / f"{job.name}.json", json.dumps(record) + "\n")


def _examples(library: Library, indices: NDArray[np.intp], job: Job) -> tuple[Examples, NDArray[np.int8]]:
    owner, tricks = examples(library.owners(indices), library.tricks_at(indices), job.strain, job.exchange)
    parts = [torch.from_numpy(part) for part in code(owner, job.strain, job.row.parts)]
    return Examples(parts, torch.from_numpy(outputs_of(tricks))), tricks


def outputs_of(tricks: ArrayLike) -> NDArray[np.float32]:
    """Return tricks 0..13 as the output 0.1..0.9."""
    return np.asarray(0.1 + 0.8 / 13 * np.asarray(tricks), np.float32)


def tricks_of(outputs: ArrayLike) -> NDArray[np.int8]:
    """Return outputs rounded to tricks 0..13."""
    return np.clip(np.rint((np.asarray(outputs) - 0.1) * (13 / 0.8)), 0, 13).astype(np.int8)


def figures(estimates: NDArray[np.int8], tricks: NDArray[np.int8], deals: int) -> dict[str, float]:
    """Return the percent of estimates within two, within one and exact, each with its standard error over deals.

    Args:
        estimates: int8 (M,).
        tricks: the truth, int8 (M,).
        deals: M or, with the lead exchanged, M / 2: a deal's two examples then count as one, with their mean.
    """
    off = np.abs(estimates.astype(np.int16) - tricks).reshape(-1, deals)
    out: dict[str, float] = {"deals": deals}
    for name, most in (("within_two", 2), ("within_one", 1), ("exact", 0)):
        right = 100.0 * (off <= most).mean(axis=0)
        out[name] = float(right.mean())
        out[f"{name}_error"] = float(right.std(ddof=1) / np.sqrt(deals))
    return out
