"""Played matches as people read them at a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from training.match.board_text import figure, table_text

if TYPE_CHECKING:  # it imports this module to write itself
    from training.cardplay.result import Made, PlayedMatch


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
    text = table_text(f"{bidding.a} ({play_a}) against {bidding.b} ({play_b})", played_rows(result))
    return "\n".join([text, *(f"  not played: {fault}" for fault in result.faults())])


_FATES = {"makes": "makes double dummy", "down-1": "one down double dummy", "down-more": "more down double dummy"}


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
