"""How well printed pages suffice: which of a system's calls a bidder makes that knows nothing but its book."""

from __future__ import annotations

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder
from agents.hierarchy.language.tree import System
from training.book.measure import Table
from training.book.points import Points, Walker


def agreement(system: System, pages: System, deals: int, seed: int) -> tuple[int, int]:
    """How many calls ``pages`` would make as ``system`` does in its own auctions, and how many these hold.

    Args:
        pages: the system as its pages tell it.
        deals, seed: that ``system`` bids in all four seats.
    """
    table = Table(Hierarchy(system), Walker(Points(system)), seed, 0, deals)
    calls = table.calls
    return int((HierarchyBidder(Hierarchy(pages)).call(table.view(calls)) == calls.call).sum()), len(calls)
