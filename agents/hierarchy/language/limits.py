"""Limit the size of a bidding system: a few nested lines of ``(any)`` would stand for too many auctions.

The positions that a line stands for are counted, not listed: of those with the same last bid and the same suits behind
their variables one number is kept. So the count takes time in proportion to the text, whatever it stands for.
"""

from __future__ import annotations

from collections import Counter

from agents.hierarchy.language.tree import Line, Step, System
from bridge_env.calls import NUM_BIDS

DEEPEST = 64
"""Lines below each other, and calls in one line."""
LARGEST = 1 << 22
"""Characters of a file."""
MOST_POSITIONS = 50_000
"""Positions that the calls of all lines may lead to; the largest system that is shipped has 2,100."""

_STRAINS = {"C": 0, "D": 1, "H": 2, "S": 3, "N": 4}
_CHOICES = {"M": (3, 2), "m": (1, 0), "x": (3, 2, 1, 0), "y": (3, 2, 1, 0), "oM": (3, 2), "om": (1, 0)}
_LEAST = {"lowest": 0, "jump": 5, "game": 10, "slam": 25, "grand": 30}  # from the first bid of a strain on

_Suits = tuple[tuple[str, int], ...]
_Places = Counter[tuple[_Suits, int]]  # by the suits behind variables and the last bid, -1 before any


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
    """The positions after one more call, at most."""
    token = step.token
    if token in ("P", "X", "XX"):
        return places
    out: _Places = Counter()
    for (suits, last), count in places.items():
        for key in _bids(token, suits, last):
            out[key] += count
    return out


def _bids(token: str, suits: _Suits, last: int) -> list[tuple[_Suits, int]]:
    """Return what a token may bid, and which suits it binds."""
    if token == "any":
        return [(suits, bid) for bid in range(last + 1, NUM_BIDS)]
    if token.endswith("any"):
        first = 5 * (int(token[0]) - 1)
        return [(suits, bid) for bid in range(max(first, last + 1), first + 5)]
    span, _, name = token.partition(":")
    out = []
    for strain, bound in _bound(name or token[1:], suits):
        if name:
            bid = max(strain + _LEAST[span], strain + 5 * ((last - strain) // 5 + 1) if last >= strain else 0)
        else:
            bid = 5 * (int(token[0]) - 1) + strain
        if last < bid < NUM_BIDS:
            out.append((bound, bid))
    return out


def _bound(name: str, suits: _Suits) -> list[tuple[int, _Suits]]:
    """The strains that a name may stand for, with what that binds."""
    if name in _STRAINS:
        return [(_STRAINS[name], suits)]
    known = dict(suits)
    if name in known:
        return [(known[name], suits)]
    out = []
    for suit in _CHOICES[name]:
        more = {name: suit}
        if name in ("M", "m"):
            more[f"o{name}"] = (5 if name == "M" else 1) - suit
        if known.get({"x": "y", "y": "x"}.get(name, ""), -1) != suit:
            out.append((suit, tuple(sorted((known | more).items()))))
    return out
