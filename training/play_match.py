"""Matches whose hands are really played: after the auctions every card, at both tables, by players who see one hand.

The result stands beside that at double-dummy tricks. Boards are played in parts; with a file to keep them in, the same
command goes on where it was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.registry import make_player
from agents.cardplay.whole import play_out
from bridge_env import streams
from bridge_env.auction import Auctions, Contracts
from bridge_env.cards import RANKS, SEATS, SUITS, card_text
from bridge_env.play import Plays
from bridge_env.protocols import CardPlayer
from bridge_env.scoring import imps, score
from training.boards import Boards
from training.card_guard import SECONDS_A_CARD, Guard
from training.match import MatchResult, TableResult, standard_error

_QUICK_PART, _THINKING_PART = 500, 2  # boards played at a time
_TABLES = ("A North-South", "A East-West")


@dataclass(frozen=True)
class PlayedBoard:
    """How a board went at the two tables.

    Attributes:
        cards: the cards in the order of play, at each table.
        tricks: declarer's tricks, at each table; 0 where passed out.
        fault: empty, or why the board could not be played to its end.
    """

    cards: tuple[tuple[int, ...], tuple[int, ...]]
    tricks: tuple[int, int]
    fault: str = ""


@dataclass(frozen=True)
class PlayedMatch:
    """A match with its play.

    Attributes:
        bidding: the match at double-dummy tricks.
        players: the specs of A's and B's players of cards.
        boards: every board.
        seconds: spent playing in this process.
        fresh: boards that were played in it, the others were kept from before.
    """

    bidding: MatchResult
    players: tuple[str, str]
    boards: list[PlayedBoard]
    seconds: float = field(compare=False)
    fresh: int = field(compare=False)

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
        values = self.imps
        return float(values.mean()) if len(values) else float("nan"), standard_error(values, self._base())

    def mean_double_dummy(self) -> tuple[float, float]:
        """The same on the same boards at double-dummy tricks."""
        values = self.bidding.imps[self.kept]
        return float(values.mean()) if len(values) else float("nan"), standard_error(values, self._base())

    def tricks_over(self, declarer: int) -> NDArray[np.int64]:
        """Tricks of declarer more than double dummy, where A (0) or B (1) declares: int64 (K,)."""
        over = []
        for table in (0, 1):
            contracts, solved = self.bidding.tables[table].contracts, self.bidding.tables[table].tricks
            for i in self.kept:
                if contracts.declarer[i] >= 0 and (int(contracts.declarer[i]) & 1) ^ table == declarer:
                    over.append(self.boards[i].tricks[table] - int(solved[i]))
        return np.array(over, np.int64)

    def faults(self) -> list[str]:
        """What kept boards from being played to their end."""
        numbers = self.bidding.boards.number
        return [f"board {numbers[i]}: {board.fault}" for i, board in enumerate(self.boards) if board.fault]

    def summary(self) -> dict[str, Any]:
        """The numbers of the play, ready for JSON."""
        (mean, error), (solved, solved_error) = self.mean_imps(), self.mean_double_dummy()
        return {
            "play_a": self.players[0], "play_b": self.players[1], "boards_played": len(self.kept),
            "mean_imps": _known(mean), "standard_error": _known(error),
            "double_dummy_mean_imps": _known(solved), "double_dummy_standard_error": _known(solved_error),
            "tricks_over_double_dummy": [_mean(self.tricks_over(side)) for side in (0, 1)],
            "faults": self.faults(), "seconds": self.seconds, "seconds_a_card": _known(self.seconds_a_card),
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """One dict a board."""
        return [_kept_row(int(n), b) for n, b in zip(self.bidding.boards.number, self.boards, strict=True)]

    def _points(self, table: int) -> NDArray[np.int64]:
        tricks = np.array([board.tricks[table] for board in self.boards])
        contracts = self.bidding.tables[table].contracts
        points = score(contracts.bid, contracts.doubling, contracts.declarer, self.bidding.boards.vulnerability, tricks)
        return points.astype(np.int64)

    def _base(self) -> NDArray[np.int64]:
        return self.bidding.boards.base[self.kept]


def _known(number: float) -> float | None:
    return None if np.isnan(number) else number


def _mean(values: NDArray[np.int64]) -> float | None:
    return float(values.mean()) if len(values) else None


# --- playing --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Teams:
    """Who bids and who plays the cards, A and B: specs, or players.

    Attributes:
        bidders: whose calls are read; None where nothing is known of them.
        players: who plays the cards.
    """

    bidders: tuple[str | None, str | None]
    players: tuple[str | CardPlayer, str | CardPlayer]

    @property
    def alike(self) -> bool:
        """Do both sides bid and play alike, for all one knows?"""
        (bids_a, bids_b), (plays_a, plays_b) = self.bidders, self.players
        return bids_a == bids_b and isinstance(plays_a, str) and plays_a == plays_b

    def seated(self) -> list[CardPlayer]:
        """A and B at the first table, then at the second, each told who bids in which seat.

        Raises:
            SpecError: a spec of a player that names none.
        """
        a, b = self.bidders
        readers = AuctionReader.of_sides(a, b), AuctionReader.of_sides(b, a)
        return [make_player(player, reader) for reader in readers for player in self.players]


def play_boards(
    teams: Teams, boards: Boards, tables: Sequence[TableResult], seed: int, seconds: float = SECONDS_A_CARD
) -> list[PlayedBoard]:
    """Play some boards at both tables, all side by side. What goes wrong costs its own board.

    Args:
        tables: the auctions, as a match has them: A North-South, then A East-West.
        seed: of the players' chance; a card's stream hangs on it, the board's number and the card's, not on the table.
        seconds: what a player may take for a card.
    """
    n = len(boards)
    if teams.alike and np.array_equal(tables[0].history, tables[1].history):
        tables = tables[:1]  # the same players with the same chance: the other table would see the same cards
    count = len(tables)
    contracts = Contracts(*(np.concatenate(parts) for parts in zip(*(t.contracts for t in tables), strict=True)))
    vulnerability = np.tile(boards.vulnerability, count)
    auctions = Auctions.joined([Auctions.replay(t.history, boards.dealer, boards.vulnerability) for t in tables])
    plays = Plays(np.tile(boards.owner, (count, 1)), contracts.declarer, contracts.bid % 5)
    second = np.repeat(np.arange(count), n)[:, None]
    seats = ((np.arange(4)[None] & 1) ^ second) + 2 * second
    keys = np.tile(streams.key("play", seed, boards.number), count)
    guard = Guard(seconds)
    play_out(plays, contracts, vulnerability, auctions, teams.seated(), seats, keys, guard)
    out = []
    for i in range(n):
        rows = [i + k * n for k in range(count)]
        told = [
            f"{_TABLES[k]}: {guard.faults[row]}{_place(plays, row)}"
            for k, row in enumerate(rows)
            if row in guard.faults
        ]
        first, last = rows[0], rows[-1]
        cards, tricks = (plays.cards(first), plays.cards(last)), (int(plays.won[first]), int(plays.won[last]))
        out.append(PlayedBoard(cards, tricks, "; ".join(told)))
    return out


def _place(plays: Plays, row: int) -> str:
    return f" (for {SEATS[int(plays.turn[row])]}, after {plays.text(row) or 'no card'})"


def play_match(
    bidding: MatchResult,
    teams: Teams,
    *,
    keep: Path | None = None,
    seconds: float = SECONDS_A_CARD,
    progress: Callable[[int], object] = lambda boards: None,
) -> PlayedMatch:
    """Play all boards of a match that has been bid.

    Args:
        keep: a file in which every board is kept as soon as it is played; boards that are in it already are not
            played again.
        seconds: what a player may take for a card.
        progress: called with the number of boards that have just been played (or found in the file).

    Raises:
        SpecError: a spec of a player that names none.
        ValueError: the file is of another match.
    """
    teams.seated()  # a faulty spec is told at once
    began = time.perf_counter()
    n = len(bidding.boards)
    kept = _Kept(keep, _header(bidding, teams)) if keep is not None else None
    done: dict[int, PlayedBoard] = dict(kept.read()) if kept else {}
    number = bidding.boards.number
    missing = np.array([i for i in range(n) if int(number[i]) not in done], np.int64)
    progress(n - len(missing))
    size = _QUICK_PART if all(player in ("random", "rule") for player in teams.players) else _THINKING_PART
    for start in range(0, len(missing), size):
        rows = missing[start : start + size]
        tables = [_table_rows(table, rows) for table in bidding.tables]
        played = play_boards(teams, bidding.boards.take(rows), tables, bidding.seed, seconds)
        new = {int(number[i]): board for i, board in zip(rows, played, strict=True)}
        if kept:
            kept.add(new)
        done |= new
        progress(len(rows))
    names = (player_name(teams.players[0]), player_name(teams.players[1]))
    return PlayedMatch(bidding, names, [done[int(i)] for i in number], time.perf_counter() - began, len(missing))


def player_name(player: str | CardPlayer) -> str:
    """What to call a player in reports."""
    return player if isinstance(player, str) else type(player).__name__


def _table_rows(table: TableResult, rows: NDArray[np.int64]) -> TableResult:
    contracts = Contracts(*(part[rows] for part in table.contracts))
    return TableResult(table.history[rows], contracts, table.tricks[rows], table.score[rows])


# --- keeping --------------------------------------------------------------------------------------------


def _header(bidding: MatchResult, teams: Teams) -> dict[str, Any]:
    """What a file's boards hang on: all but how many there are."""
    first = hashlib.sha256(bidding.boards.owner[0].tobytes() + bidding.boards.number[:1].tobytes()).hexdigest()
    return {
        "a": bidding.a, "b": bidding.b, "play_a": player_name(teams.players[0]),
        "play_b": player_name(teams.players[1]), "seed": bidding.seed, "first_deal": first[:16],
    }  # fmt: skip


def _kept_row(number: int, board: PlayedBoard) -> dict[str, Any]:
    cards = [" ".join(card_text(card) for card in table) for table in board.cards]
    return {"board": number, "cards": cards, "tricks": list(board.tricks), "fault": board.fault}


class _Kept:
    """A file of lines of JSON: the match, then a line for every board."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path, self.header = path, header

    def read(self) -> Iterator[tuple[int, PlayedBoard]]:
        """The boards that are in the file; makes it where there is none."""
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True) if self.path.exists() else []
        if lines and not lines[-1].endswith("\n"):  # a line that was being written when the run was killed
            self.path.write_text("".join(lines[:-1]), encoding="utf-8")
            lines = lines[:-1]
        if not lines:
            self.path.write_text(json.dumps(self.header) + "\n", encoding="utf-8")
            return
        found = json.loads(lines[0])
        if found != self.header:
            what = next(name for name in self.header if found.get(name) != self.header[name])
            raise ValueError(
                f"{self.path} holds another match: its {what} is {found.get(what)!r}, not {self.header[what]!r}"
            )
        for line in lines[1:]:
            row = json.loads(line)
            cards = [tuple(_card_number(word) for word in text.split()) for text in row["cards"]]
            first, second = row["tricks"]
            yield int(row["board"]), PlayedBoard((cards[0], cards[1]), (first, second), row["fault"])

    def add(self, boards: dict[int, PlayedBoard]) -> None:
        """Append some boards."""
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(_kept_row(number, board)) + "\n" for number, board in boards.items())


def _card_number(word: str) -> int:
    return 13 * SUITS.index(word[0]) + RANKS.index(word[1])
