"""Refuse texts that are too large to be systems, or that hold what people cannot see in them.

A few nested lines of ``(any)`` would describe too many auctions. The positions of a line are counted, not listed: one
number for those with the same last bid and the same suits behind their variables. So the count takes time in
proportion to the text.
"""

from __future__ import annotations

import re
from collections import Counter

from agents.systems.language.paths import Bindings, token_readings
from agents.systems.language.tree import Line, Step, System
from bridge_env.rules.calls import FIRST_BID

DEEPEST = 64
"""Lines below each other, and calls in one line."""
MOST_POSITIONS = 50_000
"""Positions that the calls of all lines may lead to; the largest system that is shipped has 2,100."""

_END = re.compile(r"\r\n|\r|\n")  # and no other: form feeds, NEL and U+2028 end no line in an editor
_HIDDEN = re.compile(r"[^\S \t]|[\x00-\x08\x0e-\x1f\x7f\ufeff\u200b-\u200f\u2060]")

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


def lines_of(text: str) -> list[str]:
    """Return the lines as editors number them, without a byte order mark at the beginning."""
    return _END.split(text.removeprefix("\ufeff"))


def trouble(line: str) -> str:
    """Describe the fault in the characters of a line; empty if there is none.

    Nobody sees spaces that are no plain ones, or marks that take no room, and they would change the meaning. Comments
    and notes may hold any character.
    """
    if line.lstrip().startswith("#"):
        return ""
    found = _HIDDEN.search(line.partition(";")[0])
    if found is None:
        return ""
    return f"column {found.start() + 1} holds U+{ord(found[0]):04X}, which cannot be seen; write plain spaces"
