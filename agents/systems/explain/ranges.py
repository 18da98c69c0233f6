"""Sum up the conditions of a hand as ranges: of each word of the language the least and the most."""

from __future__ import annotations

from collections.abc import Iterable

from agents.systems.language.tree import INFINITE, Alternative, Constraint

Ranges = dict[str, tuple[int, int]]
_IMPLIES = {"balanced": "semibalanced", "hcp": "points"}  # at least as many of the other


def hull(constraint: Constraint) -> Ranges:
    """Return the ranges that every hand of ``constraint`` lies in: those that all alternatives of a clause speak of."""
    out: Ranges = {}
    for clause in constraint:
        _narrow(out, unite(ranges_of_all(alternative) for alternative in clause))
    return out


def unite(several: Iterable[Ranges]) -> Ranges:
    """Return the ranges that hold of every hand of one or the other."""
    first, *others = several
    out = dict(first)
    for ranges in others:
        out = {
            word: (min(low, ranges[word][0]), max(high, ranges[word][1]))
            for word, (low, high) in out.items()
            if word in ranges
        }
    return out


def within(ranges: Ranges, others: Ranges) -> bool:
    """Return whether every hand of ``ranges`` lies in ``others``, by the words that both have."""
    return all(
        word in ranges and low <= ranges[word][0] and ranges[word][1] <= high for word, (low, high) in others.items()
    )


def distinct(several: Iterable[Ranges]) -> list[Ranges]:
    """Return ranges of which none lies in another."""
    found: list[Ranges] = []
    for one in several:
        if not any(within(one, other) for other in found):
            found = [*(other for other in found if not within(other, one)), one]
    return found


def ranges_of_all(alternative: Alternative) -> Ranges:
    """Return the ranges of conditions that all hold, and those that follow: of points with length from HCP."""
    out: Ranges = {}
    for atom in alternative:
        _narrow(out, {atom.word: (atom.lo, atom.hi)})
        if atom.word in _IMPLIES and atom.lo >= 1:
            _narrow(out, {_IMPLIES[atom.word]: (atom.lo, INFINITE)})
    return out


def _narrow(out: Ranges, by: Ranges) -> None:
    for word, (low, high) in by.items():
        if word in out:
            low, high = max(low, out[word][0]), min(high, out[word][1])
        out[word] = (low, high)
