"""Find the networks that a run begins with."""

from __future__ import annotations

from agents.networks.file import Networks
from agents.networks.shipped import read_networks
from bridge_env.bidders.registry import SpecError
from training.evaluation.network_opponents import refuse_gatekeepers


def start_networks(spec: str, by_book: bool = False) -> Networks:
    """Return the networks that ``policy:NAME`` or ``policy:FILE`` stands for, to begin with.

    Args:
        by_book: allow a network that bids by a book.

    Raises:
        SpecError: it is no network, or a gatekeeper.
    """
    head, _, argument = spec.partition(":")
    if head != "policy":
        raise SpecError(f"{spec!r}: write policy:NAME or policy:FILE")
    refuse_gatekeepers([spec])
    networks = read_networks(argument)
    if networks.book is not None and not by_book:
        raise SpecError(f"{spec} bids by a book; only 'bridge-env train league --book' goes on from it")
    return networks
