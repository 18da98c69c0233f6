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

from training.evaluation.verdict import VERDICT, VerdictFile
from training.evolution.generations import MetricsRow
from training.runtime import pages, runs

CURVES = "learning_curves.png"


@dataclass(frozen=True)
class Run:
    """A run, read from its folder."""

    name: str
    config: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    verdict: Sequence[Mapping[str, Any]]  # on unseen boards; no rows for a run that has not ended

    @property
    def minutes(self) -> float:
        """Return the minutes of its generations, without the verdict."""
        return float(sum(row["seconds"] for row in self.metrics)) / 60


def read_run(folder: Path) -> Run:
    """Read a run folder.

    Raises:
        RunError: it is no run folder of self-play.
    """
    metrics = runs.read_result(folder, runs.METRICS, MetricsRow)
    ended = (folder / VERDICT).exists()
    verdict = runs.read_result(folder, VERDICT, VerdictFile)["rows"] if ended else []
    manifest = runs.read_manifest(folder)
    if "config" not in manifest:
        raise runs.RunError(f"{folder} is not the folder of a run of self-play: its {runs.MANIFEST} has no config")
    return Run(folder.name, manifest["config"], metrics, verdict)


def differing(found: Sequence[Run]) -> list[str]:
    """Return the settings in which the runs differ, by name, without the generations, which the table counts."""
    names = sorted({name for run in found for name in run.config} - {"generations"})
    return [n for n in names if len({json.dumps(run.config.get(n)) for run in found}) > 1]


def table(found: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows: name, differing settings, generations, minutes, accepted changes, verdict."""
    opponents = list(dict.fromkeys(row["opponent"] for run in found for row in run.verdict if row.get("opponent")))
    settings = differing(found)
    head = [
        "run",
        *settings,
        "generations",
        "minutes",
        "accepted",
        "IMPs/board",
        *(f"gain: {name}" for name in opponents),
    ]
    rows = []
    for run in found:
        accepted = sum(len(row.get("kept", ())) for row in run.metrics)
        figures = _verdict_figures(run)
        rows.append([
            run.name, *(str(run.config.get(name, "")) for name in settings), str(len(run.metrics)),
            f"{run.minutes:.1f}", str(accepted),
            *(_figure(figures.get(what)) for what in head[-len(opponents) - 1 :]),
        ])  # fmt: skip
    return head, rows


def _figure(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['mean_imps']:+.3f} ± {row['standard_error']:.3f}"


def seeds_table(found: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table over seeds: runs with the same settings but for the seed share a row.

    A row holds the settings that differ, the number of seeds, and for each figure of the verdict the mean over seeds,
    the standard error of the boards, the spread over seeds, and the difference from the first row over the seeds that
    both have. The error of a difference is that of the boards or that over seeds, whichever is larger. There are no
    rows where no settings were run with two seeds.
    """
    settings = [name for name in differing(found) if name != "seed"]
    groups: dict[str, list[Run]] = {}
    for run in found:
        if run.verdict:
            groups.setdefault(json.dumps([run.config.get(name) for name in settings]), []).append(run)
    figures = list(dict.fromkeys(what for group in groups.values() for run in group for what in _verdict_figures(run)))
    head = [*(settings or ["settings"]), "seeds", *figures]
    rows, first = list[list[str]](), dict[str, dict[int, Mapping[str, Any]]]()
    for group in groups.values():
        values = [str(group[0].config.get(name, "")) for name in settings] or ["the same"]
        cells = []
        for what in figures:
            by_seed = {run.config.get("seed", 0): row[what] for run in group if what in (row := _verdict_figures(run))}
            cells.append(_over_seeds(by_seed, first.setdefault(what, by_seed)) if by_seed else "")
        rows.append([*values, str(len(group)), *cells])
    return head, rows if any(len(group) > 1 for group in groups.values()) else []


def _verdict_figures(run: Run) -> dict[str, Mapping[str, Any]]:
    """Return the rows of a verdict that the tables show, by the heads of their columns."""
    named = [("IMPs/board", row) for row in run.verdict if "duplicate" in row["what"]][:1]
    return dict([*named, *((f"gain: {row['opponent']}", row) for row in run.verdict if row.get("opponent"))])


def _over_seeds(rows: Mapping[int, Mapping[str, Any]], first: Mapping[int, Mapping[str, Any]]) -> str:
    """Return a cell of the table over seeds; ``first`` holds the rows of the first settings by seed."""
    means = [row["mean_imps"] for row in rows.values()]
    text = f"{statistics.fmean(means):+.3f} ± {_mean_error(rows.values()):.3f}"
    if len(means) > 1:
        text += f", spread {statistics.stdev(means):.3f}"
    both = sorted(rows.keys() & first.keys()) if rows is not first else []
    if both:
        more = [rows[seed]["mean_imps"] - first[seed]["mean_imps"] for seed in both]
        error = math.hypot(*(_mean_error([of[seed] for seed in both]) for of in (rows, first)))
        if len(both) > 1:
            error = max(error, statistics.stdev(more) / math.sqrt(len(both)))
        text += f", difference {statistics.fmean(more):+.3f} ± {error:.3f}"
    return text


def _mean_error(rows: Collection[Mapping[str, Any]]) -> float:
    """Return the standard error of a mean over seeds, as if each had boards of its own."""
    return math.hypot(*(row["standard_error"] for row in rows)) / len(rows)


def text(found: Sequence[Run]) -> str:
    """Return the tables for a terminal: a run a row, and over seeds where some differ in the seed alone."""
    return "\n\n".join(_aligned(head, rows) for head, rows in (table(found), seeds_table(found)) if rows)


def _aligned(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def markdown(found: Sequence[Run], command: str) -> str:
    """Return the page: the tables and the curves."""
    boards = {row["boards"] for run in found for row in run.verdict}
    judged = f" {' and '.join(f'{n:,}' for n in sorted(boards))} boards that training never saw;" if boards else ""
    lines = [
        "# Runs compared", "",
        f"Made by `{command}`. IMPs a board ± standard error over{judged} *IMPs/board* against the control pair, "
        "*gain* over the system that a run started from, against the same opponent on the same boards.", "",
        *_markdown_table(table(found)), "",
    ]  # fmt: skip
    if (over_seeds := seeds_table(found))[1]:
        lines += [
            "## Over seeds", "",
            "Means over the seeds ± the standard error of the boards, the standard deviation over seeds, and the "
            "difference from the first row, seed by seed.", "",
            *_markdown_table(over_seeds), "",
        ]  # fmt: skip
    return "\n".join([*lines, f"![learning curves]({CURVES})", ""])


def _markdown_table(found: tuple[list[str], list[list[str]]]) -> list[str]:
    head, rows = found
    return pages.table(head, ([cell.replace("|", "\\|") for cell in row] for row in rows))


def plot(found: Sequence[Run], path: Path) -> None:
    """Draw the learning curves as a PNG: IMPs against the control pair, by generation and by minutes."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    by_generation, by_minute = figure.subplots(1, 2, sharey=True)
    for run in found:
        if not run.metrics:
            continue
        # A generation's figure is that of the pairs it began with.
        minutes = np.concatenate([[0.0], np.cumsum([row["seconds"] for row in run.metrics])[:-1] / 60])
        best = np.array([row["mean_imps"] for row in run.metrics])
        error = np.array([row["standard_error"] for row in run.metrics])
        for axes, x in (
            (by_generation, np.array([row["generation"] for row in run.metrics], float)),
            (by_minute, minutes),
        ):
            (line,) = axes.plot(x, best, label=run.name)
            axes.fill_between(x, best - error, best + error, alpha=0.2, linewidth=0, color=line.get_color())
    for axes, name in ((by_generation, "generation"), (by_minute, "minutes")):
        axes.axhline(0, color="0.6", linewidth=0.8)
        axes.set_xlabel(name)
    by_generation.set_ylabel("IMPs a board against the control pair")
    by_minute.legend(loc="lower right")
    figure.savefig(path, dpi=120)
