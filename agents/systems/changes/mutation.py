"""Find lines of a bidding system by their places, and make new trees with others there.

A line is addressed by its place: ``("lines", 3, 0)`` is the first line below the fourth, and
``("blocks", 2, 1)`` the second rule of the third block. Its trail names what lies above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.text import heading_of, is_difference
from agents.systems.language.tree import INFINITE, Atom, Constraint, Line, System
from agents.systems.language.vocabulary import CALL_WORDS, FLAG_WORDS
from bridge_env.rng import streams

Address = tuple[str | int, ...]
Trail = tuple[str, ...]
#: Words whose thresholds are no matter of degree.
_FIXED_WORDS = FLAG_WORDS | CALL_WORDS
_FIXED_WORDS |= {"position", "doubled", "passes", "i-bid", "partner-bid", "they-bid", "they-min", "they-max"}


class SeededRandom:
    """Draws from one stream, one after the other."""

    def __init__(self, *coordinates: int | str) -> None:
        self._key = int(streams.key(*coordinates)[0])
        self._drawn = 0

    def _next(self) -> int:
        self._drawn += 1
        return int(streams.key(np.uint64(self._key), self._drawn)[0])

    def below(self, count: int) -> int:
        """Draw an integer in 0 .. count - 1."""
        return self._next() % count

    def weighted(self, weights: NDArray[np.float64]) -> int:
        """Draw an index with probability in proportion to its weight."""
        total = np.cumsum(weights)
        return int(np.searchsorted(total, (self._next() >> 11) * 2.0**-53 * total[-1], side="right"))


def placed(system: System) -> Iterator[tuple[Address, Trail, Line]]:
    """Iterate over every line with its address and its trail, which lines side by side share."""

    def below(lines: tuple[Line, ...], at: Address, trail: Trail) -> Iterator[tuple[Address, Trail, Line]]:
        for i, line in enumerate(lines):
            address = (*at, i)
            yield address, trail, line
            if line.lines:
                yield from below(line.lines, address, trail if at[0] == "blocks" else (*trail, line.name))

    yield from below(system.lines, ("lines",), ())
    for b, block in enumerate(system.blocks):
        yield from below(block.lines, ("blocks", b), (heading_of(block),))


def with_lines(system: System, address: Address, new: tuple[Line, ...]) -> System:
    """Replace the line at an address by other lines, or by none."""

    def put(lines: tuple[Line, ...], at: int, *below: int) -> tuple[Line, ...]:
        here = (replace(lines[at], lines=put(lines[at].lines, *below)),) if below else new
        return (*lines[:at], *here, *lines[at + 1 :])

    top, *places = address[0], *map(int, address[1:])
    if top == "lines":
        return replace(system, lines=put(system.lines, *places))
    b, *places = places
    block = replace(system.blocks[b], lines=put(system.blocks[b].lines, *places))
    return replace(system, blocks=(*system.blocks[:b], block, *system.blocks[b + 1 :]))


# --- thresholds --------------------------------------------------------------------------------------


@lru_cache(1 << 16)  # a system has some thousands, and a change needs all of them
def moves(atom: Atom) -> tuple[Atom, ...]:
    """Return what an atom can become by one step of a threshold."""
    stem = atom.word.partition(":")[0]
    if stem in _FIXED_WORDS or is_difference(atom.word):
        return ()
    out = []
    for low, high in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)):
        if (low and atom.lo == 0) or (high and atom.hi >= INFINITE):
            continue  # an open end stays open
        new = replace(atom, lo=atom.lo + low, hi=atom.hi + high)
        if 0 <= new.lo <= new.hi:
            out.append(new)
    return tuple(out)


def with_atom(constraint: Constraint, at: tuple[int, int, int], atom: Atom) -> Constraint:
    c, t, a = at
    alternative = (*constraint[c][t][:a], atom, *constraint[c][t][a + 1 :])
    clause = (*constraint[c][:t], alternative, *constraint[c][t + 1 :])
    return (*constraint[:c], clause, *constraint[c + 1 :])
