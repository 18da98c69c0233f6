"""Play one seat at another program's table, by the table-manager protocol."""

from __future__ import annotations

import socket
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from bridge_env.display.text import SEAT_NAMES
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import Contract
from bridge_env.rules.play import beats
from bridge_table.http.requests import parse_card
from bridge_table.programs import table_manager as protocol
from bridge_table.programs.answers import Answers
from bridge_table.programs.ben import Question, read_call
from bridge_table.programs.table_manager import Connection, TalkError

_TRICKS = 13


@dataclass
class SeatClient:
    """One of our players at a table manager's table."""

    answers: Answers
    seat: int  # 0..3
    name: str  # of the team
    line: Connection
    boards: int = 0

    def run(self) -> int:
        """Play until the session ends; return the number of boards. Raise ``TalkError`` where the manager does not go
        on.
        """
        me = SEAT_NAMES[self.seat]
        self.line.send(f'Connecting "{self.name}" as {me} using protocol version {protocol.VERSION}')
        text = self.line.receive("the seat")
        if not text.lower().startswith(me.lower()) or not text.lower().endswith("seated"):
            raise TalkError(f"{self.line.name} gives no seat: {text[:120]}")
        self._ready("for teams")
        print(self.line.receive("the teams"))
        self._ready("to start")
        while (text := self.line.receive(f"'{protocol.START}'")).lower() != protocol.END.lower():
            if text.lower() == protocol.START.lower():
                self._board()
                self.boards += 1
            elif not text.lower().startswith("timing"):
                raise self.line.unexpected(text, f"'{protocol.START}'")
        return self.boards

    def _ready(self, what: str) -> None:
        self.line.send(f"{SEAT_NAMES[self.seat]} ready {what}")

    def _board(self) -> None:
        self._ready("for deal")
        number, dealer, vulnerability = self.line.read("a board", protocol.read_board)
        self._ready("for cards")
        hand = self._hand(SEAT_NAMES[self.seat])
        question, contract = self._auction(Question(self.seat, hand, dealer, vulnerability))
        print(f"board {number}: {contract}")
        if not contract.passed_out:
            self._play(question, contract)

    def _auction(self, board: Question) -> tuple[Question, Contract]:
        """Bid with the others; return the board with all calls, and the contract."""
        while not (auction := one_auction(board.calls, board.dealer, board.vulnerability)).done[0]:
            seat = int(auction.turn[0])
            if seat == self.seat:
                call = read_call(self.answers.call(board)["bid"], "bid")
                self.line.send(protocol.call_words(seat, call))
            else:
                self._ready(f"for {SEAT_NAMES[seat]}'s bid")
                call, _ = self.line.read(f"a call of {SEAT_NAMES[seat]}", protocol.read_call, seat, auction.legal()[0])
            board = replace(board, calls=(*board.calls, call))
        return board, auction.contracts().at(0)

    def _play(self, board: Question, contract: Contract) -> None:
        dummy, leader = contract.declarer ^ 2, (contract.declarer + 1) & 3
        seen: protocol.Flags | None = None
        played: list[int] = []
        for trick in range(1, _TRICKS + 1):
            best, taker = -1, leader
            for turn in ((leader + i) & 3 for i in range(4)):
                question = replace(board, dummy=seen, played=tuple(played))
                card = self._card(question, turn, dummy, trick)
                played.append(card)
                if best < 0 or beats(card, best, contract.strain):
                    best, taker = card, turn
                if len(played) == 1 and self.seat != dummy:
                    self._ready("for dummy")
                    seen = self._hand("Dummy")
            leader = taker

    def _card(self, question: Question, turn: int, dummy: int, trick: int) -> int:
        """Return the next card: ours, or that of another player."""
        chooses = dummy ^ 2 if turn == dummy else turn
        if chooses == self.seat:
            if len(question.played) % 4 == 0:
                text = self.line.receive("the word to lead")
                hand = text.split(" ", maxsplit=1)[0]
                if not text.lower().endswith("to lead") or (hand.lower() != "dummy" and protocol.seat_of(hand) != turn):
                    raise self.line.unexpected(text, f"'{SEAT_NAMES[turn]} to lead'")
            card = parse_card(self.answers.card(question)["card"])
            self.line.send(protocol.card_words(turn, card))
            return card
        name = "dummy" if turn == dummy == self.seat else SEAT_NAMES[turn]
        self._ready(f"for {name}'s card to trick {trick}")
        left = ~np.isin(np.arange(52), question.played)
        return self.line.read(f"a card of {SEAT_NAMES[turn]}", protocol.read_card, turn, left)

    def _hand(self, owner: str) -> protocol.Flags:
        return self.line.read(f"thirteen cards of {owner}", protocol.read_hand, owner)


def join(answers: Answers, seat: int, name: str, host: str, port: int, timeout: float) -> int:
    """Play for ``seat`` at the manager's table until its session ends; return the number of boards. Raise ``TalkError``
    where there is no manager, or the session broke off.
    """
    try:
        connection = socket.create_connection((host, port), timeout=min(timeout, 30.0))
    except OSError as error:
        raise TalkError(f"no table manager answers at {host}:{port} ({error})") from None
    line = Connection(connection, f"the manager at {host}:{port}", timeout)
    with closing(line):
        return SeatClient(answers, seat, name, line).run()
