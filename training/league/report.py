"""Write the report of a league: its panel and its learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training.evaluation import panel
from training.evaluation.panel import Line
from training.league.config import LeagueConfig
from training.runtime import runs
from training.runtime.pages import draw_curve, drawn, settings


def league_page(folder: Path, config: LeagueConfig, lines: Sequence[Line], metrics: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of a run, the panel first."""
    last = metrics[-1]
    command = runs.command_line("bridge-env train league", config).replace(config.start, runs.portable(config.start))
    decisions = sum(row.get("decisions", 0.0) for row in metrics)
    machine = runs.read_manifest(folder).get("machine", {})
    return "\n".join([
        "# A network from the league", "",
        f"Made by `{command}`: {last['iteration']:,} iterations, {last['seconds'] / 3600:.2f} hours of "
        f"{machine.get('cores')} cores, {decisions / 1e6:.0f} million decisions.", "",
        f"Judging boards, {lines[0].boards:,} against each, duplicate, dealer and vulnerability by board number, exact "
        "double-dummy tricks.", "",
        *panel.markdown(lines), "",
        "![learning curve](learning_curve.png)", "",
        *settings({name: runs.portable(str(value)) for name, value in asdict(config).items()}),
    ])  # fmt: skip


def league_curve(metrics: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the learning curve as a PNG: IMPs a board on deals that no rollout plays, by hours."""
    with drawn(path, 7.5, 4.2, dpi=100) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        for name in [name for name, value in metrics[-1].items() if isinstance(value, dict)]:
            rows = [row for row in metrics if name in row]
            hours = [row["seconds"] / 3600 for row in rows]
            draw_curve(axes, hours, [row[name] for row in rows], f"against {'its start' if name == 'start' else name}")
        axes.set(xlabel="hours of training", ylabel=f"IMPs a board, {metrics[-1]['boards']:,} boards not played in it")
        axes.legend(loc="lower right")
