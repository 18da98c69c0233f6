"""The state of the server until it ends: tables, pasted boards, edited systems, and the results of the session."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from agents.registry import system_of
from agents.systems.language.tree import System
from agents.systems.library.shipped import unregister_system
from bridge_table.board.dealing import Deal, Stack, judging_deal, random_deal
from bridge_table.board.seating import check_spec, drop_system
from bridge_table.board.table import Setup, Table
from bridge_table.board.views import check_looks, mean_error
from bridge_table.http.fields import RequestError, Seat, seat_number
from bridge_table.learning.database import Database, DatabaseError
from bridge_table.learning.drills import Drill
from bridge_table.learning.save_review import save_review
from bridge_table.people.rooms import Rooms
from bridge_table.systems.jobs import Jobs
from training.evaluation.duplicate import MatchResult

_MAX_DRAFTS = 32
_Value = TypeVar("_Value")
_LOG = logging.getLogger("bridge_env.table")


class BoundedStore(Generic[_Value]):
    """Values by random names; the oldest is dropped where there are more than ``max_size``.

    Args:
        missing: the error text for a name that is not here.
    """

    def __init__(self, max_size: int, missing: str) -> None:
        self.max_size, self.missing = max_size, missing
        self._values: OrderedDict[str, _Value] = OrderedDict()

    def add(self, value: _Value) -> str:
        """Store a value, and return its name."""
        name = secrets.token_hex(8)
        self._values[name] = value
        if len(self._values) > self.max_size:
            self._values.popitem(last=False)
        return name

    def get(self, name: str) -> _Value:
        """Return a value by its name.

        Raises:
            RequestError: it is not here.
        """
        if name not in self._values:
            raise RequestError(self.missing, 404)
        return self._values[name]


@dataclass
class Session:
    """The state of the server. All but the database is lost when the server ends."""

    seed: int  # of the random deals, and of the order of the judging boards
    named: tuple[str, ...] = ()  # specs of the command line
    database: Database = field(default_factory=Database)  # the finished boards of all sessions
    rooms: Rooms = field(default_factory=Rooms)
    jobs: Jobs = field(default_factory=Jobs)
    dropped: list[str] = field(default_factory=list)  # specs of systems that were dropped on the page
    # by table, of boards that a person has finished: IMPs, and whether there was help
    results: dict[str, tuple[int, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tables = BoundedStore[Table](200, "There is no such table, or no longer; deal a new board.")
        self.stacks = BoundedStore[Stack](16, "These boards are no longer stored; paste or drop them again.")
        self.matches = BoundedStore[MatchResult](16, "There is no such match, or no longer; play it again.")
        self.drills = BoundedStore[Drill](64, "There is no such drill, or no longer; begin a new one.")
        self._numbers: dict[str, int] = {}  # by source, of the latest board
        self._drafts: OrderedDict[str, str] = OrderedDict()

    # --- boards -------------------------------------------------------------------------------------------

    def next_deal(self, source: str, stack: str, number: int) -> Deal:
        """Return board ``number`` of a source, from 1; 0: the next one, of a stack the first."""
        if source == "stack":
            known = self.stacks.get(stack)
            if number > len(known.deals):
                raise RequestError(f"There is no board {number}; {known.name} has {len(known.deals)}.", 404)
            return known.deals[max(number, 1) - 1]
        number = number or self._numbers.get(source, 0) + 1
        deal = (judging_deal if source == "judging" else random_deal)(self.seed, number)
        self._numbers[source] = number
        return deal

    def open(self, setup: Setup, deal: Deal) -> Table:
        """Open a table."""
        table = Table("", setup, deal)
        table.name = self.tables.add(table)
        return table

    def table_for(self, name: str, seat: Seat) -> tuple[Table, int | None]:
        """Return a table, and the number of a seat that may look at it.

        Raises:
            RequestError: there is no such table, or the seat may not look.
        """
        table, number = self.tables.get(name), seat_number(seat)
        check_looks(table, number)
        return table, number

    # --- specs and systems --------------------------------------------------------------------------------

    def check_spec(self, spec: str) -> str:
        """Return a spec that the page may use.

        Raises:
            RequestError: it names nothing, or something that only the command line may name.
        """
        return check_spec(spec, self.named)

    def system(self, spec: str) -> System:
        """Return the system that a spec of the page follows.

        Raises:
            RequestError: the page may not use it, or it follows no written system.
        """
        found = system_of(self.check_spec(spec))
        if found is None:
            raise RequestError(f"{spec} follows no written system; choose one that begins with system:.")
        return found.system

    def draft(self, text: str) -> str:
        """Return the spec of a text that is being edited; the same text has the same spec while it is stored.

        Raises:
            RequestError: the text is no system; the message has the line.
        """
        if text not in self._drafts:
            self._drafts[text] = drop_system(f"draft-{secrets.token_hex(4)}", text)
            if len(self._drafts) > _MAX_DRAFTS:
                unregister_system(self._drafts.popitem(last=False)[1])
        self._drafts.move_to_end(text)
        return self._drafts[text]

    # --- results ------------------------------------------------------------------------------------------

    def count(self, table: Table, review: dict[str, Any]) -> str | None:
        """Save a board that a person has finished, and count it unless its deal has counted before.

        Returns:
            Why the board could not be saved; it counts once its review is requested again. None if all is well.
        """
        if table.setup.replay or review["imps"] is None:
            return None
        try:
            counts = save_review(self.database, table, review)
        except DatabaseError as error:
            _LOG.error("%s", error)
            return f"This board is not saved and does not count: {error}."
        if counts:
            self.results[table.name] = review["imps"], table.helped > 0
        return None

    def summary(self) -> dict[str, Any]:
        """Return the number of boards, and IMPs a board with their standard error."""
        values = [imps for imps, _ in self.results.values()]
        return {
            "boards": len(values), "helped": sum(helped for _, helped in self.results.values()),
            **mean_error(len(values), sum(values), sum(value * value for value in values)),
        }  # fmt: skip
