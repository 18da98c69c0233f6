"""The study of 2008 again: each network is trained and judged, and its result stored at once.

A result depends on the settings and the job alone: one thread, a seed from the job's name, so any number of workers
makes the same figures. Deals for training and for judging have different canonical forms, as everywhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from cyclopts import Parameter
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from bridge_env.double_dummy import builtin_library
from bridge_env.io.files import atomic_write
from bridge_env.io.json_files import read_json
from bridge_env.rng import streams
from studies.tables import Found
from studies.tricks_2008.blocks import BlockNetwork, Examples, predict, train
from studies.tricks_2008.codings import code, examples
from studies.tricks_2008.rows import NO_TRUMP, SPADES, STRAINS, Job, jobs
from training.runtime import runs
from training.runtime.pages import drawn, table
from training.runtime.processes import map_in_processes

_HELD_OUT_ONE_IN = 10
_KINDS = {"within_two": 2, "within_one": 1, "exact": 0}  # tricks off at most
_NEAR = 2.0  # points from the published percent that count as a repetition

Record = dict[str, Any]


def repeat(
    *, rows: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None, workers: int = os.cpu_count() or 1,
    deals: int | None = None, epochs: int | None = None, seed: int = 0,
    out: Path = Path("results/estimators/study-2008"),
) -> Found:  # fmt: skip
    """Train the networks of the study of 2008, and judge them on deals they never saw.

    For example:

        python -m studies.tricks_2008                          the complete study, about an hour of one core
        python -m studies.tricks_2008 --deals 4000 --epochs 50 --out trial
        python -m studies.tricks_2008 --rows 52x4-13 52x4-26   these networks only

    Ctrl-C loses at most a network. The same command continues where it stopped, and --rows adds to the results.

    Args:
        rows: repeat only these networks (default: all)
        workers: processes
        deals: maximum number of training deals (default: all)
        epochs: passes over the deals (default: each network its own)
        seed: random seed
        out: folder for the results
    """
    run(out, rows, workers, deals=deals, epochs=epochs, seed=seed)
    found = results(out)
    plot(found, out / "study.png")
    print(summary(found))
    return out, {"Percent of deals": [*comparison(found), "", summary(found)]}, {"networks": list(found.values())}


def run(
    out: Path, names: Sequence[str] | None, workers: int, *, deals: int | None = None, epochs: int | None = None,
    seed: int = 0,
) -> None:  # fmt: skip
    """Train and judge the networks that have no result yet.

    Args:
        out: folder of the results; each job's is a file in ``networks`` below.
        names: rows of the study; None: all.
        workers: processes.
        deals: training deals, the first of the library's; None: all.
        epochs: of every network; None: each its own, ``rows.EPOCHS``.
        seed: of the first weights.

    Raises:
        ValueError: no such row.
        RunError: a result of other settings lies there.
    """
    wanted, settings = jobs(names), {"deals": deals, "epochs": epochs, "seed": seed}
    for record in results(out).values():
        if record["settings"] != settings:
            found = record["settings"]
            raise runs.RunError(f"{out} has results of {found}, and now it is {settings}; name another --out")
    (out / "networks").mkdir(parents=True, exist_ok=True)
    missing = [(out, job, deals, epochs, seed) for job in wanted if not _file(out, job).exists()]
    for _ in tqdm(map_in_processes(_run_job, missing, workers), total=len(missing), unit="network", disable=None):
        pass


def _file(out: Path, job: Job) -> Path:
    return out / "networks" / f"{job.name}.json"


def results(out: Path) -> dict[Job, Record]:
    """Return all results that are stored, in the order of the study's tables."""
    paths = {job: _file(out, job) for job in jobs()}
    return {job: read_json(path, Record, runs.RunError) for job, path in paths.items() if path.exists()}


def _run_job(out: Path, job: Job, deals: int | None, epochs: int | None, seed: int) -> None:
    """Train and judge one network, and store the result."""
    torch.set_num_threads(1)  # the same sums on every machine, and one core for each process
    library = builtin_library()
    training, judging = library.split("training")[:deals], library.split("judging")
    held = np.arange(len(training)) % _HELD_OUT_ONE_IN == _HELD_OUT_ONE_IN - 1
    first = int(streams.key("study 2008", seed, job.name)[0] >> np.uint64(1))
    network = BlockNetwork(job.row.architecture, job.row.tanh, first)
    passes = epochs or job.row.epochs
    fit = train(network, _examples(training[~held], job)[0], _examples(training[held], job)[0], passes)
    judged, tricks = _examples(judging, job)
    estimates = tricks_of(predict(network, judged).numpy())
    record = {
        "network": job.name, "settings": {"deals": deals, "epochs": epochs, "seed": seed}, "weights": network.size(),
        "epochs": passes, "training": len(training), "figures": figures(estimates, tricks, len(judging)),
        "fit": asdict(fit),
    }  # fmt: skip
    atomic_write(_file(out, job), json.dumps(record) + "\n")


def _examples(indices: NDArray[np.intp], job: Job) -> tuple[Examples, NDArray[np.int8]]:
    library = builtin_library()
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
    for name, most in _KINDS.items():
        right = 100.0 * (off <= most).mean(axis=0)
        out[name] = float(right.mean())
        out[f"{name}_error"] = float(right.std(ddof=1) / np.sqrt(deals))
    return out


def comparison(found: dict[Job, Record]) -> list[str]:
    """Return the lines of the table of all results: percent within two, within one and exact, and the training."""
    heads = ("network", "inputs", "strain", "published ≤2 · ≤1 · exact", "ours", "difference", "weights", "epochs",
             "best at", "minutes")  # fmt: skip
    return table(heads, (_cells(job, record) for job, record in found.items()), left=3)


def _cells(job: Job, record: Record) -> list[str]:
    ours, fit = record["figures"], record["fit"]
    pairs = [(published, ours[kind]) for kind, published in zip(_KINDS, job.published, strict=True)]
    return [
        job.row.architecture + ", lead exchanged" * job.exchange,
        job.row.inputs,
        STRAINS[job.strain],
        " · ".join(f"{published:.2f}" for published, _ in pairs if published is not None),
        " · ".join(f"{percent:.2f}" for _, percent in pairs) + f" ± {ours['exact_error']:.2f}",
        " · ".join(f"{percent - published:+.2f}" for published, percent in pairs if published is not None),
        f"{record['weights']:,}",
        f"{record['epochs']:,}",
        f"{fit['best_epoch']:,}",
        f"{fit['seconds'] / 60:.1f}",
    ]


def summary(found: dict[Job, Record]) -> str:
    """Return how many networks are exact about as often as published, and which are not."""
    off = {job.name: record["figures"]["exact"] - job.published[2] for job, record in found.items()}
    far = ", ".join(f"{name} {difference:+.1f}" for name, difference in off.items() if abs(difference) > _NEAR)
    near = sum(abs(difference) <= _NEAR for difference in off.values())
    counted = f"{near} of {len(off)} networks are exact as often as published, to {_NEAR:g} points."
    return counted + (f" The others (points): {far}." if far else "")


def plot(found: dict[Job, Record], path: Path) -> None:
    """Write a PNG of the percent exact, published and ours, network by network."""
    groups = (("no trump", NO_TRUMP, False), ("spades", SPADES, False), ("spades, lead exchanged", SPADES, True))
    with drawn(path, 12, 6.5, dpi=110, grid=(1, 3)) as places:
        for axes, (title, strain, exchange) in zip(places, groups, strict=True):
            shown = [(j, r["figures"]) for j, r in found.items() if (j.strain, j.exchange) == (strain, exchange)]
            heights = list(range(len(shown)))[::-1]
            axes.plot([job.published[2] for job, _ in shown], heights, "o", color="0.55", label="published")
            axes.errorbar(
                [ours["exact"] for _, ours in shown], heights, xerr=[2 * ours["exact_error"] for _, ours in shown],
                fmt="x", color="tab:blue", label="ours ± 2 SE",
            )  # fmt: skip
            axes.set_yticks(heights, [f"{job.row.architecture}\n{job.row.inputs}" for job, _ in shown], fontsize=6.5)
            axes.set_title(title)
            axes.set_xlabel("percent exact")
            axes.grid(axis="both", color="0.9")
            axes.legend(fontsize=7)
