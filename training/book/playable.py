"""How well printed pages suffice: which of a system's calls a bidder makes that knows nothing but its book."""

from __future__ import annotations

import numpy as np

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder
from agents.hierarchy.language.tree import System
from bridge_env.calls import NUM_CALLS, first_calls
from bridge_env.cards import hands
from bridge_env.view import BidView
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
    n, longest = len(calls), max(1, int(calls.number.max(initial=0)))
    view = BidView(
        hands(table.owner[calls.board], calls.seat), first_calls(table.history[calls.board][:, :longest], calls.number),
        calls.number.astype(np.int16), table.dealer[calls.board], table.vulnerability[calls.board],
        calls.seat.astype(np.int16), np.ones((n, NUM_CALLS), np.bool_),
    )  # fmt: skip
    return int((HierarchyBidder(Hierarchy(pages)).call(view) == calls.call).sum()), n
