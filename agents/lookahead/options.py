"""Parse the options of a bidder that looks ahead, behind ``?`` in its spec: ``reason:sayc?samples=128&looks=2``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agents.options import read_options
from bridge_env.bidders.registry import SpecError

_MOST, _MOST_LOOKS = 1_000_000, 12


@dataclass(frozen=True)
class Options:
    """Options of a look-ahead."""

    samples: int = 64  # deals, each with a model of the opponents, that a hard call is first thought over on
    looks: int = 4  # where the choice is not clear, the deals are doubled, up to so many looks in all
    caution: float = 1.0  # the usual call is left only for a gain above so many standard errors ...
    margin: float = 0.3  # ... and above so many IMPs
    candidates: int = 5  # calls to choose from, at most
    near: float = 2.0  # how far a hand may be from a system's rule for its call to be a candidate
    trust: float = 0.15  # without a system: the chance that a seat finds its best call rather than passing
    # without a system: how many IMPs an earlier call may have cost before its hand is believed 1/e as much; 0: earlier
    # calls say nothing
    recall: float = 2.0


def parse_options(text: str, spec: str, usual: Options) -> Options:
    """Parse ``samples=128&looks=2``; what is not named is as in ``usual``.

    Raises:
        SpecError: an option that there is not, or a value that it cannot have.
    """
    options = read_options(text, spec, usual, {}, "a bidder that looks ahead")
    if not (2 <= options.samples <= _MOST and 1 <= options.looks <= _MOST_LOOKS) or options.candidates < 2:
        raise SpecError(f"{spec!r}: samples must be 2 to {_MOST:,}, looks 1 to {_MOST_LOOKS}, candidates 2 or more")
    numbers = (options.caution, options.margin, options.near, options.recall)
    if not all(0 <= number < math.inf for number in numbers) or not 0 <= options.trust <= 1:  # a NaN is refused too
        raise SpecError(f"{spec!r}: numbers must be finite and 0 or more, and trust at most 1")
    return options
