"""Read from the auction what the four hands have shown, by each seat's system or network."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder
from agents.hierarchy.inverse.shown import CallsShow, Memory, shown_by_calls
from agents.networks.book import ByBook
from agents.networks.network import Network
from agents.reasoning.habits import trivial
from agents.registry import readers_of, seat_specs, system_of
from bridge_env.play_view import PlayView
from bridge_env.view import BidView

_UNREAD = "pass"  # stands in for a seat whose calls tell nothing


@dataclass(eq=False)
class AuctionReader:
    """Reads finished auctions.

    Args:
        seats: the specs of the bidders at N E S W; None, or one that calls without looking: its calls tell nothing.
            Strangers are read as those who think among strangers read them.
    """

    seats: tuple[str | None, str | None, str | None, str | None] = (None,) * 4
    _known: OrderedDict[tuple[bytes, int, int], dict[int, CallsShow]] = field(default_factory=OrderedDict)
    _bidder: HierarchyBidder | None = None
    _memory: Memory = field(default_factory=Memory)

    KEPT: ClassVar[int] = 256

    @classmethod
    def of_sides(cls, north_south: str | None, east_west: str | None) -> AuctionReader:
        """Of two partnerships."""
        (n, s), (e, w) = (seat_specs(spec) if spec else (None, None) for spec in (north_south, east_west))
        return cls((n, e, s, w))

    def __getstate__(self) -> dict[str, object]:
        return {"seats": self.seats}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def shown(self, view: PlayView, row: int) -> dict[int, CallsShow]:
        """Return what each seat's calls have shown of its thirteen cards; omit seats without a system."""
        calls = view.history[row][view.history[row] >= 0]
        systems = self._systems()
        if not len(calls) or not any(systems):
            return {}
        key = (calls.tobytes(), int(view.dealer[row]), int(view.vulnerability[row]))
        found = self._known.pop(key, None)
        if found is None:
            everything = shown_by_calls(self._reader(), _as_north(view, row), me=True, memory=self._memory)
            found = {seat: shown for seat, shown in everything.items() if systems[seat]}
            if len(self._known) >= self.KEPT:
                self._known.popitem(last=False)
        self._known[key] = found
        return found

    def networks(self, view: PlayView, row: int) -> dict[int, Sequence[Network | ByBook]]:
        """The networks that each seat's calls are read by; omit seats without, and all where no calls are known."""
        if not (view.history[row] >= 0).any():
            return {}
        found = ((seat, readers_of(spec)) for seat, spec in enumerate(self.seats))
        return {seat: networks for seat, networks in found if networks}

    def _systems(self) -> list[Hierarchy | None]:
        return [None if readers_of(spec) else system_of(spec) for spec in self.seats]

    def _reader(self) -> HierarchyBidder:
        if self._bidder is None:
            n, e, s, w = (system or trivial(_UNREAD) for system in self._systems())
            self._bidder = HierarchyBidder(n, s, (e, w))
        return self._bidder


def _as_north(view: PlayView, row: int) -> BidView:
    """The auction of one row as N sees it, without a hand: who looks makes no difference to what was shown."""
    calls = view.history[row][view.history[row] >= 0][None]
    length = np.array([calls.shape[1]], np.int16)
    dealer, vulnerability = view.dealer[[row]].astype(np.int16), view.vulnerability[[row]].astype(np.int16)
    nothing, over = np.zeros((1, 52), bool), np.zeros((1, 38), bool)
    return BidView(nothing, calls, length, dealer, vulnerability, np.zeros(1, np.int16), over)
