"""Compare two systems line by line, and judge what each change is worth: the new system plays with it reverted.

Lines are matched point by point, so that a line keeps its identity wherever in the text it is. Notes do not bid: a
change of a note is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.tree import Block, Line, Step, System
from training.book.graph import AuctionGraph
from training.book.worth import FEWEST, Judge, Worth, without
from training.evaluation.boards import standard_error


@dataclass(eq=False)
class Change:
    """One change from A to B."""

    kind: str  # added, removed, changed, moved, or, of a block of general rules, context
    path: tuple[Step, ...]  # calls that lead to the line's point
    old: Line | None  # the line in A
    new: Line | None  # the line in B
    block: Block | None = None  # the context of a general rule, else None
    # with an added or removed line, those after it that came or went with it: (path, line)
    followers: list[tuple[tuple[Step, ...], Line]] = field(default_factory=list)
    reverted: System | None = None  # B without this change
    worth: Worth | None = None

    @property
    def line(self) -> Line | None:
        """Return the line that the change is about."""
        return self.new or self.old

    @property
    def convention(self) -> bool:
        """Return whether it is new and artificial, or a new sequence."""
        lines = [self.new, *(line for _, line in self.followers)]
        artificial = any(line is not None and "artificial" in line.flags for line in lines)
        return self.kind == "added" and (artificial or bool(self.followers))


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
        sections = [("New conventions and sequences", [c for c in self.changes if c.convention])]
        for kind, title in _TITLES.items():
            sections.append((title, [c for c in self.changes if c.kind == kind and not c.convention]))
        return {
            "a": self.a,
            "b": self.b,
            "facts": self._facts(),
            "sections": [{"title": t, "rows": [_row(c) for c in changes]} for t, changes in sections if changes],
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


_TITLES = {
    "added": "New lines",
    "removed": "Lines dropped",
    "changed": "Lines changed",
    "moved": "Lines moved",
    "context": "General rules in another context",
}


def _row(change: Change) -> dict[str, Any]:
    worth = change.worth or Worth(0, None, None, None)
    return {
        "call": symbols(_call(change)),
        "change": symbols(_description(change)),
        "followers": [
            symbols(f"{_lead(path)}{player_terms.call(line.path[-1])}: {_promise(line)}")
            for path, line in change.followers
        ],
        "boards": worth.boards,
        "worth": str(worth),
        "per_thousand": worth.per_thousand,
    }


def _call(change: Change) -> str:
    line = change.line
    context = "" if change.block is None else f"when {player_terms.promise(change.block.when)}"
    if line is None or not line.path:
        return context or "general rules"
    return f"{f'{context}: ' if context else ''}{_lead(change.path)}{player_terms.call(line.path[-1])}"


def _lead(path: tuple[Step, ...]) -> str:
    return f"{player_terms.path(path)} - " if path else ""


def _promise(line: Line) -> str:
    return player_terms.promise(line.constraint) + player_terms.aside(player_terms.remark(line))


def _description(change: Change) -> str:
    old, new = change.old, change.new
    if change.kind in ("changed", "context") and old is not None and new is not None:
        return f"{_promise(old)} → {_promise(new)}"
    if change.kind == "moved" and new is not None:
        return f"{_promise(new)} (another place in the order)"
    return _promise(change.line) if change.line is not None else ""


# --- matching ----------------------------------------------------------------------------------------------

_Pair = tuple[Line | None, Line | None, str]  # old, new, kind


def _key(line: Line) -> tuple[object, ...]:
    return line.path[-1], line.constraint, frozenset(line.flags)


def match_lines(old: Sequence[Line], new: Sequence[Line]) -> list[_Pair]:
    """Match the lines at one point of A and of B: the same, moved, changed, removed or added."""
    keys_a, keys_b = [_key(line) for line in old], [_key(line) for line in new]
    pairs: list[_Pair] = []
    rest_a, rest_b = list(old), list(new)
    for block in SequenceMatcher(None, keys_a, keys_b, autojunk=False).get_matching_blocks():
        for i in range(block.size):
            a, b = old[block.a + i], new[block.b + i]
            pairs.append((a, b, "same"))
            rest_a = [line for line in rest_a if line is not a]
            rest_b = [line for line in rest_b if line is not b]
    for kind, like in (("moved", _key), ("changed", lambda line: line.path[-1])):
        for line in list(rest_a):
            partner = next((other for other in rest_b if like(other) == like(line)), None)
            if partner is not None:
                pairs.append((line, partner, kind))
                rest_a = [other for other in rest_a if other is not line]
                rest_b = [other for other in rest_b if other is not partner]
    return [*pairs, *((a, None, "removed") for a in rest_a), *((None, b, "added") for b in rest_b)]


def lines_by_path(graph: AuctionGraph) -> dict[tuple[Step, ...], list[Line]]:
    """Return the lines of every point by its path, in the order of the text."""
    return {
        p.path: sorted((line for e in p.entries.values() for line in e.lines), key=lambda line: line.number)
        for p in graph.points
    }


def find_changes(a: AuctionGraph, b: AuctionGraph) -> list[Change]:
    """Return all changes, each with B where it is reverted."""
    return [*_tree_changes(a, b), *_block_changes(a.system, b.system)]


def _tree_changes(a: AuctionGraph, b: AuctionGraph) -> list[Change]:
    ours, theirs = lines_by_path(a), lines_by_path(b)
    pairs = {path: match_lines(ours.get(path, []), theirs.get(path, [])) for path in {**ours, **theirs}}
    calls_a, calls_b = ({(*p, line.path[-1]) for p, lines in of.items() for line in lines} for of in (ours, theirs))
    one_sided = {"added": calls_b - calls_a, "removed": calls_a - calls_b}
    changes, heads = [], dict[tuple[Step, ...], Change]()
    for path in sorted(pairs, key=len):
        for old, new, kind in pairs[path]:
            line = new or old
            if kind == "same" or line is None:
                continue
            calls = one_sided.get(kind, set())
            lead = next((path[:n] for n in range(1, len(path) + 1) if path[:n] in calls), None)
            if lead in heads and heads[lead].kind == kind:
                heads[lead].followers.append((path, line))
                continue
            changes.append(Change(kind, path, old, new))
            if (*path, line.path[-1]) in calls:
                heads.setdefault((*path, line.path[-1]), changes[-1])
    for change in changes:
        change.reverted = _reverted(b.system, change, pairs[change.path], ours.get(change.path, []))
    return changes


# --- reverting a change ----------------------------------------------------------------------------------


def _reverted(system: System, change: Change, pairs: list[_Pair], order: list[Line]) -> System:
    """Return the system without a change.

    Args:
        pairs: the matched lines at the change's point.
        order: the old lines there.
    """
    new, old = change.new, change.old
    if new is not None and old is not None and change.kind == "changed":
        number, constraint, flags = new.number, old.constraint, old.flags
        return system.rebuilt(
            lambda line: [replace(line, constraint=constraint, flags=flags) if line.number == number else line]
        )
    if new is not None:
        system = without(system, frozenset([new.number, *(line.number for _, line in change.followers)]))
    if old is None:
        return system
    line = _with_followers(old, change.path, change.followers)
    partners = {id(a): b for a, b, kind in pairs if a is not None and b is not None and b is not new}
    at = next(i for i, other in enumerate(order) if other is old)
    for places, after in ((reversed(order[:at]), True), (order[at + 1 :], False)):
        neighbour = next((partners[id(other)] for other in places if id(other) in partners), None)
        if neighbour is not None:
            return _inserted(system, neighbour.number, line, after=after)
    if not change.path:
        return replace(system, lines=(*system.lines, line))
    return replace(system, lines=(*system.lines, Line(change.path, after=True, lines=(line,))))


def _with_followers(line: Line, path: tuple[Step, ...], followers: Iterable[tuple[tuple[Step, ...], Line]]) -> Line:
    """Return a line alone with those that came or went with it."""
    here = (*path, line.path[-1])
    alone = tuple(
        Line((*where[len(here) :], below.path[-1]), below.constraint, below.flags, below.note)
        for where, below in followers
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


# --- general rules -----------------------------------------------------------------------------------------


def _block_changes(a: System, b: System) -> list[Change]:
    out: list[Change] = []

    def change(kind: str, old: Block | None, new: Block | None, *blocks: Block) -> None:
        before, after = (None if block is None else Line((), block.when) for block in (old, new))
        out.append(Change(kind, (), before, after, new or old, reverted=replace(b, blocks=blocks)))

    keys_a, keys_b = [block.when for block in a.blocks], [block.when for block in b.blocks]
    for tag, i, j, k, m in SequenceMatcher(None, keys_a, keys_b, autojunk=False).get_opcodes():
        both = min(j - i, m - k)
        for old, new, at in zip(a.blocks[i : i + both], b.blocks[k : k + both], range(k, k + both), strict=True):
            if tag == "replace":
                change("context", old, new, *b.blocks[:at], replace(new, when=old.when), *b.blocks[at + 1 :])
            out += _rules_changed(b, old, new)
        for old in a.blocks[i + both : j]:
            change("removed", old, None, *b.blocks[: k + both], old, *b.blocks[k + both :])
        for at in range(k + both, m):
            change("added", None, b.blocks[at], *b.blocks[:at], *b.blocks[at + 1 :])
    return out


def _rules_changed(b: System, old: Block, new: Block) -> list[Change]:
    pairs = match_lines(old.lines, new.lines)
    changes = [Change(kind, (), x, y, new) for x, y, kind in pairs if kind != "same"]
    for change in changes:
        if change.old is not None and not new.lines:
            blocks = tuple(replace(k, lines=(change.old,)) if k is new else k for k in b.blocks)
            change.reverted = replace(b, blocks=blocks)
        else:
            change.reverted = _reverted(b, change, pairs, list(old.lines))
    return changes


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
    before = judge.mean - float(gains.mean())
    gain = (float(gains.mean()), standard_error(gains, judge.boards.base))
    return Difference(
        a.name, b.name, control.name, judge.boards.source, changes, (before, judge.mean), gain
    )  # fmt: skip


def _order(change: Change) -> tuple[bool, int, float]:
    gain = change.worth.per_thousand if change.worth is not None and change.worth.per_thousand is not None else 0.0
    return not change.convention, [*_TITLES].index(change.kind), -abs(gain)
