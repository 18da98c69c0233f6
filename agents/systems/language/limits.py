"""Refuse texts that describe too many auctions.

A few nested lines of ``(any)`` would describe too many auctions. The positions of a line are counted, not listed: one
number for those with the same last bid and the same suits behind their variables. So the count takes time in
proportion to the text.
"""

from __future__ import annotations

from collections import Counter

from agents.systems.language.paths import Bindings, token_readings
from agents.systems.language.tree import Line, Step, System
from bridge_env.rules.calls import FIRST_BID

DEEPEST = 64
"""Lines below each other, and calls in one line."""
MOST_POSITIONS = 50_000
"""Positions that the calls of all lines may lead to; the largest system that is shipped has 2,100."""

_Places = Counter[tuple[Bindings, int]]  # by the suits behind variables and the last bid, -1 before any


def too_large(system: System) -> tuple[int, int] | None:
    """Find the line at which a system exceeds the limit of positions, and their number; None if it does not."""
    total = 0
    waiting: list[tuple[Line, _Places]] = [(line, Counter({((), -1): 1})) for line in reversed(system.lines)]
    while waiting:
        line, places = waiting.pop()
        for step in line.path:
            places = _after(places, step)
            total += places.total()
            if total > MOST_POSITIONS:
                return line.number, total
        waiting += [(child, places) for child in reversed(line.lines)]
    return None


def _after(places: _Places, step: Step) -> _Places:
    """Return the positions after one more call, at most."""
    if step.token in ("P", "X", "XX"):
        return places
    out: _Places = Counter()
    for (suits, last), count in places.items():
        for call, bound in token_readings(step.token, suits, last):
            if call - FIRST_BID > last:
                out[bound, call - FIRST_BID] += count
    return out
