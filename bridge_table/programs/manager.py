"""Manage tables where bridge programs meet, by the table-manager protocol: a teams match in one room or two.

A room is four connections. The manager deals, passes on what is said, and watches the laws and the clock. Each finished
board goes to a PBN file; started again with it, a match goes on behind the boards that are there.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bridge_env.auction import Auctions
from bridge_env.boards import Boards
from bridge_env.play import Plays
from bridge_env.records.board import Board
from bridge_env.records.pbn import read_boards, write_boards
from bridge_env.render import SEAT_NAMES
from bridge_env.scoring import imps, score
from bridge_table.programs import manager_form as form
from bridge_table.programs.manager_form import Line, TalkError

ROOMS = ("Open", "Closed")
_GREETING = 10.0  # seconds for the first line of a connection: others wait behind it
_TOLD = 500  # letters of an explanation that are passed on: a longer line could be too long for who hears it
_CONNECTING = re.compile(r'Connecting "([^"#][^"]{0,59})" as (\w+) using protocol version (\d+)\.?', re.I)


@dataclass(frozen=True)
class Limits:
    """Seconds: for one answer, and for all four players to sit down."""

    answer: float = 120.0
    seating: float = 600.0


@dataclass
class Table:
    """Four programs that have sat down, N E S W, and the seconds that each side has thought."""

    lines: list[Line]
    teams: tuple[str, str]
    thought: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def tell(self, text: str, but: int = -1) -> None:
        for seat, line in enumerate(self.lines):
            if seat != but:
                line.say(text)

    def ready(self, for_what: str, but: int = -1) -> None:
        """Wait until all, or all but one, are ready for something: what they call it is their affair."""
        for seat, line in enumerate(self.lines):
            if seat != but:
                said = line.hear(f"'{SEAT_NAMES[seat]} ready {for_what}'")
                if not said.lower().startswith(f"{SEAT_NAMES[seat].lower()} ready "):
                    raise line.wrong(said, f"'{SEAT_NAMES[seat]} ready {for_what}'")

    def answer(self, seat: int, awaited: str) -> str:
        """What a seat says on its turn; its side's clock runs."""
        began = time.monotonic()
        said = self.lines[seat].hear(awaited)
        self.thought[seat & 1] += time.monotonic() - began
        return said

    def play(self, boards: Boards, row: int) -> Board:
        """Let them bid and play one board.

        Raises:
            TalkError: one of them is gone, silent, or broke a law.
        """
        owner, number = boards.owner[row], int(boards.number[row])
        dealer, vulnerability = int(boards.dealer[row]), int(boards.vulnerability[row])
        self.tell(form.START)
        self.ready("for deal")
        self.tell(form.board_words(number, dealer, vulnerability))
        self.ready("for cards")
        for seat, line in enumerate(self.lines):
            line.say(form.hand_words(SEAT_NAMES[seat], owner == seat))
        auctions = self._auction(dealer, vulnerability)
        contract = auctions.contracts().at(0)
        plays = Plays(owner[None], max(contract.declarer, 0), max(contract.bid, 0) % 5)
        if not contract.passed_out:
            self._cards(plays, contract.declarer)
        return Board(
            owner, dealer, vulnerability, number, auctions.calls(0), contract,
            None if contract.passed_out else int(plays.won[0]), plays.cards(0) or None,
        )  # fmt: skip

    def _auction(self, dealer: int, vulnerability: int) -> Auctions:
        auctions = Auctions(dealer, vulnerability)
        while not auctions.done[0]:
            seat = int(auctions.turn[0])
            said = self.answer(seat, f"a call of {SEAT_NAMES[seat]}")
            heard = form.read_call(said, seat)
            if heard is None or not auctions.legal()[0, heard[0]]:
                raise self.lines[seat].wrong(said, "a legal call")
            self.ready(f"for {SEAT_NAMES[seat]}'s bid", but=seat)
            for other, line in enumerate(self.lines):
                if other != seat:  # what is told of a call is for opponents
                    line.say(form.call_words(seat, heard[0]) + (heard[1][:_TOLD] if (other ^ seat) & 1 else ""))
            auctions.step(heard[0])
        return auctions

    def _cards(self, plays: Plays, declarer: int) -> None:
        dummy = declarer ^ 2
        while not plays.done[0]:
            number, turn, chooser = int(plays.length[0]), int(plays.turn[0]), int(plays.decider[0])
            hand = f"{SEAT_NAMES[turn]}'s card to trick {number // 4 + 1}"
            if number % 4 == 0:
                self.ready(f"for {hand}", but=chooser)
                self.lines[chooser].say(f"{'Dummy' if turn == dummy else SEAT_NAMES[turn]} to lead")
            said = self.answer(chooser, hand)
            card = form.read_card(said, turn)
            if card is None or not plays.legal()[0, card]:
                raise self.lines[chooser].wrong(said, f"a legal card of {SEAT_NAMES[turn]}")
            if number % 4:
                self.ready(f"for {hand}", but=chooser)
            self.tell(form.card_words(turn, card), but=chooser)
            plays.step(card)
            if number == 0:
                self.ready("for dummy", but=dummy)
                self.tell(form.hand_words("Dummy", plays.owner[0] == dummy), but=dummy)

    def timing(self, before: Sequence[float]) -> str:
        """Say how long each side has thought, since ``before`` and in all."""

        def told(side: int) -> str:
            board, total = int(self.thought[side] - before[side]), int(self.thought[side])
            clock = f"{total // 3600}:{total // 60 % 60:02}:{total % 60:02}"
            return f"this board {board // 60:02}:{board % 60:02}, total {clock}."

        return f"Timing - N/S : {told(0)} E/W : {told(1)}"

    def close(self) -> None:
        for line in self.lines:
            line.close()


def seated(listening: socket.socket, limits: Limits, say: Callable[[str], object]) -> Table:
    """Wait until four programs have sat down. Who asks for what cannot be is told so, and let go.

    Raises:
        TalkError: the table was not full in time; the message names the empty seats.
    """
    lines: dict[int, Line] = {}
    try:
        return _seated(lines, listening, limits, say)
    except BaseException:
        for line in lines.values():
            line.close()
        raise


def _seated(lines: dict[int, Line], listening: socket.socket, limits: Limits, say: Callable[[str], object]) -> Table:
    names: dict[int, str] = {}
    end = time.monotonic() + limits.seating
    while len(lines) < 4:
        left = end - time.monotonic()
        listening.settimeout(max(0.001, left))
        try:
            if left <= 0:  # whoever waits at the door comes too late
                raise TimeoutError
            connection, address = listening.accept()
        except TimeoutError:
            empty = ", ".join(name for seat, name in enumerate(SEAT_NAMES) if seat not in lines)
            raise TalkError(f"nobody sat down at {empty} within {limits.seating:g} seconds") from None
        line = Line(connection, f"{address[0]}:{address[1]}", limits.answer)
        try:
            for seat in [seat for seat, sitting in lines.items() if sitting.gone()]:
                lines.pop(seat).close()
                say(f"{SEAT_NAMES[seat]} ({names.pop(seat)}) has left")
            seat, name = _asked(line, names, min(limits.answer, _GREETING, left))
            line.name = f"{SEAT_NAMES[seat]} ({name})"
            line.say(f'{SEAT_NAMES[seat]} ("{name}") seated')
        except TalkError as error:
            say(str(error))
            line.close()
            continue
        lines[seat], names[seat] = line, name
    table = Table([lines[seat] for seat in range(4)], (names[0], names[1]))
    table.ready("for teams")
    table.tell(f'Teams : N/S : "{names[0]}" E/W : "{names[1]}"')
    table.ready("to start")
    say(f"N/S {names[0]}, E/W {names[1]}")
    return table


def _asked(line: Line, names: dict[int, str], patience: float) -> tuple[int, str]:
    """The seat and the team that a program asks for."""
    said = line.hear("'Connecting \"TEAM\" as SEAT'", patience)
    found = _CONNECTING.fullmatch(said)
    seat = -1 if found is None else form.seat_of(found[2])
    why = ""
    if found is None or seat < 0:
        why = f'Error: say Connecting "TEAM" as SEAT using protocol version {form.VERSION}, TEAM without a # in front'
    elif int(found[3]) != form.VERSION:
        why = f"Error: this is protocol version {form.VERSION}"
    elif seat in names:
        why = f"Error: {SEAT_NAMES[seat]} is taken"
    elif names.get(seat ^ 2, found[1]) != found[1]:
        why = f'Error: the partner is of team "{names[seat ^ 2]}"'
    if found is None or why:
        with suppress(TalkError):
            line.say(why)
        raise TalkError(f"{line.name} was sent away ({why.removeprefix('Error: ')}): {said[:120]}")
    return seat, found[1]


@dataclass
class Meeting:
    """A match: its boards, and what was played, by room and number."""

    boards: Boards
    rooms: int = 2
    log: Path | None = None  # a PBN file of the finished boards; None: they are not kept
    limits: Limits = field(default_factory=Limits)
    say: Callable[[str], object] = print
    played: dict[tuple[str, int], Board] = field(default_factory=dict)
    teams: dict[str, tuple[str, str]] = field(default_factory=dict)  # of North-South and East-West, by room
    faults: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def recall(self) -> None:
        """Take over the boards that the log holds.

        Raises:
            ValueError: it holds other boards.
        """
        if self.log is None or not self.log.is_file():
            return
        at = {int(number): row for row, number in enumerate(self.boards.number)}
        for board in read_boards(self.log).boards:
            row = at.get(board.number or 0)
            if row is None or not self._is_dealt(row, board):
                raise ValueError(f"{self.log} holds board {board.number} of another match; name another --log")
            room = board.tags.get("Room", "")
            if board.contract is not None and room in ROOMS[: self.rooms]:
                self.played[room, board.number or 0] = board
                self.meet(room, (board.tags.get("North", ""), board.tags.get("East", "")))

    def _is_dealt(self, row: int, board: Board) -> bool:
        conditions = int(self.boards.dealer[row]), int(self.boards.vulnerability[row])
        return np.array_equal(self.boards.owner[row], board.owner) and conditions == (board.dealer, board.vulnerability)

    def meet(self, room: str, teams: tuple[str, str]) -> None:
        """Note who sits North-South and East-West in a room.

        Raises:
            ValueError: others have begun this match, or do not sit crosswise in the other room.
        """
        with self._lock:
            other = self.teams.get(ROOMS[1 - ROOMS.index(room)])
            asked = self.teams.get(room) or (None if other is None else (other[1], other[0]))
            if asked is not None and asked != teams:
                raise ValueError(
                    f"{teams[0]!r} sits North-South and {teams[1]!r} East-West; in this match {asked[0]!r} and "
                    f"{asked[1]!r} do: each team sits the other way in the other room"
                )
            self.teams[room] = teams

    def run(self, doors: Sequence[socket.socket]) -> None:
        """Let each room play, side by side; a fault ends its own room, and is told in ``faults``."""
        threads = [threading.Thread(target=self._room, args=(ROOMS[k], door)) for k, door in enumerate(doors)]
        for thread in threads:
            thread.daemon = True
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # so that Ctrl-C is heard

    def _room(self, room: str, door: socket.socket) -> None:
        table = None
        try:
            table = seated(door, self.limits, lambda text: self.say(f"{room}: {text}"))
            self.meet(room, table.teams)
            for row, number in enumerate(self.boards.number.tolist()):
                if (room, number) not in self.played:
                    before = list(table.thought)
                    self._keep(room, table.play(self.boards, row), table.teams)
                    table.tell(table.timing(before))
            table.tell(form.END)
        except Exception as error:  # whatever it is, the match is not whole
            with self._lock:
                self.faults.append(f"{room} room: {error}")
        finally:
            if table is not None:
                table.close()

    def _keep(self, room: str, board: Board, teams: tuple[str, str]) -> None:
        names = {name: teams[seat & 1] for seat, name in enumerate(SEAT_NAMES)}
        tagged = replace(board, tags={**names, "Room": room, "Scoring": "IMP"})
        with self._lock:
            played = {**self.played, (room, board.number or 0): tagged}
            if self.log is not None:
                write_boards(self.log, [played[key] for key in sorted(played, key=lambda k: (k[1], k[0]))])
            self.played = played
        tricks = "" if board.tricks is None else f", {board.tricks} tricks"
        self.say(f"{room}: board {board.number}: {board.contract}{tricks}")

    def gains(self) -> dict[int, int]:
        """The IMPs of the team that sits North-South in the open room, by board, where both rooms have played it."""
        out = {}
        for number in self.boards.number.tolist():
            pair = [self.played.get((room, number)) for room in ROOMS]
            if pair[0] is not None and pair[1] is not None:
                out[number] = int(imps(_points(pair[0]) - _points(pair[1])))
        return out


def _points(board: Board) -> int:
    """What North-South scored."""
    contract = board.contract
    assert contract is not None, "boards of a match were bid"
    if contract.passed_out or board.tricks is None:
        return 0
    return int(score(contract.bid, contract.doubling, contract.declarer, board.vulnerability, board.tricks))
