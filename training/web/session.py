"""What the server keeps in memory: tables, stacks of boards, and the IMPs of the session."""

from __future__ import annotations

import math
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from training.web.asked import Refused
from training.web.dealing import Deal, Stack, judging_deal, random_deal
from training.web.guard import Limits
from training.web.table import Setup, Table


@dataclass
class Session:
    """Everything that the server knows. It is gone when the server ends.

    Attributes:
        seed: names the random deals and the order of the judging boards.
        named: specs that were named at the start.
        dropped: specs of systems that were dropped on the page.
        results: of the boards that a person has finished, in order.
    """

    seed: int
    named: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    dropped: list[str] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    _tables: OrderedDict[str, Table] = field(default_factory=OrderedDict)
    _stacks: OrderedDict[str, Stack] = field(default_factory=OrderedDict)
    _dealt: dict[str, int] = field(default_factory=dict)

    # --- boards -------------------------------------------------------------------------------------------

    def keep_stack(self, stack: Stack) -> str:
        """Keep the boards of a text under a name."""
        name = secrets.token_hex(8)
        self._stacks[name] = stack
        while len(self._stacks) > self.limits.stacks:
            self._stacks.popitem(last=False)
        return name

    def next_deal(self, source: str, stack: str, number: int) -> Deal:
        """The next board of a source; of a stack the board at place ``number``, from 1."""
        if source == "stack":
            known = self._stacks.get(stack)
            if known is None:
                raise Refused("These boards are no longer kept; paste or drop them again.", 404)
            if number > len(known.deals):
                raise Refused(f"There is no board {number}; {known.name} has {len(known.deals)}.", 404)
            return known.deals[number - 1]
        self._dealt[source] = self._dealt.get(source, 0) + 1
        make = judging_deal if source == "judging" else random_deal
        return make(self.seed, self._dealt[source])

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

    # --- results ------------------------------------------------------------------------------------------

    def count(self, table: Table, review: dict[str, Any]) -> None:
        """Count a board that a person has finished, once."""
        if review["imps"] is None or any(result["table"] == table.name for result in self.results):
            return
        self.results.append({
            "table": table.name, "board": table.deal.number, "imps": review["imps"], "helped": table.helped > 0,
            "result": (review["played"] or review["contract"])["text"], "other": review["other"]["text"],
        })  # fmt: skip

    def summary(self) -> dict[str, Any]:
        """IMPs a board with their standard error, and the boards."""
        values = [result["imps"] for result in self.results]
        n = len(values)
        mean = sum(values) / n if n else 0.0
        error = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n) if n > 1 else None
        return {
            "boards": n, "total": sum(values), "mean": round(mean, 2),
            "error": None if error is None else round(error, 2),
            "helped": sum(result["helped"] for result in self.results), "results": self.results[-200:],
        }  # fmt: skip
