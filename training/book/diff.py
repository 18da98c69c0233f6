"""Compare two systems line by line, and judge what each change is worth: the new system plays with it reverted.

Lines are matched place by place, at a point of the auction or in a context of general rules, so that a line keeps its
identity wherever in the text it is. Notes do not bid: a change of a note is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import Block, Constraint, Line, Step, System
from training.book.graph import AuctionGraph
from training.book.worth import FEWEST, Judge, Worth, without
from training.evaluation.boards import standard_error

_TITLES = {
    "convention": "New conventions and sequences",
    "added": "New lines",
    "removed": "Lines dropped",
    "changed": "Lines changed",
    "moved": "Lines moved",
}


@dataclass(frozen=True)
class Place:
    """Where lines stand: at a point of the auction, or in a context of general rules."""

    path: tuple[Step, ...] = ()  # the calls that lead to the point
    when: Constraint | None = None  # the context, None at a point

    def __str__(self) -> str:
        if self.when is None:
            return player_terms.path(self.path)
        return f"when {player_terms.promise(self.when)}"


@dataclass(eq=False)
class Change:
    """One change from A to B."""

    kind: str  # added, removed, changed or moved
    place: Place
    old: Line | None  # the line in A
    new: Line | None  # the line in B
    # with an added or removed line, those after it that came or went with it: (path, line)
    followers: list[tuple[tuple[Step, ...], Line]] = field(default_factory=list)
    reverted: System | None = None  # B without this change
    worth: Worth | None = None

    @property
    def line(self) -> Line:
        """Return the line that the change is about."""
        line = self.new or self.old
        assert line is not None
        return line

    @property
    def section(self) -> str:
        """Return the key of the section, in ``_TITLES``: new and artificial calls or sequences have their own."""
        lines = [self.line, *(line for _, line in self.followers)]
        convention = self.followers or any("artificial" in line.flags for line in lines)
        return "convention" if self.kind == "added" and convention else self.kind

    def row(self) -> dict[str, Any]:
        """Return the row of the JSON model."""
        worth = self.worth or Worth(0, None, None, None)
        change = _promise(self.line)
        if self.kind == "changed" and self.old is not None:
            change = f"{_promise(self.old)} → {change}"
        elif self.kind == "moved":
            change = f"{change} (another place in the order)"
        lead = "" if self.place == Place() else f"{self.place}{' - ' if self.place.when is None else ': '}"
        return {
            "call": symbols(lead + player_terms.call(self.line.path[-1])),
            "change": symbols(change),
            "followers": [
                symbols(f"{player_terms.path((*path, line.path[-1]))}: {_promise(line)}")
                for path, line in self.followers
            ],
            "boards": worth.boards,
            "worth": str(worth),
            "per_thousand": worth.per_thousand,
        }


@dataclass
class Difference:
    """All changes from one system to another."""

    a: str  # the systems' names
    b: str
    control: str  # the control pair
    source: str  # of the boards
    changes: list[Change]
    results: tuple[float, float]  # IMPs a board against the control pair of A and of B
    gain: tuple[float, float]  # B's IMPs a board less A's on the same boards, and the standard error

    def model(self) -> dict[str, Any]:
        """Return the JSON model: titles, facts, and sections of rows.

        A row is ``{call, change, followers, boards, worth, per_thousand}``; texts have suit symbols.
        """
        sections = [(title, [c.row() for c in self.changes if c.section == key]) for key, title in _TITLES.items()]
        return {
            "a": self.a,
            "b": self.b,
            "facts": self._facts(),
            "sections": [{"title": title, "rows": rows} for title, rows in sections if rows],
        }

    def _facts(self) -> list[str]:
        if not self.changes:
            return ["No line differs. (The order of lines under different headings is not compared.)"]
        return [
            f"Against {self.control}, {self.source}: {self.a} {self.results[0]:+.3f}, {self.b} {self.results[1]:+.3f} "
            f"IMPs a board; the difference {self.gain[0]:+.3f} ± {self.gain[1]:.3f}.",
            f"Worth: IMPs by which {self.b} does better than {self.b} without this one change, on a board whose "
            f"auction it alters ± standard error, and on 1,000 boards of all kinds. With fewer than {FEWEST} such "
            f"boards no figure is given. Single changes need not add up to the difference.",
            symbols(player_terms.TERMS),
        ]


def _promise(line: Line) -> str:
    return player_terms.promise(line.constraint) + player_terms.aside(player_terms.remark(line))


# --- matching ----------------------------------------------------------------------------------------------

_Pair = tuple[Line | None, Line | None, str]  # old, new, kind


def _key(line: Line) -> tuple[object, ...]:
    return line.path[-1], line.constraint, frozenset(line.flags)


def match_lines(old: Sequence[Line], new: Sequence[Line]) -> list[_Pair]:
    """Match the lines at one place of A and of B: the same, moved, changed, removed or added."""
    matcher = SequenceMatcher(None, [*map(_key, old)], [*map(_key, new)], autojunk=False)
    same = [(block.a + i, block.b + i) for block in matcher.get_matching_blocks() for i in range(block.size)]
    pairs: list[_Pair] = [(old[i], new[j], "same") for i, j in same]
    rest_a = [line for i, line in enumerate(old) if i not in {i for i, _ in same}]
    rest_b = [line for j, line in enumerate(new) if j not in {j for _, j in same}]
    for kind, like in (("moved", _key), ("changed", lambda line: line.path[-1])):
        for line in list(rest_a):
            partner = next((other for other in rest_b if like(other) == like(line)), None)
            if partner is not None:
                pairs.append((line, partner, kind))
                rest_a = [other for other in rest_a if other is not line]
                rest_b = [other for other in rest_b if other is not partner]
    return [*pairs, *((a, None, "removed") for a in rest_a), *((None, b, "added") for b in rest_b)]


def lines_by_place(graph: AuctionGraph) -> dict[Place, list[Line]]:
    """Return the lines of every point and of every context of general rules, in the order of the text."""
    out = {
        Place(p.path): sorted((line for e in p.entries.values() for line in e.lines), key=lambda line: line.number)
        for p in graph.points
    }
    for block in graph.system.blocks:
        out.setdefault(Place(when=block.when), []).extend(block.lines)
    return out


def match_systems(a: AuctionGraph, b: AuctionGraph) -> dict[Place, list[_Pair]]:
    """Match the lines of two systems place by place, the shortest auctions first."""
    ours, theirs = lines_by_place(a), lines_by_place(b)
    places = sorted({**ours, **theirs}, key=lambda place: len(place.path))
    return {place: match_lines(ours.get(place, []), theirs.get(place, [])) for place in places}


def find_changes(a: AuctionGraph, b: AuctionGraph) -> list[Change]:
    """Return all changes, each with B where it is reverted."""
    pairs = match_systems(a, b)
    calls_a, calls_b = (
        {(*point.path, entry.step) for point in graph.points for entry in point.entries.values()} for graph in (a, b)
    )
    one_sided = {"added": calls_b - calls_a, "removed": calls_a - calls_b}
    changes, heads = list[Change](), dict[tuple[Step, ...], Change]()
    for place in pairs:
        for old, new, kind in pairs[place]:
            if kind == "same":
                continue
            change, calls = Change(kind, place, old, new), one_sided.get(kind, set())
            lead = next((place.path[:n] for n in range(1, len(place.path) + 1) if place.path[:n] in calls), None)
            if lead in heads and heads[lead].kind == kind:
                heads[lead].followers.append((place.path, change.line))
                continue
            changes.append(change)
            if place.when is None and (*place.path, change.line.path[-1]) in calls:
                heads.setdefault((*place.path, change.line.path[-1]), change)
    for change in changes:
        change.reverted = _reverted(a.system, b.system, change, pairs[change.place])
    return changes


# --- reverting a change ----------------------------------------------------------------------------------


def _reverted(before: System, system: System, change: Change, pairs: list[_Pair]) -> System:
    """Return the system without a change.

    Args:
        before: the system in which the change had not been made.
        pairs: the matched lines at the change's place.
    """
    new, old, place = change.new, change.old, change.place
    if new is not None and old is not None and change.kind == "changed":
        number, constraint, flags = new.number, old.constraint, old.flags
        return system.rebuilt(
            lambda line: [replace(line, constraint=constraint, flags=flags) if line.number == number else line]
        )
    if new is not None:
        system = without(system, frozenset([new.number, *(line.number for _, line in change.followers)]))
    if old is None:
        return system
    line = _with_followers(old, change)
    beside = [
        (a.number - old.number, b.number) for a, b, _ in pairs if a is not None and b is not None and b is not new
    ]
    if beside:  # behind the nearest line above, else before the nearest one below
        distance, number = max((one for one in beside if one[0] < 0), default=min(beside))
        return _inserted(system, number, line, after=distance < 0)
    if place.when is None:
        lead = Line(place.path, after=True, lines=(line,)) if place.path else line
        return replace(system, lines=(*system.lines, lead))
    contexts = [block.when for block in system.blocks]
    if place.when in contexts:
        at, end = contexts.index(place.when), contexts.index(place.when) + 1
    else:
        at = end = [block.when for block in before.blocks].index(place.when)
    return replace(system, blocks=(*system.blocks[:at], Block(place.when, (line,)), *system.blocks[end:]))


def _with_followers(line: Line, change: Change) -> Line:
    """Return a line alone with those that came or went with it."""
    here = (*change.place.path, line.path[-1])
    alone = tuple(
        Line((*path[len(here) :], below.path[-1]), below.constraint, below.flags, below.note)
        for path, below in change.followers
    )
    return replace(line, path=line.path[-1:], lines=alone)


def _inserted(system: System, number: int, new: Line, *, after: bool) -> System:
    """Return the system with a line inserted behind, or before, the one of a number."""

    def put(line: Line) -> list[Line]:
        if line.number != number:
            return [line]
        beside = replace(new, path=(*line.path[:-1], *new.path))
        return [line, beside] if after else [beside, line]

    return system.rebuilt(put)


# --- the worth of changes --------------------------------------------------------------------------------------


def compare_systems(
    a: System,
    b: System,
    control: System,
    boards: int,
    seed: int,
    tick: Callable[[int], None] = lambda changes: None,
) -> Difference:
    """Return all changes from A to B, new conventions first, with what each gains B against the control pair.

    Args:
        boards, seed: judging boards on which the worth of changes is measured.
        tick: called with 1 after each change.
    """
    first, second = AuctionGraph(a), AuctionGraph(b)
    changes = find_changes(first, second)
    judge = Judge(second, control, boards, seed)
    for change in changes:
        assert change.reverted is not None
        change.worth = judge.worth_against(change.reverted)
        tick(1)
    changes.sort(key=_order)
    gains, _ = judge.differences(first.system)
    results = (judge.mean - float(gains.mean()), judge.mean)
    gain = (float(gains.mean()), standard_error(gains, judge.boards.base))
    return Difference(a.name, b.name, control.name, judge.boards.source, changes, results, gain)


def _order(change: Change) -> tuple[int, float]:
    gain = change.worth.per_thousand if change.worth is not None and change.worth.per_thousand is not None else 0.0
    return [*_TITLES].index(change.section), -abs(gain)
