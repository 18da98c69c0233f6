"""Represent a bidding system as an immutable tree of lines. A change makes a new tree.

::

    System ── lines ──► Line: path, constraint, flags, note ── lines ──► what partner does next
       └──── blocks ──► Block: when (a context) ── lines ──► general rules for auctions the tree does not hold,
                                                             or scorecards, which weigh these rules' call and others
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

INFINITE = 99  # "12+": no upper end


@dataclass(frozen=True, slots=True)
class Atom:
    """``lo <= word <= hi``. ``word`` may hold a suit variable: ``M``, ``fit:x``; a difference is ``H-S``."""

    word: str
    lo: int
    hi: int


#: All atoms hold.
Alternative = tuple[Atom, ...]
#: At least one of them holds.
Clause = tuple[Alternative, ...]
#: All clauses hold. "8+ hcp, 4 H or 4 S" is two clauses, the second with two alternatives.
Constraint = tuple[Clause, ...]
#: A file, and the number of a line in it.
Source = tuple[Path, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a path: ``1M``, ``P``, ``game:M`` or, the opponents', ``(1x)``."""

    token: str
    theirs: bool = False

    def __str__(self) -> str:
        return f"({self.token})" if self.theirs else self.token


@dataclass(frozen=True, slots=True)
class Term:
    """Points for a call: once if ``condition`` holds, or for each unit of a word (less another word's)."""

    points: int
    condition: Clause = ()
    word: str = ""  # in place of a condition
    less: str = ""

    @property
    def words(self) -> list[str]:
        """Return the words that it counts or asks for."""
        conditions = [atom.word for alternative in self.condition for atom in alternative]
        return [word for word in (self.word, self.less, *conditions) if word]

    @property
    def speaks_of_suit(self) -> bool:
        """Return whether it speaks of the suit of the call, which lines call x."""
        return any(word == "x" or word.endswith(":x") for word in self.words)


@dataclass(frozen=True, slots=True)
class Score:
    """The sum of a scorecard: a start and what its terms add."""

    base: int
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A call with its conditions, and the lines that follow it."""

    path: tuple[Step, ...]
    constraint: Constraint = ()
    flags: tuple[str, ...] = ()
    note: str = ""
    lines: tuple[Line, ...] = ()
    after: bool = False  # no rule itself, it only leads to the lines that follow: "after 1M" or "(1x)"
    score: Score | None = None  # of a scorecard: its conditions only let the call be weighed
    # of a scorecard: what others read into the call, besides its conditions; without it they read what the rules show
    shows: Constraint = ()
    comments: tuple[str, ...] = field(default=(), compare=False)
    number: int = field(default=0, compare=False)  # its line in the text, by which rules and counts name it
    source: Source | None = field(default=None, compare=False)  # its place, if not in the system's own text

    @property
    def name(self) -> str:
        """Return the path as written: ``(1x)-lowest:y``."""
        return "-".join(str(step) for step in self.path)


@dataclass(frozen=True, slots=True)
class Block:
    """General rules, or scorecards, for the contexts that ``when`` describes."""

    when: Constraint
    lines: tuple[Line, ...]
    note: str = ""
    weighs: bool = False  # its lines are scorecards: the call with the highest sum is made
    comments: tuple[str, ...] = field(default=(), compare=False)
    number: int = field(default=0, compare=False)
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class System:
    """A bidding system. Its hash is computed once, because caches use systems as keys."""

    name: str
    lines: tuple[Line, ...] = ()
    blocks: tuple[Block, ...] = ()
    comments: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.lines, self.blocks))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, System):
            return self is other
        return hash(self) == hash(other) and (self.name, self.lines, self.blocks) == (
            other.name, other.lines, other.blocks
        )  # fmt: skip

    @cached_property
    def by_number(self) -> dict[int, Line]:
        """Return the lines of its tree by their numbers; of several with the same, the first."""
        return {line.number: line for line in reversed(list(walk(self.lines)))}

    @cached_property
    def general_by_number(self) -> dict[int, Line]:
        """Return the lines of its general rules by their numbers."""
        return {line.number: line for block in self.blocks for line in block.lines}

    def line(self, general: bool, number: int) -> Line | None:
        """Return the line of its general rules, or of its tree, that has a number; None where there is none."""
        return (self.general_by_number if general else self.by_number).get(number)

    def __reduce__(self) -> tuple[object, ...]:
        return System, (self.name, self.lines, self.blocks, self.comments)  # hashes differ from process to process

    def rebuilt(self, change: Callable[[Line], Iterable[Line]]) -> System:
        """Return the system with what ``change`` makes of each line, of those that follow it first."""
        blocks = tuple(replace(block, lines=_rebuilt(block.lines, change)) for block in self.blocks)
        return replace(self, lines=_rebuilt(self.lines, change), blocks=blocks)

    def with_cards(self, blocks: Iterable[Block]) -> System:
        """Return the system with other scorecards: those among ``blocks``."""
        cards = tuple(block for block in blocks if block.weighs)
        return replace(self, blocks=(*cards, *(block for block in self.blocks if not block.weighs)))

    def renamed(self, name: str) -> System:
        """Return the same system under another name."""
        return replace(self, name=name)


def _rebuilt(lines: tuple[Line, ...], change: Callable[[Line], Iterable[Line]]) -> tuple[Line, ...]:
    return tuple(new for line in lines for new in change(replace(line, lines=_rebuilt(line.lines, change))))


def pruned(
    lines: tuple[Line, ...], is_pruned: Callable[[tuple[Step, ...], Line], bool], above: tuple[Step, ...] = ()
) -> tuple[Line, ...]:
    """Return the lines without those of which ``is_pruned`` is true, and without what follows these.

    Args:
        is_pruned: gets the auction that leads to a line, its own calls included, and the line.
    """
    paths = [(*above, *line.path) for line in lines]
    return tuple(
        replace(line, lines=pruned(line.lines, is_pruned, path))
        for path, line in zip(paths, lines, strict=True)
        if not is_pruned(path, line)
    )


def place_of(line: Line | Block) -> str:
    """Name the place of a line: ``line 12`` of the system's own text, or ``line 3 of sayc.bidding``."""
    return f"line {line.number}" if line.source is None else f"line {line.source[1]} of {line.source[0].name}"


def rules_below(lines: tuple[Line, ...], above: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Line]]:
    """Iterate over all rules of a tree with the auction that leads to each, its own call included."""
    for line in lines:
        path = (*above, *line.path)
        if not line.after:
            yield path, line
        yield from rules_below(line.lines, path)


def atoms_of(constraint: Constraint) -> list[Atom]:
    """Return all conditions that it speaks of, in order."""
    return [atom for clause in constraint for alternative in clause for atom in alternative]


def walk(lines: tuple[Line, ...]) -> Iterator[Line]:
    """Iterate over all lines, each before those that follow it."""
    for line in lines:
        yield line
        yield from walk(line.lines)
