"""Compare the results of the study of 2008 with the published figures, as a table and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studies.tricks_2008.rows import NO_TRUMP, SPADES, STRAINS, Job, jobs
from studies.tricks_2008.study import Record
from training.runtime.pages import table

_KINDS = ("within_two", "within_one", "exact")
_NEAR = 2.0  # points from the published percent that count as a repetition


def comparison(records: Sequence[Record]) -> list[str]:
    """Return the lines of the table of all results: percent within two, within one and exact, and the training."""
    heads = ("network", "inputs", "strain", "published ≤2 · ≤1 · exact", "ours", "difference", "weights", "epochs",
             "best at", "minutes")  # fmt: skip
    return table(heads, (_cells(job, record) for job, record in _pairs(records)), left=3)


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


def summary(records: Sequence[Record]) -> str:
    """Return how many networks are exact about as often as published, and which are not."""
    off = {job.name: record["figures"]["exact"] - job.published[2] for job, record in _pairs(records)}
    far = ", ".join(f"{name} {difference:+.1f}" for name, difference in off.items() if abs(difference) > _NEAR)
    near = sum(abs(difference) <= _NEAR for difference in off.values())
    counted = f"{near} of {len(off)} networks are exact as often as published, to {_NEAR:g} points."
    return counted + (f" The others (points): {far}." if far else "")


def _pairs(records: Sequence[Record]) -> list[tuple[Job, Record]]:
    by_name = {record["network"]: record for record in records}
    return [(job, by_name[job.name]) for job in jobs() if job.name in by_name]


def plot(records: Sequence[Record], path: Path) -> None:
    """Write a PNG of the percent exact, published and ours, network by network."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state

    figure = Figure(figsize=(12, 6.5), layout="constrained")
    groups = (("no trump", NO_TRUMP, False), ("spades", SPADES, False), ("spades, lead exchanged", SPADES, True))
    for axes, (title, strain, exchange) in zip(figure.subplots(1, 3), groups, strict=True):
        shown = [(j, r["figures"]) for j, r in _pairs(records) if (j.strain, j.exchange) == (strain, exchange)]
        places = list(range(len(shown)))[::-1]
        axes.plot([job.published[2] for job, _ in shown], places, "o", color="0.55", label="published")
        axes.errorbar(
            [ours["exact"] for _, ours in shown], places, xerr=[2 * ours["exact_error"] for _, ours in shown],
            fmt="x", color="tab:blue", label="ours ± 2 SE",
        )  # fmt: skip
        axes.set_yticks(places, [f"{job.row.architecture}\n{job.row.inputs}" for job, _ in shown], fontsize=6.5)
        axes.set_title(title)
        axes.set_xlabel("percent exact")
        axes.grid(axis="both", color="0.9")
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=110)
