"""The report of a network that imitates: how often it makes the call that was recorded, on deals held out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Table = Mapping[str, Mapping[str, float]]


def _error(right: float, calls: float) -> float:
    return float((right * (1 - right) / calls) ** 0.5) if calls else float("nan")


def table_text(table: Table) -> str:
    """The table, aligned."""
    width = max(len(name) for name in table)
    lines = [f"{'held out: the recorded call, %':<{width}}            SE    calls"]
    for name, row in table.items():
        right, calls = row["right"], row["calls"]
        lines.append(f"{name:<{width}}  {100 * right:6.2f}  {100 * _error(right, calls):4.2f}  {int(calls):>7,}")
    return "\n".join(lines)


def markdown(told: Mapping[str, Any]) -> str:
    """The page of a fit."""
    table: Table = told["agreement"]
    return "\n".join([
        "# A network that imitates recorded auctions", "",
        f"Made by `{told['command']}`: {told['calls']:,} calls of {told['auctions']:,} auctions, "
        f"{told['seconds'] / 60:.1f} minutes of one core.", "",
        "Deals of the judging split, and one in twenty of the others, are held out. On them the network makes the "
        "recorded call this often:", "",
        "| | % | SE | calls |", "| --- | ---: | ---: | ---: |",
        *(
            f"| {name} | {100 * r['right']:.2f} | {100 * _error(r['right'], r['calls']):.2f} | {int(r['calls']):,} |"
            for name, r in table.items()
        ), "",
        "## Config", "", *(f"- {name}: {value}" for name, value in told["config"].items()), "",
    ])  # fmt: skip
