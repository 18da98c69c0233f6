"""Represent changes to a system as values: each applies to any system that still contains what it changes.

A line is found again by its trail, the names of the lines above it, and by what it says; so an edit that was
thought out for one version of a system applies to the next, and to partner's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.systems.changes.chapters import ReplaceSection
from agents.systems.changes.mutation import Address, Trail, placed, with_lines
from agents.systems.language.overrides import answers
from agents.systems.language.paths import path_steps
from agents.systems.language.text import constraint_text, heading_of
from agents.systems.language.tree import Block, Constraint, Line, Step, System


def _find(system: System, trail: Trail, line: Line) -> tuple[Address, Line] | None:
    content = what_it_says(line), line.after
    for address, where, candidate in placed(system):
        if where == trail and (what_it_says(candidate), candidate.after) == content:
            return address, candidate
    return None


@dataclass(frozen=True)
class Insert:
    """A new line in front of all others after ``path``, which is empty for an opening bid."""

    path: tuple[Step, ...]
    line: Line
    what: str

    def apply(self, system: System) -> System | None:
        if not self.path:
            return replace(system, lines=(self.line, *system.lines))
        front, *rest = system.lines or (None,)
        if front is not None and front.after and front.path == self.path:
            return replace(system, lines=(replace(front, lines=(self.line, *front.lines)), *rest))
        leads = Line(self.path, after=True, lines=(self.line,))
        return replace(system, lines=(leads, *system.lines))


@dataclass(frozen=True)
class InsertGeneral:
    """A new general rule in front of all others but those for answers to conventions."""

    when: Constraint
    line: Line
    what: str

    def apply(self, system: System) -> System | None:
        for b, block in enumerate(system.blocks):
            if block.when == self.when and not block.weighs:
                new = replace(block, lines=(self.line, *block.lines))
                return replace(system, blocks=(*system.blocks[:b], new, *system.blocks[b + 1 :]))
        first = next((b for b, block in enumerate(system.blocks) if not answers(block)), len(system.blocks))
        new = Block(self.when, (self.line,))
        return replace(system, blocks=(*system.blocks[:first], new, *system.blocks[first:]))


@dataclass(frozen=True)
class Replace:
    """Other lines, or none, in place of one."""

    trail: Trail
    old: Line
    new: tuple[Line, ...]
    what: str

    def apply(self, system: System) -> System | None:
        found = _find(system, self.trail, self.old)
        if found is None:
            return None
        address, now = found
        # The lines that follow stay as they are now, unless the edit brings its own.
        new = tuple(replace(n, lines=now.lines) if n.lines == self.old.lines else n for n in self.new)
        return with_lines(system, address, new)


def dropped(trail: Trail, line: Line, where: str = "") -> Replace:
    """Return the edit that drops a line and what follows it; ``where`` begins its description."""
    return Replace(trail, line, (), f"{where}{line.name}: dropped ({constraint_text(line.constraint)})")


def without_clause(trail: Trail, line: Line, at: int, verb: str = "no longer", where: str = "") -> Replace:
    """Return the edit that leaves one condition of a line out."""
    less = replace(line, constraint=(*line.constraint[:at], *line.constraint[at + 1 :]))
    return Replace(trail, line, (less,), f"{where}{line.name}: {verb} {constraint_text(line.constraint[at : at + 1])}")


@dataclass(frozen=True)
class SwapLines:
    """Two neighbouring lines in the other order."""

    trail: Trail
    upper: Line
    lower: Line
    what: str

    def apply(self, system: System) -> System | None:
        upper, lower = (_find(system, self.trail, line) for line in (self.upper, self.lower))
        if upper is None or lower is None or upper[0][:-1] != lower[0][:-1]:
            return None
        return with_lines(with_lines(system, upper[0], (lower[1],)), lower[0], (upper[1],))


@dataclass(frozen=True)
class CompositeEdit:
    """Several edits as one: a call with partner's answers to it."""

    parts: tuple[Edit, ...]
    what: str

    def apply(self, system: System) -> System | None:
        now: System | None = system
        for part in self.parts:
            now = part.apply(now) if now is not None else None
        return now


@dataclass(frozen=True)
class SetCards:
    """A block of scorecards in place of those for the same auctions, or in front of all blocks."""

    block: Block
    what: str

    def apply(self, system: System) -> System | None:
        for b, block in enumerate(system.blocks):
            if block.weighs and block.when == self.block.when:
                return replace(system, blocks=(*system.blocks[:b], self.block, *system.blocks[b + 1 :]))
        return replace(system, blocks=(self.block, *system.blocks))


HEADINGS = ("when ", "weigh when ")  # begin the trail of a general rule, and of a scorecard
Edit = Insert | InsertGeneral | Replace | SwapLines | CompositeEdit | ReplaceSection | SetCards
_Held = set[tuple[Trail, tuple[object, ...]]]  # the place of each line of a system, and its content


def new_lines(before: System, after: System) -> Iterator[tuple[Address, Trail, Line]]:
    """Yield address, trail and line of the rules of ``after`` that ``before`` has not; headings are no rules."""
    held = _held(before)
    for address, trail, line in placed(after):
        if not line.after and (trail, what_it_says(line)) not in held:
            yield address, trail, line


def differences(mine: System, theirs: System) -> Iterator[Edit]:
    """Yield edits that bring what another system has at the same place: a line changed, new there, or dropped."""
    yield from _cards(mine, theirs)
    mine, theirs = (replace(one, blocks=tuple(b for b in one.blocks if not b.weighs)) for one in (mine, theirs))
    there, replaced = _held(theirs), set[tuple[Trail, Line]]()
    here = {address: (trail, line) for address, trail, line in placed(mine)}
    for address, trail, line in new_lines(mine, theirs):
        edit = _bring(here, theirs, there, address, trail, line)
        if isinstance(edit, Replace) and len(edit.new) == 1:
            replaced.add((edit.trail, edit.old))
        yield edit
    for _, trail, line in new_lines(theirs, mine):
        if not line.lines and (trail, line) not in replaced:
            yield Replace(trail, line, (), f"drops {line.name}, as partner did")


def _cards(mine: System, theirs: System) -> Iterator[Edit]:
    """Yield edits that bring scorecards: one with other scores, or all for the same auctions."""
    own = {block.when: block for block in mine.blocks if block.weighs}
    for block in theirs.blocks:
        if not block.weighs or own.get(block.when) == block:
            continue
        here = own[block.when].lines if block.when in own else ()
        alike = {(line.path, line.constraint): line for line in here}
        for line in block.lines:
            old = alike.get((line.path, line.constraint))
            if old is not None and what_it_says(old) != what_it_says(line):
                yield Replace((heading_of(block),), old, (line,), f"takes the scores of {line.name}")
        yield SetCards(block, f"takes the scorecards for {constraint_text(block.when)}")


def _held(system: System) -> _Held:
    return {(trail, what_it_says(line)) for _, trail, line in placed(system)}


def sub_hierarchies(edits: Sequence[Edit]) -> Iterator[CompositeEdit]:
    """Group the differences below one heading into one edit: all after a first call, or all of a context."""
    below: dict[str, list[Edit]] = {}
    for edit in edits:
        below.setdefault(_heading(edit), []).append(edit)
    for heading, parts in below.items():
        if len(parts) > 1:
            yield CompositeEdit(tuple(parts), f"takes all of {heading}")


def is_general(edit: Edit) -> bool:
    """Return whether the edit changes a general rule or a scorecard."""
    trail = edit.trail if isinstance(edit, Replace | SwapLines) else ()
    return isinstance(edit, InsertGeneral | SetCards) or (bool(trail) and trail[0].startswith(HEADINGS))


def _heading(edit: Edit) -> str:
    if isinstance(edit, Insert):
        return str((*edit.path, *edit.line.path)[0])
    if is_general(edit):
        return "the general rules and scorecards"
    trail = edit.trail if isinstance(edit, Replace | SwapLines) else ()
    first = trail[0] if trail else edit.old.name if isinstance(edit, Replace) else edit.what
    return first.split("-")[0]


def _bring(
    here: Mapping[Address, tuple[Trail, Line]], theirs: System, there: _Held, address: Address, trail: Trail, line: Line
) -> Edit:
    """Return the edit that brings a line at ``address`` of ``theirs``: in place of mine, in front of it, or anew."""
    (own_trail, at_place), what = here.get(address, ((), None)), f"takes {line.name}"
    if at_place is not None and own_trail == trail:
        if at_place.path == line.path and (trail, what_it_says(at_place)) not in there:
            return Replace(trail, at_place, (replace(line, lines=at_place.lines),), what)
        return Replace(trail, at_place, (replace(line, lines=()), at_place), what)
    if address[0] == "lines":
        return Insert(path_steps("-".join(trail)), line, what)
    return InsertGeneral(theirs.blocks[int(address[1])].when, line, what)


def lines_of_calls(system: System, calls: Collection[str]) -> list[tuple[object, ...]]:
    """Return place and content of the tree's lines for some calls, written as ``1N`` or ``(1N)-X``."""
    at = [("-".join((*trail, line.name)), line) for address, trail, line in placed(system) if address[0] == "lines"]
    return [(path, *what_it_says(line)) for path, line in at if path in calls and not line.after]


def what_it_says(line: Line) -> tuple[object, ...]:
    return line.path, line.constraint, line.flags, line.score, line.shows
