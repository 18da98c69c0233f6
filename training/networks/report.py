"""Write the report of PPO: matches on unseen boards, and the learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training.evaluation import panel
from training.evaluation.duplicate import match
from training.evaluation.verdict import Row, rows_table
from training.networks.configs import PPOConfig
from training.runtime import pages, runs

AT_HOME = ("pass", "doubler", "system:sayc")  # judge PPO beside the gatekeepers


def judge_ppo(spec: str, config: PPOConfig) -> tuple[list[Row], str]:
    """Play a policy on judging boards, against its control pair first; return the rows and the source of the boards."""
    first = match(spec, config.control, config.judge, config.seed)
    rows = [Row(f"against {config.control}, its control pair", first.mean_imps, first.standard_error, config.judge)]
    for other in (*AT_HOME, *panel.gatekeepers()):
        if other not in (config.control, config.opponents):
            result = match(spec, other, first.boards, config.seed)
            rows.append(Row(f"against {other}, never met", result.mean_imps, result.standard_error, config.judge))
    return rows, first.boards.source


def ppo_page(
    spec: str, rows: Sequence[Row], source: str, config: PPOConfig, manifest: Mapping[str, Any], last: Mapping[str, Any]
) -> str:
    """Return the report of the policy ``spec``.

    Args:
        rows, source: the verdict and its boards, as ``judge_ppo`` returns them.
        last: the last point of the curve.
    """
    return pages.render(
        "ppo.md", spec=spec, config=config, command=runs.command_line("bridge-env train ppo", config), last=last,
        machine=manifest["machine"], versions=manifest["versions"], source=source, table=rows_table(rows),
        settings=pages.settings(asdict(config)),
    )  # fmt: skip


def ppo_curve(metrics: Sequence[Mapping[str, Any]], verdict: Row, path: Path) -> None:
    """Draw the learning curve as a PNG: training boards by minute, and the verdict on unseen ones."""
    minutes = [row["seconds"] / 60 for row in metrics]
    with pages.drawn(path, 7.5, 4.2, dpi=100) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        pages.draw_curve(axes, minutes, metrics, f"policy, {metrics[-1]['boards']:,} training boards")
        axes.errorbar(
            minutes[-1:], [verdict.mean_imps], [verdict.standard_error], fmt="o", color="black",
            label=f"{verdict.boards:,} unseen boards: {verdict.mean_imps:+.2f} ± {verdict.standard_error:.2f}",
        )  # fmt: skip
        axes.set(xlabel="minutes of training", ylabel=f"IMPs a board against {metrics[-1]['opponent']}")
        axes.legend(loc="lower right")
