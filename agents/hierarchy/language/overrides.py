"""Change another system instead of copying it: ``base: sayc``, and lines that replace, add or drop calls.

::

    system: mine
    base: sayc
    1N    12-14 hcp, balanced         # in place of all lines of the base for this call in this auction
      drop 2N                         # the base's lines for it go, with all that follows them
      also 2C  11+ hcp, 5 C           # in front of the base's lines for it, which stay
    when ours, not forced             # a block with the base's words changes that block, another one is new
      drop X

What follows a call in the base stays. An auction is found as it is spelled: ``1M`` and ``1H`` are different lines. A
call that the base does not make there comes in front of those that it makes. Lines of the base keep their numbers, one
step of ``STEP`` higher for each base between; the package's general rules are numbered above ``GENERAL``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.hierarchy.language.tree import Block, Line, Step, System, atoms_of, pruned
from agents.hierarchy.language.vocabulary import CALL_WORDS

ALSO, DROP = "also", "drop"
STEP = 1_000_000  # above the number of any line of a file
GENERAL = 1000 * STEP  # above that of any line of a base: the general rules that a base without its own gets

Path = tuple[Step, ...]


class OverrideError(ValueError):
    """A line that changes what the base has not; with the line's number."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


@dataclass(frozen=True)
class Overrides:
    """What a text says beside its base."""

    name: str  # of the base, as the text has it
    base: System  # with general rules, numbered as ``renumbered`` does
    own: System  # the text's own lines
    marks: Mapping[int, str]  # by the number of a line, ``ALSO`` or ``DROP``


@dataclass(frozen=True)
class Replaced:
    """A call of the base that own lines make in its place."""

    path: Path
    old: tuple[Line, ...]
    new: tuple[Line, ...]


def base_in(line: str) -> str | None:
    """The name of the base that a line gives the system; None of any other line."""
    body = line.strip()
    return body[5:].partition(";")[0].strip() if body.startswith("base:") else None


def place_of(number: int) -> str:
    """Say where a line stands: ``line 12``, ``line 12 of its base`` or ``line 12 of general.bidding``."""
    if number >= GENERAL:
        return f"line {number - GENERAL} of general.bidding"
    bases, line = divmod(number, STEP)
    return f"line {line}" + " of its base" * min(bases, 1) + "'s base" * (bases - 1)


def renumbered(system: System, more: int = STEP) -> System:
    """The system with its lines numbered as those of a base; ``GENERAL`` makes ``more`` of general rules."""
    out = system.rebuilt(lambda line: [replace(line, number=_higher(line.number, more))])
    return replace(out, blocks=tuple(replace(block, number=_higher(block.number, more)) for block in out.blocks))


def _higher(number: int, more: int) -> int:
    return number if number >= GENERAL else number + more


def rules_below(lines: tuple[Line, ...], above: Path = ()) -> Iterator[tuple[Path, Line]]:
    """All rules of a tree with the whole auction that leads to each, its own call included."""
    for line in lines:
        path = (*above, *line.path)
        if not line.after:
            yield path, line
        yield from rules_below(line.lines, path)


def overridden(said: Overrides) -> System:
    """The base as the own lines change it.

    Raises:
        OverrideError: a line drops what the base has not.
    """
    lines, inside = said.base.lines, set[Path]()  # paths whose new rules stand in place of the base's
    for path, rules in by_auction(said.own.lines).items():
        dropped = [rule for rule in rules if said.marks.get(rule.number) == DROP]
        new = [rule for rule in rules if rule.number not in said.marks]
        there = any(path == found for found, _ in rules_below(lines))
        if dropped:
            before = lines
            lines = pruned(before, lambda here, _, path=path: here[: len(path)] == path)  # type: ignore[misc]
            if lines == before:
                raise OverrideError(dropped[0].number, f"the base has no {path[-1]} to drop {_where(path[:-1])}")
        if new and there and not dropped:
            lines = _replaced(lines, path, new, ())[0]
            inside.add(path)
    front = dict[Path, list[Line]]()  # in the order of the text, as the first line that fits counts
    for path, rule in rules_below(said.own.lines):
        if _in_front(rule, said.marks, path in inside):
            front.setdefault(path[:-1], []).append(replace(rule, path=path[-1:], lines=()))
    headings = [Line(path, after=True, lines=tuple(rules)) for path, rules in front.items() if path]
    lines = (*front.get((), ()), *headings, *lines)
    return replace(said.own, lines=lines, blocks=_blocks(said))


def _in_front(rule: Line, marks: Mapping[int, str], inside: bool) -> bool:
    mark = marks.get(rule.number)
    return mark == ALSO or (mark is None and not inside)


def replaced_calls(said: Overrides) -> Iterator[Replaced]:
    """The calls of the base for which own lines stand."""
    there = by_auction(said.base.lines)
    for path, rules in by_auction(said.own.lines).items():
        new = tuple(rule for rule in rules if rule.number not in said.marks)
        if new and path in there and DROP not in (said.marks.get(rule.number) for rule in rules):
            yield Replaced(path, tuple(there[path]), new)


def by_auction(lines: tuple[Line, ...]) -> dict[Path, list[Line]]:
    """The rules of a tree by their auctions, in the order of the text."""
    out = dict[Path, list[Line]]()
    for path, line in rules_below(lines):
        out.setdefault(path, []).append(line)
    return out


def _where(path: Path) -> str:
    return f"after {'-'.join(map(str, path))}" if path else "among its openings"


def _replaced(
    lines: tuple[Line, ...], path: Path, new: list[Line], above: Path, done: bool = False
) -> tuple[tuple[Line, ...], bool]:
    """The lines with ``new`` where the first rule of the auction stands; what follows any of them stays."""
    out: list[Line] = []
    for line in lines:
        here = (*above, *line.path)
        leads = here == path[: len(here)]
        below, done_below = _replaced(line.lines, path, new, here, done) if leads else (line.lines, done)
        if here != path or line.after:
            out.append(replace(line, lines=below))
            done = done_below
            continue
        kept = line.lines
        if not done:
            first, *others = (replace(rule, path=line.path, lines=()) for rule in new)
            out += [replace(first, lines=kept), *others]
            done = True
        elif kept:
            out.append(Line(line.path, after=True, lines=kept, number=line.number))
    return tuple(out), done


# --- general rules ----------------------------------------------------------------------------------------------------


def _blocks(said: Overrides) -> tuple[Block, ...]:
    blocks = list(said.base.blocks)
    for own in said.own.blocks:
        alike = [k for k, block in enumerate(blocks) if block.when == own.when]
        for k, rules in _shared_out(own.lines, blocks, alike).items():
            blocks[k] = replace(blocks[k], lines=_general(blocks[k].lines, tuple(rules), said.marks))
        if alike:
            continue
        if gone := [rule for rule in own.lines if said.marks.get(rule.number) == DROP]:
            raise OverrideError(gone[0].number, "the base has no block of these words in which to drop a call")
        # In front of all others but those for answers to conventions, which speak of a certain call.
        at = next((k for k, block in enumerate(blocks) if not answers(block)), len(blocks))
        blocks.insert(at, own)
    return tuple(blocks)


def _shared_out(own: tuple[Line, ...], blocks: Sequence[Block], alike: Sequence[int]) -> dict[int, list[Line]]:
    """Own rules by the block that they change: of blocks with the same words the first that makes the call."""
    out = dict[int, list[Line]]()
    for rule in own if alike else ():
        makes = (k for k in alike if any(line.path == rule.path for line in blocks[k].lines))
        out.setdefault(next(makes, alike[0]), []).append(rule)
    return out


def answers(block: Block) -> bool:
    """Does the block speak of auctions in which a certain call was made, as after Blackwood?"""
    return any(atom.word in CALL_WORDS for atom in atoms_of(block.when))


def _general(lines: tuple[Line, ...], own: tuple[Line, ...], marks: Mapping[int, str]) -> tuple[Line, ...]:
    """The rules of a block as own ones change them."""
    inside = set[Path]()
    for path in dict.fromkeys(rule.path for rule in own):
        rules = [rule for rule in own if rule.path == path]
        there = [line for line in lines if line.path == path]
        dropped = [rule for rule in rules if marks.get(rule.number) == DROP]
        if dropped and not there:
            raise OverrideError(dropped[0].number, f"the base has no {path[-1]} to drop in this block")
        new = [rule for rule in rules if rule.number not in marks]
        if dropped or (new and there):
            at = lines.index(there[0])
            left = tuple(line for line in lines if line.path != path)
            lines = (*left[:at], *new, *left[at:])
            inside.add(path)
    return (*(rule for rule in own if _in_front(rule, marks, rule.path in inside)), *lines)
