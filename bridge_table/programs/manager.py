"""Manage tables of bridge programs, by the table-manager protocol: a teams match in one room or two.

A room is four connections. The manager deals, passes on calls and cards, and checks the laws and the clock. Each
finished board goes to a PBN file; started again with that file, a match continues after its boards.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bridge_env.display.text import SEAT_NAMES
from bridge_env.double_dummy.boards import Boards
from bridge_env.records.board import Board
from bridge_env.records.pbn import read_boards, write_boards
from bridge_env.rules.auction import Auctions
from bridge_env.rules.play import Plays
from bridge_env.rules.scoring import imps, score
from bridge_table.programs import table_manager as protocol
from bridge_table.programs.table_manager import Connection, TalkError

_Read = TypeVar("_Read")
ROOMS = ("Open", "Closed")
_GREETING = 10.0  # seconds for the first line of a connection: others wait behind it
_MAX_EXPLANATION = 500  # letters that are passed on: a longer line could be too long for its receiver
_CONNECTING = re.compile(
    rf'Connecting "([^"#][^"]{{0,59}})" as (\w+) using protocol version {protocol.VERSION}\.?', re.I
)


@dataclass
class ManagedTable:
    """Four programs in their seats, N E S W, and the seconds that each side has used."""

    lines: list[Connection]
    teams: tuple[str, str]
    thought: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def send(self, text: str, but: int = -1) -> None:
        for seat, line in enumerate(self.lines):
            if seat != but:
                line.send(text)

    def ready(self, step: str, but: int = -1) -> None:
        """Wait until all, or all but one, are ready for something; their words for it are not checked."""
        for seat, line in enumerate(self.lines):
            if seat != but:
                text = line.receive(f"'{SEAT_NAMES[seat]} ready {step}'")
                if not text.lower().startswith(f"{SEAT_NAMES[seat].lower()} ready "):
                    raise line.unexpected(text, f"'{SEAT_NAMES[seat]} ready {step}'")

    def answer(self, seat: int, expected: str, read: Callable[..., _Read | None], *args: Any) -> _Read:
        """Return what a seat says on its turn, as ``Connection.read`` does; its side's clock runs."""
        began = time.monotonic()
        found = self.lines[seat].read(expected, read, *args)
        self.thought[seat & 1] += time.monotonic() - began
        return found

    def play(self, boards: Boards, row: int) -> Board:
        """Let them bid and play one board; raise ``TalkError`` where one has hung up, is silent, or broke a law."""
        owner, number = boards.owner[row], int(boards.number[row])
        dealer, vulnerability = int(boards.dealer[row]), int(boards.vulnerability[row])
        self.send(protocol.START)
        self.ready("for deal")
        self.send(protocol.board_words(number, dealer, vulnerability))
        self.ready("for cards")
        for seat, line in enumerate(self.lines):
            line.send(protocol.hand_words(SEAT_NAMES[seat], owner == seat))
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
            call, explanation = self.answer(
                seat, f"a legal call of {SEAT_NAMES[seat]}", protocol.read_call, seat, auctions.legal()[0]
            )
            self.ready(f"for {SEAT_NAMES[seat]}'s bid", but=seat)
            words = protocol.call_words(seat, call)
            for other, line in enumerate(self.lines):
                if other != seat:  # explanations of a call are for opponents
                    line.send(words + explanation[:_MAX_EXPLANATION] if (other ^ seat) & 1 else words)
            auctions.step(call)
        return auctions

    def _cards(self, plays: Plays, declarer: int) -> None:
        dummy = declarer ^ 2
        while not plays.done[0]:
            number, turn, chooser = int(plays.length[0]), int(plays.turn[0]), int(plays.decider[0])
            hand = f"{SEAT_NAMES[turn]}'s card to trick {number // 4 + 1}"
            if number % 4 == 0:
                self.ready(f"for {hand}", but=chooser)
                self.lines[chooser].send(f"{'Dummy' if turn == dummy else SEAT_NAMES[turn]} to lead")
            card = self.answer(
                chooser, f"a legal card of {SEAT_NAMES[turn]}", protocol.read_card, turn, plays.legal()[0]
            )
            if number % 4:
                self.ready(f"for {hand}", but=chooser)
            self.send(protocol.card_words(turn, card), but=chooser)
            plays.step(card)
            if number == 0:
                self.ready("for dummy", but=dummy)
                self.send(protocol.hand_words("Dummy", plays.owner[0] == dummy), but=dummy)

    def timing(self, before: Sequence[float]) -> str:
        """Write how long each side has thought, since ``before`` and in all."""
        board, total = ([int(self.thought[side] - of[side]) for side in (0, 1)] for of in (before, (0.0, 0.0)))
        clocks = [
            f"this board {board[side] // 60:02}:{board[side] % 60:02}, total {timedelta(seconds=total[side])}."
            for side in (0, 1)
        ]
        return f"Timing - N/S : {clocks[0]} E/W : {clocks[1]}"

    def close(self) -> None:
        for line in self.lines:
            line.close()


def seat_players(listening: socket.socket, room: str, patience: float, seating: float) -> ManagedTable:
    """Wait at most ``seating`` seconds until four programs have sat down, each ``patience`` seconds for an answer; an
    impossible request gets an error. Raise ``TalkError`` with the empty seats.
    """
    lines: dict[int, Connection] = {}
    names: dict[int, str] = {}
    end = time.monotonic() + seating
    with ExitStack() as opened:
        while len(lines) < 4:
            left = max(0.001, end - time.monotonic())
            listening.settimeout(left)
            try:
                connection, address = listening.accept()
            except TimeoutError:
                empty = ", ".join(name for seat, name in enumerate(SEAT_NAMES) if seat not in lines)
                raise TalkError(f"nobody sat down at {empty} within {seating:g} seconds") from None
            line = opened.enter_context(closing(Connection(connection, f"{address[0]}:{address[1]}", patience)))
            try:
                seat, name = _read_request(line, names, min(patience, _GREETING, left))
                line.name = f"{SEAT_NAMES[seat]} ({name})"
                line.send(f'{SEAT_NAMES[seat]} ("{name}") seated')
            except TalkError as error:
                print(f"{room}: {error}")
                line.close()
                continue
            lines[seat], names[seat] = line, name
        table = ManagedTable([lines[seat] for seat in range(4)], (names[0], names[1]))
        table.ready("for teams")
        table.send(f'Teams : N/S : "{names[0]}" E/W : "{names[1]}"')
        table.ready("to start")
        opened.pop_all()
    print(f"{room}: N/S {names[0]}, E/W {names[1]}")
    return table


def _read_request(line: Connection, names: dict[int, str], timeout: float) -> tuple[int, str]:
    """Return the seat and the team that a program asks for."""
    text = line.receive("'Connecting \"TEAM\" as SEAT'", timeout)
    found = _CONNECTING.fullmatch(text)
    seat, team = (-1, "") if found is None else (protocol.seat_of(found[2]), found[1])
    if seat < 0:
        why = f'say Connecting "TEAM" as SEAT using protocol version {protocol.VERSION}, TEAM without a #'
    elif seat in names:
        why = f"{SEAT_NAMES[seat]} is taken"
    elif names.get(seat ^ 2, team) != team:
        why = f'the partner is of team "{names[seat ^ 2]}"'
    else:
        return seat, team
    with suppress(TalkError):
        line.send(f"Error: {why}")
    raise TalkError(f"{line.name} was sent away ({why}): {text[:120]}")


@dataclass
class TeamsMatch:
    """A match: its boards, and the results, by room and number."""

    boards: Boards
    rooms: int = 2
    log: Path | None = None  # a PBN file of the finished boards; None: they are not saved
    patience: float = 120.0  # seconds for an answer
    seating: float = 600.0  # seconds for all four players to sit down
    played: dict[tuple[str, int], Board] = field(default_factory=dict)
    teams: dict[str, tuple[str, str]] = field(default_factory=dict)  # of North-South and East-West, by room
    faults: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Keep one of equal boards, as a file of both rooms has them; raise ``ValueError`` where two differ but for the
        number.
        """
        first: dict[int, int] = {}
        for row, number in enumerate(self.boards.number.tolist()):
            if self._dealt(first.setdefault(number, row)) != self._dealt(row):
                raise ValueError(f"two different boards have the number {number}; give each its own")
        self.boards = self.boards.take(np.array(list(first.values()), np.intp))

    def resume(self) -> None:
        """Take over the boards of the log; raise ``ValueError`` where it holds other boards."""
        if self.log is None or not self.log.is_file():
            return
        dealt = {int(number): self._dealt(row) for row, number in enumerate(self.boards.number)}
        for board in read_boards(self.log).boards:
            number, room = board.number or 0, board.tags.get("Room", "")
            if dealt.get(number) != (board.owner.tolist(), board.dealer, board.vulnerability):
                raise ValueError(f"{self.log} holds board {number} of another match; name another --log")
            if board.contract is not None and room in ROOMS[: self.rooms]:
                self.played[room, number] = board
                self.set_teams(room, (board.tags.get("North", ""), board.tags.get("East", "")))

    def _dealt(self, row: int) -> tuple[list[int], int, int]:
        boards = self.boards
        return boards.owner[row].tolist(), int(boards.dealer[row]), int(boards.vulnerability[row])

    def set_teams(self, room: str, teams: tuple[str, str]) -> None:
        """Note the teams of a room; raise ``ValueError`` where others began the match, or do not sit crosswise."""
        with self._lock:
            other = self.teams.get(ROOMS[1 - ROOMS.index(room)])
            wanted = self.teams.get(room) or (None if other is None else (other[1], other[0]))
            if wanted is not None and wanted != teams:
                raise ValueError(
                    f"{teams[0]!r} sits North-South and {teams[1]!r} East-West; in this match {wanted[0]!r} and "
                    f"{wanted[1]!r} do: each team sits the other way in the other room"
                )
            self.teams[room] = teams

    def run(self, listening: Sequence[socket.socket]) -> None:
        """Let each room play, side by side; a fault ends its own room, and is added to ``faults``."""
        pairs = zip(ROOMS, listening, strict=False)
        threads = [threading.Thread(target=self._room, args=pair, daemon=True) for pair in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _room(self, room: str, listening: socket.socket) -> None:
        table = None
        try:
            table = seat_players(listening, room, self.patience, self.seating)
            self.set_teams(room, table.teams)
            for row, number in enumerate(self.boards.number.tolist()):
                if (room, number) not in self.played:
                    before = list(table.thought)
                    self._save(room, table.play(self.boards, row), table.teams)
                    table.send(table.timing(before))
            table.send(protocol.END)
        except Exception as error:  # whatever it is, the match is incomplete
            with self._lock:
                self.faults.append(f"{room} room: {error}")
        finally:
            if table is not None:
                table.close()

    def _save(self, room: str, board: Board, teams: tuple[str, str]) -> None:
        names = {name: teams[seat & 1] for seat, name in enumerate(SEAT_NAMES)}
        tagged = replace(board, tags={**names, "Room": room, "Scoring": "IMP"})
        with self._lock:
            self.played[room, board.number or 0] = tagged
            if self.log is not None:
                write_boards(self.log, [self.played[key] for key in sorted(self.played, key=lambda k: (k[1], k[0]))])
        tricks = "" if board.tricks is None else f", {board.tricks} tricks"
        print(f"{room}: board {board.number}: {board.contract}{tricks}")

    def gains(self) -> dict[int, int]:
        """Return the IMPs of North-South of the open room, by board, where both rooms have played it."""
        out = {}
        for number in self.boards.number.tolist():
            pair = [self.played.get((room, number)) for room in ROOMS]
            if pair[0] is not None and pair[1] is not None:
                out[number] = int(imps(_points(pair[0]) - _points(pair[1])))
        return out


def _points(board: Board) -> int:
    """Return the points of North-South."""
    contract = board.contract
    assert contract is not None, "boards of a match were bid"
    if contract.passed_out or board.tricks is None:
        return 0
    return int(score(contract.bid, contract.doubling, contract.declarer, board.vulnerability, board.tricks))
