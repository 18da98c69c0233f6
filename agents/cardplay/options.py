"""Parse the options of a card player, behind ``?`` in its spec: ``montecarlo?deals=80&score=points``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

from agents.cardplay.deals import ALL, AUCTION, FACTS
from agents.options import read_options
from bridge_env.bidders.registry import SpecError

TRICKS, POINTS, IMPS = "tricks", "points", "imps"
NEEDED, ALWAYS = "needed", "always"
CONVENTION, SOLVED = "convention", "solved"
_CHOICES = {
    "score": (TRICKS, POINTS, IMPS),
    "inference": (FACTS, AUCTION, ALL),
    "lead": (CONVENTION, SOLVED),
    "when": (NEEDED, ALWAYS),
}


@dataclass(frozen=True)
class Options:
    """Options of a card player that thinks."""

    deals: int = 40  # deals that a card is thought over on
    score: str = IMPS  # the sum over the deals: tricks, points, or IMPs against the deal's (estimated) par
    inference: str = ALL  # what deals have to fit: the facts alone; the auction too; or also what the play suggests
    # opening leads: SOLVED, as any other card; or CONVENTION: what double dummy flatters counts for less, leads within
    # two standard errors are equal, and of a suit the conventional card is led
    lead: str = CONVENTION


Given = TypeVar("Given", bound=Options)


def parse_options(text: str, spec: str, usual: Given) -> Given:
    """Parse ``deals=80&score=points``; ``usual`` holds the defaults.

    Raises:
        SpecError: an option that there is not, or a value that it cannot have.
    """
    options = read_options(text, spec, usual, _CHOICES, "this player")
    for name, value in vars(options).items():
        if isinstance(value, float) and not 0 <= value < math.inf:  # a NaN is refused too
            raise SpecError(f"{spec!r}: {name} must be a finite number, 0 or more")
        if isinstance(value, int) and value < 1:
            raise SpecError(f"{spec!r}: {name} must be 1 or more")
    return options
