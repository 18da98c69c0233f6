"""Write boards and matches as text for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bridge_env.display import text
from bridge_env.records.board import Board
from training.evaluation.boards import Boards, standard_error

if TYPE_CHECKING:
    from training.evaluation.duplicate import MatchResult, TableResult

_UNITS = {"imps": "IMPs", "mp": "% matchpoints", "points": "points"}


def board_text(boards: Boards, table: TableResult, row: int) -> str:
    """Return a board as it went at one table: diagram, auction, contract, double-dummy result."""
    return text.board_text(Board(
        boards.owner[row], int(boards.dealer[row]), int(boards.vulnerability[row]), int(boards.number[row]),
        tuple(call for call in table.history[row].tolist() if call >= 0), table.contracts.at(row),
        int(table.tricks[row]),
    ))  # fmt: skip


def match_rows(result: MatchResult) -> list[tuple[str, str]]:
    """Return the figures of a match: name and value."""
    boards = result.boards
    rows = [("IMPs per board", figure(result.mean_imps, result.standard_error))]
    if result.scoring != "imps":
        error = standard_error(result.values, boards.base)
        rows.append((f"{_UNITS[result.scoring]} per board", figure(result.mean, error)))
    facts = result.summary()
    deals = "" if facts["deals"] == len(boards) else f" (images of {facts['deals']:,} deals)"
    rows += [
        ("boards", f"{len(boards):,}{deals}"),
        ("boards from", boards.source),
        ("dealer, vulnerability", facts["dealer_and_vulnerability"]),
        ("seed", str(result.seed)),
        ("seconds", f"{result.seconds:.1f}"),
    ]
    if facts["share_in_training"] > 0:
        rows.append(("open to training", f"{facts['share_in_training']:.0%} of the boards"))
    return rows


def match_text(result: MatchResult) -> str:
    """Return the result of a match as a small table."""
    return table_text(f"{result.a} against {result.b}", match_rows(result))


def table_text(head: str, rows: list[tuple[str, str]]) -> str:
    """Return a title with names and values below it."""
    width = max(len(name) for name, _ in rows)
    return "\n".join([head, *(f"  {name:<{width}}  {value}" for name, value in rows)])


def figure(mean: float, error: float) -> str:
    """Return ``+0.123 ± 0.045``; the mean alone where the error is not known."""
    return f"{mean:+.3f}" + ("" if math.isnan(error) else f" ± {error:.3f}")
