"""Compare runs of self-play: their settings, gains and learning curves."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.evaluation.verdict import DUPLICATE, VERDICT, VerdictFile, VerdictRow
from training.evolution.generations import MetricsRow
from training.runtime import pages, runs

CURVES = "learning_curves.png"


@dataclass(frozen=True)
class Run:
    """Hold a run, read from its folder."""

    name: str
    config: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    verdict: Sequence[VerdictRow]  # on unseen boards; no rows for a run that has not ended

    @property
    def minutes(self) -> float:
        """Return the minutes of its generations, without the verdict."""
        return float(sum(row["seconds"] for row in self.metrics)) / 60


def read_run(folder: Path) -> Run:
    """Read a run folder; raise ``RunError`` where it is no run folder of self-play."""
    metrics = runs.read_result(folder, runs.METRICS, MetricsRow)
    ended = (folder / VERDICT).exists()
    verdict = runs.read_result(folder, VERDICT, VerdictFile)["rows"] if ended else []
    manifest = runs.read_manifest(folder)
    if "config" not in manifest:
        raise runs.RunError(f"{folder} is not the folder of a run of self-play: its {runs.MANIFEST} has no config")
    return Run(folder.name, manifest["config"], metrics, verdict)


def _differing(found: Sequence[Run]) -> list[str]:
    """Return the settings in which the runs differ, by name, without the generations, which the table counts."""
    names = sorted({name for run in found for name in run.config} - {"generations"})
    return [n for n in names if len({json.dumps(run.config.get(n)) for run in found}) > 1]


def _figures(run: Run) -> dict[str, VerdictRow]:
    """Return the rows of a verdict that the tables show, by the heads of their columns."""
    named = [("IMPs/board", row) for row in run.verdict if DUPLICATE in row.what][:1]
    return dict([*named, *((f"gain: {row.opponent}", row) for row in run.verdict if row.opponent)])


def table_of_runs(found: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows: name, differing settings, generations, minutes, accepted changes, verdict."""
    settings, figures = _differing(found), list(dict.fromkeys(name for run in found for name in _figures(run)))
    rows = []
    for run in found:
        accepted, verdict = sum(len(row.get("accepted", ())) for row in run.metrics), _figures(run)
        cells = [
            pages.figure(row.mean_imps, row.standard_error) if (row := verdict.get(name)) else "" for name in figures
        ]
        values = [str(run.config.get(name, "")) for name in settings]
        rows.append([run.name, *values, str(len(run.metrics)), f"{run.minutes:.1f}", str(accepted), *cells])
    return ["run", *settings, "generations", "minutes", "accepted", *figures], rows


def table_of_seeds(found: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table over seeds: runs with the same settings but for the seed share a row.

    A row holds the settings that differ, the number of seeds, and for each figure of the verdict the mean over seeds,
    the standard error of the boards, the spread over seeds, and the difference from the first row over the seeds that
    both have. The error of a difference is that of the boards or that over seeds, whichever is larger. There are no
    rows where no settings were run with two seeds.
    """
    settings = [name for name in _differing(found) if name != "seed"]
    groups: dict[str, list[Run]] = {}
    for run in found:
        if run.verdict:
            groups.setdefault(json.dumps([run.config.get(name) for name in settings]), []).append(run)
    figures = list(dict.fromkeys(what for group in groups.values() for run in group for what in _figures(run)))
    rows, first = list[list[str]](), dict[str, dict[int, VerdictRow]]()
    for group in groups.values():
        values = [str(group[0].config.get(name, "")) for name in settings] or ["the same"]
        cells = []
        for what in figures:
            by_seed = {run.config.get("seed", 0): row[what] for run in group if what in (row := _figures(run))}
            cells.append(_over_seeds(by_seed, first.setdefault(what, by_seed)) if by_seed else "")
        rows.append([*values, str(len(group)), *cells])
    head = [*(settings or ["settings"]), "seeds", *figures]
    return head, rows if any(len(group) > 1 for group in groups.values()) else []


def _over_seeds(rows: Mapping[int, VerdictRow], first: Mapping[int, VerdictRow]) -> str:
    """Return a cell of the table over seeds; ``first`` holds the rows of the first settings by seed."""
    means = [row.mean_imps for row in rows.values()]
    text = pages.figure(statistics.fmean(means), _mean_error(rows.values()))
    if len(means) > 1:
        text += f", spread {statistics.stdev(means):.3f}"
    both = sorted(rows.keys() & first.keys()) if rows is not first else []
    if both:
        more = [rows[seed].mean_imps - first[seed].mean_imps for seed in both]
        error = math.hypot(*(_mean_error([of[seed] for seed in both]) for of in (rows, first)))
        if len(both) > 1:
            error = max(error, statistics.stdev(more) / math.sqrt(len(both)))
        text += f", difference {pages.figure(statistics.fmean(more), error)}"
    return text


def _mean_error(rows: Collection[VerdictRow]) -> float:
    """Return the standard error of a mean over seeds, as if each had boards of its own."""
    return math.hypot(*(row.standard_error for row in rows)) / len(rows)


def text(found: Sequence[Run]) -> str:
    """Return the tables in Markdown: a run a row, and over seeds where some differ in the seed alone."""
    head, rows = table_of_seeds(found)
    seeds = ["", *pages.table(head, rows, left=len(head))] if rows else []
    head, rows = table_of_runs(found)
    return "\n".join([*pages.table(head, rows, left=len(head)), *seeds])


def markdown(found: Sequence[Run], command: str) -> str:
    """Return the page: the tables and the curves."""
    boards = {row.boards for run in found for row in run.verdict}
    judged = f" {' and '.join(f'{n:,}' for n in sorted(boards))} boards that training never saw;" if boards else ""
    return "\n".join([
        "# Runs compared", "",
        f"Made by `{command}`. IMPs a board ± standard error over{judged} *IMPs/board* against the control pair, "
        "*gain* over the system that a run started from, against the same opponent on the same boards. In a table over "
        "seeds: means ± the standard error of the boards, the standard deviation over seeds, and the difference from "
        "the first row, seed by seed.", "",
        text(found), "", f"![learning curves]({CURVES})", "",
    ])  # fmt: skip


def plot(found: Sequence[Run], path: Path) -> None:
    """Draw the learning curves as a PNG: IMPs against the control pair, by minutes."""
    # a generation's figure is that of the pairs it began with
    minutes = [np.cumsum([0.0, *(row["seconds"] for row in run.metrics)])[:-1] / 60 for run in found]
    curves = [(run.name, at.tolist(), run.metrics) for run, at in zip(found, minutes, strict=True)]
    pages.draw_curves(path, curves, "minutes", "IMPs a board against the control pair")
