"""Make a system's book for the page: its calls by auction, two systems side by side, and the figures of each call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agents.systems.bidder import Hierarchy
from agents.systems.explain import player_terms
from agents.systems.language.tree import Line, System
from bridge_env.rules.calls import call_text
from training.book.card import convention_card
from training.book.diff import match_systems
from training.book.graph import AuctionGraph, Walker
from training.book.model import system_tree
from training.book.survey import SystemSurvey
from training.book.system_book import make_book

DEALS = 2_000  # that figures are measured on
_MOST_ROWS = 4000  # lines that two systems are compared by


@lru_cache(maxsize=8)
def graph_of(system: System) -> AuctionGraph:
    """Return the points and entries of a system, cached."""
    return AuctionGraph(system)


def book_of(system: System) -> dict[str, Any]:
    """Return a system's calls without figures, as ``training.book.model`` describes them.

    ``figures_of`` lists figures in the same order as its entries.
    """
    return system_tree(graph_of(system))


@lru_cache(maxsize=8)
def card_of(system: System) -> list[dict[str, Any]]:
    """Return the boxes of a system's convention card, cached."""
    return convention_card(SystemSurvey(Hierarchy(system)))


def entries_after(system: System, calls: Sequence[int], legal: Sequence[int]) -> dict[str, list[int]]:
    """Return which entries of the book each legal call can be after an auction."""
    walker, state, count = Walker(graph_of(system)), np.zeros(1, np.int32), len(calls)
    for number, call in enumerate(calls):
        theirs = bool((count - number) & 1)
        state = walker.step(state, np.array([theirs]), np.array([call], np.int8))
    found = {call_text(c): [entry.index for entry, _ in walker.calls_at(int(state[0]), c)] for c in legal}
    return {call: entries for call, entries in found.items() if entries}


# --- figures -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def figures_of(system: System) -> dict[str, Any]:
    """Measure the figures of a system's book, by entry, cached."""
    book = make_book(system, DEALS, seed=1)
    facts = [player_terms.symbols(fact) for fact in book.facts()]
    return {"facts": facts, "figures": [book.entry_figures(entry) for entry in book.graph.entries]}


# --- side by side --------------------------------------------------------------------------------------------


def side_by_side(a: System, b: System) -> dict[str, Any]:
    """Return the lines of two systems by point: the same, moved, changed, or in one of them alone."""
    rows: list[dict[str, Any]] = [
        {"at": player_terms.symbols(str(place)), "kind": kind, "a": _line(old), "b": _line(new)}
        for place, pairs in match_systems(graph_of(a), graph_of(b)).items()
        for old, new, kind in pairs
    ]
    rows.sort(key=lambda row: row["at"].startswith("when "))  # general rules come last
    counts = Counter(row["kind"] for row in rows)
    return {"a": a.name, "b": b.name, "counts": counts, "rows": rows[:_MOST_ROWS]}


def _line(line: Line | None) -> dict[str, str] | None:
    if line is None:
        return None
    return {
        "call": player_terms.symbols(player_terms.call(line.path[-1])),
        "what": player_terms.symbols(player_terms.promise(line.constraint)),
        "note": player_terms.remark(line),
    }
