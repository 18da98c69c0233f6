"""Write the reports of imitation on deals held out, and of PPO on unseen boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training.evaluation.duplicate import match
from training.evaluation.verdict import Row, rows_table
from training.networks.configs import PPOConfig
from training.runtime import runs
from training.runtime.pages import draw_curve, drawn, settings

NEVER_MET = ("pass", "doubler", "system:sayc", "policy:humans", "policy:polish", "policy:wbridge5")
Agreement = Mapping[str, Mapping[str, float]]
"""How often a network makes the recorded call, as ``imitate.agreement`` returns it."""

# --- imitation --------------------------------------------------------------------------------------------


def _cells(row: Mapping[str, float]) -> tuple[str, str, str]:
    """Return per cent of the calls, their standard error, and the number of calls."""
    right, calls = row["right"], row["calls"]
    error = (right * (1 - right) / calls) ** 0.5 if calls else float("nan")
    return f"{100 * right:.2f}", f"{100 * error:.2f}", f"{int(calls):,}"


def agreement_text(found: Agreement) -> str:
    """Return the table for a terminal, a kind of call a row."""
    width = max(len(name) for name in found)
    lines = [f"{'held out: the recorded call, %':<{width}}            SE    calls"]
    for name, row in found.items():
        right, error, calls = _cells(row)
        lines.append(f"{name:<{width}}  {right:>6}  {error:>4}  {calls:>7}")
    return "\n".join(lines)


def imitation_page(content: Mapping[str, Any]) -> str:
    """Return the page of a fit, from what ``report.json`` holds."""
    found: Agreement = content["agreement"]
    return "\n".join([
        "# A network that imitates recorded auctions", "",
        f"Made by `{content['command']}`: {content['calls']:,} calls of {content['auctions']:,} auctions, "
        f"{content['seconds'] / 60:.1f} minutes of one core.", "",
        "Deals of the judging split, and one in twenty of the others, are held out. On them the network makes the "
        "recorded call this often:", "",
        "| | % | SE | calls |", "| --- | ---: | ---: | ---: |",
        *(f"| {name} | {' | '.join(_cells(row))} |" for name, row in found.items()), "",
        *settings(content["config"]),
    ])  # fmt: skip


# --- PPO --------------------------------------------------------------------------------------------------


def judge_ppo(spec: str, config: PPOConfig) -> tuple[list[Row], str]:
    """Play a policy on judging boards, against its control pair first; return the rows and the source of the boards."""
    first = match(spec, config.control, config.judge, config.seed)
    rows = [Row(f"against {config.control}, its control pair", first.mean_imps, first.standard_error, config.judge)]
    for other in NEVER_MET:
        if other not in (config.control, config.opponents):
            result = match(spec, other, first.boards, config.seed)
            rows.append(Row(f"against {other}, never met", result.mean_imps, result.standard_error, config.judge))
    return rows, first.boards.source


def ppo_page(
    spec: str, verdict: tuple[Sequence[Row], str], config: PPOConfig, manifest: Mapping[str, Any],
    last: Mapping[str, Any],
) -> str:  # fmt: skip
    """Return the report of the policy ``spec``; ``last`` is the last point of its curve."""
    rows, source = verdict
    machine, versions = manifest.get("machine", {}), manifest.get("versions", {})
    made_by = runs.command_line("bridge-env train ppo", config)
    return "\n".join([
        "# A policy from scratch, by MaskablePPO", "",
        f"Made by `{made_by}`: {last['steps']:,} calls in {last['seconds'] / 60:.1f} minutes of wall time, "
        f"torch threads: {config.threads}, on a machine of {machine.get('cores')} cores "
        f"(torch {versions.get('torch')}, stable-baselines3 {versions.get('stable-baselines3')}).", "",
        f"Judged on boards that training never saw: {source}; duplicate, dealer and vulnerability by board number. "
        "A system takes a policy's calls for its own.", "",
        *rows_table(rows), "",
        "![learning curve](learning_curve.png)", "",
        f"Any row again: `bridge-env match {spec} {config.control} --boards {config.judge} --seed {config.seed}`", "",
        *settings(asdict(config)),
    ])  # fmt: skip


def ppo_curve(metrics: Sequence[Mapping[str, Any]], verdict: Row, path: Path) -> None:
    """Draw the learning curve as a PNG: training boards by minute, and the verdict on unseen ones."""
    minutes = [row["seconds"] / 60 for row in metrics]
    with drawn(path, 7.5, 4.2, dpi=100) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        draw_curve(axes, minutes, metrics, f"policy, {metrics[-1]['boards']:,} training boards")
        axes.errorbar(
            minutes[-1:], [verdict.mean_imps], [verdict.standard_error], fmt="o", color="black",
            label=f"{verdict.boards:,} unseen boards: {verdict.mean_imps:+.2f} ± {verdict.standard_error:.2f}",
        )  # fmt: skip
        axes.set(xlabel="minutes of training", ylabel=f"IMPs a board against {metrics[-1]['opponent']}")
        axes.legend(loc="lower right")
