"""Define the options of a bidder that looks ahead, behind ``?`` in its spec: ``reason:sayc?samples=128&looks=2``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from agents.options import Amount


@dataclass(frozen=True)
class Options:
    """Options of a look-ahead."""

    # deals, each with a model of the opponents, that a hard call is first thought over on
    samples: Annotated[int, Meta(ge=2, le=1_000_000)] = 64
    # where the choice is not clear, the deals are doubled, up to so many looks in all
    looks: Annotated[int, Meta(ge=1, le=12)] = 4
    caution: Amount = 1.0  # the usual call is left only for a gain above so many standard errors ...
    margin: Amount = 0.3  # ... and above so many IMPs
    candidates: Annotated[int, Meta(ge=2)] = 5  # calls to choose from, at most
    near: Amount = 2.0  # how far a hand may be from a system's rule for its call to be a candidate
    # without a system: the chance that a seat finds its best call rather than passing
    trust: Annotated[float, Meta(ge=0, le=1)] = 0.15
    # without a system: how many IMPs an earlier call may have cost before its hand is believed 1/e as much; 0: earlier
    # calls say nothing
    recall: Amount = 2.0
