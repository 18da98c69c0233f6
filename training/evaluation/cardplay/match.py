"""Play matches card by card: after the auctions, players who see one hand play every card at both tables.

``result`` has the IMPs at the tricks taken and at double-dummy tricks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

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
from training.evaluation.boards import Boards, first_deal_hash
from training.evaluation.cardplay.result import TABLES, PlayedBoard, PlayedMatch
from training.evaluation.duplicate import MatchResult, TableResult, spec_name
from training.runtime.processes import map_in_processes
from training.runtime.result_log import ResultLog

_FAST_PART, _SLOW_PART = 500, 2  # boards played together


class CardPlayerError(ValueError):
    """A card player raised an error or played an illegal card; the message names it, the board and the cards."""


@dataclass(frozen=True)
class Teams:
    """The bidders and card players of sides A and B: specs, or players."""

    bidders: tuple[str | None, str | None]  # specs by which calls are read; None: they are not read
    players: tuple[str | CardPlayer, str | CardPlayer]

    def seated(self) -> list[CardPlayer]:
        """Make A's and B's players of the first table, then of the second, which read the seats' bidders.

        Raises:
            SpecError: a spec names no player.
        """
        a, b = self.bidders
        readers = AuctionReader.of_sides(a, b), AuctionReader.of_sides(b, a)
        return [make_player(player, reader) for reader in readers for player in self.players]


def play_boards(
    teams: Teams, boards: Boards, places: Sequence[int], tables: Sequence[TableResult], seed: int
) -> list[PlayedBoard]:
    """Play some boards at both tables, all together.

    Args:
        places: of the boards in the match, from 1.
        tables: the auctions, as a match has them: A North-South, then A East-West.
        seed: of the players; the random stream of a card depends on it and on the numbers of board and card.

    Raises:
        CardPlayerError: a player raised an error or played an illegal card.
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
    """Return a player's cards at some tables, int8 (len(rows),).

    Raises:
        CardPlayerError: it raises an error, or plays a card that is not legal.
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
