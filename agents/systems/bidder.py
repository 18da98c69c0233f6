"""A bidder that follows a bidding system, and reads the other seats' calls by theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.compiled import RULE_LINE, Compiled, first_general_rule
from agents.systems.engine.compiler import LAST_RESORT, compile_system
from agents.systems.engine.shared_cache import SystemsAtTables, shared_cache
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.language.columns import QUANTITIES
from agents.systems.language.tree import Line, System
from bridge_env.bidders.protocols import Bidder, Groupable
from bridge_env.bidders.registry import implements, player_at
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hands
from bridge_env.hands.features import NUM_FEATURES, hand_features
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text


@dataclass(eq=False)
class Hierarchy:
    """A system with its compiled form, made once."""

    system: System
    _compiled: Compiled | None = field(default=None, repr=False)

    @property
    def compiled(self) -> Compiled:
        if self._compiled is None:
            self._compiled = compile_system(self.system)
        return self._compiled

    def line_of(self, rule: int) -> Line | None:
        """Return the line that has become a rule, maybe one of last resort; None of -1."""
        if rule < 0:
            return None
        number = int(self.compiled.rules[rule, RULE_LINE])
        own = self.system.line(rule >= first_general_rule(self.compiled), number)
        return own or _LAST_RESORT[number]

    def __getstate__(self) -> dict[str, object]:
        return {"system": self.system, "_compiled": None}  # arrays are quicker to make than to send


_LAST_RESORT = {line.number: line for block in LAST_RESORT for line in block.lines}
Seats = tuple[Hierarchy, Hierarchy, Hierarchy, Hierarchy]  # N E S W


class HierarchyBidder:
    """Bids by a system. It is a ``Bidder`` and a ``BiddingSystem``.

    Args:
        own: the system of the seat that calls.
        partner: the system by which partner's calls are read (default: its own).
        opponents: the systems of the two opponents, the one at N or E first (default: its own, twice).
        explainer: writes the explanation of the call for a batch of one.
    """

    def __init__(
        self,
        own: Hierarchy,
        partner: Hierarchy | None = None,
        opponents: tuple[Hierarchy, Hierarchy] | None = None,
        explainer: Callable[[HierarchyBidder, BidView], object] | None = None,
    ) -> None:
        self.own = own
        self.partner = partner or own
        self.opponents = opponents or (own, own)
        self.explainer = explainer

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return self.call(view)

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``; without an explainer by its name alone."""
        return call_text(int(self.call(view)[0])) if self.explainer is None else str(self.explainer(self, view))

    def call(self, view: BidView) -> NDArray[np.int8]:
        """Return the call of each row: int8 (N,)."""
        return self.decide(view)[0]

    def meaning(self, view: BidView) -> NDArray[np.int16]:
        """Return what each seat has shown: int16 (N, 4, QUANTITIES, 2).

        Axes: seat N E S W; quantity (``language.vocabulary.SHOWN``); least and most. Strength is in points
        on the scale of the rules used.
        """
        return self.decide(view)[2]

    def decide(self, view: BidView) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int16]]:
        """Return calls int8 (N,), the rules of ``own`` that made them int32 (N,) (-1: none), and the meanings."""
        n = len(view)
        calls, rules, shown = np.empty(n, np.int8), np.empty(n, np.int32), np.empty((n, 4, QUANTITIES, 2), np.int16)
        for seat in range(4):
            rows = np.flatnonzero(view.seat == seat)
            if rows.size:
                states, systems = self.states(seat)
                calls[rows], rules[rows], shown[rows] = states.look(Queries.of_view(view.take(rows)), systems)
        return calls, rules, shown

    def states(self, seat: int) -> tuple[StateCache, NDArray[np.int32]]:
        """Return the cache of auction states as seen from ``seat``, and which of its systems N, E, S and W play."""
        return shared_cache(self.reading(seat))

    def reading(self, seat: int) -> Seats:
        """Return the systems by which it reads the calls of N, E, S and W from ``seat``, 0..3."""
        low, high = self.opponents
        seats = [low, low, high, high]
        seats[seat], seats[seat ^ 2] = self.own, self.partner
        return seats[0], seats[1], seats[2], seats[3]

    def group(self, seats: Sequence[Bidder | None], tables: int) -> SystemsAtTables | None:
        """Return the group of those of ``seats`` (N, E, S, W) that follow systems; None if there are none."""
        known = [bidder if implements(bidder, Groupable) else None for bidder in seats]
        players = [None if bidder is None else player_at(bidder, seat) for seat, bidder in enumerate(known)]
        read = [p.reading(seat) if type(p) is HierarchyBidder else None for seat, p in enumerate(players)]
        return SystemsAtTables(read, tables) if any(read) else None

    @property
    def systems(self) -> tuple[HierarchyBidder, HierarchyBidder]:
        """Return the systems at N or E and at S or W: with them one kernel can bid auctions."""
        return self, self


def deal_features(owner: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Return features of all four hands of deals uint8 (N, 52): int16 (N, 4, NUM_FEATURES)."""
    four = hands(owner[:, None, :], np.arange(4)[None, :])
    return hand_features(four.reshape(-1, 52)).reshape(len(owner), 4, NUM_FEATURES)


def bid_out(
    seats: Seats,
    features: NDArray[np.int16],
    dealer: NDArray[np.int16],
    vulnerability: NDArray[np.int16],
    boards: NDArray[np.int64] | None = None,
    calls: NDArray[np.int8] | None = None,
    length: NDArray[np.int64] | None = None,
) -> Auctions:
    """Bid auctions to their ends with a system in every seat (N E S W), each known to all.

    The same calls as those of a ``HierarchyBidder`` in every seat, in one kernel. Calls that have been
    made need not be those that the systems would make: they are read as the systems read them.

    Args:
        features: int16 (B, 4, NUM_FEATURES), from ``deal_features``.
        dealer, vulnerability: (N,), of the rows.
        boards: int64 (N,), which of the B deals a row has (default: its own).
        calls: int8 (N, L), legal from the dealer on; length: (N,), how many of them have been made (default: none).
    """
    auctions = Auctions(dealer, vulnerability)
    states, index = shared_cache(seats)
    systems = np.broadcast_to(index, (len(auctions), 4)).copy()
    states.bid(systems, features, auctions, boards, calls, length)
    return auctions


def seen_rows(
    seats: Seats,
    features: NDArray[np.int16],
    boards: NDArray[np.int64],
    dealer: NDArray[np.int16],
    vulnerability: NDArray[np.int16],
    calls: NDArray[np.int8],
    length: NDArray[np.int64],
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Return what the seat to call sees, int16 (N, NUM_COLUMNS), and whether general rules decide, bool (N,).

    Args: as for ``bid_out``.
    """
    states, index = shared_cache(seats)
    auctions = Auctions(dealer, vulnerability)
    history = np.ascontiguousarray(calls, np.int8)
    queries = Queries(features, np.asarray(boards, np.int64), auctions.state, history, np.asarray(length, np.int64))
    _, rules, _ = states.look(queries, index)
    general = rules >= np.array([first_general_rule(seat.compiled) for seat in seats])[queries.seat]
    return states.feature_rows(queries, index)[0], general


def line_usage(
    hierarchy: Hierarchy, features: NDArray[np.int16], dealer: NDArray[np.int16], vulnerability: NDArray[np.int16]
) -> dict[int, int]:
    """Count the calls that each line of a system (by number) makes, with the system in all seats."""
    auctions = Auctions(dealer, vulnerability)
    states, _ = shared_cache([hierarchy])
    used = states.bid(np.zeros((len(auctions), 4), np.int32), features, auctions)
    numbers = states.pool.rules[:, RULE_LINE]
    own = numbers >= 0  # not the rules of last resort
    lines, which = np.unique(numbers[own], return_inverse=True)
    count = np.bincount(which, weights=used[own])
    return {int(lines[k]): int(count[k]) for k in np.flatnonzero(count)}
