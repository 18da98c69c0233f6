"""Summarize a match that was played card by card: scores, tricks beside double dummy, contracts made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.cards import card_text
from bridge_env.rules.scoring import imps, score
from training.evaluation.board_text import figure, table_text
from training.evaluation.boards import nan_as_none, standard_error
from training.evaluation.duplicate import MatchResult, TableResult
from training.evaluation.report.overview import match_html

TABLES = ("A North-South", "A East-West")


@dataclass(frozen=True)
class PlayedBoard:
    """The play of a board at the two tables."""

    cards: tuple[tuple[int, ...], tuple[int, ...]]  # in the order of play, at each table
    tricks: tuple[int, int]  # declarer's tricks at each table; 0 if passed out

    def card_words(self) -> tuple[str, str]:
        """Return the cards of each table in words, such as ``SA HT``."""
        first, second = (" ".join(card_text(card) for card in table) for table in self.cards)
        return first, second


ALL, MAKES, DOWN_ONE, DOWN_MORE = FATES = ("all", "makes", "down-1", "down-more")
"""Contracts by their fate double dummy."""
_FATES = {MAKES: "makes double dummy", DOWN_ONE: "one down double dummy", DOWN_MORE: "more down double dummy"}


def of_fate(table: TableResult, fate: str) -> NDArray[np.bool_]:
    """Return which contracts of a table make, go down one, or more, double dummy: bool (N,)."""
    down = table.down
    chosen: NDArray[np.bool_] = {MAKES: down <= 0, DOWN_ONE: down == 1, DOWN_MORE: down > 1}[fate]
    return chosen & (table.contracts.declarer >= 0)


def boards_of_fate(bidding: MatchResult, fate: str) -> NDArray[np.int64]:
    """Return the positions of boards on which the contracts of both tables share a fate; of ALL: every board."""
    if fate == ALL:
        return np.arange(len(bidding.boards))
    first, second = bidding.tables
    return np.flatnonzero(of_fate(first, fate) & of_fate(second, fate))


@dataclass(frozen=True)
class Made:
    """The numbers of contracts of one fate double dummy that A and B declared, and made at the table."""

    fate: str
    contracts: tuple[int, int]
    made: tuple[int, int]


@dataclass(frozen=True)
class PlayedMatch:
    """A match with its play."""

    bidding: MatchResult  # the match at double-dummy tricks
    players: tuple[str, str]  # specs of A's and B's card players
    boards: list[PlayedBoard]
    seconds: float = field(compare=False)  # spent playing
    fresh: int = field(compare=False)  # boards that were played now; the others were in the log

    def __str__(self) -> str:
        """Return the result beside that at double-dummy tricks."""
        bidding, (play_a, play_b) = self.bidding, self.players
        return table_text(f"{bidding.a} ({play_a}) against {bidding.b} ({play_b})", self.figures())

    def figures(self) -> list[tuple[str, str]]:
        """Return the figures of the play: name and value."""
        rows = [
            ("IMPs per board, cards played", figure(*self.mean_imps())),
            ("at double-dummy tricks", figure(*self.mean_double_dummy())),
        ]
        for side, name in enumerate("AB"):
            over = self.tricks_over(side)
            if len(over):
                error = float(over.std(ddof=1) / math.sqrt(len(over))) if len(over) > 1 else math.nan
                mean = f"{figure(over.mean(), error)} ({len(over):,})"
                rows.append((f"tricks over double dummy, {name} declares", mean))
        for one in self.made():
            if sum(one.contracts):
                shares = ", ".join(_share(*pair) for pair in zip(one.made, one.contracts, strict=True))
                rows.append((f"{_FATES[one.fate]}, made by A, by B", shares))
        each = f", {self.seconds_a_card:.3f} a card" if self.fresh else ", all boards were in the file"
        rows += [("boards played", f"{len(self.boards):,}"), ("seconds of play", f"{self.seconds:.1f}{each}")]
        return rows

    def _repr_html_(self) -> str:
        """Draw the result, for notebooks."""
        return match_html(self.bidding, self)

    @property
    def seconds_a_card(self) -> float:
        """Return the seconds a card of the boards played in this process; NaN where there are none."""
        cards = 52 * 2 * self.fresh
        return self.seconds / cards if cards else float("nan")

    @property
    def imps(self) -> NDArray[np.int64]:
        """Return A's IMPs on each board at the tricks that were taken: int64 (N,)."""
        return imps(self._points(0) - self._points(1)).astype(np.int64)

    def mean_imps(self) -> tuple[float, float]:
        """Return A's average IMPs and their standard error."""
        return self._average(self.imps)

    def mean_double_dummy(self) -> tuple[float, float]:
        """Return A's average IMPs at double-dummy tricks and their standard error."""
        return self._average(self.bidding.imps)

    def tricks_over(self, declarer: int) -> NDArray[np.int64]:
        """Return declarer's tricks over double dummy, of contracts that A (0) or B (1) declares: int64 (K,)."""
        over = []
        for table in (0, 1):
            contracts, solved = self.bidding.tables[table].contracts, self.bidding.tables[table].tricks
            for i in range(len(self.boards)):
                if contracts.declarer[i] >= 0 and (int(contracts.declarer[i]) & 1) ^ table == declarer:
                    over.append(self.boards[i].tricks[table] - int(solved[i]))
        return np.array(over, np.int64)

    def made(self) -> list[Made]:
        """Return the contracts made at the table, by their fate double dummy."""
        out = []
        for fate in FATES[1:]:
            count, won = np.zeros(2, np.int64), np.zeros(2, np.int64)
            for table in (0, 1):
                side = self.bidding.tables[table]
                at = np.flatnonzero(of_fate(side, fate))
                declarer = (side.contracts.declarer[at].astype(np.int64) & 1) ^ table
                taken = np.array([self.boards[i].tricks[table] for i in at], np.int64)
                count += np.bincount(declarer, minlength=2)
                won += np.bincount(declarer[taken >= side.contracts.bid[at] // 5 + 7], minlength=2)
            out.append(Made(fate, (int(count[0]), int(count[1])), (int(won[0]), int(won[1]))))
        return out

    def summary(self) -> dict[str, Any]:
        """Return the figures of the play, ready for JSON."""
        (mean, error), (solved, solved_error) = self.mean_imps(), self.mean_double_dummy()
        over = [self.tricks_over(side) for side in (0, 1)]
        return {
            "play_a": self.players[0], "play_b": self.players[1], "boards_played": len(self.boards),
            "mean_imps": nan_as_none(mean), "standard_error": nan_as_none(error),
            "double_dummy_mean_imps": nan_as_none(solved), "double_dummy_standard_error": nan_as_none(solved_error),
            "tricks_over_double_dummy": [float(side.mean()) if len(side) else None for side in over],
            "made": [{"double_dummy": m.fate, "contracts": m.contracts, "made": m.made} for m in self.made()],
            "seconds": self.seconds, "seconds_a_card": nan_as_none(self.seconds_a_card),
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict a board: number, cards and tricks at both tables."""
        boards = zip(self.bidding.boards.number, self.boards, strict=True)
        return [{"board": int(n), "cards": b.card_words(), "tricks": b.tricks} for n, b in boards]

    def _points(self, table: int) -> NDArray[np.int64]:
        tricks = np.array([board.tricks[table] for board in self.boards])
        contracts = self.bidding.tables[table].contracts
        points = score(contracts.bid, contracts.doubling, contracts.declarer, self.bidding.boards.vulnerability, tricks)
        return points.astype(np.int64)

    def _average(self, values: NDArray[np.int64]) -> tuple[float, float]:
        error = standard_error(values, self.bidding.boards.base)
        return float(values.mean()) if len(values) else float("nan"), error


def _share(won: int, count: int) -> str:
    """Return the share of contracts made, with its standard error."""
    if not count:
        return "none"
    share = won / count
    return f"{won:,} of {count:,} ({share:.1%} ± {math.sqrt(share * (1 - share) / count):.1%})"
