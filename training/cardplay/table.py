"""One board at a terminal: bid, then played trick by trick, by players or by the person who takes a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deception.deceptive import Deception, Deceptive, deception_text
from agents.cardplay.explain import thought_text
from agents.cardplay.montecarlo import CardThought, MonteCarlo
from agents.cardplay.options import Options
from agents.cardplay.registry import make_player
from agents.cardplay.whole import play_out
from bridge_env import streams
from bridge_env.auction import Auctions, Contracts
from bridge_env.calls import Contract
from bridge_env.cards import SEATS, card_text, parse_seat
from bridge_env.play import Plays
from bridge_env.play_view import PlayView
from bridge_env.protocols import CardPlayer
from bridge_env.records.board import Board
from bridge_env.records.pbn import write_boards
from bridge_env.records.play_record import record_rows
from bridge_env.render import auction_table, deal_diagram, result_line
from training.cardplay.person import Ask, Person, Say, bid_with_person
from training.match.boards import Boards, library_boards, pbn_boards
from training.match.match import bid_out, seat_teams

_HINT_DEALS = 20


@dataclass(frozen=True)
class Setup:
    """What ``bridge-env play`` was asked for; its options by name."""

    board: int = 1
    seed: int = 1
    deals: str | None = None
    bidder: str = "system:sayc"
    contract: str | None = None
    declarer: str = "montecarlo"
    defence: str = "montecarlo"
    seat: str | None = None
    explain: bool = False
    pbn: str | None = None


@dataclass(frozen=True)
class Thinking:
    """A player who says how each card was found."""

    player: MonteCarlo | Deceptive
    say: Say = print

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        cards, unit = np.empty(len(view), np.int8), self.player.options.score
        thoughts: Sequence[CardThought | Deception] = self.player.think(view, key)
        for row, thought in enumerate(thoughts):
            if isinstance(thought, Deception):
                text = deception_text(thought, view, row, unit)
            else:
                text = thought_text(thought, view, row, unit)
            self.say(f"  {SEATS[int(view.turn[row])]} plays {text}")
            cards[row] = thought.card
        return cards


def play_board(setup: Setup, say: Say = print, ask: Ask = input) -> Board:
    """Play a board as ``setup`` has it, and say how it goes.

    Raises:
        ValueError: there is no such board, contract, seat or player; or the person left.
    """
    boards = _boards(setup)
    seat = None if setup.seat is None else parse_seat(setup.seat)
    auctions, contract = _contract(setup, boards, seat, say, ask)
    if seat is not None and auctions is not None and seat == contract.declarer ^ 2 and not contract.passed_out:
        say(f"{SEATS[seat]} is dummy; the others play")
        seat = None
    dealer, vulnerability = int(boards.dealer[0]), int(boards.vulnerability[0])
    owner = boards.owner[0] if seat is None else np.where(boards.owner[0] == seat, boards.owner[0], 255)
    say(deal_diagram(owner, dealer, vulnerability, int(boards.number[0])))
    if auctions is not None:
        say("\n" + auction_table(auctions.history[0], dealer, vulnerability))
    say(f"\n{result_line(contract)}\n")
    if contract.passed_out:
        return Board(boards.owner[0], dealer, vulnerability, int(boards.number[0]), contract=contract)
    plays = Plays(boards.owner, contract.declarer, contract.strain)
    one = Contracts(*(np.array([n], np.int8) for n in (contract.bid, contract.doubling, contract.declarer)))
    players, seats = _players(setup, contract, seat, say, ask)
    key = streams.key("play", setup.seed, boards.number)
    play_out(plays, one, boards.vulnerability, auctions, players, seats, key, after=_narrator(plays, say))
    tricks = int(plays.won[0])
    say(f"\n{result_line(contract, tricks, vulnerability)}")
    solved = int(boards.tricks_for(one.declarer, one.bid % 5)[0])
    say(f"double dummy: {solved} tricks" + ("" if seat is None else f"\n\n{deal_diagram(boards.owner[0])}"))
    play, leader = record_rows(plays.history[0], plays.players[0])
    board = Board(
        boards.owner[0], dealer, vulnerability, int(boards.number[0]), None if auctions is None else auctions.calls(0),
        contract, tricks, play, leader,
    )  # fmt: skip
    if setup.pbn:
        write_boards(setup.pbn, [board])
    return board


def _boards(setup: Setup) -> Boards:
    if setup.board < 1:
        raise ValueError(f"boards are counted from 1; there is no board {setup.board}")
    if setup.deals is None:
        return library_boards(1, setup.seed, start=setup.board - 1)
    boards = pbn_boards(setup.deals)
    at = np.flatnonzero(boards.number == setup.board)
    if not at.size:
        low, high = int(boards.number.min()), int(boards.number.max())
        raise ValueError(f"{setup.deals}: there is no board {setup.board}; {len(boards)} can be read, {low} to {high}")
    return replace(boards.take(at), problems=())


def _contract(setup: Setup, boards: Boards, seat: int | None, say: Say, ask: Ask) -> tuple[Auctions | None, Contract]:
    if setup.contract is not None:
        return None, Contract.parse(setup.contract)
    if seat is not None:
        auctions = bid_with_person(setup.bidder, boards, setup.seed, seat, say, ask)
        return auctions, auctions.contracts().at(0)
    team, _ = seat_teams(setup.bidder, setup.bidder)
    auctions = bid_out(team, team, boards, setup.seed).take(np.array([0]))
    return auctions, auctions.contracts().at(0)


def _players(
    setup: Setup, contract: Contract, seat: int | None, say: Say, ask: Ask
) -> tuple[list[CardPlayer], NDArray[np.int64]]:
    """Declarer's side, the defence, and the person if there is one; and who of them sits at N E S W: int64 (1, 4)."""
    reader = AuctionReader.of_sides(setup.bidder, setup.bidder) if setup.contract is None else AuctionReader()
    players = [make_player(spec, reader) for spec in (setup.declarer, setup.defence)]
    if setup.explain:
        players = [Thinking(p, say) if isinstance(p, MonteCarlo | Deceptive) else p for p in players]
    seats = (np.arange(4) ^ contract.declarer) & 1
    if seat is not None:
        if seat == contract.declarer ^ 2:
            raise ValueError(f"{SEATS[seat]} is dummy; take {SEATS[contract.declarer]}, a defender's seat, or none")
        players.append(Person(MonteCarlo(reader, Options(deals=_HINT_DEALS)), say, ask))
        seats[seat] = 2
    return players, seats[None].astype(np.int64)


def _narrator(plays: Plays, say: Say) -> Callable[[], object]:
    """Says each trick once it is complete."""

    def tell() -> None:
        length = int(plays.length[0])
        if length and length % 4 == 0:
            cards = " ".join(card_text(int(c)) for c in plays.history[0, length - 4 : length])
            leader, taker = SEATS[int(plays.players[0, length - 4])], SEATS[int(plays.leader[0])]
            say(f"{length // 4:2d}. {leader}: {cards}   {taker} takes it, {int(plays.won[0])} for declarer")

    return tell
