"""Summarize a match that was played card by card: scores, tricks beside double dummy, contracts made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.cards import card_text
from bridge_env.rules.scoring import imps, score
from training.evaluation.boards import nan_as_none
from training.evaluation.duplicate import MatchResult, TableResult
from training.evaluation.report.overview import match_html
from training.runtime.pages import facts_text, figure

TABLES = ("A North-South", "A East-West")


@dataclass(frozen=True)
class PlayedBoard:
    """The play of a board at the two tables."""

    place: int  # among the boards of the match, from 1
    cards: tuple[tuple[int, ...], tuple[int, ...]]  # in the order of play, at each table
    tricks: tuple[int, int]  # declarer's tricks at each table; 0 if passed out


FATES = {
    "makes": "makes double dummy",
    "down-1": "one down double dummy",
    "down-more": "more down double dummy",
}
"""Contracts by their fate double dummy."""


def of_fate(table: TableResult, fate: str) -> NDArray[np.bool_]:
    """Return which contracts of a table make, go down one, or more, double dummy: bool (N,)."""
    chosen: NDArray[np.bool_] = np.clip(table.down, 0, 2) == list(FATES).index(fate)
    return chosen & (table.contracts.declarer >= 0)


def boards_of_fate(bidding: MatchResult, fate: str) -> NDArray[np.int64]:
    """Return the positions of boards on which the contracts of both tables share a fate; of ``all``: every board."""
    if fate == "all":
        return np.arange(len(bidding.boards))
    first, second = bidding.tables
    return np.flatnonzero(of_fate(first, fate) & of_fate(second, fate))


@dataclass(frozen=True)
class PlayedMatch:
    """A match with its play."""

    bidding: MatchResult  # the match at double-dummy tricks
    players: tuple[str, str]  # specs of A's and B's card players
    boards: list[PlayedBoard]
    seconds: float = field(compare=False)  # spent playing

    @cached_property
    def result(self) -> MatchResult:
        """Return the match at the tricks that were taken."""
        tables = []
        for place, table in enumerate(self.bidding.tables):
            tricks = np.array([board.tricks[place] for board in self.boards], np.int8)
            bid, doubling, declarer = table.contracts
            points = score(bid, doubling, declarer, self.bidding.boards.vulnerability, tricks)
            tables.append(replace(table, tricks=tricks, score=points))
        gained = imps(tables[0].score.astype(np.int64) - tables[1].score).astype(np.int64)
        return replace(self.bidding, tables=(tables[0], tables[1]), imps=gained)

    def __str__(self) -> str:
        """Return the result beside that at double-dummy tricks."""
        bidding, (play_a, play_b) = self.bidding, self.players
        return facts_text(f"{bidding.a} ({play_a}) against {bidding.b} ({play_b})", self.figures())

    def figures(self) -> list[tuple[str, str]]:
        """Return the figures of the play: name and value."""
        rows = [
            ("IMPs per board, cards played", figure(self.result.mean_imps, self.result.standard_error)),
            ("at double-dummy tricks", figure(self.bidding.mean_imps, self.bidding.standard_error)),
        ]
        for side, name in enumerate("AB"):
            over = self.tricks_over(side)
            if len(over):
                error = float(over.std(ddof=1) / math.sqrt(len(over))) if len(over) > 1 else math.nan
                mean = f"{figure(over.mean(), error)} ({len(over):,})"
                rows.append((f"tricks over double dummy, {name} declares", mean))
        for fate, words in FATES.items():
            both = self.made(fate)
            if any(contracts for _, contracts in both):
                rows.append((f"{words}, made by A, by B", ", ".join(_share(*counts) for counts in both)))
        return [*rows, ("boards played", f"{len(self.boards):,}"), ("seconds of play", f"{self.seconds:.1f}")]

    def _repr_html_(self) -> str:
        """Draw the result, for notebooks."""
        return match_html(self.bidding, self)

    def tricks_over(self, side: int) -> NDArray[np.int64]:
        """Return declarer's tricks over double dummy, of contracts that A (0) or B (1) declares: int64 (K,)."""
        both = zip(self.result.tables, self.bidding.tables, strict=True)
        over = [(t.tricks - solved.tricks)[_declared(t, place, side)] for place, (t, solved) in enumerate(both)]
        return np.concatenate(over).astype(np.int64)

    def made(self, fate: str) -> list[tuple[int, int]]:
        """Return how many contracts of a fate were made at the table, and how many declared, by A and by B."""
        out = []
        for side in (0, 1):
            made, contracts = 0, 0
            for place, (played, solved) in enumerate(zip(self.result.tables, self.bidding.tables, strict=True)):
                rows = of_fate(solved, fate) & _declared(solved, place, side)
                made += int((played.tricks[rows] >= played.contracts.bid[rows] // 5 + 7).sum())
                contracts += int(rows.sum())
            out.append((made, contracts))
        return out

    def summary(self) -> dict[str, Any]:
        """Return the figures of the play, ready for JSON."""
        over = [self.tricks_over(side) for side in (0, 1)]
        return {
            "play_a": self.players[0], "play_b": self.players[1], "boards_played": len(self.boards),
            "mean_imps": self.result.mean_imps, "standard_error": nan_as_none(self.result.standard_error),
            "double_dummy_mean_imps": self.bidding.mean_imps,
            "double_dummy_standard_error": nan_as_none(self.bidding.standard_error),
            "tricks_over_double_dummy": [float(side.mean()) if len(side) else None for side in over],
            "made": {fate: self.made(fate) for fate in FATES}, "seconds": self.seconds,
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict a board: number, cards and tricks at both tables."""
        return [
            {"board": number, "cards": [" ".join(map(card_text, cards)) for cards in b.cards], "tricks": b.tricks}
            for number, b in zip(self.bidding.boards.number.tolist(), self.boards, strict=True)
        ]


def _declared(table: TableResult, place: int, side: int) -> NDArray[np.bool_]:
    """Return the boards that A (0) or B (1) declares at the first (0) or the second table: bool (N,)."""
    declarer = table.contracts.declarer
    declares: NDArray[np.bool_] = ((declarer & 1) ^ place) == side
    return declares & (declarer >= 0)


def _share(won: int, count: int) -> str:
    """Return the share of contracts made, with its standard error."""
    if not count:
        return "none"
    share = won / count
    return f"{won:,} of {count:,} ({share:.1%} ± {math.sqrt(share * (1 - share) / count):.1%})"
