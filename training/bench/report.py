"""Write the speeds of the envs, matches and the solver as a page and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from training.bench.measures import Rate
from training.runtime.pages import drawn, table


def markdown(rates: Sequence[Rate], machine: str, command: str) -> str:
    """Return the measured rates as a page."""
    cells = ([r.what, *(f"{n:,.1f}" for n in (r.median, r.least, r.most)), f"{r.unit}; {r.remark}"] for r in rates)
    return "\n".join([
        "# How fast", "", f"`{command}`, one run: {machine}.", "Median, least and most of the repetitions.", "",
        "A step of an env: a random legal call drawn and made, 480 int8 features and the mask written, IMPs against",
        "par paid from stored tables, a new deal after the last call; remarks name the differences. In envs without a",
        "remark on the caller all seats are the caller's.", "",
        *table(("", "median", "least", "most", "remarks"), cells), "",
    ])  # fmt: skip


def plot(rates: list[Rate], path: Path) -> None:
    """Draw the steps a second of the envs."""
    names = [rate.what for rate in rates][::-1]
    colours = ["tab:blue" if name.startswith("bridge-env") else "tab:orange" for name in names]
    with drawn(path, 8, 0.36 * len(rates) + 1.2) as axes:
        axes.barh(names, [rate.median for rate in rates][::-1], color=colours)
        axes.set_xscale("log")
        axes.set_xlabel("steps a second (logarithmic)")
