"""Read from the auction what the four hands have shown, by each seat's system or network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.lookahead.player_models import trivial
from agents.networks.book import SystemGuided
from agents.networks.meaning import Meanings, auction_keys
from agents.networks.network import Network
from agents.registry import models_for, network_at, seat_specs, system_of
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.inference.shown import CallsShow, Memory, shown_by_calls
from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.view import BidView

_ANY_HAND = np.array([[0, 37]] + 4 * [[0, 13]], np.int16)
_UNREAD = "pass"  # in place of a seat whose calls show nothing


class AuctionReader:
    """Reads finished auctions, the latest from a cache.

    Args:
        seats: the specs of the bidders at N E S W; the calls of None, and of a bidder that calls without looking at
            its hand, show nothing. Strangers are read as ``agents.registry.models_for`` reads them.
    """

    def __init__(self, seats: tuple[str | None, str | None, str | None, str | None] = (None,) * 4) -> None:
        self.seats, self._memory = seats, Memory()
        self._shown = lru_cache(maxsize=32)(self._read)  # 90 KB each

    def __reduce__(self) -> tuple[type[AuctionReader], tuple[object]]:
        return AuctionReader, (self.seats,)

    @classmethod
    def of_sides(cls, north_south: str | None, east_west: str | None) -> AuctionReader:
        """Return the reader of two partnerships."""
        (n, s), (e, w) = (seat_specs(spec) if spec else (None, None) for spec in (north_south, east_west))
        return cls((n, e, s, w))

    def shown(self, view: PlayView, row: int) -> dict[int, CallsShow]:
        """Return what each seat's calls have shown of its thirteen cards; omit seats without a system."""
        calls = view.history[row][view.history[row] >= 0]
        if not len(calls) or not any(self._systems):
            return {}
        return self._shown(tuple(calls.tolist()), int(view.dealer[row]), int(view.vulnerability[row]))

    def _read(self, calls: tuple[int, ...], dealer: int, vulnerability: int) -> dict[int, CallsShow]:
        """Read calls without a hand, from N; the seat that reads makes no difference."""
        view = _from_north(np.array([calls], np.int8), dealer, vulnerability)
        shown = shown_by_calls(self._reader, view, me=True, memory=self._memory)
        return {seat: calls_show for seat, calls_show in shown.items() if self._systems[seat]}

    def networks(self, view: PlayView, row: int) -> dict[int, Sequence[Network | SystemGuided]]:
        """Return the networks that read each seat's calls; omit seats without, and all where no calls are known."""
        if not (view.history[row] >= 0).any():
            return {}
        found = ((seat, models_for(spec)) for seat, spec in enumerate(self.seats))
        return {seat: networks for seat, networks in found if networks}

    def ranges(self, view: PlayView) -> NDArray[np.int16]:
        """Return the least and most points and cards of C D H S that each seat has shown: int16 (N, 4, 5, 2).

        Of networks without a book: as measured of the latest call that was met often enough.
        """
        history, rows = view.history, np.arange(len(view))
        out = np.tile(_ANY_HAND, (len(view), 4, 1, 1))
        if not history.shape[1] or not any(self.seats):
            return out
        made, auctions = history >= 0, _from_north(history, view.dealer, view.vulnerability)
        shown, keys = self._books.meaning(auctions)[:, :, :5], auction_keys(history)
        caller = (view.dealer[:, None] + np.arange(history.shape[1])) & 3
        for seat, spec in enumerate(self.seats):
            if system_of(spec) is not None:
                out[:, seat] = shown[:, seat]
            elif (meanings := self._meanings[seat]) is not None:
                found = np.where(made & (caller == seat), meanings.find(keys), -1)
                latest = found[rows, history.shape[1] - 1 - (found[:, ::-1] >= 0).argmax(axis=1)]
                out[latest >= 0, seat] = meanings.ranges[latest[latest >= 0]]
        return out

    @cached_property
    def _books(self) -> HierarchyBidder:
        n, e, s, w = (system_of(spec) or trivial(_UNREAD) for spec in self.seats)
        return HierarchyBidder(n, s, (e, w))

    @cached_property
    def _meanings(self) -> list[Meanings | None]:
        networks = [None if spec is None else network_at(spec, spec, 0) for spec in self.seats]
        return [None if network is None else network.meanings() for network in networks]

    @cached_property
    def _systems(self) -> list[Hierarchy | None]:
        return [None if models_for(spec) else system_of(spec) for spec in self.seats]

    @cached_property
    def _reader(self) -> HierarchyBidder:
        n, e, s, w = (system or trivial(_UNREAD) for system in self._systems)
        return HierarchyBidder(n, s, (e, w))


def _from_north(history: NDArray[np.int8], dealer: ArrayLike, vulnerability: ArrayLike) -> BidView:
    """Return the views that N has of auctions that are over, without a hand."""
    n, length = len(history), (history >= 0).sum(axis=1).astype(np.int16)
    nothing, over = np.zeros((n, 52), bool), np.zeros((n, 38), bool)
    dealt, vulnerable, north = (np.full(n, number, np.int16) for number in (dealer, vulnerability, 0))
    return BidView(nothing, history, length, dealt, vulnerable, north, over)
