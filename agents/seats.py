"""Name who sits where: the spec of a seat, the network in it, and who bids there without thinking."""

from __future__ import annotations

from agents.networks.bidder import NetworkBidder
from agents.registry import seat_specs
from bridge_env.bidders import make


def without_search(spec: str) -> str:
    """Return who bids for ``spec`` in thousands of play-outs: its bidder, without thinking."""
    if spec.startswith("pair:"):
        return "pair:" + ",".join(without_search(part) for part in seat_specs(spec))
    if not spec.startswith("reason:"):
        return spec
    plain = spec.removeprefix("reason:").partition("?")[0]
    return plain if plain.startswith("policy:") else f"system:{plain.removeprefix('system:')}"


def spec_at(north_south: str, east_west: str, seat: int) -> str:
    """The spec of one seat."""
    return seat_specs(east_west if seat & 1 else north_south)[seat // 2]


def network_at(north_south: str, east_west: str, seat: int) -> NetworkBidder | None:
    """The network at a seat, thinking or not; None where there is none."""
    bidder = make(without_search(spec_at(north_south, east_west, seat)))
    return bidder if isinstance(bidder, NetworkBidder) else None
