"""Books as data, and the textbook exam: figures and words of each call, whatever the layout."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.golden import entry
from tests.golden.digests import Case, Series


def _system(name: str, deals: int) -> dict[str, Any]:
    rows, totals = entry.system_book(name, deals, 3)
    return {"rows": Series(rows), **totals}


def _network(name: str, deals: int) -> dict[str, Any]:
    rows, totals = entry.network_book(name, deals, 3)
    return {"rows": Series(rows), **totals}


def _exam(spec: str) -> dict[str, Any]:
    paper = entry.exam_paper(spec)
    answers = paper.pop("answers")
    return {"answers": Series(answers), "marks": paper}


CASES: dict[str, Case] = {
    "sayc": partial(_system, "sayc", 1_000),
    "champion": partial(_system, "champion", 8_000),
    "policy:champion": partial(_network, "champion", 8_000),
    "exam of sayc": partial(_exam, "system:sayc"),
    "exam of two-over-one": partial(_exam, "system:two-over-one"),
    "exam of policy:acol": partial(_exam, "policy:acol"),
}
SLOW = frozenset({"champion", "policy:champion"})
