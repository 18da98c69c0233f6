"""Summarize a match that was played card by card: scores, tricks beside double dummy, contracts made, faults."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import card_text
from bridge_env.scoring import imps, score
from training.match.board_text import figure, table_text
from training.match.boards import known, standard_error
from training.match.match import MatchResult, TableResult
from training.match.report.overview import match_html

TABLES = ("A North-South", "A East-West")


@dataclass(frozen=True)
class PlayedBoard:
    """How a board went at the two tables."""

    cards: tuple[tuple[int, ...], tuple[int, ...]]  # the cards in the order of play, at each table
    tricks: tuple[int, int]  # declarer's tricks, at each table; 0 where passed out
    fault: str = ""  # empty, or why the board could not be played to its end


ALL, MAKES, DOWN_ONE, DOWN_MORE = FATES = ("all", "makes", "down-1", "down-more")
"""Contracts by how they go double dummy."""
_FATES = {MAKES: "makes double dummy", DOWN_ONE: "one down double dummy", DOWN_MORE: "more down double dummy"}


def of_fate(table: TableResult, fate: str) -> NDArray[np.bool_]:
    """The boards of a table whose contract makes, goes down one, or more, double dummy: bool (N,)."""
    down = table.down
    chosen: NDArray[np.bool_] = {MAKES: down <= 0, DOWN_ONE: down == 1, DOWN_MORE: down > 1}[fate]
    return chosen & (table.contracts.declarer >= 0)


def boards_of_fate(bidding: MatchResult, fate: str) -> NDArray[np.int64]:
    """The boards, by position, on which the contracts of both tables share a fate; of ALL: every board."""
    if fate == ALL:
        return np.arange(len(bidding.boards))
    first, second = bidding.tables
    return np.flatnonzero(of_fate(first, fate) & of_fate(second, fate))


@dataclass(frozen=True)
class Made:
    """Contracts of one fate double dummy: how many A and B declared, and made at the table."""

    fate: str
    contracts: tuple[int, int]
    made: tuple[int, int]


@dataclass(frozen=True)
class PlayedMatch:
    """A match with its play."""

    bidding: MatchResult  # the match at double-dummy tricks
    players: tuple[str, str]  # the specs of A's and B's players of cards
    boards: list[PlayedBoard]  # every board
    seconds: float = field(compare=False)  # spent playing in this process
    fresh: int = field(compare=False)  # boards that were played in it, the others were kept from before

    def __str__(self) -> str:
        """The result beside that at double-dummy tricks."""
        bidding, (play_a, play_b) = self.bidding, self.players
        text = table_text(f"{bidding.a} ({play_a}) against {bidding.b} ({play_b})", self.figures())
        return "\n".join([text, *(f"  not played: {fault}" for fault in self.faults())])

    def figures(self) -> list[tuple[str, str]]:
        """The figures of the play: name and value."""
        kept, faults = len(self.kept), self.faults()
        rows = [
            ("IMPs per board, cards played", figure(*self.mean_imps())),
            ("at double-dummy tricks", figure(*self.mean_double_dummy())),
        ]
        for side, name in enumerate("AB"):
            over = self.tricks_over(side)
            if len(over):
                error = float(over.std(ddof=1) / math.sqrt(len(over))) if len(over) > 1 else math.nan
                told = f"{figure(over.mean(), error)} ({len(over):,})"
                rows.append((f"tricks over double dummy, {name} declares", told))
        for one in self.made():
            if sum(one.contracts):
                shares = ", ".join(_share(won, asked) for won, asked in zip(one.made, one.contracts, strict=True))
                rows.append((f"{_FATES[one.fate]}, made by A, by B", shares))
        each = f", {self.seconds_a_card:.3f} a card" if self.fresh else ", all boards were kept from before"
        rows += [("boards played", f"{kept:,}" + (f", {len(faults)} not to their end" if faults else "")),
                 ("seconds of play", f"{self.seconds:.1f}{each}")]  # fmt: skip
        return rows

    def _repr_html_(self) -> str:
        """Draw the result, for notebooks."""
        return match_html(self.bidding, self)

    @property
    def seconds_a_card(self) -> float:
        """Of the boards that were played in this process; NaN where there are none."""
        cards = 52 * 2 * self.fresh
        return self.seconds / cards if cards else float("nan")

    @property
    def kept(self) -> NDArray[np.int64]:
        """The boards that were played to their end, by position."""
        return np.array([i for i, board in enumerate(self.boards) if not board.fault], np.int64)

    @property
    def imps(self) -> NDArray[np.int64]:
        """A's IMPs on each of the ``kept`` boards, at the tricks that were taken: int64 (K,)."""
        points = [self._points(table)[self.kept] for table in (0, 1)]
        return imps(points[0] - points[1]).astype(np.int64)

    def mean_imps(self) -> tuple[float, float]:
        """A's average and its standard error."""
        return self._average(self.imps)

    def mean_double_dummy(self) -> tuple[float, float]:
        """The same on the same boards at double-dummy tricks."""
        return self._average(self.bidding.imps[self.kept])

    def tricks_over(self, declarer: int) -> NDArray[np.int64]:
        """Tricks of declarer more than double dummy, where A (0) or B (1) declares: int64 (K,)."""
        over = []
        for table in (0, 1):
            contracts, solved = self.bidding.tables[table].contracts, self.bidding.tables[table].tricks
            for i in self.kept:
                if contracts.declarer[i] >= 0 and (int(contracts.declarer[i]) & 1) ^ table == declarer:
                    over.append(self.boards[i].tricks[table] - int(solved[i]))
        return np.array(over, np.int64)

    def made(self) -> list[Made]:
        """Contracts made at the table, by how they go double dummy."""
        out = []
        for fate in FATES[1:]:
            asked, won = np.zeros(2, np.int64), np.zeros(2, np.int64)
            for table in (0, 1):
                side = self.bidding.tables[table]
                at = self.kept[of_fate(side, fate)[self.kept]]
                declarer = (side.contracts.declarer[at].astype(np.int64) & 1) ^ table
                taken = np.array([self.boards[i].tricks[table] for i in at], np.int64)
                asked += np.bincount(declarer, minlength=2)
                won += np.bincount(declarer[taken >= side.contracts.bid[at] // 5 + 7], minlength=2)
            out.append(Made(fate, (int(asked[0]), int(asked[1])), (int(won[0]), int(won[1]))))
        return out

    def faults(self) -> list[str]:
        """List the faults that stopped boards before their end."""
        numbers = self.bidding.boards.number
        return [f"board {numbers[i]}: {board.fault}" for i, board in enumerate(self.boards) if board.fault]

    def summary(self) -> dict[str, Any]:
        """The numbers of the play, ready for JSON."""
        (mean, error), (solved, solved_error) = self.mean_imps(), self.mean_double_dummy()
        over = [self.tricks_over(side) for side in (0, 1)]
        return {
            "play_a": self.players[0], "play_b": self.players[1], "boards_played": len(self.kept),
            "mean_imps": known(mean), "standard_error": known(error),
            "double_dummy_mean_imps": known(solved), "double_dummy_standard_error": known(solved_error),
            "tricks_over_double_dummy": [float(side.mean()) if len(side) else None for side in over],
            "made": [{"double_dummy": m.fate, "contracts": m.contracts, "made": m.made} for m in self.made()],
            "faults": self.faults(), "seconds": self.seconds, "seconds_a_card": known(self.seconds_a_card),
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """One dict a board."""
        return [board_row(int(n), b) for n, b in zip(self.bidding.boards.number, self.boards, strict=True)]

    def _points(self, table: int) -> NDArray[np.int64]:
        tricks = np.array([board.tricks[table] for board in self.boards])
        contracts = self.bidding.tables[table].contracts
        points = score(contracts.bid, contracts.doubling, contracts.declarer, self.bidding.boards.vulnerability, tricks)
        return points.astype(np.int64)

    def _average(self, values: NDArray[np.int64]) -> tuple[float, float]:
        error = standard_error(values, self.bidding.boards.base[self.kept])
        return float(values.mean()) if len(values) else float("nan"), error


def _share(won: int, asked: int) -> str:
    """How often contracts were made, with the standard error of a share."""
    if not asked:
        return "none"
    share = won / asked
    return f"{won:,} of {asked:,} ({share:.1%} ± {math.sqrt(share * (1 - share) / asked):.1%})"


def board_row(number: int, board: PlayedBoard) -> dict[str, Any]:
    """A board as it is written, ready for JSON."""
    cards = [" ".join(card_text(card) for card in table) for table in board.cards]
    return {"board": number, "cards": cards, "tricks": list(board.tricks), "fault": board.fault}
