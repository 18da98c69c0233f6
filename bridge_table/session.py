"""What the server knows until it ends: tables, stacks of boards, and the IMPs of the session."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from agents.hierarchy.language.tree import System
from agents.hierarchy.shipped import unregister_system
from agents.registry import system_of
from bridge_table.board.dealing import Deal, Stack, judging_deal, random_deal
from bridge_table.board.seating import checked, drop_system
from bridge_table.board.table import Setup, Table
from bridge_table.board.views import mean_error
from bridge_table.http import guard
from bridge_table.http.asked import Refused
from bridge_table.http.guard import Bucket
from bridge_table.learning.drills import Drill
from bridge_table.learning.keeping import keep
from bridge_table.learning.memory import Memory, MemoryFault
from training.match.duplicate import MatchResult

TEXT = 256_000  # characters of a system
_Kept = TypeVar("_Kept")
_LOG = logging.getLogger("bridge_env.table")


@dataclass(frozen=True)
class Limits(guard.Limits):
    """What the table takes, beside what every server does."""

    tables: int = 200  # kept at the same time, as all that is kept; the oldest goes first
    stacks: int = 16
    boards: int = 2000  # of one file
    systems: int = 64  # dropped on the page
    drafts: int = 32  # edited systems
    matches: int = 16
    drills: int = 64
    match_boards: int = 2000  # of a match that the page asks for
    drill: int = 50  # questions of a drill
    heavy_rate: float = 3.0  # as ``rate``, of requests that compute for a while
    heavy_burst: int = 12  # as ``burst``, of these
    errands: int = 2  # long computations at the same time


class Shelf(Generic[_Kept]):
    """Things by names that nobody guesses; the oldest goes where there are too many.

    Args:
        most: that are kept at the same time.
        gone: what is told to who asks for one that is not here.
    """

    def __init__(self, most: int, gone: str) -> None:
        self.most, self.gone = most, gone
        self._things: OrderedDict[str, _Kept] = OrderedDict()

    def keep(self, thing: _Kept) -> str:
        """Keep a thing, and return its name."""
        name = secrets.token_hex(8)
        self._things[name] = thing
        while len(self._things) > self.most:
            self._things.popitem(last=False)
        return name

    def find(self, name: str) -> _Kept:
        """Return a thing by its name.

        Raises:
            Refused: it is not here.
        """
        found = self._things.get(name)
        if found is None:
            raise Refused(self.gone, 404)
        return found


@dataclass
class Session:
    """Everything that the server knows. All but the memory is gone when the server ends."""

    seed: int  # names the random deals and the order of the judging boards
    named: tuple[str, ...] = ()  # specs that were named at the start
    limits: Limits = field(default_factory=Limits)
    memory: Memory = field(default_factory=Memory)  # the finished boards of all sessions
    dropped: list[str] = field(default_factory=list)  # specs of systems that were dropped on the page
    # of the boards that a person has finished, by table: IMPs, and whether there was help
    results: dict[str, tuple[int, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        most = self.limits
        self.tables: Shelf[Table] = Shelf(most.tables, "There is no such table, or no longer; deal a new board.")
        self.stacks: Shelf[Stack] = Shelf(most.stacks, "These boards are no longer kept; paste or drop them again.")
        self.matches: Shelf[MatchResult] = Shelf(most.matches, "There is no such match, or no longer; play it again.")
        self.drills: Shelf[Drill] = Shelf(most.drills, "There is no such drill, or no longer; begin a new one.")
        self._dealt: dict[str, int] = {}
        self._drafts: OrderedDict[str, str] = OrderedDict()
        self._heavy = Bucket(most.heavy_rate, most.heavy_burst)

    def long_question(self) -> None:
        """Refuse what computes for a while, where too much of it is asked for."""
        if not self._heavy.take():
            raise Refused("These are too many long questions at once; wait a second.", 429)

    # --- boards -------------------------------------------------------------------------------------------

    def next_deal(self, source: str, stack: str, number: int) -> Deal:
        """Board ``number`` of a source, from 1, of a stack by its place; 0: the next one, of a stack the first."""
        if source == "stack":
            known = self.stacks.find(stack)
            if number > len(known.deals):
                raise Refused(f"There is no board {number}; {known.name} has {len(known.deals)}.", 404)
            return known.deals[max(number, 1) - 1]
        number = number or self._dealt.get(source, 0) + 1
        found = (judging_deal if source == "judging" else random_deal)(self.seed, number)
        self._dealt[source] = number
        return found

    def open(self, setup: Setup, deal: Deal) -> Table:
        table = Table("", setup, deal)
        table.name = self.tables.keep(table)
        return table

    # --- specs and systems --------------------------------------------------------------------------------

    def checked(self, spec: str) -> str:
        """A spec that the page may ask for, tried out.

        Raises:
            Refused: it names nothing, or something that only the command line may name.
        """
        return checked(spec, self.named)

    def system(self, spec: str) -> System:
        """The system that a spec of the page follows.

        Raises:
            Refused: the page may not name it, or it follows no written system.
        """
        found = system_of(self.checked(spec))
        if found is None:
            raise Refused(f"{spec} follows no written system; choose one that begins with system:.")
        return found.system

    def draft(self, text: str) -> str:
        """The spec of a text that is being edited; the same text has the same spec while it is kept.

        Raises:
            Refused: the text is no system; the message gives the line.
        """
        if text not in self._drafts:
            self._drafts[text] = drop_system(f"draft-{secrets.token_hex(4)}", text)
            while len(self._drafts) > self.limits.drafts:
                unregister_system(self._drafts.popitem(last=False)[1])
        self._drafts.move_to_end(text)
        return self._drafts[text]

    # --- results ------------------------------------------------------------------------------------------

    def count(self, table: Table, review: dict[str, Any]) -> str | None:
        """Count a board that a person has finished, and keep it. The memory tells whether its deal has counted before.

        Returns:
            Why the board could not be kept; it counts once its review is asked for again. None where all is well.
        """
        if table.setup.replay or review["imps"] is None:
            return None
        try:
            counts = keep(self.memory, table, review)
        except MemoryFault as fault:
            _LOG.error("%s", fault)
            return f"This board is not kept and does not count: {fault}."
        if counts:
            self.results[table.name] = review["imps"], table.helped > 0
        return None

    def summary(self) -> dict[str, Any]:
        """IMPs a board with their standard error, and the boards."""
        values = [imps for imps, _ in self.results.values()]
        return {
            "boards": len(values), "helped": sum(helped for _, helped in self.results.values()),
            **mean_error(len(values), sum(values), sum(value * value for value in values)),
        }  # fmt: skip
