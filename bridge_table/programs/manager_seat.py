"""Sit down at another program's table: one seat, by the table-manager protocol."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from bridge_env.auction import one_auction
from bridge_env.calls import Contract
from bridge_env.play import beats
from bridge_env.render import SEAT_NAMES
from bridge_table.programs import manager_form as form
from bridge_table.programs.answers import Answers
from bridge_table.programs.manager_form import Line, TalkError
from bridge_table.programs.question import Question

_TRICKS = 13


class _StartsAnew(Exception):
    """The manager begins the board again, or another one."""


@dataclass
class Sitter:
    """One of our players at a table manager's table."""

    answers: Answers  # who bids and plays
    seat: int  # 0..3
    name: str  # of the team
    line: Line
    say: Callable[[str], object] = print
    boards: int = 0
    _calls: list[int] = field(default_factory=list)

    def sit(self) -> int:
        """Play until the session ends; return the number of boards.

        Raises:
            TalkError: the manager refuses, is gone, or says what it may not.
        """
        me = SEAT_NAMES[self.seat]
        self.line.say(f'Connecting "{self.name}" as {me} using protocol version {form.VERSION}')
        said = self.line.hear("the seat")
        if not said.lower().startswith(me.lower()) or not said.lower().endswith("seated"):
            raise TalkError(f"{self.line.name} gives no seat: {said[:120]}")
        self._ready("for teams")
        self.say(self.line.hear("the teams"))
        self._ready("to start")
        said = self._next()
        while said.lower() != form.END.lower():
            if said.lower() != form.START.lower():
                raise self.line.wrong(said, f"'{form.START}'")
            try:
                self._board()
                self.boards += 1
                said = self._next()
            except _StartsAnew:
                said = form.START
        return self.boards

    def _next(self) -> str:
        """What comes after a board: how long it took is only told."""
        while (said := self.line.hear(f"'{form.START}'")).lower().startswith("timing"):
            self.say(said)
        return said

    def _ready(self, what: str) -> None:
        self.line.say(f"{SEAT_NAMES[self.seat]} ready {what}")

    def _hear(self, awaited: str) -> str:
        said = self.line.hear(awaited)
        if said.lower() == form.START.lower():
            raise _StartsAnew
        return said

    def _board(self) -> None:
        self._ready("for deal")
        said = self._hear("the board")
        board = form.read_board(said)
        if board is None:
            raise self.line.wrong(said, "a board")
        number, dealer, vulnerability = board
        self._ready("for cards")
        said = self._hear("the cards")
        hand = form.read_hand(said, SEAT_NAMES[self.seat])
        if hand is None:
            raise self.line.wrong(said, f"thirteen cards of {SEAT_NAMES[self.seat]}")
        contract = self._auction(Question(self.seat, hand, dealer, vulnerability))
        self.say(f"board {number}: {contract}")
        if not contract.passed_out:
            self._play(Question(self.seat, hand, dealer, vulnerability, tuple(self._calls)), contract)

    def _auction(self, question: Question) -> Contract:
        """Bid with the others; the calls are kept."""
        calls: list[int] = []
        self._calls = calls
        state = question.dealer, question.vulnerability
        while not (auction := one_auction(calls, *state)).done[0]:
            seat = int(auction.turn[0])
            if seat == self.seat:
                asked = Question(seat, question.hand, *state, tuple(calls))
                calls.append(self.answers.call(asked).call)
                self.line.say(form.call_words(seat, calls[-1]))
                continue
            awaited = f"a call of {SEAT_NAMES[seat]}"
            self._ready(f"for {SEAT_NAMES[seat]}'s bid")
            said = self._hear(awaited)
            heard = form.read_call(said, seat)
            if heard is None or not auction.legal()[0, heard[0]]:
                raise self.line.wrong(said, awaited)
            calls.append(heard[0])
        return auction.contracts().at(0)

    def _play(self, asked: Question, contract: Contract) -> None:
        dummy, leader = contract.declarer ^ 2, (contract.declarer + 1) & 3
        seen: form.Hand | None = None
        played: list[int] = []
        for trick in range(1, _TRICKS + 1):
            best, taker = -1, leader
            for turn in ((leader + i) & 3 for i in range(4)):
                question = Question(
                    self.seat, asked.hand, asked.dealer, asked.vulnerability, asked.calls, seen, tuple(played)
                )
                card = self._card(question, turn, dummy, trick)
                played.append(card)
                if best < 0 or beats(card, best, contract.strain):
                    best, taker = card, turn
                if len(played) == 1 and self.seat != dummy:
                    seen = self._dummy()
            leader = taker

    def _card(self, question: Question, turn: int, dummy: int, trick: int) -> int:
        """The next card: ours, or what another plays."""
        chooses = dummy ^ 2 if turn == dummy else turn
        if chooses == self.seat:
            if len(question.played) % 4 == 0:
                said = self._hear("the word to lead")
                who = said.split(" ", maxsplit=1)[0]
                if not said.lower().endswith("to lead") or (who.lower() != "dummy" and form.seat_of(who) != turn):
                    raise self.line.wrong(said, f"'{SEAT_NAMES[turn]} to lead'")
            card = self.answers.card(question).card
            self.line.say(form.card_words(turn, card))
            return card
        name = "dummy" if turn == dummy == self.seat else SEAT_NAMES[turn]
        self._ready(f"for {name}'s card to trick {trick}")
        said = self._hear(f"a card of {SEAT_NAMES[turn]}")
        heard = form.read_card(said, turn)
        if heard is None or heard in question.played:
            raise self.line.wrong(said, f"a card of {SEAT_NAMES[turn]}")
        return heard

    def _dummy(self) -> form.Hand:
        self._ready("for dummy")
        said = self._hear("dummy's cards")
        seen = form.read_hand(said, "Dummy")
        if seen is None:
            raise self.line.wrong(said, "thirteen cards of dummy")
        return seen


def join(
    answers: Answers, seat: int, name: str, host: str, port: int, patience: float, say: Callable[[str], object] = print
) -> int:
    """Play for ``seat`` at the manager's table until its session ends; return the number of boards.

    Raises:
        TalkError: there is no manager, or the session broke off; joining again goes on where the manager does.
    """
    try:
        connection = socket.create_connection((host, port), timeout=min(patience, 30.0))
    except OSError as error:
        raise TalkError(f"no table manager answers at {host}:{port} ({error})") from None
    line = Line(connection, f"the manager at {host}:{port}", patience)
    try:
        return Sitter(answers, seat, name, line, say).sit()
    finally:
        line.close()
