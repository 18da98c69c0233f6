"""Write the report of a league: its panel and its learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from training.evaluation import panel
from training.evaluation.panel import Line
from training.league.config import LeagueConfig
from training.runtime import pages, runs


def league_page(folder: Path, config: LeagueConfig, lines: Sequence[Line], metrics: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of a run, the panel first."""
    return pages.render(
        "league.md",
        command=runs.command_line("bridge-env train league", replace(config, start=runs.portable(config.start))),
        last=metrics[-1],
        cores=runs.read_manifest(folder)["machine"]["cores"],
        decisions=sum(row.get("decisions", 0.0) for row in metrics),
        boards=lines[0].boards,
        table=panel.markdown(lines),
        settings=pages.settings({name: runs.portable(str(value)) for name, value in asdict(config).items()}),
    )


def league_curve(metrics: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the learning curve as a PNG: IMPs a board on deals that no rollout plays, by hours."""
    with pages.drawn(path, 7.5, 4.2, dpi=100) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        for name in [name for name, value in metrics[-1].items() if isinstance(value, dict)]:
            rows = [row for row in metrics if name in row]
            hours = [row["seconds"] / 3600 for row in rows]
            pages.draw_curve(
                axes, hours, [row[name] for row in rows], f"against {'its start' if name == 'start' else name}"
            )
        axes.set(xlabel="hours of training", ylabel=f"IMPs a board, {metrics[-1]['boards']:,} boards not played in it")
        axes.legend(loc="lower right")
