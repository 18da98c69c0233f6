"""Boards and matches as people read them at a terminal."""

from __future__ import annotations

import math

from bridge_env import render
from training.cardplay.result import DOWN_MORE, DOWN_ONE, MAKES, Made, PlayedMatch
from training.match.boards import Boards
from training.match.match import MatchResult, TableResult, standard_error

_UNITS = {"imps": "IMPs", "mp": "% matchpoints", "points": "points"}


def board_text(boards: Boards, table: TableResult, row: int) -> str:
    """A board as it went at one table: diagram, auction, contract, double-dummy result."""
    return render.board_text(
        boards.owner[row], int(boards.dealer[row]), int(boards.vulnerability[row]), int(boards.number[row]),
        table.history[row], table.contracts.at(row), int(table.tricks[row]),
    )  # fmt: skip


def match_rows(result: MatchResult) -> list[tuple[str, str]]:
    """The figures of a match: name and value."""
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
    """The result of a match as a small table."""
    return _text(f"{result.a} against {result.b}", match_rows(result))


def played_rows(result: PlayedMatch) -> list[tuple[str, str]]:
    """The figures of the play: name and value."""
    kept, faults = len(result.kept), result.faults()
    rows = [
        ("IMPs per board, cards played", figure(*result.mean_imps())),
        ("at double-dummy tricks", figure(*result.mean_double_dummy())),
    ]
    for side, name in enumerate("AB"):
        over = result.tricks_over(side)
        if len(over):
            error = float(over.std(ddof=1) / math.sqrt(len(over))) if len(over) > 1 else math.nan
            rows.append((f"tricks over double dummy, {name} declares", f"{figure(over.mean(), error)} ({len(over):,})"))
    rows += [(f"{_FATES[m.fate]}, made by A, by B", _made(m)) for m in result.made() if sum(m.contracts)]
    rows += [("boards played", f"{kept:,}" + (f", {len(faults)} not to their end" if faults else "")),
             ("seconds of play", _seconds(result))]  # fmt: skip
    return rows


def played_text(result: PlayedMatch) -> str:
    """The result of a match with its play, beside that at double-dummy tricks."""
    bidding, (play_a, play_b) = result.bidding, result.players
    text = _text(f"{bidding.a} ({play_a}) against {bidding.b} ({play_b})", played_rows(result))
    return "\n".join([text, *(f"  not played: {fault}" for fault in result.faults())])


def _text(head: str, rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join([head, *(f"  {name:<{width}}  {value}" for name, value in rows)])


_FATES = {MAKES: "makes double dummy", DOWN_ONE: "one down double dummy", DOWN_MORE: "more down double dummy"}


def _made(made: Made) -> str:
    """Return how often each side made contracts of a kind, with the standard error of a share."""
    return ", ".join(_share(won, asked) for won, asked in zip(made.made, made.contracts, strict=True))


def _share(won: int, asked: int) -> str:
    if not asked:
        return "none"
    share = won / asked
    return f"{won:,} of {asked:,} ({share:.1%} ± {math.sqrt(share * (1 - share) / asked):.1%})"


def _seconds(result: PlayedMatch) -> str:
    each = f", {result.seconds_a_card:.3f} a card" if result.fresh else ", all boards were kept from before"
    return f"{result.seconds:.1f}{each}"


def figure(mean: float, error: float) -> str:
    """``+0.123 ± 0.045``; the mean alone where the error is not known."""
    return f"{mean:+.3f}" + ("" if math.isnan(error) else f" ± {error:.3f}")
