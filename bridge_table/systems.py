"""The books of systems that the page shows, cached: their entries, convention cards and figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agents.systems.bidder import Hierarchy
from agents.systems.explain import player_terms
from agents.systems.language.tree import System
from bridge_env.rules.calls import call_text
from training.book.card import convention_card
from training.book.graph import AuctionGraph, Walker
from training.book.survey import SystemSurvey
from training.book.system_book import make_book

DEALS = 2_000  # that figures are measured on


@lru_cache(maxsize=8)
def graph_of(system: System) -> AuctionGraph:
    """Return the points and entries of a system, cached."""
    return AuctionGraph(system)


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


@lru_cache(maxsize=8)
def figures_of(system: System) -> dict[str, Any]:
    """Measure the figures of a system's book, by entry, cached."""
    book = make_book(system, DEALS, seed=1)
    facts = [player_terms.symbols(fact) for fact in book.facts()]
    return {"facts": facts, "figures": [book.entry_figures(entry) for entry in book.graph.entries]}
