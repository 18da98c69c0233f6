"""The verdict on a PPO run, on boards that training never saw, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training.match.judge import Row
from training.match.match import play
from training.networks.configs import PPOConfig
from training.running import runs
from training.running.pages import draw_curve, drawn

NEVER_MET = ("pass", "doubler", "system:sayc", "policy:humans", "policy:polish", "policy:wbridge5")


def judge(spec: str, config: PPOConfig) -> tuple[list[Row], str]:
    """Matches of a policy on judging boards, against its control pair first, then others; and what boards."""
    first = play(spec, config.control, config.judge, config.seed)
    rows = [Row(f"against {config.control}, its control pair", first.mean_imps, first.standard_error, config.judge)]
    for other in NEVER_MET:
        if other not in (config.control, config.opponents):
            match = play(spec, other, first.boards, config.seed)
            rows.append(Row(f"against {other}, never met", match.mean_imps, match.standard_error, config.judge))
    return rows, first.boards.source


def markdown(
    spec: str, verdict: tuple[Sequence[Row], str], config: PPOConfig, manifest: Mapping[str, Any],
    last: Mapping[str, Any],
) -> str:  # fmt: skip
    """The report of the policy ``spec``; ``last`` is the last point of its curve."""
    rows, source = verdict
    machine, versions = manifest.get("machine", {}), manifest.get("versions", {})
    made_by = runs.command_line("bridge-env train ppo", config)
    lines = [
        "# A policy from scratch, by MaskablePPO", "",
        f"Made by `{made_by}`: {last['steps']:,} calls in {last['seconds'] / 60:.1f} minutes of wall time, "
        f"torch threads: {config.threads}, on a machine of {machine.get('cores')} cores "
        f"(torch {versions.get('torch')}, stable-baselines3 {versions.get('stable-baselines3')}).", "",
        f"Judged on boards that training never saw: {source}; duplicate, dealer and vulnerability by board number. "
        "A system takes a policy's calls for its own.", "",
        "| | IMPs/board | SE | boards |", "| --- | ---: | ---: | ---: |",
        *(f"| {r.what} | {r.mean:+.3f} | {r.error:.3f} | {r.boards:,} |" for r in rows), "",
        "![learning curve](learning_curve.png)", "",
        f"Any row again: `bridge-env match {spec} {config.control} --boards {config.judge} --seed {config.seed}`", "",
        "## Config", "", *(f"- {name}: {value}" for name, value in asdict(config).items()), "",
    ]  # fmt: skip
    return "\n".join(lines)


def plot_curve(metrics: Sequence[Mapping[str, Any]], verdict: Row, path: Path) -> None:
    """The learning curve as a PNG: training boards by minute, and the verdict on unseen ones."""
    minutes = [row["seconds"] / 60 for row in metrics]
    with drawn(path, 7.5, 4.2, dpi=100) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        draw_curve(axes, minutes, metrics, f"policy, {metrics[-1]['boards']:,} training boards")
        axes.errorbar(
            minutes[-1:], [verdict.mean], [verdict.error], fmt="o", color="black",
            label=f"{verdict.boards:,} unseen boards: {verdict.mean:+.2f} ± {verdict.error:.2f}",
        )  # fmt: skip
        axes.set(xlabel="minutes of training", ylabel=f"IMPs a board against {metrics[-1]['opponent']}")
        axes.legend(loc="lower right")
