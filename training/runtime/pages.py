"""Make reports: pages from the templates in ``training/templates``, tables of Markdown, and figures as PNG."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge_env.display import html

if TYPE_CHECKING:
    import jinja2


def render(template: str, **values: object) -> str:
    """Return the text that a template of ``training/templates`` makes of values.

    Values are escaped in HTML. The filter ``suits`` colours suit symbols there; ``cell`` makes a text fit a table of
    Markdown, ``figure`` writes a mean with its error.
    """
    return _templates().get_template(template).render(values)


def source(name: str) -> str:
    """Return the text of a file beside the templates: a style sheet or a script."""
    return (Path(__file__).parents[1] / "templates" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    import jinja2  # 0.1 s, which commands without a page need not wait for
    import markupsafe

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("training"),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "suits": lambda text: markupsafe.Markup(html.words_html(str(text))),
        "cell": cell,
        "figure": figure,
    }
    environment.tests["in_brackets"] = lambda text: text.startswith("(")
    environment.globals["board_style"] = html.style
    return environment


def cell(text: object) -> str:
    """Return a text as a cell of a table of Markdown: one line, without bars."""
    return " ".join(str(text).split()).replace("|", "/")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table in Markdown; the first ``left`` columns are aligned left, the others right."""
    rule = ["---"] * left + ["---:"] * (len(heads) - left)
    return [f"| {' | '.join(map(cell, cells))} |" for cells in (heads, rule, *rows)]


def text_table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table for the terminal; the first ``left`` columns begin at the left, as in ``table``."""
    every = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    forms = [f"{{:{'<' if i < left else '>'}{width}}}" for i, width in enumerate(widths)]
    return ["  ".join(forms).format(*cells).rstrip() for cells in every]


def facts_text(head: str, facts: Iterable[tuple[str, str]]) -> str:
    """Return a title, and names with their values below it, for the terminal."""
    rows = list(facts)
    width = max(len(name) for name, _ in rows)
    return "\n".join([head, *(f"  {name:<{width}}  {value}" for name, value in rows)])


def figure(mean: float, error: float) -> str:
    """Return ``+0.123 ± 0.045``; the mean alone where the error is not known."""
    return f"{mean:+.3f}" + ("" if math.isnan(error) else f" ± {error:.3f}")


@contextlib.contextmanager
def drawn(path: Path, width: float, height: float, dpi: int = 120, grid: tuple[int, int] = (1, 1)) -> Iterator[Any]:
    """Yield the axes of a figure, an array of them for a larger ``grid``; it is written to ``path`` at the end."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state

    figure = Figure(figsize=(width, height), layout="constrained")
    yield figure.subplots(*grid)
    figure.savefig(path, dpi=dpi)


def draw_curves(
    path: Path, curves: Iterable[tuple[str, Sequence[float], Sequence[Mapping[str, Any]]]], xlabel: str, ylabel: str,
    verdict: tuple[str, float, float, float] | None = None,
) -> None:  # fmt: skip
    """Draw learning curves (label, x, rows of metrics) as a PNG: mean IMPs with their error; and the ``verdict`` on
    unseen boards: label, x, mean and standard error.
    """
    with drawn(path, 7.5, 4.2) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        for label, x, points in curves:
            mean, error = (np.array([point[name] for point in points]) for name in ("mean_imps", "standard_error"))
            axes.plot(x, mean, label=label)
            axes.fill_between(x, mean - error, mean + error, alpha=0.25, linewidth=0)
        if verdict is not None:
            label, at, height, width = verdict
            axes.errorbar([at], [height], [width], fmt="o", color="black", label=label)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.legend(loc="lower right")
