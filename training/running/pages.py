"""What reports are made of: tables and settings as Markdown, and figures as PNG."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Lines of a table; the first ``left`` columns begin at the left, the others end at the right."""
    rule = ["---"] * left + ["---:"] * (len(heads) - left)
    return [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]


def settings(config: Mapping[str, object]) -> list[str]:
    """Lines of the section that lists a run's settings."""
    return ["## Config", "", *(f"- {name}: {value}" for name, value in config.items()), ""]


@contextlib.contextmanager
def drawn(path: Path, width: float, height: float, dpi: int = 120) -> Iterator[Any]:
    """The axes of a figure, which is written to ``path`` at the end."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state

    figure = Figure(figsize=(width, height), layout="constrained")
    yield figure.subplots()
    figure.savefig(path, dpi=dpi)


def draw_curve(axes: Any, x: Sequence[float], points: Sequence[Mapping[str, Any]], label: str) -> None:
    """Draw a learning curve: mean IMPs with their error."""
    mean, error = (np.array([point[name] for point in points]) for name in ("mean_imps", "standard_error"))
    axes.plot(x, mean, label=label)
    axes.fill_between(x, mean - error, mean + error, alpha=0.25, linewidth=0)
