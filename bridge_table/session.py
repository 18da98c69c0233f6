"""The state of the server until it ends: tables, pasted boards, edited systems, and the results of the session."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TypeVar

from agents.registry import system_of
from agents.systems.language.tree import System
from bridge_env.rules.cards import SEATS
from bridge_table.board.dealing import Deal, Source
from bridge_table.board.seating import check_spec
from bridge_table.board.table import Setup, Table
from bridge_table.board.views import check_looks
from bridge_table.http.requests import RequestError, Seat
from bridge_table.learning.database import Database
from bridge_table.learning.drills import Drill
from bridge_table.people import Rooms
from training.evaluation.duplicate import MatchResult

_Value = TypeVar("_Value")


class Store(dict[str, _Value]):
    """Values by random names; ``missing`` is the error text for a name that is not here."""

    def __init__(self, missing: str) -> None:
        self.missing = missing

    def add(self, value: _Value) -> str:
        """Store a value, and return its name."""
        name = secrets.token_hex(8)
        self[name] = value
        return name

    def __missing__(self, name: str) -> _Value:
        raise RequestError(self.missing, 404)


@dataclass
class Session:
    """The state of the server. All but the database is lost when the server ends."""

    seed: int  # of the random deals, and of the order of the judging boards
    named: tuple[str, ...] = ()  # specs of the command line
    database: Database = field(default_factory=Database)  # the finished boards of all sessions
    rooms: Rooms = field(default_factory=Rooms)
    dropped: list[str] = field(default_factory=list)  # specs of systems that were dropped on the page

    def __post_init__(self) -> None:
        self.tables = Store[Table]("There is no such table; deal a new board.")
        self.stacks = Store[list[Deal]]("There are no such boards; paste or drop them again.")
        self.matches = Store[MatchResult]("There is no such match; play it again.")
        self.drills = Store[Drill]("There is no such drill; begin a new one.")
        self._numbers: dict[str, int] = {}  # by source, of the latest board

    def next_deal(self, name: str, source: Source, number: int, swap: bool) -> Deal:
        """Return board ``number`` of the source of this name, from 1; 0: the next one, of pasted boards the first."""
        number = number or (1 if source.pasted else self._numbers.get(name, 0) + 1)
        deal = source.deal(number, swap)
        self._numbers[name] = number
        return deal

    def open(self, setup: Setup, deal: Deal) -> Table:
        """Open a table."""
        table = Table("", setup, deal)
        table.name = self.tables.add(table)
        return table

    def table_for(self, name: str, seat: Seat) -> tuple[Table, int | None]:
        """Return a table, and the number of a seat; raise ``RequestError`` where there is none, or the seat may not
        look.
        """
        table, number = self.tables[name], None if seat == "watch" else SEATS.index(seat)
        check_looks(table, number)
        return table, number

    def check_spec(self, spec: str) -> str:
        """Return a spec that the page may use; raise ``SpecError`` where it may not."""
        return check_spec(spec, self.named)

    def system(self, spec: str) -> System:
        """Return the system that a spec of the page follows; raise ``ValueError`` where it may not be used, or follows
        none.
        """
        found = system_of(self.check_spec(spec))
        if found is None:
            raise RequestError(f"{spec} follows no written system; choose one that begins with system:.")
        return found.system
