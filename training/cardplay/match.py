"""Play matches card by card: after the auctions, players who see one hand play every card at both tables.

The result stands beside that at double-dummy tricks (``result``). Boards are played in parts; with a file to
keep them in, the same command goes on where it was interrupted.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.registry import make_player
from agents.cardplay.whole import play_out
from bridge_env import streams
from bridge_env.auction import Auctions, Contracts
from bridge_env.cards import SEATS
from bridge_env.faults import BidderUnreachable
from bridge_env.play import Plays
from bridge_env.protocols import CardPlayer
from training.cardplay.guard import SECONDS_A_CARD, Guard
from training.cardplay.kept import KeptBoards
from training.cardplay.result import TABLES, PlayedBoard, PlayedMatch
from training.match.boards import Boards
from training.match.match import MatchResult, TableResult
from training.running.processes import in_processes

_QUICK_PART, _THINKING_PART = 500, 2  # boards played at a time


@dataclass(frozen=True)
class Teams:
    """The bidders and card players of sides A and B: specs, or players."""

    bidders: tuple[str | None, str | None]  # whose calls are read; None where nothing is known of them
    players: tuple[str | CardPlayer, str | CardPlayer]  # who plays the cards

    @property
    def alike(self) -> bool:
        """Return whether both sides appear to bid and play alike."""
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
        seed: random seed of the players; a card's stream depends on it and on the numbers of board and card.
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
            f"{TABLES[k]}: {guard.faults[row]}{_place(plays, row)}" for k, row in enumerate(rows) if row in guard.faults
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
    rows: NDArray[np.int64] | None = None,
    keep: Path | None = None,
    seconds: float = SECONDS_A_CARD,
    workers: int = 1,
    progress: Callable[[int], object] = lambda boards: None,
    tell: Callable[[str], object] = lambda text: None,
) -> PlayedMatch:
    """Play the boards of a match that has been bid.

    Args:
        rows: which of them, by position; default: all. How a board goes does not depend on the others.
        keep: a file in which every board is kept as soon as it is played; boards that are in it already are not
            played again, but those that were not played to their end. A line that is damaged is told and played again.
        seconds: what a player may take for a card.
        workers: processes; the result does not depend on it, as long as no player thinks by the clock.
        progress: called with the number of boards that have just been played (or found in the file).
        tell: called with a line of text where something of the file is left out.

    Raises:
        SpecError: a spec of a player that names none.
        KeptError: the file is of another match, or is none.
        BidderUnreachable: a program at a seat is not there; ``done`` is the result on the boards before, or None.
    """
    teams.seated()  # a faulty spec is told at once
    began = time.perf_counter()
    kept = KeptBoards(keep, _header(bidding, teams), bidding) if keep is not None else None
    if rows is not None:
        bidding = bidding.take(rows)
    n = len(bidding.boards)
    done = {number: board for number, board in kept.read(tell).items() if not board.fault} if kept else {}
    number = bidding.boards.number
    missing = np.array([i for i in range(n) if int(number[i]) not in done], np.int64)
    progress(n - len(missing))
    size = _QUICK_PART if all(player in ("random", "rule") for player in teams.players) else _THINKING_PART
    parts = [missing[start : start + size] for start in range(0, len(missing), size)]
    work = [
        (teams, bidding.boards.take(at), [table.take(at) for table in bidding.tables], bidding.seed, seconds)
        for at in parts
    ]
    several = workers > 1 and len(parts) > 1
    found = in_processes(play_boards, work, workers) if several else (play_boards(*part) for part in work)
    names = (player_name(teams.players[0]), player_name(teams.players[1]))

    def result() -> PlayedMatch:
        rows = np.array([i for i in range(n) if int(number[i]) in done], np.int64)
        boards = [done[int(number[i])] for i in rows]
        return PlayedMatch(bidding.take(rows), names, boards, time.perf_counter() - began, len(missing))

    try:
        for at, played in zip(parts, found, strict=True):
            new = {int(number[i]): board for i, board in zip(at, played, strict=True)}
            if kept:
                kept.add(new)
            done |= new
            progress(len(at))
    except BidderUnreachable as fault:
        fault.done = result() if done else None  # type: ignore[attr-defined]
        raise
    return result()


def player_name(player: str | CardPlayer) -> str:
    """Return what to call a player in reports."""
    return player if isinstance(player, str) else type(player).__name__


def _header(bidding: MatchResult, teams: Teams) -> dict[str, Any]:
    """Return what a file's boards depend on: all but how many there are."""
    first = hashlib.sha256(bidding.boards.owner[0].tobytes() + bidding.boards.number[:1].tobytes()).hexdigest()
    return {
        "a": bidding.a, "b": bidding.b, "play_a": player_name(teams.players[0]),
        "play_b": player_name(teams.players[1]), "seed": bidding.seed, "first_deal": first[:16],
    }  # fmt: skip
