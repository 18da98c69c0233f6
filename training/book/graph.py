"""The graph of auctions that a system writes about: its points, its calls there, and how real auctions move through it.

A point is a path of the text, such as ``1M-2N`` or ``(1x)``; lines under different headings with the same path stand at
the same point. An auction can be at several points at once: 1H is at ``1H``, ``1M`` and ``1x``. The walk follows the
text itself, not the compiled tree, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.paths import Bindings, token_readings
from agents.systems.language.text import parse_system, system_text
from agents.systems.language.tree import Line, Step, System
from bridge_env.rules.calls import FIRST_BID, PASS


def renumber_lines(system: System) -> System:
    """Return the same system with distinct line numbers: general rules that it took over have those of their file."""
    return parse_system(system_text(system), name=system.name)


@dataclass(eq=False)
class Entry:
    """A call at a point, with all lines of the system that make it there."""

    index: int
    step: Step
    lines: list[Line]
    point: Point | None  # None: a general rule
    block: int  # of general rules, else -1

    @property
    def numbers(self) -> frozenset[int]:
        """Return the line numbers."""
        return frozenset(line.number for line in self.lines)

    @property
    def flags(self) -> list[str]:
        """Return the flags of all lines, each once."""
        return list(dict.fromkeys(flag for line in self.lines for flag in line.flags))


@dataclass(eq=False)
class Point:
    """A point of the auction: what our side may call there, and where calls lead."""

    index: int
    path: tuple[Step, ...]
    entries: dict[str, Entry] = field(default_factory=dict)
    children: dict[Step, Point] = field(default_factory=dict)
    late: bool = False  # of a network: opened in third or fourth seat, or about to be

    @property
    def name(self) -> str:
        """Return the path as written."""
        return "-".join(str(step) for step in self.path)


class AuctionGraph:
    """All points of a system, and its general rules.

    Attributes:
        system: the system with its lines renumbered.
        points: the first is the start of the auction.
        entries: every call of every point, then every general rule.
        of_line: line number -> entry.
    """

    def __init__(self, system: System) -> None:
        self.system = renumber_lines(system)
        self.points: list[Point] = [Point(0, ())]
        self.entries: list[Entry] = []
        self.of_line: dict[int, Entry] = {}
        self._add(self.system.lines, self.points[0])
        for number, block in enumerate(self.system.blocks):
            for line in block.lines:
                entry = self.of_line[line.number] = self._entry(line.path[0], None, number)
                entry.lines.append(line)

    def earlier(self, entry: Entry) -> list[Entry]:
        """Return the calls that the same player has made before, the last one first."""
        path = entry.point.path if entry.point is not None else ()
        ours = [i for i, step in enumerate(path) if not step.theirs]
        places = [(self._by_path.get(path[:i]), path[i].token) for i in ours[-2::-2]]
        found = [None if point is None else point.entries.get(token) for point, token in places]
        return [entry for entry in found if entry is not None]

    def entries_of(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entries of calls, given the numbers of the lines that made them; -1 for none."""
        every = range(max(self.of_line, default=0) + 1)
        return np.array([-1, *(self.of_line[n].index if n in self.of_line else -1 for n in every)])[lines + 1]

    @cached_property
    def _by_path(self) -> dict[tuple[Step, ...], Point]:
        return {point.path: point for point in self.points}

    def _add(self, lines: tuple[Line, ...], point: Point) -> None:
        for line in lines:
            place = point
            for step in line.path[:-1]:
                place = self._child(place, step)
            last = line.path[-1]
            if not line.after:
                entry = place.entries.get(last.token)
                if entry is None:
                    entry = place.entries[last.token] = self._entry(last, place)
                entry.lines.append(line)
                self.of_line[line.number] = entry
            self._add(line.lines, self._child(place, last))

    def _child(self, point: Point, step: Step) -> Point:
        if step.token == "P" and not any(s.token != "P" for s in point.path):
            return point  # passes before the opening lead nowhere
        if step not in point.children:
            point.children[step] = Point(len(self.points), (*point.path, step))
            self.points.append(point.children[step])
        return point.children[step]

    def _entry(self, step: Step, point: Point | None, block: int = -1) -> Entry:
        self.entries.append(Entry(len(self.entries), step, [], point, block))
        return self.entries[-1]


def bindings_of(token: str, call: int, bindings: Bindings, last_bid: int) -> Bindings | None:
    """Return the suits of variables once ``call`` is read as ``token`` after ``last_bid`` (0..34, -1 none); None if it
    cannot.
    """
    return next((bound for made, bound in token_readings(token, bindings, last_bid) if made == call), None)


@dataclass(frozen=True)
class WalkState:
    """The state of an auction as one side sees it: the points it is at, with the suits that are known."""

    places: tuple[tuple[int, Bindings], ...]
    last_bid: int = -1


class Walker:
    """Follows auctions through the points; numbers its states as it meets them, 0 is the start."""

    def __init__(self, graph: AuctionGraph) -> None:
        self.graph = graph
        self.states: list[WalkState] = [WalkState(((0, ()),))]
        self._number = {self.states[0]: 0}
        self._next: dict[int, int] = {}

    def step(self, states: NDArray[np.int32], theirs: NDArray[np.bool_], calls: NDArray[np.int8]) -> NDArray[np.int32]:
        """Return the states after a call in each of N auctions, made by our side or theirs."""
        moves, inverse = np.unique(states.astype(np.int64) * 128 + theirs * 64 + calls, return_inverse=True)
        found = np.empty(len(moves), np.int32)
        for i, code in enumerate(moves.tolist()):
            if code not in self._next:
                self._next[code] = self._advance(code >> 7, bool(code >> 6 & 1), code & 63)
            found[i] = self._next[code]
        return found[inverse]

    def _advance(self, number: int, theirs: bool, call: int) -> int:
        state = self.states[number]
        bid = call - FIRST_BID if call >= FIRST_BID else state.last_bid
        places = []
        for point, bindings in state.places:
            for step, child in self.graph.points[point].children.items():
                bound = bindings_of(step.token, call, bindings, state.last_bid) if step.theirs == theirs else None
                if bound is not None:
                    places.append((child.index, bound))
        if not places and call == PASS and (theirs or state.last_bid < 0):
            return number  # passes before the opening, and theirs in between, are not written
        after = WalkState(tuple(places), bid)
        if after not in self._number:
            self._number[after] = len(self.states)
            self.states.append(after)
        return self._number[after]

    def calls_at(self, state: int, call: int) -> Iterator[tuple[Entry, Bindings]]:
        """Yield the entries that ``call`` can be at a state, with the suits that are then known."""
        for point, bindings in self.states[state].places:
            for entry in self.graph.points[point].entries.values():
                bound = bindings_of(entry.step.token, call, bindings, self.states[state].last_bid)
                if bound is not None:
                    yield entry, bound

    def bindings(self, entry: Entry, state: int, call: int) -> Bindings:
        """Return the suits of ``entry``'s variables where it makes ``call`` at a state."""
        if entry.point is None:
            return bindings_of(entry.step.token, call, (), self.states[state].last_bid) or ()
        return next((bound for e, bound in self.calls_at(state, call) if e is entry), ())
