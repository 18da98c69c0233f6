"""Parse the options of a card player, behind ``?`` in its spec: ``montecarlo?deals=80&score=points``."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from agents.cardplay.deals import ALL, AUCTION, FACTS
from bridge_env.bidders import SpecError

TRICKS, POINTS, IMPS = "tricks", "points", "imps"
NEEDED, ALWAYS = "needed", "always"
EXACT, PUBLISHED = "exact", "published"
_CHOICES = {
    "score": (TRICKS, POINTS, IMPS),
    "inference": (FACTS, AUCTION, ALL),
    "when": (NEEDED, ALWAYS),
    "leaf": (EXACT, PUBLISHED),
}


@dataclass(frozen=True)
class Options:
    """Options of a card player that thinks.

    Attributes:
        deals: deals that a card is thought over on.
        seconds: if above 0, a budget of time for each card instead: deals are added until it is spent. The card then
            depends on how fast the machine is.
        score: what is summed over the deals: tricks, points, or IMPs against the deal's (estimated) par.
        inference: what deals have to fit: the facts, the auction too, or all, hypotheses from the play as well.
    """

    deals: int = 40
    seconds: float = 0.0
    score: str = IMPS
    inference: str = ALL

    def __str__(self) -> str:
        usual = type(self)()
        said = [(f.name, getattr(self, f.name)) for f in fields(self)]
        return "&".join(f"{name}={value}" for name, value in said if value != getattr(usual, name))


def parse_options(text: str, spec: str, usual: Options | None = None) -> Options:
    """Parse ``deals=80&score=points``; ``usual`` gives the kind of options and the defaults.

    Raises:
        SpecError: an option that there is not, or a value that it cannot have.
    """
    usual = usual or Options()
    names = {f.name for f in fields(usual)}
    given: dict[str, object] = {}
    for part in filter(None, text.split("&")):
        name, _, value = part.partition("=")
        if name not in names:
            raise SpecError(f"{spec!r}: {name!r} is no option of this player; there are {', '.join(sorted(names))}")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise SpecError(f"{spec!r}: {name} is {' or '.join(_CHOICES[name])}, not {value!r}")
        try:
            given[name] = type(getattr(usual, name))(value)
        except ValueError:
            raise SpecError(f"{spec!r}: {name}={value} is no number of the right kind") from None
    options = replace(usual, **given)  # type: ignore[arg-type]
    for name in names:
        value = getattr(options, name)
        if isinstance(value, float) and not 0 <= value < math.inf:  # a NaN is refused too
            raise SpecError(f"{spec!r}: {name} is finite and 0 or more")
        if isinstance(value, int) and value < 1:
            raise SpecError(f"{spec!r}: {name} is 1 or more")
    return options
