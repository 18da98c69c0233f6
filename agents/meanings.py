"""Read what calls show, by the specs of the players."""

from __future__ import annotations

from functools import lru_cache

from agents.networks.reader import Player, Reader
from agents.registry import network_at, spec_at, system_of


@lru_cache(maxsize=16)
def reader_of(north_south: str, east_west: str, draws: bool = True) -> Reader:
    """Return the cached reader of two partnerships, by their specs; ``draws`` as for ``Reader``."""
    specs = [spec_at(north_south, east_west, seat) for seat in range(4)]
    networks = [network_at(north_south, east_west, seat) for seat in range(4)]
    players = [Player(spec, system_of(spec), network) for spec, network in zip(specs, networks, strict=True)]
    return Reader(players, draws)
