"""The study of 2008 again: each network trained and judged, each finished one stored at once.

A result is a function of the settings and the job alone: one thread, a seed from the job's name, so any number of
workers gives the same figures. Deals for training and for judging are apart by canonical form, as everywhere.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from bridge_env import streams
from bridge_env.double_dummy import Library, builtin_library, canonical
from bridge_env.files import atomic_write
from bridge_env.json_files import read_json
from studies.tricks_2008.architecture import weights
from studies.tricks_2008.blocks import BlockNetwork, Examples, one_thread, predict, train
from studies.tricks_2008.codings import code, examples
from studies.tricks_2008.rows import Job, jobs
from training.running import runs

METHOD = 1  # goes up when the same settings would give other figures
MUST_JUDGE = 10_000
FOLDER = "networks"
_HELD_OUT_ONE_IN = 10
_LOOKS = 25  # kept of the error on the way

Record = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """What the figures depend on.

    Attributes:
        deals: training deals, the first of the library's; None: all.
        epochs: of every network; None: each its own, ``study_rows.EPOCHS``.
        seed: of the first weights.
        library: file of solved deals; None: the one that is built in.
    """

    deals: int | None = None
    epochs: int | None = None
    seed: int = 0
    library: str | None = None

    def open(self) -> Library:
        """The deals."""
        return builtin_library() if self.library is None else Library.open(self.library)

    def epochs_of(self, job: Job) -> int:
        """Steps that the network of a job makes."""
        return self.epochs or job.row.epochs


def run(
    settings: Settings, out: Path, names: Sequence[str] | None, workers: int, progress: Callable[[float], None]
) -> list[Record]:
    """Train and judge what is not stored yet; the results of all these jobs, in the order of the study's tables.

    Args:
        settings: what the figures depend on.
        out: folder of the results; each job's is a file in ``networks`` below.
        names: rows of the study; None: all.
        workers: processes.
        progress: is told the share that is done, now and then.

    Raises:
        ValueError: no such row.
        RunError: results of other settings lie there, be it of other rows, or too few deals judge.
    """
    wanted = jobs(names)
    deals = _deals(settings)
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    stored = {job for job in jobs() if _is_stored(folder, job, _job_settings(settings, deals, job))}
    left = sorted((job for job in wanted if job not in stored), key=lambda job: -_cost(settings, job))
    whole = sum(_cost(settings, job) for job in wanted)
    before = whole - sum(_cost(settings, job) for job in left)
    progress(before / whole)
    if left:
        _all(settings, deals, folder, left, workers, lambda done: progress((before + done) / whole))
    return [_read(folder / f"{job.name}.json") for job in wanted]


def results(out: Path) -> list[Record]:
    """All results that are stored, in the order of the study's tables."""
    paths = [out / FOLDER / f"{job.name}.json" for job in jobs()]
    return [_read(path) for path in paths if path.exists()]


# --- what a result depends on ---------------------------------------------------------------------------------


def _deals(settings: Settings) -> dict[str, Any]:
    """The deals that train and judge, in numbers.

    Raises:
        RunError: no deals to train on, or too few that judge.
    """
    library = settings.open()
    training, judging = library.split("training"), library.split("judging")
    if not settings.deals and len(judging) < MUST_JUDGE:
        raise runs.RunError(
            f"{library.path} has {len(judging):,} deals for judging, and a whole study takes {MUST_JUDGE:,} or more; "
            "solve more, or try things out with --deals"
        )
    used = training[: settings.deals]
    if len(used) < _HELD_OUT_ONE_IN or not len(judging):
        raise runs.RunError(f"{library.path} has too few deals: {len(used)} to train on and {len(judging)} to judge")
    known, new = (canonical.canonical_key(library.owners(which)) for which in (used, judging))
    assert not np.intersect1d(known, new).size, "an image of a training deal judges"
    return {"library_sha256": runs.sha256(library.path), "training": len(used), "judging": len(judging)}


def _job_settings(settings: Settings, deals: Record, job: Job) -> Record:
    row = job.row
    return deals | {
        "method": METHOD, "architecture": row.architecture, "parts": list(row.parts), "seed": settings.seed,
        "epochs": settings.epochs_of(job),
    }  # fmt: skip


def _is_stored(folder: Path, job: Job, asked: Record) -> bool:
    """Is the result of a job there?

    Raises:
        RunError: it was made with other settings.
    """
    path = folder / f"{job.name}.json"
    if not path.exists():
        return False
    made = _read(path)["settings"]
    for name, value in asked.items():
        if made.get(name) != value:
            raise runs.RunError(
                f"{path} was made with {name} {made.get(name)}, and now it is {value}; "
                "give --out another folder, or remove that one"
            )
    return True


def _read(path: Path) -> Record:
    record: Record = read_json(path, dict[str, Any], runs.RunError)
    return record


def _cost(settings: Settings, job: Job) -> float:
    """About what a job costs, in some unit."""
    return settings.epochs_of(job) * (weights(job.row.architecture) + 1000) * (1 + job.exchange)


# --- here, or in processes --------------------------------------------------------------------------------------


def _all(
    settings: Settings, deals: Record, folder: Path, left: Sequence[Job], workers: int, tell: Callable[[float], None]
) -> None:
    """Do the jobs; ``tell`` hears what is done so far, in units of ``_cost``."""
    if workers == 1:
        done = 0.0

        def tick(cost: float) -> None:
            nonlocal done
            done += cost
            tell(done)

        for job in left:
            _do(settings, deals, folder, job, tick)
        return
    context = multiprocessing.get_context("spawn")
    counter, stop = context.Value("d", 0.0), context.Event()
    with ProcessPoolExecutor(min(workers, len(left)), context, _begin, (counter, stop, os.getpid())) as pool:
        try:
            running: set[Future[None]] = {pool.submit(_in_worker, settings, deals, folder, job) for job in left}
            while running:
                finished, running = wait(running, timeout=0.5)
                for future in finished:
                    future.result()
                tell(counter.value)
        except BaseException:  # Ctrl-C, or an error of a worker
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


class _Stopped(Exception):
    """The process that gave the job wants it no more."""


_worker: tuple[Any, ...] = ()


def _begin(counter: Any, stop: Any, parent: int) -> None:
    global _worker  # noqa: PLW0603 - what a process of the pool is given at its start
    _worker = (counter, stop, parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one hears of it, and says so


def _in_worker(settings: Settings, deals: Record, folder: Path, job: Job) -> None:
    counter, stop, parent = _worker

    def tick(cost: float) -> None:
        if os.getppid() != parent:
            os._exit(1)
        if stop.is_set():
            raise _Stopped
        with counter.get_lock():
            counter.value += cost

    _do(settings, deals, folder, job, tick)


# --- one network ------------------------------------------------------------------------------------------------


def _do(settings: Settings, deals: Record, folder: Path, job: Job, tick: Callable[[float], None]) -> None:
    """Train and judge one network, and store the result."""
    epochs = settings.epochs_of(job)
    each = _cost(settings, job) / epochs
    with one_thread():
        library = settings.open()
        training = library.split("training")[: settings.deals]
        held = np.arange(len(training)) % _HELD_OUT_ONE_IN == _HELD_OUT_ONE_IN - 1
        fit, _ = _examples(library, training[~held], job)
        held_out, _ = _examples(library, training[held], job)
        seed = int(streams.key("study 2008", settings.seed, job.name)[0] >> np.uint64(1))
        network = BlockNetwork(job.row.architecture, job.row.tanh, seed)
        how = train(network, fit, held_out, epochs, lambda: tick(each))
        judged, tricks = _examples(library, library.split("judging"), job)
        said = tricks_of(predict(network, judged).numpy())
    thinned = how.looks[:: -(len(how.looks) // -_LOOKS)]
    record = {
        "network": job.name, "row": job.row.name, "strain": job.strain, "exchange": job.exchange,
        "settings": _job_settings(settings, deals, job), "weights": network.size(),
        "figures": figures(said, tricks, len(library.split("judging"))), "fit": asdict(how) | {"looks": thinned},
    }  # fmt: skip
    atomic_write(folder / f"{job.name}.json", json.dumps(record) + "\n")


def _examples(library: Library, indices: NDArray[np.intp], job: Job) -> tuple[Examples, NDArray[np.int8]]:
    owner, tricks = examples(library.owners(indices), library.tricks_at(indices), job.strain, job.exchange)
    parts = [torch.from_numpy(part) for part in code(owner, job.strain, job.row.parts)]
    return Examples(parts, torch.from_numpy(outputs_of(tricks))), tricks


def outputs_of(tricks: ArrayLike) -> NDArray[np.float32]:
    """Tricks 0..13 as the output 0.1..0.9."""
    return np.asarray(0.1 + 0.8 / 13 * np.asarray(tricks), np.float32)


def tricks_of(outputs: ArrayLike) -> NDArray[np.int8]:
    """Outputs rounded to tricks 0..13."""
    return np.clip(np.rint((np.asarray(outputs) - 0.1) * (13 / 0.8)), 0, 13).astype(np.int8)


def figures(said: NDArray[np.int8], tricks: NDArray[np.int8], deals: int) -> dict[str, float]:
    """Percent within two, within one and exact, each with its standard error, and how many deals judged.

    Args:
        said: what the network says, (M,).
        tricks: the truth, (M,).
        deals: M or, with the lead exchanged, M / 2: a deal's two examples then count as one, with their mean.
    """
    off = np.abs(said.astype(np.int16) - tricks).reshape(-1, deals)
    out: dict[str, float] = {"deals": deals}
    for name, most in (("within_two", 2), ("within_one", 1), ("exact", 0)):
        right = 100.0 * (off <= most).mean(axis=0)
        out[name] = float(right.mean())
        out[f"{name}_error"] = float(right.std(ddof=1) / np.sqrt(deals))
    out["exact_west"] = 100.0 * float((off[0] == 0).mean())
    return out
