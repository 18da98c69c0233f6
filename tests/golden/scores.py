"""Scores, IMPs, pars and double-dummy tricks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden import entry
from tests.golden.digests import Case, Series


def _scores() -> dict[str, Any]:
    """All 2,940 entries by bid, for each declarer and vulnerability of the table."""
    grid = np.ix_(np.arange(35), np.arange(3), np.arange(4), np.arange(4), np.arange(14))
    points = entry.score(*grid)
    return {
        "points by bid": Series(points),
        "passed out": entry.score(-1, 0, -1, 0, 0),
        "imps": entry.imps(np.arange(-8_000, 8_001)),
        "matchpoints": entry.matchpoints(np.random.default_rng(1).integers(-20, 20, (50, 9)) * 50),
    }


def _pars() -> dict[str, Any]:
    library = entry.builtin_library()
    tables = library.tricks_at(np.arange(300))
    each = [entry.par(tables, dealer, code) for dealer in range(4) for code in range(4)]
    ends = [entry.par_contracts(table, i % 4, i // 4 % 4) for i, table in enumerate(tables)]
    return {
        "pars": Series(each),
        "contracts": Series([score, [str(contract) for contract in contracts]] for score, contracts in ends),
    }


def _library() -> dict[str, Any]:
    library = entry.builtin_library()
    parts = {name: library.split(name) for name in ("training", "judging", "all")}
    boards = {name: entry.library_boards(500, 3, name, start=90_000) for name in ("training", "judging")}
    return {
        "deals": library.owners(np.arange(2_000)),
        "tables": library.tricks_at(np.arange(2_000)),
        **{f"split {name}": part for name, part in parts.items()},
        **{
            f"boards {name}": [part.owner, part.dealer, part.vulnerability, part.tricks]
            for name, part in boards.items()
        },
    }


def _estimates() -> dict[str, Any]:
    return {"tricks": entry.builtin_estimator().tricks(entry.random_deals(5, 0, 500))}


def _solved() -> dict[str, Any]:
    """One contract of each of 20 fresh deals, and the tables of 20 of the library."""
    rows = np.arange(20)
    fresh = entry.ExactDoubleDummy().tricks_for(entry.random_deals(6, 0, 20), rows % 4, rows // 4 % 5)
    owners = entry.builtin_library().owners(np.arange(20))
    return {"contracts": Series(fresh), "tables of the library": entry.library_then_solver().tricks(owners)}


def _tables() -> dict[str, Any]:
    return {"tables": Series(entry.ExactDoubleDummy().tricks(entry.random_deals(8, 0, 100)))}


CASES: dict[str, Case] = {
    "scores": _scores, "pars": _pars, "library": _library, "estimates": _estimates, "solved": _solved,
    "tables": _tables,
}  # fmt: skip
SLOW = frozenset({"tables"})
