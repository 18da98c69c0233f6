"""Compare runs of self-play: their settings, gains and learning curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.evolve.generations import ROW
from training.match.judge import VERDICT, VERDICT_ROW
from training.running import pages, runs

CURVES = "learning_curves.png"


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it."""

    name: str
    config: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    verdict: Sequence[Mapping[str, Any]]  # the rows of its verdict on unseen boards; none where it has not ended

    @property
    def minutes(self) -> float:
        """Of its generations, without the verdict."""
        return float(sum(row["seconds"] for row in self.metrics)) / 60


def read_run(folder: Path) -> Run:
    """Read a run folder.

    Raises:
        RunError: it is no run folder of self-play.
    """
    metrics = runs.read_metrics(folder, ROW)
    ended = (folder / VERDICT).exists()
    verdict = runs.read_result(folder, VERDICT, {"rows": [VERDICT_ROW]})["rows"] if ended else []
    manifest = runs.read_manifest(folder)
    if "config" not in manifest:
        raise runs.RunError(f"{folder} is not the folder of a run of self-play: its {runs.MANIFEST} has no config")
    return Run(folder.name, manifest["config"], metrics, verdict)


def differing(found: Sequence[Run]) -> list[str]:
    """The settings in which the runs differ, in order of name; but for the generations, which the table counts."""
    names = sorted({name for run in found for name in run.config} - {"generations"})
    return [n for n in names if len({json.dumps(run.config.get(n)) for run in found}) > 1]


def table(found: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Head and rows: name, differing settings, generations, minutes, changes kept, then the verdict's figures."""
    opponents = list(dict.fromkeys(row["opponent"] for run in found for row in run.verdict if row.get("opponent")))
    settings = differing(found)
    head = ["run", *settings, "generations", "minutes", "kept", "IMPs/board", *(f"gain: {name}" for name in opponents)]
    rows = []
    for run in found:
        kept = sum(len(row.get("kept", ())) for row in run.metrics)
        against_control = next((row for row in run.verdict if "duplicate" in row["what"]), None)
        gains = {row.get("opponent"): row for row in run.verdict}
        rows.append([
            run.name, *(str(run.config.get(name, "")) for name in settings), str(len(run.metrics)),
            f"{run.minutes:.1f}", str(kept),
            _figure(against_control), *(_figure(gains.get(name)) for name in opponents),
        ])  # fmt: skip
    return head, rows


def _figure(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['mean_imps']:+.3f} ± {row['standard_error']:.3f}"


def text(found: Sequence[Run]) -> str:
    """The table for a terminal, a run a row."""
    head, rows = table(found)
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def markdown(found: Sequence[Run], command: str) -> str:
    """The page: the table, a run a row, and the curves."""
    head, rows = table(found)
    boards = {row["boards"] for run in found for row in run.verdict}
    judged = f" {' and '.join(f'{n:,}' for n in sorted(boards))} boards that training never saw;" if boards else ""
    lines = [
        "# Runs compared", "",
        f"Made by `{command}`. IMPs a board ± standard error over{judged} *IMPs/board* against the control pair, "
        "*gain* over the system that a run started from, against the same opponent on the same boards.", "",
        *pages.table(head, ([cell.replace("|", "\\|") for cell in row] for row in rows)), "",
        f"![learning curves]({CURVES})", "",
    ]  # fmt: skip
    return "\n".join(lines)


def plot(found: Sequence[Run], path: Path) -> None:
    """The learning curves as a PNG: IMPs against the control pair, by generation and by minutes."""
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
