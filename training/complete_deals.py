"""Complete partial deals at random, so that the unknown hands fit what their calls have shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.registry import system_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.inference.shown import shown_by_calls
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import views_before
from bridge_env.records.board import Board
from bridge_env.rng import streams
from bridge_env.rules.calls import histories_of
from bridge_env.rules.cards import SEATS
from bridge_env.sampling import KnownCards, sample_deals


def complete_deals(board: Board, count: int, seed: int, spec: str = "system:two-over-one") -> tuple[list[Board], bool]:
    """Return a partial deal completed ``count`` times, and whether every deal fits the calls.

    Each call of an unknown hand is read by the system of ``spec``; where no deal fits, those come closest.

    Raises:
        SpecError: the spec has no system by which calls could be read.
    """
    key = streams.key("complete", seed, board.number or 0)
    shown = {}
    if board.auction:
        system = system_of(spec)
        if system is None:
            raise SpecError(f"{spec} has no bidding system by which calls are read; name one, such as system:sayc")
        bidder = HierarchyBidder(system, system, (system, system))
        view = views_before(
            board.owner[None], histories_of([board.auction]), np.array([len(board.auction)]), np.array([board.dealer]),
            np.array([board.vulnerability]),
        )  # fmt: skip
        calls = shown_by_calls(bidder, view, me=True)
        shown = {seat: fit for seat, fit in calls.items() if SEATS[seat] in board.unknown_seats}
    sample = sample_deals(KnownCards.of(board.owner), shown, count, key)
    return [replace(board, owner=owner) for owner in sample.owner], bool(sample.fitting == count)
