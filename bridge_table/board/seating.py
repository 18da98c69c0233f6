"""Seat bidders: the specs that the page may use, and the bidders that they name."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from agents.networks.shipped import shipped_networks
from agents.registry import seat_specs, without_search
from agents.systems.library.shipped import register_system, shipped_systems
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import SpecError, make, player_at
from training.evaluation.duplicate import seat_teams

Player = Literal["montecarlo", "rule", "deceptive"]  # card players of the page
_PLAIN = ("pass", "random", "doubler")
_NOT_OFFERED = ("empty", "silent", "doubler")  # systems that are no opponents for a person


def offered(named: tuple[str, ...], dropped: tuple[str, ...]) -> list[str]:
    """Return the specs that the page lists: those of the command line, dropped ones, and those of the package."""
    systems = [f"system:{name}" for name in shipped_systems() if name not in _NOT_OFFERED]
    networks = [f"policy:{name}" for name in shipped_networks()]
    thinking = ["reason:two-over-one", "reason:champion", "reason:policy:champion"]
    return list(dict.fromkeys([*named, *dropped, *networks, *systems, *thinking, "pass"]))


def check_spec(spec: str, named: tuple[str, ...]) -> str:
    """Return a spec without spaces around it; raise ``SpecError`` where it is none, or only the command line may name
    it.
    """
    spec = spec.strip()
    for part in seat_specs(spec):
        if part not in named and spec not in named and not _is_known(part):
            raise SpecError(
                f"{part!r} cannot be named from the page; drop a .bidding file on it, or start with: "
                "bridge-env table SPEC."
            )
    make(spec)
    return spec


def _is_known(spec: str) -> bool:
    """Return whether a spec names a bidder of the package, or one that was dropped on the page."""
    if spec in _PLAIN:
        return True
    head, _, argument = without_search(spec).partition(":")
    if head == "system":
        return argument in shipped_systems() or argument.startswith("~")
    return head == "policy" and argument in shipped_networks()


def drop_system(name: str, text: str) -> str:
    """Return the spec of a ``.bidding`` text that was dropped on the page; raise ``SpecError``, with the line, where it
    is none.
    """
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name.removesuffix(".bidding"))
    return register_system(stem.strip("-")[:40] or "mine", text)


@lru_cache(maxsize=32)
def teams(north_south: str, east_west: str) -> tuple[Bidder, Bidder]:
    """Return the bidders of both sides; each knows the other's spec."""
    return seat_teams(north_south, east_west)


def bidder_at(north_south: str, east_west: str, seat: int) -> Bidder:
    """Return the bidder at one seat."""
    return player_at(teams(north_south, east_west)[seat & 1], seat)
