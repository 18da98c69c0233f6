"""Parse the options of a reasoner, behind ``?`` in its spec: ``reason:sayc?samples=128&look=minimax``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agents.options import read_options
from bridge_env.bidders.registry import SpecError

_CHOICES = {"look": ("systems", "minimax")}
_MOST = 1_000_000


@dataclass(frozen=True)
class Options:
    """Options of a reasoner."""

    samples: int = 64  # deals that a hard call is thought over on
    looks: int = 1  # among strangers, up to so many times the deals where the choice is not clear
    # if above 0, a budget of time for each call instead: twice the deals again and again until it is spent. The call
    # then depends on how fast the machine is
    seconds: float = 0.0
    # the calls after mine: those that every seat's system makes, or the best of the game with four visible
    # hands (``minimax``)
    look: str = "systems"
    caution: float = 1.5  # the system's own call is left only for a gain above so many standard errors ...
    margin: float = 0.2  # ... and above so many IMPs
    candidates: int = 6  # calls to choose from, at most
    near: float = 2.0  # how far a hand may be from a rule for its call to be a candidate
    # where the look-ahead is minimax, the chance that a seat finds its best call rather than passing; 1 is minimax pure
    trust: float = 0.5
    # with an empty hierarchy, how many IMPs an earlier call of a reasoner may have cost before its hand is believed 1/e
    # as much; 0: earlier calls say nothing
    recall: float = 2.0


def parse_options(text: str, spec: str, usual: Options | None = None) -> Options:
    """Parse ``samples=128&look=minimax``.

    Raises:
        SpecError: an option that there is not, or a value that it cannot have.
    """
    options = read_options(text, spec, usual or Options(), _CHOICES, "a reasoner")
    if not (2 <= options.samples <= _MOST and 1 <= options.looks <= _MOST) or options.candidates < 2:
        raise SpecError(f"{spec!r}: samples must be 2 to {_MOST:,}, looks 1 to {_MOST:,}, candidates 2 or more")
    numbers = (options.seconds, options.caution, options.near, options.recall)
    if not all(0 <= number < math.inf for number in numbers) or not 0 <= options.trust <= 1:  # a NaN is refused too
        raise SpecError(f"{spec!r}: numbers must be finite and 0 or more, and trust at most 1")
    return options
