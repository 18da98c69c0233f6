"""Define the options of a card player, behind ``?`` in its spec: ``montecarlo?deals=80&score=points``."""

from __future__ import annotations

from dataclasses import dataclass

from agents.cardplay.deals import ALL, AUCTION, FACTS
from agents.options import Count

TRICKS, POINTS, IMPS = "tricks", "points", "imps"
NEEDED, ALWAYS = "needed", "always"
CONVENTION, SOLVED = "convention", "solved"
CHOICES = {
    "score": (TRICKS, POINTS, IMPS),
    "inference": (FACTS, AUCTION, ALL),
    "lead": (CONVENTION, SOLVED),
    "when": (NEEDED, ALWAYS),
}


@dataclass(frozen=True)
class Options:
    """Options of a card player that thinks."""

    deals: Count = 40  # deals that a card is thought over on
    score: str = IMPS  # the sum over the deals: tricks, points, or IMPs against the deal's (estimated) par
    inference: str = ALL  # what deals have to fit: the facts alone; the auction too; or also what the play suggests
    # opening leads: SOLVED, as any other card; or CONVENTION: what double dummy flatters counts for less, leads within
    # two standard errors are equal, and of a suit the conventional card is led
    lead: str = CONVENTION
