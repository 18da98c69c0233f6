"""Judge a run: play the evolved pair against its control, at both tables, on boards that training never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from training.evaluation.boards import standard_error
from training.evaluation.duplicate import match
from training.runtime.pages import table, text_table
from training.runtime.processes import map_in_processes

VERDICT = "verdict.json"  # in the run folder
DUPLICATE = "duplicate"  # how the line of the match against the control pair ends


@dataclass(frozen=True)
class VerdictRow:
    """A row of the verdict: what was measured, mean and standard error in IMPs a board, and the ``opponent`` of a
    gain.
    """

    what: str
    mean_imps: float
    standard_error: float
    boards: int
    opponent: str = ""


class VerdictFile(TypedDict):
    """The file of a verdict."""

    rows: list[VerdictRow]


def verdict(
    evolved: str,
    control: str,
    start: str,
    boards: int,
    seed: int,
    met: Sequence[str] = (),
    unmet: Sequence[str] = (),
    workers: int = 1,
) -> list[VerdictRow]:
    """Play the matches of the verdict on judging boards.

    Args:
        evolved, control, start: specs of the evolved pair, of the control pair, and of the system it began with.
        met, unmet: specs of further opponents, those of training and others.
        workers: processes that share the matches; the result does not depend on it.

    Returns:
        What the evolved pair gains abroad, against all of ``unmet`` together; then the duplicate match against the
        control pair, and what it gains over the start against each of the others on the same boards. Last come two
        that every system must stand up to, because a league may lack them: ``pass``, and ``doubler`` against
        overbidding.
    """
    # Opponents of training flatter; those that training never met show what carries over.
    others = [them for them in dict.fromkeys([*met, *unmet, "pass", "doubler"]) if f"system:{them}" not in met]
    pairs = [(evolved, control), *((us, them) for them in others for us in (evolved, start))]
    jobs = [(us, them, boards, seed) for us, them in pairs]
    played = list(map_in_processes(match, jobs, workers))
    control_match = played.pop(0)
    rows = [
        VerdictRow(f"evolved - {control}, {DUPLICATE}", control_match.mean_imps, control_match.standard_error, boards)
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
        rows.append(VerdictRow(what, gain.mean_imps, gain.standard_error, boards, opponent))
    if abroad:
        mean_now, mean_then = (np.mean([pair[which] for pair in abroad], axis=0) for which in (0, 1))
        gains, count = mean_now - mean_then, len(abroad)
        what = f"abroad, gain against {count} gatekeepers: {mean_now.mean():+.2f} instead of {mean_then.mean():+.2f}"
        error = standard_error(gains, control_match.boards.base)
        rows.insert(0, VerdictRow(what, float(gains.mean()), error, len(gains), "abroad"))
    return rows


def table_text(rows: Sequence[VerdictRow]) -> str:
    """Return the verdict as a table for the terminal."""
    head, *lines = text_table(*_table(rows))
    return "\n".join([head, "-" * len(head), *lines])


def rows_table(rows: Sequence[VerdictRow]) -> list[str]:
    """Return the verdict as the lines of a Markdown table."""
    return table(*_table(rows))


def _table(rows: Sequence[VerdictRow]) -> tuple[list[str], list[list[str]]]:
    cells = [[row.what, f"{row.mean_imps:+.3f}", f"{row.standard_error:.3f}", f"{row.boards:,}"] for row in rows]
    return ["", "IMPs/board", "SE", "boards"], cells
