"""Compare two systems line by line, and play them against the same pair.

Lines are matched place by place, at a point of the auction or in a context of general rules, so that a line keeps its
identity wherever in the text it is. Notes do not bid: a change of a note is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import Constraint, Line, Step, System
from training.book.graph import AuctionGraph
from training.evaluation.boards import standard_error
from training.evaluation.partnership_match import BoardRange, Partnership, boards_of, duel

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
        }


def _promise(line: Line) -> str:
    return player_terms.promise(line.constraint) + player_terms.aside(player_terms.remark(line))


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
    """Return all changes from A to B."""
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
    return changes


def compare_systems(a: System, b: System, control: System, boards: int, seed: int) -> dict[str, Any]:
    """Return the model of the page on what B changes in A: names, facts on ``boards`` judging boards against the
    control pair, and sections of rows ``{call, change, followers}``, with suit symbols.
    """
    changes = find_changes(AuctionGraph(a), AuctionGraph(b))
    facts = ["No line differs. (The order of lines under different headings is not compared.)"]
    if changes:
        dealt = BoardRange(seed, "judging", 0, boards)
        one, two = (duel(Partnership(s, s), Partnership(control, control), dealt).imps.astype(int) for s in (a, b))
        judging, _ = boards_of(dealt)
        gain, error = float((two - one).mean()), standard_error(two - one, judging.base)
        facts = [
            f"Against {control.name}, {judging.source}: {a.name} {one.mean():+.3f}, {b.name} {two.mean():+.3f} IMPs a "
            f"board; the difference {gain:+.3f} ± {error:.3f}.",
            symbols(player_terms.TERMS),
        ]
    sections = [(title, [c.row() for c in changes if c.section == key]) for key, title in _TITLES.items()]
    return {
        "a": a.name,
        "b": b.name,
        "facts": facts,
        "sections": [{"title": title, "rows": rows} for title, rows in sections if rows],
    }
