"""Play one seat at another program's table, by the table-manager protocol."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

from bridge_env.display.text import SEAT_NAMES
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import Contract
from bridge_env.rules.play import beats
from bridge_table.programs import table_manager as protocol
from bridge_table.programs.answers import Answers
from bridge_table.programs.ben import read_call
from bridge_table.programs.question import Question, read_card
from bridge_table.programs.table_manager import Connection, TalkError

_TRICKS = 13


class _BoardRestarted(Exception):
    """The manager has started this board again, or another one."""


@dataclass
class SeatClient:
    """One of our players at a table manager's table."""

    answers: Answers
    seat: int  # 0..3
    name: str  # of the team
    line: Connection
    report: Callable[[str], object] = print
    boards: int = 0

    def run(self) -> int:
        """Play until the session ends; return the number of boards.

        Raises:
            TalkError: the manager refuses, has hung up, or sends an unexpected line.
        """
        me = SEAT_NAMES[self.seat]
        self.line.send(f'Connecting "{self.name}" as {me} using protocol version {protocol.VERSION}')
        text = self.line.receive("the seat")
        if not text.lower().startswith(me.lower()) or not text.lower().endswith("seated"):
            raise TalkError(f"{self.line.name} gives no seat: {text[:120]}")
        self._ready("for teams")
        self.report(self.line.receive("the teams"))
        self._ready("to start")
        text = self._next_board()
        while text.lower() != protocol.END.lower():
            if text.lower() != protocol.START.lower():
                raise self.line.unexpected(text, f"'{protocol.START}'")
            try:
                self._board()
                self.boards += 1
                text = self._next_board()
            except _BoardRestarted:
                text = protocol.START
        return self.boards

    def _next_board(self) -> str:
        """Return the line that follows a board, after any timing."""
        while (text := self.line.receive(f"'{protocol.START}'")).lower().startswith("timing"):
            self.report(text)
        return text

    def _ready(self, what: str) -> None:
        self.line.send(f"{SEAT_NAMES[self.seat]} ready {what}")

    def _receive(self, expected: str) -> str:
        text = self.line.receive(expected)
        if text.lower() == protocol.START.lower():
            raise _BoardRestarted
        return text

    def _board(self) -> None:
        self._ready("for deal")
        text = self._receive("the board")
        board = protocol.read_board(text)
        if board is None:
            raise self.line.unexpected(text, "a board")
        number, dealer, vulnerability = board
        self._ready("for cards")
        text = self._receive("the cards")
        hand = protocol.read_hand(text, SEAT_NAMES[self.seat])
        if hand is None:
            raise self.line.unexpected(text, f"thirteen cards of {SEAT_NAMES[self.seat]}")
        question, contract = self._auction(Question(self.seat, hand, dealer, vulnerability))
        self.report(f"board {number}: {contract}")
        if not contract.passed_out:
            self._play(question, contract)

    def _auction(self, board: Question) -> tuple[Question, Contract]:
        """Bid with the others; return the board with all calls, and the contract."""
        while not (auction := one_auction(board.calls, board.dealer, board.vulnerability)).done[0]:
            seat = int(auction.turn[0])
            if seat == self.seat:
                call = read_call(self.answers.call(board)["bid"], "bid")
                self.line.send(protocol.call_words(seat, call))
                board = replace(board, calls=(*board.calls, call))
                continue
            expected = f"a call of {SEAT_NAMES[seat]}"
            self._ready(f"for {SEAT_NAMES[seat]}'s bid")
            text = self._receive(expected)
            found = protocol.read_call(text, seat)
            if found is None or not auction.legal()[0, found[0]]:
                raise self.line.unexpected(text, expected)
            board = replace(board, calls=(*board.calls, found[0]))
        return board, auction.contracts().at(0)

    def _play(self, board: Question, contract: Contract) -> None:
        dummy, leader = contract.declarer ^ 2, (contract.declarer + 1) & 3
        seen: protocol.Hand | None = None
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
                    seen = self._dummy()
            leader = taker

    def _card(self, question: Question, turn: int, dummy: int, trick: int) -> int:
        """Return the next card: ours, or that of another player."""
        chooses = dummy ^ 2 if turn == dummy else turn
        if chooses == self.seat:
            if len(question.played) % 4 == 0:
                text = self._receive("the word to lead")
                hand = text.split(" ", maxsplit=1)[0]
                if not text.lower().endswith("to lead") or (hand.lower() != "dummy" and protocol.seat_of(hand) != turn):
                    raise self.line.unexpected(text, f"'{SEAT_NAMES[turn]} to lead'")
            card = read_card(self.answers.card(question)["card"])
            self.line.send(protocol.card_words(turn, card))
            return card
        name = "dummy" if turn == dummy == self.seat else SEAT_NAMES[turn]
        self._ready(f"for {name}'s card to trick {trick}")
        text = self._receive(f"a card of {SEAT_NAMES[turn]}")
        found = protocol.read_card(text, turn)
        if found is None or found in question.played:
            raise self.line.unexpected(text, f"a card of {SEAT_NAMES[turn]}")
        return found

    def _dummy(self) -> protocol.Hand:
        self._ready("for dummy")
        text = self._receive("dummy's cards")
        seen = protocol.read_hand(text, "Dummy")
        if seen is None:
            raise self.line.unexpected(text, "thirteen cards of dummy")
        return seen


def join(
    answers: Answers,
    seat: int,
    name: str,
    host: str,
    port: int,
    timeout: float,
    report: Callable[[str], object] = print,
) -> int:
    """Play for ``seat`` at the manager's table until its session ends; return the number of boards.

    Raises:
        TalkError: there is no manager, or the session broke off; joining again goes on where the manager does.
    """
    try:
        connection = socket.create_connection((host, port), timeout=min(timeout, 30.0))
    except OSError as error:
        raise TalkError(f"no table manager answers at {host}:{port} ({error})") from None
    line = Connection(connection, f"the manager at {host}:{port}", timeout)
    try:
        return SeatClient(answers, seat, name, line, report).run()
    finally:
        line.close()
