"""Judge a run: play the evolved pair against its control, at both tables, on boards that training never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.par import par
from bridge_env.rules.scoring import imps
from training.evaluation.boards import standard_error
from training.evaluation.duplicate import MatchResult, match
from training.runtime.pages import draw_curve, drawn, render, settings, table, text_table
from training.runtime.processes import map_in_processes

VERDICT = "verdict.json"  # in the run folder
DUPLICATE = "duplicate"  # how the line of the match against the control pair ends


@dataclass(frozen=True)
class Row:
    """A line of the verdict: the quantity measured, its mean and standard error, in IMPs a board.

    ``opponent`` is the opponent of a gain over the start, empty in other lines.
    """

    what: str
    mean_imps: float
    standard_error: float
    boards: int
    opponent: str = ""


class VerdictFile(TypedDict):
    """The file of a verdict."""

    rows: list[Row]


def verdict(
    evolved: str,
    control: str,
    start: str,
    boards: int,
    seed: int,
    met: Sequence[str] = (),
    unmet: Sequence[str] = (),
    workers: int = 1,
) -> list[Row]:
    """Play the matches of the verdict on judging boards.

    Args:
        evolved, control, start: specs of the evolved pair, of the control pair, and of the system it began with.
        met, unmet: specs of further opponents, those of training and others.
        workers: processes that share the matches; the result does not depend on it.

    Returns:
        What the evolved pair gains abroad, against all of ``unmet`` together; then the evolved pair in both directions,
        the duplicate match against the control pair, and what it gains over the start against each of the others on
        the same boards. Last come two that every system must stand up to, because a league may lack them: ``pass``,
        and ``doubler`` against overbidding.
    """
    # Opponents of training flatter; those that training never met show what carries over.
    others = [them for them in dict.fromkeys([*met, *unmet, "pass", "doubler"]) if f"system:{them}" not in met]
    pairs = [(evolved, control), *((us, them) for them in others for us in (evolved, start))]
    jobs = [(us, them, boards, seed) for us, them in pairs]
    played = list(map_in_processes(match, jobs, workers))
    control_match = played.pop(0)
    rows = [
        *(_direction(control_match, side) for side in (0, 1)),
        Row(f"evolved - {control}, {DUPLICATE}", control_match.mean_imps, control_match.standard_error, boards),
    ]
    abroad: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for opponent, now, then in zip(others, played[::2], played[1::2], strict=True):
        gain = now.minus(then)
        if opponent in unmet:
            abroad.append((now.imps, then.imps))
        what = (
            f"gain against {opponent} ({'trained against' if opponent in met else 'never met'}): "
            f"{now.mean_imps:+.2f} instead of {then.mean_imps:+.2f}"
        )
        rows.append(Row(what, gain.mean_imps, gain.standard_error, boards, opponent))
    return [*_abroad(abroad, control_match), *rows]


def _abroad(results: list[tuple[NDArray[np.int64], NDArray[np.int64]]], match: MatchResult) -> list[Row]:
    """Return the mean gain against all gatekeepers together, the first line of the verdict."""
    if not results:
        return []
    now, then = (np.mean([pair[which] for pair in results], axis=0) for which in (0, 1))
    what = f"abroad, gain against {len(results)} gatekeepers: {now.mean():+.2f} instead of {then.mean():+.2f}"
    return [Row(what, float((now - then).mean()), standard_error(now - then, match.boards.base), len(now), "abroad")]


def _direction(match: MatchResult, side: int) -> Row:
    """Return the result of the evolved pair at one of the two tables, against par."""
    boards = match.boards
    goal = par(boards.tricks, boards.dealer, boards.vulnerability).astype(np.int64)
    sign = 1 - 2 * side
    values = imps(sign * (match.tables[side].score.astype(np.int64) - goal)).astype(np.int64)
    seats = ("North-South", "East-West")[side]
    return Row(f"evolved {seats}, against par", float(values.mean()), standard_error(values, boards.base), len(boards))


def table_text(rows: Sequence[Row]) -> str:
    """Return the verdict as a table for the terminal."""
    head, *lines = text_table(*_table(rows))
    return "\n".join([head, "-" * len(head), *lines])


def rows_table(rows: Sequence[Row]) -> list[str]:
    """Return the verdict as the lines of a Markdown table."""
    return table(*_table(rows))


def _table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    cells = [[row.what, f"{row.mean_imps:+.3f}", f"{row.standard_error:.3f}", f"{row.boards:,}"] for row in rows]
    return ["", "IMPs/board", "SE", "boards"], cells


def markdown(
    rows: Sequence[Row], manifest: Mapping[str, Any], command: str, accepted: Sequence[str], files: Sequence[str],
    diff: str = "",
) -> str:  # fmt: skip
    """Return the report of a run.

    Args:
        accepted: the changes that were accepted, in words.
        files: names of the systems' files.
        diff: the file that lists the system's changes to its root, if there is one.
    """
    return render(
        "evolve.md", table=rows_table(rows), command=command, accepted=accepted, files=files, diff=diff,
        settings=settings(dict(sorted(manifest.get("config", {}).items()))),
    )  # fmt: skip


def plot_curve(metrics: Sequence[Mapping[str, Any]], verdict: Row, path: Path) -> None:
    """Draw the learning curve: the best partnership of each generation, and the verdict on unseen boards."""
    generations = [float(row["generation"]) for row in metrics]
    with drawn(path, 7.5, 4.2) as axes:
        axes.axhline(0, color="0.6", linewidth=0.8)
        draw_curve(axes, generations, metrics, "best partnership, fresh training boards")
        axes.plot(generations, [row["population_mean_imps"] for row in metrics], linestyle="--", label="population")
        axes.errorbar(
            [len(metrics)], [verdict.mean_imps], [verdict.standard_error], fmt="o", color="black",
            label="champion, unseen boards",
        )  # fmt: skip
        axes.set(xlabel="generation", ylabel="IMPs a board against the control pair")
        axes.legend(loc="lower right")
