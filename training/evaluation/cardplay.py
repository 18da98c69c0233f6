"""Play matches card by card: after the auctions, players who see one hand play every card at both tables.

The result has the IMPs at the tricks taken and at double-dummy tricks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.play_out import play_out
from agents.cardplay.registry import make_player
from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.protocols import CardPlayer
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, Contracts
from bridge_env.rules.cards import SEATS, card_text
from bridge_env.rules.play import Plays
from bridge_env.rules.scoring import imps, score
from training.evaluation.boards import Boards, first_deal_hash, mean_and_error, nan_as_none
from training.evaluation.duplicate import MatchResult, TableResult, spec_name
from training.evaluation.report import match_html
from training.runtime.pages import facts_text, figure
from training.runtime.processes import map_in_processes
from training.runtime.runs import ResultLog

TABLES = ("A North-South", "A East-West")
FATES = {
    "makes": "makes double dummy",
    "down-1": "one down double dummy",
    "down-more": "more down double dummy",
}
"""Contracts by their fate double dummy."""
_FAST_PART, _SLOW_PART = 500, 2  # boards played together


@dataclass(frozen=True)
class PlayedBoard:
    """The play of a board at the two tables."""

    place: int  # among the boards of the match, from 1
    cards: tuple[tuple[int, ...], tuple[int, ...]]  # in the order of play, at each table
    tricks: tuple[int, int]  # declarer's tricks at each table; 0 if passed out


def of_fate(table: TableResult, fate: str) -> NDArray[np.bool_]:
    """Return which contracts of a table make, go down one, or more, double dummy: bool (N,)."""
    down = table.contracts.bid.astype(np.int64) // 5 + 7 - table.tricks  # short of the contract
    chosen: NDArray[np.bool_] = np.clip(down, 0, 2) == list(FATES).index(fate)
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
                mean = f"{figure(*mean_and_error(over))} ({len(over):,})"
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


class CardPlayerError(ValueError):
    """A card player raised an error or played an illegal card; the message names it, the board and the cards."""


@dataclass(frozen=True)
class Teams:
    """The bidders and card players of sides A and B: specs, or players."""

    bidders: tuple[str | None, str | None]  # specs by which calls are read; None: they are not read
    players: tuple[str | CardPlayer, str | CardPlayer]

    def seated(self) -> list[CardPlayer]:
        """Make A's and B's players of the first table, then of the second; raise ``SpecError`` where a spec names no
        player.
        """
        a, b = self.bidders
        readers = AuctionReader.of_sides(a, b), AuctionReader.of_sides(b, a)
        return [make_player(player, reader) for reader in readers for player in self.players]


def play_boards(
    teams: Teams, boards: Boards, places: Sequence[int], tables: Sequence[TableResult], seed: int
) -> list[PlayedBoard]:
    """Play boards, at these ``places`` of the match from 1, at both tables, whose auctions are ``tables``; a card's
    random stream depends on ``seed`` and the numbers of board and card. Raise ``CardPlayerError`` where a player fails.
    """
    n = len(boards)
    contracts = Contracts(*(np.concatenate(parts) for parts in zip(*(t.contracts for t in tables), strict=True)))
    auctions = Auctions.joined([Auctions.replay(t.history, boards.dealer, boards.vulnerability) for t in tables])
    plays = Plays(np.tile(boards.owner, (2, 1)), contracts.declarer, contracts.bid % 5)
    seats = np.repeat([[0, 1, 0, 1], [3, 2, 3, 2]], n, axis=0)
    keys = np.tile(streams.key("play", seed, boards.number), 2)
    ask = partial(_legal_cards, plays, boards)
    play_out(plays, contracts, np.tile(boards.vulnerability, 2), auctions, teams.seated(), seats, keys, ask)
    won = plays.won.tolist()
    return [
        PlayedBoard(place, (plays.cards(i), plays.cards(i + n)), (won[i], won[i + n])) for i, place in enumerate(places)
    ]


def _legal_cards(
    plays: Plays, boards: Boards, player: CardPlayer, view: PlayView, key: NDArray[np.uint64], rows: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Return a player's cards at some tables, int8 (len(rows),); raise ``CardPlayerError`` where it fails, or one is
    illegal.
    """
    name = f"player {type(player).__module__}.{type(player).__qualname__}"
    try:
        cards = np.asarray(player.play(view, key))
    except BidderError:  # a program at a seat, which names itself
        raise
    except Exception as error:
        where = _place(plays, boards, int(rows[0])) if len(rows) == 1 else f"at {len(rows)} tables"
        raise CardPlayerError(f"{where}: {name} raised {type(error).__name__}: {error}") from error
    if cards.shape != rows.shape or cards.dtype.kind not in "iu":
        raise CardPlayerError(f"{name} returned {cards.dtype} {cards.shape} for {len(rows)} cards")
    inside = (cards >= 0) & (cards < 52)
    illegal = np.flatnonzero(~(inside & plays.legal()[rows, np.where(inside, cards, 0)]))
    if illegal.size:
        at = int(illegal[0])
        card = card_text(int(cards[at])) if inside[at] else str(cards[at])
        raise CardPlayerError(f"{_place(plays, boards, int(rows[at]))}: {name} played {card}, which is not legal")
    return cards.astype(np.int8)


def _place(plays: Plays, boards: Boards, row: int) -> str:
    table, board = divmod(row, len(boards))
    seat, text = SEATS[int(plays.turn[row])], plays.text(row) or "no card"
    return f"board {boards.number[board]}, {TABLES[table]}, for {seat} after {text}"


def play_hands(
    bidding: MatchResult,
    teams: Teams,
    *,
    rows: NDArray[np.int64] | None = None,
    log: Path | None = None,
    workers: int = 1,
    progress: Callable[[int], object] = lambda boards: None,
) -> PlayedMatch:
    """Play the boards of a match that has been bid.

    Args:
        rows: positions of the boards to play (default all). The play of a board does not depend on the others.
        log: a file of boards; its boards are not played again, and boards that are played are appended.
        workers: processes; the result does not depend on it.
        progress: called with the number of boards that have just been played, or found in the file.

    Raises:
        SpecError: a spec names no player.
        ResultLogError: the file is of another match, or damaged.
        CardPlayerError: a player raised an error or played an illegal card.
    """
    teams.seated()  # a faulty spec is an error before any work
    began = time.perf_counter()
    names = spec_name(teams.players[0]), spec_name(teams.players[1])
    header = {
        "a": bidding.a, "b": bidding.b, "play_a": names[0], "play_b": names[1], "seed": bidding.seed,
        "first_deal": first_deal_hash(bidding.boards),
    }  # fmt: skip
    card_log = None if log is None else ResultLog(log, header, PlayedBoard)
    rows = np.arange(len(bidding.boards)) if rows is None else rows
    bidding, places = bidding.take(rows), (rows + 1).tolist()
    done = {} if card_log is None else {board.place: board for board in card_log.read()}
    missing = np.array([i for i, place in enumerate(places) if place not in done], np.int64)
    progress(len(places) - len(missing))
    size = _FAST_PART if all(player in ("random", "rule") for player in teams.players) else _SLOW_PART
    parts = [missing[start : start + size] for start in range(0, len(missing), size)]
    jobs = [
        (teams, bidding.boards.take(at), [places[i] for i in at], [t.take(at) for t in bidding.tables], bidding.seed)
        for at in parts
    ]
    for at, played in zip(parts, map_in_processes(play_boards, jobs, workers if len(parts) > 1 else 1), strict=True):
        if card_log is not None:
            card_log.add(played)
        done |= {board.place: board for board in played}
        progress(len(at))
    return PlayedMatch(bidding, names, [done[place] for place in places], time.perf_counter() - began)
