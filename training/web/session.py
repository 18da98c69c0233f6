"""What the server knows until it ends: tables, stacks of boards, and the IMPs of the session."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agents.hierarchy.shipped import forget_system
from training.http import guard
from training.http.asked import Refused
from training.match.match import MatchResult
from training.web.dealing import Deal, Stack, judging_deal, random_deal
from training.web.drills import Drill
from training.web.history import mean_error
from training.web.keeping import keep
from training.web.memory import Memory, MemoryFault
from training.web.seating import drop_system
from training.web.table import Setup, Table

_Kept = TypeVar("_Kept")
_LOG = logging.getLogger("bridge_env.table")


@dataclass(frozen=True)
class Limits(guard.Limits):
    """What the table takes, beside what every server does.

    Attributes:
        tables, stacks: kept at the same time; the oldest goes first.
        boards: of one file. systems: dropped on the page.
        drafts, matches, drills: edited systems, matches and drills kept at the same time; the oldest goes first.
        match_boards: of a match that the page asks for. drill: questions of a drill.
        heavy_rate, heavy_burst: as ``rate`` and ``burst``, of requests that compute for a while.
        errands: long computations at the same time.
    """

    tables: int = 200
    stacks: int = 16
    boards: int = 2000
    systems: int = 64
    drafts: int = 32
    matches: int = 16
    drills: int = 64
    match_boards: int = 2000
    drill: int = 50
    heavy_rate: float = 3.0
    heavy_burst: int = 12
    errands: int = 2


@dataclass
class Session:
    """Everything that the server knows. All but the memory is gone when the server ends.

    Attributes:
        seed: names the random deals and the order of the judging boards.
        named: specs that were named at the start.
        memory: the finished boards of all sessions.
        dropped: specs of systems that were dropped on the page.
        results: of the boards that a person has finished, in order.
    """

    seed: int
    named: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    memory: Memory = field(default_factory=Memory)
    dropped: list[str] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    _tables: OrderedDict[str, Table] = field(default_factory=OrderedDict)
    _stacks: OrderedDict[str, Stack] = field(default_factory=OrderedDict)
    _dealt: dict[str, int] = field(default_factory=dict)
    _drafts: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _matches: OrderedDict[str, MatchResult] = field(default_factory=OrderedDict)
    _drills: OrderedDict[str, Drill] = field(default_factory=OrderedDict)

    # --- boards -------------------------------------------------------------------------------------------

    def keep_stack(self, stack: Stack) -> str:
        """Keep the boards of a text under a name."""
        return _keep(self._stacks, stack, self.limits.stacks)

    def next_deal(self, source: str, stack: str, number: int) -> Deal:
        """Board ``number`` of a source, from 1, of a stack by its place; 0: the next one, of a stack the first."""
        if source == "stack":
            known = self._stacks.get(stack)
            if known is None:
                raise Refused("These boards are no longer kept; paste or drop them again.", 404)
            if number > len(known.deals):
                raise Refused(f"There is no board {number}; {known.name} has {len(known.deals)}.", 404)
            return known.deals[max(number, 1) - 1]
        number = number or self._dealt.get(source, 0) + 1
        found = (judging_deal if source == "judging" else random_deal)(self.seed, number)
        self._dealt[source] = number
        return found

    # --- tables -------------------------------------------------------------------------------------------

    def open(self, setup: Setup, deal: Deal) -> Table:
        """A fresh table; the oldest goes where there are too many."""
        table = Table(secrets.token_hex(8), setup, deal)
        self._tables[table.name] = table
        while len(self._tables) > self.limits.tables:
            self._tables.popitem(last=False)
        return table

    def table(self, name: str) -> Table:
        """A table by its name."""
        found = self._tables.get(name)
        if found is None:
            raise Refused("There is no such table, or no longer; deal a new board.", 404)
        return found

    # --- systems under the pen, their matches, and drills ---------------------------------------------------

    def draft(self, text: str) -> str:
        """The spec of a text that is being edited; the same text has the same spec while it is kept.

        Raises:
            Refused: the text is no system; the message gives the line.
        """
        if text not in self._drafts:
            self._drafts[text] = drop_system(f"draft-{secrets.token_hex(4)}", text)
            while len(self._drafts) > self.limits.drafts:
                forget_system(self._drafts.popitem(last=False)[1])
        self._drafts.move_to_end(text)
        return self._drafts[text]

    def keep_match(self, result: MatchResult) -> str:
        """Keep a match under a name, so that its boards can be opened."""
        return _keep(self._matches, result, self.limits.matches)

    def match(self, name: str) -> MatchResult:
        """A match by its name."""
        if name not in self._matches:
            raise Refused("There is no such match, or no longer; play it again.", 404)
        return self._matches[name]

    def keep_drill(self, drill: Drill) -> str:
        """Keep a drill under a name."""
        return _keep(self._drills, drill, self.limits.drills)

    def drill(self, name: str) -> Drill:
        """A drill by its name."""
        if name not in self._drills:
            raise Refused("There is no such drill, or no longer; begin a new one.", 404)
        return self._drills[name]

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
            self.results.append({
                "table": table.name, "board": table.deal.number, "imps": review["imps"], "helped": table.helped > 0,
                "result": (review["played"] or review["contract"])["text"], "other": review["other"]["text"],
            })  # fmt: skip
        return None

    def counted(self, table: Table) -> bool:
        """Does the result of a table count in this session?"""
        return any(result["table"] == table.name for result in self.results)

    def summary(self) -> dict[str, Any]:
        """IMPs a board with their standard error, and the boards."""
        values = [result["imps"] for result in self.results]
        return {
            "boards": len(values), "total": sum(values),
            **mean_error(len(values), sum(values), sum(value * value for value in values)),
            "helped": sum(result["helped"] for result in self.results), "results": self.results[-200:],
        }  # fmt: skip


def _keep(among: OrderedDict[str, _Kept], thing: _Kept, most: int) -> str:
    """Keep a thing under a new name; the oldest goes where there are too many."""
    name = secrets.token_hex(8)
    among[name] = thing
    while len(among) > most:
        among.popitem(last=False)
    return name
