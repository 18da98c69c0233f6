"""Seat bidders: the specs that the page may ask for, and the bidders that they name."""

from __future__ import annotations

from functools import lru_cache

from agents.hierarchy.shipped import register_system, shipped_systems
from agents.networks.shipped import shipped_networks
from agents.reasoning.options import Options, parse_options
from agents.registry import seat_specs
from agents.seats import quick
from bridge_env.bidders import SpecError, make, player_at
from bridge_env.protocols import Bidder
from bridge_table.http.asked import Refused
from training.match.duplicate import seat_teams

PLAYERS = ("montecarlo", "rule", "deceptive")  # who may play the cards
_PLAIN = ("pass", "random", "doubler")
_MOST_SAMPLES, _MOST_LOOKS, _MOST_SECONDS = 512, 5, 10
_NOT_OFFERED = ("empty", "silent", "doubler")  # systems that are no opponents for a person


def offered(named: tuple[str, ...], dropped: tuple[str, ...]) -> list[str]:
    """The specs that the page lists: those named at the start, dropped ones, what comes with the package."""
    systems = [f"system:{name}" for name in shipped_systems() if name not in _NOT_OFFERED]
    networks = [f"policy:{name}" for name in shipped_networks()]
    thinking = ["reason:two-over-one", "reason:champion", "reason:policy:champion"]
    return list(dict.fromkeys([*named, *dropped, *networks, *systems, *thinking, "pass"]))


def checked(spec: str, named: tuple[str, ...]) -> str:
    """A spec that the page may ask for, tried out.

    Files and Python modules are for those who started the server: they name them there.

    Raises:
        Refused: it names nothing, or something that only the command line may name.
    """
    spec = spec.strip()
    try:
        parts = seat_specs(spec)
    except SpecError as error:
        raise Refused(f"{error}.") from None
    for part in parts:
        if part not in named and spec not in named and not _ours(part):
            raise Refused(
                f"{part!r} cannot be named from the page; drop a .bidding file on it, or start with: "
                "bridge-env table SPEC."
            )
    try:
        make(spec)
        bounded = spec in named or all(_within_bounds(part) for part in parts)
    except (SpecError, OSError) as error:
        raise Refused(f"{error}.") from None
    if not bounded:
        raise Refused(
            f"From the page a thinker has at most {_MOST_SAMPLES} samples, {_MOST_LOOKS} looks and {_MOST_SECONDS} "
            "seconds a call."
        )
    return spec


def _within_bounds(spec: str) -> bool:
    """Does it think no longer than a page can wait?"""
    _, _, options = spec.partition("?")
    given = parse_options(options, spec) if spec.startswith("reason:") else Options()
    return given.samples <= _MOST_SAMPLES and given.looks <= _MOST_LOOKS and given.seconds <= _MOST_SECONDS


def _ours(spec: str) -> bool:
    """Does it name something that comes with the package, or that was dropped on the page?"""
    if spec in _PLAIN:
        return True
    head, _, argument = quick(spec).partition(":")
    if head == "system":
        return argument in shipped_systems() or argument.startswith("~")
    return head == "policy" and argument in shipped_networks()


def drop_system(name: str, text: str) -> str:
    """The spec of a ``.bidding`` text that was dropped on the page; it stays in this process.

    Raises:
        Refused: it is no system; the message gives the line.
    """
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name.removesuffix(".bidding"))
    try:
        return register_system(stem.strip("-")[:40] or "mine", text)
    except SpecError as error:
        raise Refused(f"{error}.") from None
    except RecursionError:
        raise Refused("The lines lie too deep in one another.") from None


@lru_cache(maxsize=32)
def teams(north_south: str, east_west: str) -> tuple[Bidder, Bidder]:
    """The bidders of both sides, each told the other's spec."""
    return seat_teams(north_south, east_west)


def bidder_at(north_south: str, east_west: str, seat: int) -> Bidder:
    """Return who bids at one seat."""
    return player_at(teams(north_south, east_west)[seat & 1], seat)
